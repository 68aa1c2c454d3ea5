import { hkdfSync } from "node:crypto"
import { Redacted } from "effect"
import { generateEndpointSecret } from "../src/delivery/signature.ts"

/** Names what is derived, so that nothing else that may ever be derived from a key is the same. */
const label = "corrente listen: signing secret 1"
/** A secret takes 43 of these bytes, and each that would favour a character takes one more: three in a hundred. */
const bytesMax = 1_024

/**
 * The secret that `listen` and `resend` sign with: `whsec_` and 43 characters, derived from the key by HKDF-SHA256 (RFC 5869), so
 * that it is the same wherever the key is, and tells nothing about the key.
 */
export const signingSecretOf = (apiKey: Redacted.Redacted<string>): string => {
  const bytes = new Uint8Array(hkdfSync("sha256", Redacted.value(apiKey), "", label, bytesMax))
  let taken = 0
  return generateEndpointSecret((size) => {
    taken += size
    return bytes.subarray(taken - size, taken)
  })
}
