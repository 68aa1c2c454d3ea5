import { createHash, createHmac, timingSafeEqual } from "node:crypto"

/** The header that carries a notice's signature (docs/contract/notices.md#signature). */
export const signatureHeader = "x-webhook-signature"

const digestOf = (text: string): Buffer => createHash("sha256").update(text).digest()

/** Compares in constant time: digests are of one length. */
const isSame = (given: string, expected: string): boolean =>
  timingSafeEqual(digestOf(given), digestOf(expected))

/** Whether the address bears the secret. API Pix appends `/pix` to an address, also behind its query. */
const isSecret = (secret: string, hmac: string): boolean =>
  isSame(hmac, secret) || isSame(hmac, `${secret}/pix`)

/**
 * Whether its acquirer vouches for a body: by its signature, HMAC-SHA256 of the raw body in hex, or by an address that bears
 * the secret. Of both, both must be right. Without a secret the proxy in front has demanded the acquirer's client certificate,
 * and every body that arrives is the acquirer's.
 */
export const isSignatureValid = (
  secret: string | undefined,
  rawBody: Uint8Array,
  header: string | undefined,
  hmac?: string,
): boolean => {
  if (secret === undefined) return true
  const signature = (header ?? "").trim().toLowerCase()
  const isSigned = isSame(signature, createHmac("sha256", secret).update(rawBody).digest("hex"))
  if (hmac === undefined) return isSigned
  return isSecret(secret, hmac) && (signature === "" || isSigned)
}
