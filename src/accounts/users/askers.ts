import { networksOf } from "../clientAddress.ts"
import type { Asker } from "./turns.ts"

/** Who has shown more than a password: a session, a mailed token, an invite, or a device signed in from before; by its id. */
export const userAsker = (id: string): Asker => ({ isKnown: true, path: [id] })

/** Somebody at an address, of whom nothing is known. */
export const strangerAsker = (ipAddress: string | undefined): Asker => ({
  isKnown: false,
  path: networksOf(ipAddress ?? ""),
})

/** Who runs commands on this machine. */
export const commandAsker: Asker = { isKnown: true, path: ["commands"] }
