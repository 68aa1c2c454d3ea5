import { customerOf, networksOf } from "../clientAddress.ts"
import type { Asker } from "./turns.ts"

/**
 * A caller that has shown more than a password: a session, a mailed token, an invite, or a device signed in from
 * before; by user id.
 */
export const userAsker = (id: string): Asker => ({ isKnown: true, path: [id] })

/** A caller of whom only the address is known. */
export const strangerAsker = (ipAddress: string | undefined): Asker => ({
  isKnown: false,
  path: networksOf(ipAddress ?? ""),
  network: customerOf(ipAddress ?? ""),
})

/** Commands run on this machine. */
export const commandAsker: Asker = { isKnown: true, path: ["commands"] }
