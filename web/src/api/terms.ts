import { computed, effect, signal } from "@preact/signals"
import type { Terms } from "../../../schema/resources/account.ts"
import { call } from "./http.ts"
import { user } from "./session.ts"

/** The current terms, and those that the signed-in user accepted; undefined until they are known. */
export const terms = signal<Terms | undefined>(undefined)

/** The page that shows the terms; null where the service names none, and until it is known. */
export const termsUrl = signal<string | null>(null)

/** Reads it, signed in or not. */
export const readTermsUrl = async (): Promise<void> => {
  if (termsUrl.peek() === null) termsUrl.value = (await call("GET /v1/me/auth/terms")).url
}

/** Whether the user accepted other terms than the current ones. Who never accepted any is not held up (`docs/dashboard.md#terms`). */
export const areTermsNewer = computed(() => {
  const { version, accepted_version: accepted } = terms.value ?? {}
  return typeof accepted === "string" && accepted !== version
})

/** Reads them. */
const readTerms = async (): Promise<void> => {
  const id = user.peek()?.id
  const read = await call("GET /v1/me/terms")
  if (user.peek()?.id === id) terms.value = read
}

/** Accepts the current terms as they were shown. Terms that have changed meanwhile are shown, and have to be accepted in turn. */
export const acceptTerms = async (): Promise<void> => {
  try {
    const { version = "" } = terms.peek() ?? {}
    await call("POST /v1/me/terms/accept", { body: { version }, isRepeatable: true })
  } finally {
    await readTerms()
  }
}

/** Reads the terms of whoever signs in. Pages do not wait for them, nor fail without them. */
export const followTerms = (): void => {
  let knownId: string | undefined
  effect(() => {
    const id = user.value?.id
    if (id === knownId) return
    knownId = id
    terms.value = undefined
    if (id !== undefined) void readTerms().catch(() => {})
  })
}
