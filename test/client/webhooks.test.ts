import { createHmac, randomBytes } from "node:crypto"
import { Webhook } from "standardwebhooks"
import Stripe from "stripe"
import { describe, expect, it } from "vitest"
import {
  type VerifyWebhookOptions,
  verifyWebhook,
  type WebhookHeaders,
  WebhookVerificationError,
} from "../../client/src/index.ts"
import { generateEndpointSecret, signAttempt } from "../../src/delivery/signature.ts"

const now = () => Math.floor(Date.now() / 1_000)
const body = JSON.stringify({
  id: "evt_1",
  type: "transaction.paid",
  data: { object: { name: "José 支払い 💸" } },
})
const secret = generateEndpointSecret(randomBytes)
const stripe = new Stripe("sk_test_none").webhooks

/** The headers of an attempt as the service signs it; an old secret during a rotation. */
const signed = (
  secrets: ReadonlyArray<string>,
  timestampSeconds = now(),
  text = body,
): Record<string, string> => {
  const signatures = signAttempt({ secrets, eventId: "evt_1", timestampSeconds, body: text })
  return {
    "x-signature": signatures?.xSignature ?? "",
    "webhook-id": "evt_1",
    "webhook-timestamp": String(timestampSeconds),
    "webhook-signature": signatures?.webhookSignature ?? "",
  }
}
const only = (headers: Record<string, string>, form: "x-signature" | "webhook"): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => name.startsWith(form)))

const codeOf = async (...call: Parameters<typeof verifyWebhook>): Promise<string> => {
  try {
    await verifyWebhook(...call)
    return "fine"
  } catch (error) {
    return error instanceof WebhookVerificationError ? error.code : `no refusal: ${error}`
  }
}

describe("verifyWebhook", () => {
  it("verifyWebhook answers the event of a delivery, by either signature and from any kind of headers", async () => {
    const headers = signed([secret])
    const bytes = new TextEncoder().encode(body)
    const upper = Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name.toUpperCase(), value]),
    )
    const node = { ...headers, "x-signature": [headers["x-signature"] ?? ""], cookie: undefined }
    for (const [rawBody, given] of [
      [body, headers],
      [bytes, headers],
      [bytes.buffer, headers],
      [Buffer.from(body), headers],
      [body, new Headers(headers)],
      [body, upper],
      [body, node],
      [body, only(headers, "x-signature")],
      [body, only(headers, "webhook")],
    ] as const) {
      expect(await verifyWebhook(rawBody, given, secret)).toEqual(JSON.parse(body))
    }
  })

  it("verifyWebhook takes the new and the old secret during a rotation", async () => {
    const old = generateEndpointSecret(randomBytes)
    for (const form of ["x-signature", "webhook"] as const) {
      const headers = only(signed([secret, old]), form)
      expect(await codeOf(body, headers, secret)).toBe("fine")
      expect(await codeOf(body, headers, old)).toBe("fine")
      expect(await codeOf(body, headers, generateEndpointSecret(randomBytes))).toBe("signature_mismatch")
    }
  })

  it("verifyWebhook refuses what was signed more than five minutes ago or ahead, or more than toleranceSeconds", async () => {
    const cases: ReadonlyArray<readonly [number, VerifyWebhookOptions, string]> = [
      [-298, {}, "fine"],
      [298, {}, "fine"],
      [-302, {}, "signature_expired"],
      [302, {}, "signature_expired"],
      [-302, { toleranceSeconds: 600 }, "fine"],
      [-20, { toleranceSeconds: 10 }, "signature_expired"],
      [-20, { toleranceSeconds: Number.NaN }, "signature_expired"],
      [-1e9, { toleranceSeconds: Number.POSITIVE_INFINITY }, "fine"],
    ]
    for (const form of ["x-signature", "webhook"] as const) {
      for (const [aheadSeconds, options, expected] of cases) {
        const headers = only(signed([secret], now() + aheadSeconds), form)
        expect([aheadSeconds, await codeOf(body, headers, secret, options)]).toEqual([aheadSeconds, expected])
      }
    }
  })

  it("verifyWebhook refuses each part of a delivery that was changed", async () => {
    const headers = signed([secret])
    const later = String(now() + 1)
    const changes: ReadonlyArray<readonly [string, WebhookHeaders, string]> = [
      [`${body} `, headers, "signature_mismatch"],
      [body, { ...only(headers, "webhook"), "webhook-id": "evt_2" }, "signature_mismatch"],
      [body, { ...only(headers, "webhook"), "webhook-timestamp": later }, "signature_mismatch"],
      [body, { ...only(headers, "webhook"), "webhook-signature": "v1,AAAA v1,* v1" }, "signature_mismatch"],
      [body, { ...only(headers, "webhook"), "webhook-timestamp": "soon" }, "signature_expired"],
      [body, { "x-signature": headers["x-signature"]?.replace(/t=\d+/, `t=${later}`) }, "signature_mismatch"],
      [body, { "x-signature": headers["x-signature"]?.replace("v1=", "v0=") }, "signature_mismatch"],
      [body, { "x-signature": `t=${now()},v1=${"zz".repeat(32)}` }, "signature_mismatch"],
      [body, { "x-signature": `t=,v1=${"00".repeat(32)}` }, "signature_expired"],
      [body, { "x-signature": "nonsense" }, "signature_missing"],
      [body, {}, "signature_missing"],
    ]
    for (const [rawBody, given, expected] of changes) {
      expect([given, await codeOf(rawBody, given, secret)]).toEqual([given, expected])
    }
    expect(await codeOf(body, headers, "")).toBe("secret_missing")
  })

  it("verifyWebhook refuses a body that is signed and no JSON", async () => {
    expect(await codeOf("{", signed([secret], now(), "{"), secret)).toBe("body_not_json")
  })

  it("verifyWebhook refuses with an error that is a CorrenteError too", async () => {
    await expect(verifyWebhook(body, {}, secret)).rejects.toMatchObject({
      name: "WebhookVerificationError",
      code: "signature_missing",
      status: undefined,
    })
  })
})

