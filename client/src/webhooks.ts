import { type WebhookErrorCode, WebhookVerificationError } from "./errors.ts"
import type { WebhookEvent } from "./types.ts"

/** Headers as `Request` has them, or as Node's servers and Express do. */
export type WebhookHeaders = Headers | Readonly<Record<string, string | ReadonlyArray<string> | undefined>>

/** The raw body of a request: its bytes, or its text if no byte was changed in between. */
export type RawBody = string | Uint8Array | ArrayBuffer

export interface VerifyWebhookOptions {
  /** How far the signed time may be from now: 300 by default. */
  readonly toleranceSeconds?: number | undefined
}

/** What one of the two signature forms says, as far as its headers are there. */
interface Signed {
  /** Unix time in seconds, as it was written. */
  readonly time: string
  /** What the body follows in the signed bytes. */
  readonly prefix: string
  readonly key: Uint8Array<ArrayBuffer>
  readonly signatures: ReadonlyArray<Uint8Array>
}

const defaultToleranceSeconds = 300
const secretPrefix = "whsec_"

const encoder = new TextEncoder()

const headerOf = (headers: WebhookHeaders, name: string): string | undefined => {
  if (typeof Headers === "function" && headers instanceof Headers) return headers.get(name) ?? undefined
  const found = Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1]
  return typeof found === "object" ? found.join(",") : found
}

const fromBase64 = (text: string): Uint8Array<ArrayBuffer> | undefined => {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0))
  } catch {
    return undefined
  }
}

const fromHex = (text: string): Uint8Array =>
  Uint8Array.from(/^[0-9a-f]{64}$/i.test(text) ? (text.match(/../g) ?? []) : [], (pair) =>
    Number.parseInt(pair, 16),
  )

/** `X-Signature: t=<seconds>,v1=<hex>[,v1=<hex>]`, the form that Stripe's libraries verify. */
const signedWithHex = (headers: WebhookHeaders, secret: string): Signed | undefined => {
  const parts = (headerOf(headers, "x-signature") ?? "").split(",").map((part) => part.trim().split("="))
  const time = parts.find(([name]) => name === "t")?.[1]
  if (time === undefined) return undefined
  const signatures = parts.filter(([name]) => name === "v1").map(([, hex = ""]) => fromHex(hex))
  return { time, prefix: `${time}.`, key: encoder.encode(secret), signatures }
}

/** `webhook-id`, `webhook-timestamp` and `webhook-signature: v1,<base64>[ v1,<base64>]`: Standard Webhooks. */
const signedWithBase64 = (headers: WebhookHeaders, secret: string): Signed | undefined => {
  const [id, time, signature] = ["id", "timestamp", "signature"].map((name) =>
    headerOf(headers, `webhook-${name}`),
  )
  const key = fromBase64(secret.startsWith(secretPrefix) ? secret.slice(secretPrefix.length) : secret)
  if (!id || !time || !signature || !key?.length) return undefined
  const signatures = signature
    .split(" ")
    .map((versioned) => versioned.split(","))
    .filter(([version]) => version === "v1")
    .map(([, base64 = ""]) => fromBase64(base64) ?? new Uint8Array())
  return { time, prefix: `${id}.${time}.`, key, signatures }
}

/** Takes as long for the first byte that differs as for the last. */
const isSame = (one: Uint8Array, other: Uint8Array): boolean => {
  if (one.length !== other.length) return false
  let difference = 0
  for (const [index, byte] of one.entries()) difference |= byte ^ (other[index] ?? 0)
  return difference === 0
}

const problemOf = async (
  { time, prefix, key, signatures }: Signed,
  body: Uint8Array,
  toleranceSeconds: number,
): Promise<WebhookErrorCode | undefined> => {
  const ageSeconds = Math.floor(Date.now() / 1_000) - Number(time)
  const isRecent = /^\d{1,12}$/.test(time) && Math.abs(ageSeconds) <= toleranceSeconds
  if (!isRecent) return "signature_expired"
  const head = encoder.encode(prefix)
  const content = new Uint8Array(head.length + body.length)
  content.set(head)
  content.set(body, head.length)
  const hmac = { name: "HMAC", hash: "SHA-256" }
  const cryptoKey = await crypto.subtle.importKey("raw", key, hmac, false, ["sign"])
  const expected = new Uint8Array(await crypto.subtle.sign("HMAC", cryptoKey, content))
  return signatures.some((signature) => isSame(signature, expected)) ? undefined : "signature_mismatch"
}

const messages: Readonly<Record<WebhookErrorCode, string>> = {
  secret_missing: "The secret is empty.",
  signature_missing: "The headers have neither X-Signature nor webhook-signature.",
  signature_expired: "The body was signed too long ago, or in the future.",
  signature_mismatch: "The body was not signed with this secret, or was changed since.",
  body_not_json: "The body is signed, but it is not JSON.",
}

const refused = (code: WebhookErrorCode) => new WebhookVerificationError(code, messages[code])

/**
 * Checks that a delivery comes from the service, and answers its event. Give it the body as it came, before anything parses it, and
 * the endpoint's secret (`whsec_…`). One of the two signatures is enough (`docs/contract/deliveries.md#signature`). Fails with
 * {@link WebhookVerificationError}, also for what was signed more than `toleranceSeconds` away.
 */
export const verifyWebhook = async (
  rawBody: RawBody,
  headers: WebhookHeaders,
  secret: string,
  { toleranceSeconds = defaultToleranceSeconds }: VerifyWebhookOptions = {},
): Promise<WebhookEvent> => {
  if (!secret) throw refused("secret_missing")
  const body = typeof rawBody === "string" ? encoder.encode(rawBody) : new Uint8Array(rawBody)
  const forms = [signedWithBase64(headers, secret), signedWithHex(headers, secret)]
  let problem: WebhookErrorCode | undefined = "signature_missing"
  for (const signed of forms) {
    if (signed === undefined || problem === undefined) continue
    problem = await problemOf(signed, body, toleranceSeconds)
  }
  if (problem !== undefined) throw refused(problem)
  try {
    return JSON.parse(new TextDecoder().decode(body)) as WebhookEvent
  } catch {
    throw refused("body_not_json")
  }
}
