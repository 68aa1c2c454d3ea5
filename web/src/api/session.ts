import { computed, effect, signal } from "@preact/signals"
import type { Mode } from "../../../schema/ids.ts"
import type { User } from "../../../schema/resources/account.ts"

export type { Mode }

type Methods = ReadonlyArray<"totp" | "passkey">

const modeKey = "corrente.mode"

const storedMode = (): Mode => (localStorage.getItem(modeKey) === "live" ? "live" : "test")

/** Who is signed in: null is nobody, undefined is not known yet. */
export const user = signal<User | null | undefined>(undefined)

/** What the user can give as a second factor here: in this session, or at the second step of the sign-in that is under way. */
export const secondFactorMethods = signal<Methods>([])

/** Whether this browser knows passkeys here: on https and localhost only, and at a name, which an IP address is not (WebAuthn). */
export const canUsePasskeys = (): boolean =>
  typeof PublicKeyCredential === "function" && !/^[\d.]+$|^\[/.test(location.hostname)

/** Whether the user can be asked for a passkey instead of a code. */
export const offersPasskey = computed(() => secondFactorMethods.value.includes("passkey") && canUsePasskeys())

/** The mode whose data the pages show; the choice survives a reload. */
export const mode = signal<Mode>(storedMode())

/** Whether the session ended without its user signing out here, so that the sign-in page can say so. */
export const hasLostSession = signal(false)

/** Forgets who was signed in, once the service has said that the session has ended: pages lead to the sign-in. */
export const loseSession = (): void => {
  if (!user.value) return
  hasLostSession.value = true
  user.value = null
}

export const isOperator = computed(() => user.value?.role === "admin")

/** Shows the other mode's data from now on, in this tab and after a reload. */
export const chooseMode = (next: Mode): void => {
  localStorage.setItem(modeKey, next)
  mode.value = next
}

const userKey = "corrente.user"

/** A signed-in page starts anew when another tab of the browser signs out, or in as somebody else: they share one session. */
export const followSession = (): void => {
  effect(() => {
    if (user.value !== undefined) localStorage.setItem(userKey, user.value?.id ?? "")
  })
  addEventListener("storage", ({ key, newValue }) => {
    const id = user.peek()?.id
    if (key === userKey && id !== undefined && newValue !== id) location.reload()
  })
}
