import { createHmac } from "node:crypto"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { isSignatureValid } from "../../../actors/inbox/signature.ts"
import { anyCodePoint } from "../../support/anyCodePoint.ts"

const sign = (secret: string, body: Uint8Array) => createHmac("sha256", secret).update(body).digest("hex")

/** Printable: HMAC takes a secret with zero bytes appended for the same key. */
const secrets = fc.string({ minLength: 1, maxLength: 64, unit: "grapheme-ascii" })
const bodies = fc.uint8Array({ maxLength: 200 })

/** The text with some of its letters in the other case. */
const inAnyCase = (text: string) =>
  fc
    .array(fc.boolean(), { minLength: text.length, maxLength: text.length })
    .map((upper) => [...text].map((letter, i) => (upper[i] ? letter.toUpperCase() : letter)).join(""))

describe("an acquirer's signature", () => {
  it("a webhook's signature is HMAC-SHA256 (RFC 4231, test case 2)", () => {
    const body = Buffer.from("what do ya want for nothing?")
    const signature = "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
    expect(isSignatureValid("Jefe", body, signature)).toBe(true)
    expect(isSignatureValid("Jefe", body, `${signature.slice(0, -1)}4`)).toBe(false)
  })

  it("a webhook's signature is valid for the bytes it was made of, its hex in any case", () => {
    const signed = fc
      .tuple(secrets, bodies)
      .chain(([secret, body]) => fc.tuple(fc.constant({ secret, body }), inAnyCase(sign(secret, body))))
    fc.assert(
      fc.property(signed, ([{ secret, body }, header]) => {
        expect(isSignatureValid(secret, body, header)).toBe(true)
      }),
    )
  })

  it("a webhook's signature is invalid for any other body", () => {
    fc.assert(
      fc.property(secrets, bodies, bodies, (secret, body, other) => {
        fc.pre(Buffer.compare(body, other) !== 0)
        expect(isSignatureValid(secret, other, sign(secret, body))).toBe(false)
      }),
    )
  })

  it("a webhook's signature is invalid under any other secret", () => {
    fc.assert(
      fc.property(secrets, secrets, bodies, (secret, other, body) => {
        fc.pre(secret !== other)
        expect(isSignatureValid(other, body, sign(secret, body))).toBe(false)
      }),
    )
  })

  it("a wrong, malformed or missing signature header is invalid and does not throw", () => {
    const body = Buffer.from("{}")
    const right = sign("secret", body)
    const near = fc.oneof(
      fc.string({ unit: anyCodePoint, maxLength: 100 }),
      fc.string({ minLength: 64, maxLength: 64, unit: fc.constantFrom(..."0123456789abcdef") }),
      fc.nat(63).map((cut) => right.slice(0, cut)),
      fc.constantFrom(`${right}0`, `sha256=${right}`, `${right}, ${right}`, ""),
    )
    fc.assert(
      fc.property(near, (header) => {
        fc.pre(header.trim().toLowerCase() !== right)
        expect(isSignatureValid("secret", body, header)).toBe(false)
      }),
    )
    expect(isSignatureValid("secret", body, undefined)).toBe(false)
  })

  it("the secret in a webhook's address vouches for any body, also with /pix behind it, and nothing else does", () => {
    fc.assert(
      fc.property(secrets, secrets, bodies, (secret, other, body) => {
        fc.pre(other !== secret && other !== `${secret}/pix`)
        for (const hmac of [secret, `${secret}/pix`]) {
          expect(isSignatureValid(secret, body, undefined, hmac)).toBe(true)
          expect(isSignatureValid(secret, body, "", hmac)).toBe(true)
          expect(isSignatureValid(secret, body, sign(secret, body), hmac)).toBe(true)
          expect(isSignatureValid(secret, body, sign(other, body), hmac)).toBe(false)
        }
        const wrong = [other, "", `${secret}0`, secret.slice(1), `${secret}/pix/pix`, sign(secret, body)]
        for (const hmac of wrong.filter((one) => one !== secret && one !== `${secret}/pix`)) {
          expect(isSignatureValid(secret, body, undefined, hmac)).toBe(false)
          expect(isSignatureValid(secret, body, sign(secret, body), hmac)).toBe(false)
        }
      }),
    )
    expect(isSignatureValid(undefined, Buffer.from("{}"), undefined, "anything")).toBe(true)
  })

  it("a webhook needs no signature without a secret: the proxy demands a certificate instead", () => {
    expect(isSignatureValid(undefined, Buffer.from("{}"), undefined)).toBe(true)
  })
})
