import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { makeFiller } from "../../actors/values/gaps.ts"
import type { Transaction } from "../../schema/resources/transaction.ts"
import { makeFindDocument } from "../../src/crypto/cipher.ts"
import { buildBrCode } from "../../src/pixCode/brCode.ts"
import { makeFindPicture } from "../../src/pixCode/pictureGap.ts"
import { encodeQrPngBase64 } from "../../src/pixCode/qrPng.ts"
import { storedCharge } from "../actors/support/charges.ts"
import pictures from "./pictures.json" with { type: "json" }

const sealed = "enc:v2:0:sealed"
const restore = makeFiller([
  makeFindDocument((text) => (text === sealed ? "52998224725" : undefined)),
  makeFindPicture(encodeQrPngBase64),
])

const payload = buildBrCode({
  location: "pix.example.com/qr/v2/0123456789abcdef0123456789abcdef",
  merchantName: "Padaria",
  merchantCity: "Recife",
})
const pix = (of: string, picture: string) => ({
  txid: "0".repeat(32),
  payload: of,
  qr_base64: picture,
  expires_at: "2026-11-22T00:07:35.123Z",
})
/** The text of a charge as stored with this picture, and as it is shown with the picture of its payload. */
const charge = (changes: Partial<Transaction> = {}, { of = payload, stored = "" } = {}) => ({
  stored: storedCharge("pending", { ...changes, pix: pix(of, stored) }).document,
  shown: storedCharge("pending", { ...changes, pix: pix(of, encodeQrPngBase64(of)) }).document.replace(
    sealed,
    "52998224725",
  ),
})

describe("a charge's QR picture", () => {
  it("a stored charge is shown with the picture of its payload, and every other byte as it is", () => {
    const { stored, shown } = charge()
    expect(restore(stored)).toBe(shown)
    expect(restore(stored)).toBe(shown)
  })

  it("a charge whose metadata and texts look like a picture's place gets its picture where it belongs", () => {
    const texts = ['"qr_base64":""', '","qr_base64":""', '"payload":"x","qr_base64":""', "qr_base64"]
    fc.assert(
      fc.property(
        fc.constantFrom(...texts),
        fc.constantFrom(...texts),
        fc.string(),
        (name, value, before) => {
          const metadata = { qr_base64: "", payload: value, [before + name]: before + value }
          const customer = { name: before + name, email: "a@b.test", document: sealed, phone: value }
          const items = [{ name: value, quantity: 1, unit_amount: 1 }]
          const { stored, shown } = charge({ metadata, customer, items, failure_reason: value })
          expect(restore(stored)).toBe(shown)
        },
      ),
    )
  })

  it("a payload that JSON escapes has the picture of the text itself", () => {
    const of = buildBrCode({ location: "a.test/1", merchantName: 'Bar "do" \\Zé', merchantCity: "Ji" })
    expect(of).toContain('"do" \\Z')
    const { stored, shown } = charge({}, { of })
    expect(restore(stored)).toBe(shown)
  })

  it.each([
    ["another resource", '{"id":"rfd_1","metadata":{"payload":"x","qr_base64":""}}'],
    ["a charge without a PIX code", '{"id":"txn_1","metadata":{"a":"qr_base64"}}'],
    ["a charge without a payload before its picture", '{"id":"txn_1","payload":"x","qr":1,"qr_base64":""}'],
    ["a text cut off at its picture", '{"id":"txn_1","pix":{"payload":"x","qr_base64":"'],
    ["an empty text", ""],
  ])("%s gets no picture", (_, text) => {
    expect(restore(text)).toBe(text)
  })

  // Replays under an Idempotency-Key and repeated deliveries must be the same bytes for as long as charges are kept.
  it("the encoder draws every picture as it always did", () => {
    expect(pictures.length).toBeGreaterThan(3)
    for (const { payload, qr_base64 } of pictures) expect(encodeQrPngBase64(payload)).toBe(qr_base64)
  })
})
