import { createHmac, timingSafeEqual } from "node:crypto"

/** The header that carries a notice's signature (docs/contract/notices.md#signature). */
export const signatureHeader = "x-webhook-signature"

/**
 * Whether a body bears its acquirer's signature: HMAC-SHA256 of the raw body in hex. Without a secret the proxy in front has
 * demanded the acquirer's client certificate, and every body that arrives is the acquirer's.
 */
export const isSignatureValid = (
  secret: string | undefined,
  rawBody: Uint8Array,
  header: string | undefined,
): boolean => {
  if (secret === undefined) return true
  const given = Buffer.from((header ?? "").trim().toLowerCase(), "latin1")
  const expected = Buffer.from(createHmac("sha256", secret).update(rawBody).digest("hex"), "latin1")
  return given.length === expected.length && timingSafeEqual(given, expected)
}
