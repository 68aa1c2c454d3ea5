import { createHmac } from "node:crypto"

const SECRET_PREFIX = "whsec_"
const SECRET_ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
/** The alphanumeric base64 characters whose two low bits are zero. */
const SECRET_LAST_ALPHABET = "AEIMQUYcgkosw048"
const SECRET_RANDOM_LENGTH = 43
/** Bytes from here on would favour the first characters of the alphabet. */
const UNBIASED_BYTE_END = 256 - (256 % SECRET_ALPHABET.length)

export interface SignatureInput {
  /** Plain text, newest first. */
  readonly secrets: ReadonlyArray<string>
  readonly eventId: string
  /** Unix time of the attempt, in whole seconds. */
  readonly timestampSeconds: number
  /** The raw body; text is signed as UTF-8. */
  readonly body: Uint8Array | string
}

export interface Signatures {
  /** Value of `X-Signature`. */
  readonly xSignature: string
  /** Value of the Standard Webhooks header `webhook-signature`. */
  readonly webhookSignature: string
}

/**
 * Signs one attempt, once per secret, newest first (docs/contract/deliveries.md#signature).
 *
 * - `X-Signature`: `t=<seconds>,v1=<hex>[,v1=<hex of the old secret>]`, HMAC-SHA256 of `<t>.<body>` with the whole
 *   secret string as the key; what Stripe's libraries verify.
 * - `webhook-signature`: `v1,<base64>[ v1,<base64>]`, HMAC-SHA256 of `<event id>.<seconds>.<body>`, the key being the
 *   secret's 43 characters decoded as base64 (Standard Webhooks 1.0).
 *
 * Returns null when there is no secret.
 */
export const signAttempt = (input: SignatureInput): Signatures | null => {
  if (input.secrets.length === 0) return null
  const stripePrefix = `${input.timestampSeconds}.`
  const standardPrefix = `${input.eventId}.${input.timestampSeconds}.`
  let xSignature = `t=${input.timestampSeconds}`
  let webhookSignature = ""
  for (const secret of input.secrets) {
    const hex = createHmac("sha256", secret).update(stripePrefix).update(input.body).digest("hex")
    const base64 = createHmac("sha256", standardWebhooksKey(secret))
      .update(standardPrefix)
      .update(input.body)
      .digest("base64")
    xSignature += `,v1=${hex}`
    webhookSignature += webhookSignature === "" ? `v1,${base64}` : ` v1,${base64}`
  }
  return { xSignature, webhookSignature }
}

const standardWebhooksKey = (secret: string): Buffer =>
  Buffer.from(secret.startsWith(SECRET_PREFIX) ? secret.slice(SECRET_PREFIX.length) : secret, "base64")

/**
 * Generates a signing secret: `whsec_` and 43 characters of `[A-Za-z0-9]`, the last with its two low bits zero, so that
 * they are also the base64 of 32 bytes (docs/contract/deliveries.md#signature). 254 bits of entropy.
 *
 * `randomBytes` is a cryptographic source of that many bytes, as `node:crypto` has it.
 */
export const generateEndpointSecret = (randomBytes: (sizeBytes: number) => Uint8Array): string => {
  let characters = ""
  while (characters.length < SECRET_RANDOM_LENGTH) {
    for (const byte of randomBytes(SECRET_RANDOM_LENGTH - characters.length)) {
      if (characters.length === SECRET_RANDOM_LENGTH - 1) {
        characters += SECRET_LAST_ALPHABET[byte % SECRET_LAST_ALPHABET.length]
        break
      }
      if (byte < UNBIASED_BYTE_END) characters += SECRET_ALPHABET[byte % SECRET_ALPHABET.length]
    }
  }
  return SECRET_PREFIX + characters
}