describe("vectors of other libraries", () => {
  it("what stripe's library signs for tests, verifyWebhook and stripe's library take and refuse alike", async () => {
    const payload = JSON.stringify({ id: "evt_test_webhook", object: "event" })
    const stripeSecret = "whsec_test_secret"
    const header = (more: object) =>
      stripe.generateTestHeaderString({ payload, secret: stripeSecret, timestamp: now(), ...more } as never)
    const cases: ReadonlyArray<readonly [string, string]> = [
      [payload, header({})],
      [payload, `${header({})},v1=${"0".repeat(64)}`],
      [payload, header({ scheme: "v0" })],
      [payload, header({ signature: "bad_signature" })],
      [payload, header({ timestamp: now() - 400 })],
      [payload, header({ secret: "whsec_other" })],
      [`${payload} `, header({})],
      [payload, "I'm not even a real signature header"],
      [payload, ""],
    ]
    const takenBy = (text: string, value: string): boolean => {
      try {
        stripe.constructEvent(text, value, stripeSecret)
        return true
      } catch {
        return false
      }
    }
    const taken = cases.map(([text, value]) => takenBy(text, value))
    expect(taken).toEqual([true, true, ...Array.from({ length: 7 }, () => false)])
    for (const [i, [text, value]] of cases.entries()) {
      expect([value, (await codeOf(text, { "X-Signature": value }, stripeSecret)) === "fine"]).toEqual([
        value,
        taken[i],
      ])
    }
  })

  it("what the library of Standard Webhooks signs, verifyWebhook and that library take and refuse alike", async () => {
    const payload = '{"test": 2432232314}'
    const theirSecret = "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLw=="
    const library = new Webhook(theirSecret)
    const id = "msg_p5jXN8AQM9LWM0D4loKWxJek"
    const headersAt = (seconds: number, changes: Record<string, string> = {}): Record<string, string> => ({
      "webhook-id": id,
      "webhook-timestamp": String(seconds),
      "webhook-signature": library.sign(id, new Date(seconds * 1_000), payload),
      ...changes,
    })
    // One second for all: a signature of the second before is another.
    const at = now()
    const good = headersAt(at)["webhook-signature"] ?? ""
    const cases: ReadonlyArray<Record<string, string>> = [
      headersAt(at),
      headersAt(at, {
        "webhook-signature": `v1,Ceo5qEr07ixe2NLpvHk3FH9bwy/WavXrAFQ/9tdO6mc= v2,x ${good}`,
      }),
      headersAt(at - 301),
      headersAt(at + 302),
      headersAt(at, { "webhook-id": "" }),
      headersAt(at, { "webhook-timestamp": "" }),
      headersAt(at, { "webhook-signature": "" }),
      headersAt(at, { "webhook-signature": "v1,dGhpcyBpcyBub3Qgb25l" }),
      headersAt(at, { "webhook-signature": good.replace("v1,", "v2,") }),
    ]
    const takenBy = (headers: Record<string, string>): boolean => {
      try {
        library.verify(payload, headers)
        return true
      } catch {
        return false
      }
    }
    const taken = cases.map(takenBy)
    expect(taken).toEqual([true, true, ...Array.from({ length: 7 }, () => false)])
    for (const prefix of ["", "whsec_"]) {
      for (const [i, headers] of cases.entries()) {
        expect([headers, (await codeOf(payload, headers, prefix + theirSecret)) === "fine"]).toEqual([
          headers,
          taken[i],
        ])
      }
    }
  })

  it("the fixed vector of Standard Webhooks is taken", async () => {
    const key = Buffer.from("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLw==", "base64")
    const content = 'msg_p5jXN8AQM9LWM0D4loKWxJek.1614265330.{"test": 2432232314}'
    const signature = createHmac("sha256", key).update(content).digest("base64")
    const headers = {
      "webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
      "webhook-timestamp": "1614265330",
      "webhook-signature": `v1,${signature}`,
    }
    const options = { toleranceSeconds: Number.POSITIVE_INFINITY }
    expect(
      await verifyWebhook('{"test": 2432232314}', headers, "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLw", options),
    ).toEqual({ test: 2432232314 })
  })
})
