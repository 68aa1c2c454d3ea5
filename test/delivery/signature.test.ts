import { createHmac, randomBytes } from "node:crypto"
import * as fc from "fast-check"
import { Webhook } from "standardwebhooks"
import Stripe from "stripe"
import { describe, expect, it } from "vitest"
import { generateEndpointSecret, signAttempt } from "../../src/delivery/signature.ts"

/** When the tests sign and verify, unless they say otherwise: the libraries compare it with the clock, five minutes apart at most. */
const signedSeconds = Math.floor(Date.now() / 1000)
const MULTI_BYTE_BODY = JSON.stringify({ name: "José 支払い 💸", note: "“açaí”" })

const sign = (secrets: ReadonlyArray<string>, body: string, timestampSeconds = signedSeconds) => {
  const signatures = signAttempt({ secrets, eventId: "evt_1", timestampSeconds, body: Buffer.from(body) })
  if (signatures === null) throw new Error("not signed")
  return signatures
}

const stripeAccepts = (body: string, header: string, secret: string): boolean => {
  try {
    new Stripe("sk_test_none").webhooks.constructEvent(body, header, secret)
    return true
  } catch (error) {
    if (error instanceof Stripe.errors.StripeSignatureVerificationError) return false
    throw error
  }
}

const standardWebhooksAccepts = (body: string, signature: string, secret: string): boolean => {
  try {
    // Strict decoders of base64 want the padding that 43 characters lack.
    new Webhook(`${secret}=`).verify(body, {
      "webhook-id": "evt_1",
      "webhook-timestamp": String(signedSeconds),
      "webhook-signature": signature,
    })
    return true
  } catch {
    return false
  }
}

describe("signAttempt", () => {
  it("signAttempt writes X-Signature as t and the hex HMAC of `t.body`", () => {
    const secret = `whsec_${"A".repeat(43)}`
    const hex = createHmac("sha256", secret).update('1700000000.{"a":1}').digest("hex")
    expect(sign([secret], '{"a":1}', 1_700_000_000).xSignature).toBe(`t=1700000000,v1=${hex}`)
  })

  it("signAttempt signs nothing without a secret", () => {
    expect(signAttempt({ secrets: [], eventId: "evt_1", timestampSeconds: 1, body: "{}" })).toBeNull()
  })

  it("signAttempt signs text and its UTF-8 bytes alike", () => {
    const input = { secrets: ["whsec_x"], eventId: "evt_1", timestampSeconds: 1 }
    expect(signAttempt({ ...input, body: MULTI_BYTE_BODY })).toEqual(
      signAttempt({ ...input, body: Buffer.from(MULTI_BYTE_BODY) }),
    )
  })

  it("stripe and standardwebhooks accept signAttempt's signatures, for a multi-byte body too", () => {
    const secret = generateEndpointSecret(randomBytes)
    for (const body of ['{"id":"evt_1"}', MULTI_BYTE_BODY]) {
      const signatures = sign([secret], body)
      expect(stripeAccepts(body, signatures.xSignature, secret)).toBe(true)
      expect(standardWebhooksAccepts(body, signatures.webhookSignature, secret)).toBe(true)
    }
  })

  it("stripe and standardwebhooks refuse signAttempt's signatures for another secret or body", () => {
    const secret = generateEndpointSecret(randomBytes)
    const other = generateEndpointSecret(randomBytes)
    const signatures = sign([secret], '{"a":1}')
    expect(stripeAccepts('{"a":1}', signatures.xSignature, other)).toBe(false)
    expect(stripeAccepts('{"a":2}', signatures.xSignature, secret)).toBe(false)
    expect(standardWebhooksAccepts('{"a":1}', signatures.webhookSignature, other)).toBe(false)
    expect(standardWebhooksAccepts('{"a":2}', signatures.webhookSignature, secret)).toBe(false)
  })

  it("signAttempt's signatures are accepted with either secret during a rotation, the new one's first", () => {
    const fresh = generateEndpointSecret(randomBytes)
    const old = generateEndpointSecret(randomBytes)
    const signatures = sign([fresh, old], MULTI_BYTE_BODY)
    expect(signatures.xSignature).toMatch(/^t=\d+,v1=[0-9a-f]{64},v1=[0-9a-f]{64}$/)
    const [, firstHex] = signatures.xSignature.split(",")
    expect(sign([fresh], MULTI_BYTE_BODY).xSignature).toContain(firstHex)
    for (const secret of [fresh, old]) {
      expect(stripeAccepts(MULTI_BYTE_BODY, signatures.xSignature, secret)).toBe(true)
      expect(standardWebhooksAccepts(MULTI_BYTE_BODY, signatures.webhookSignature, secret)).toBe(true)
    }
  })
})

describe("generateEndpointSecret", () => {
  it("an endpoint secret is whsec_ and 43 alphanumeric characters, the canonical base64 of 32 bytes", () => {
    fc.assert(
      fc.property(fc.infiniteStream(fc.nat(255)), (bytes) => {
        const draw = (size: number) => Uint8Array.from(bytes.take(size))
        const secret = generateEndpointSecret(draw)
        expect(secret).toMatch(/^whsec_[A-Za-z0-9]{42}[AEIMQUYcgkosw048]$/)
        const characters = secret.slice("whsec_".length)
        const key = Buffer.from(characters, "base64")
        expect(key.length).toBe(32)
        expect(key.toString("base64")).toBe(`${characters}=`)
      }),
    )
  })

  it("generateEndpointSecret skips bytes that would favour the first characters", () => {
    const drawn = [255, 248, 247]
    const secret = generateEndpointSecret((size) =>
      Uint8Array.from({ length: size }, () => drawn.shift() ?? 0),
    )
    expect(secret).toBe(`whsec_9${"A".repeat(42)}`)
  })
})
