import type { Mode } from "../../schema/ids.ts"

/** The kind of the timer that ends an API key. */
export const revokeTimerKind = "revoke"

/** The name of an API key's timer. It names the seller and mode, which the key's id does not. */
export const revokeTimerName = (sellerId: string, mode: Mode): string =>
  `${revokeTimerKind}:${sellerId}:${mode}`

/** Parses the name of an API key's timer; undefined for a timer of another kind. */
export const parseRevokeTimer = (
  name: string,
): { readonly sellerId: string; readonly mode: Mode } | undefined => {
  const [kind, sellerId, mode] = name.split(":")
  if (kind !== revokeTimerKind || sellerId === undefined) return undefined
  return { sellerId, mode: mode === "live" ? "live" : "test" }
}
