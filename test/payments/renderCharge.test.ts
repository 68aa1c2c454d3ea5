import { Effect, Layer } from "effect"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { ChargeRenderer } from "../../actors/ports/chargeRenderer.ts"
import { SecretOpener } from "../../actors/ports/secretOpener.ts"
import { sealedPlaces } from "../../actors/values/sealedPlaces.ts"
import { makeId } from "../../schema/ids.ts"
import type { Transaction } from "../../schema/resources/transaction.ts"
import { makeCipher } from "../../src/crypto/cipher.ts"
import { plainKey } from "../../src/crypto/encryptionKeys.ts"
import { makePaymentUrls, PaymentUrls } from "../../src/payments/paymentUrls.ts"
import { ChargeRendererLive, makeChargeRenderer, renderedMax } from "../../src/payments/renderCharge.ts"
import { buildBrCode } from "../../src/pixCode/brCode.ts"
import { encodeQrPngBase64 } from "../../src/pixCode/qrPng.ts"
import { chargeId, storedCharge } from "../actors/support/charges.ts"

const key = plainKey(new Uint8Array(32).fill(5))
const urls = makePaymentUrls(key, () => "https://pay.example.com")
const urlOf = (id: string) => urls.urlOf(urls.tokenOf(id))
const cpf = "52998224725"
const sealed = "enc:v2:0:sealed"
const open = (text: string) => (text === sealed ? cpf : undefined)
const payload = buildBrCode({ location: "a.test/1", merchantName: "Padaria", merchantCity: "Recife" })
const pix = { txid: "0".repeat(32), payload, qr_base64: "", expires_at: "2026-11-22T00:07:35.123Z" }
const picture = encodeQrPngBase64(payload)
const { render, renderSummary } = makeChargeRenderer({ open, urls })

/** The text of a charge as stored, and as callers see it. */
const charge = (changes: Partial<Transaction> = {}) => {
  const { document } = storedCharge("pending", { pix, ...changes })
  const shown = JSON.parse(document) as Transaction
  return {
    stored: document,
    shown: JSON.stringify({
      ...shown,
      payment_url: urlOf(shown.id),
      customer: {
        ...shown.customer,
        document: shown.customer.document === sealed ? cpf : shown.customer.document,
      },
      pix: { ...shown.pix, qr_base64: encodeQrPngBase64(shown.pix.payload) },
    }),
  }
}

describe("a stored charge is rendered", () => {
  it("a stored charge is shown with its link, its document and its picture, and every other byte as it is", () => {
    const service = Effect.runSync(
      Effect.provide(
        ChargeRenderer,
        ChargeRendererLive.pipe(
          Layer.provide(Layer.succeed(SecretOpener, { open })),
          Layer.provide(Layer.succeed(PaymentUrls, urls)),
        ),
      ),
    )
    const { stored, shown } = charge()
    expect(shown).toContain(picture)
    expect(service.render(stored)).toBe(shown)
    expect(service.render(stored)).toBe(shown)
  })

  it("a stored charge holds neither link nor picture", () => {
    const { stored } = charge()
    expect(stored).toContain('"payment_url":""')
    expect(stored).toContain('"qr_base64":""')
  })

  it("a charge whose texts and metadata look like what is rendered keeps them, and is rendered where it belongs", () => {
    const text = fc.constantFrom(
      '"qr_base64":""',
      '","qr_base64":""',
      '"payload":"x","qr_base64":""',
      '"payment_method":"pix","payment_url":""',
      '","payment_url":""',
      `"document":"${sealed}"`,
      `\\","document":"${sealed}"`,
      sealed,
      "__proto__",
      "\ud800 \u2028",
      "7",
    )
    const value = fc.oneof(
      text,
      fc.string({ unit: "grapheme" }),
      fc.double({ noDefaultInfinity: true, noNaN: true }),
    )
    fc.assert(
      fc.property(text, value, fc.string({ unit: "binary" }), (name, any, before) => {
        const { stored, shown } = charge({
          metadata: {
            qr_base64: "",
            payment_url: "",
            document: sealed,
            [name]: any,
            [before + name]: before + String(any),
          },
          customer: { name: before + name, email: "a@b.test", document: sealed, phone: String(any) },
          items: [{ name: String(any), quantity: 1, unit_amount: 1 }],
          failure_reason: name,
        })
        expect(render(stored)).toBe(shown)
      }),
    )
  })

  it("a payload that JSON escapes has the picture of the text itself", () => {
    const of = buildBrCode({ location: "a.test/1", merchantName: 'Bar "do" \\Zé', merchantCity: "Ji" })
    expect(of).toContain('"do" \\Z')
    const { stored, shown } = charge({ pix: { ...pix, payload: of } })
    expect(render(stored)).toBe(shown)
  })

  it("a document opens in its own charge alone, whatever other ciphertext the charge's texts hold", () => {
    const cipher = makeCipher(key)
    const { render: bound } = makeChargeRenderer({ open: cipher.open, urls })
    const customer = (document: string) => ({ name: "Ana", email: "a@b.test", document, phone: null })
    const own = cipher.seal(cpf, sealedPlaces.customerDocument(chargeId))
    const stolen = cipher.seal(
      "11144477735",
      sealedPlaces.customerDocument(makeId("txn_", 1, 0, new Uint8Array(14))),
    )
    const planted = { document: stolen, note: `{"document":"${stolen}"}` }
    const shown = bound(charge({ customer: customer(own), metadata: planted }).stored)
    expect(JSON.parse(shown)).toMatchObject({ customer: { document: cpf }, metadata: planted })
    const swapped = bound(charge({ customer: customer(stolen) }).stored)
    expect(JSON.parse(swapped)).toMatchObject({ customer: { document: stolen } })
    expect(shown + swapped).not.toContain("11144477735")
  })

  it("a document sealed under another key stays as it is, and the rest of its charge is rendered", () => {
    const { stored, shown } = charge({
      customer: { name: "Ana", email: "a@b.test", document: "enc:v2:9:foreign", phone: null },
    })
    expect(render(stored)).toBe(shown)
  })

  it.each([
    [
      "another resource",
      '{"id":"rfd_1","payment_url":"","customer":{"document":"x"},"pix":{"payload":"x","qr_base64":""}}',
    ],
    [
      "a charge without a PIX code",
      '{"id":"txn_1","payment_url":"","customer":{"document":"x"},"metadata":{"a":"b"}}',
    ],
    ["a text cut off in the middle", '{"id":"txn_1","payment_url":"","customer":{"document":"enc:v2:0:AAAA'],
    [
      "a charge whose document is no text",
      '{"id":"txn_1","payment_url":"","customer":{"document":null},"pix":{}}',
    ],
    ["an empty text", ""],
  ])("%s is shown as it is", (_, text) => {
    expect(render(text)).toBe(text)
  })
})

describe("a charge in a list", () => {
  const { stored, shown } = charge()
  const { items: _items, pix: wholePix, ...rest } = JSON.parse(shown) as Transaction
  const { payload: _payload, qr_base64: _picture, ...shortPix } = wholePix

  it("a summary has what the charge has but for its items, its code and its picture, in the same order", () => {
    const renderer = makeChargeRenderer({ open, urls })
    const summary = renderer.renderSummary(stored)
    expect(JSON.parse(summary)).toEqual({ ...rest, pix: shortPix })
    const order = (text: string) => Object.keys(JSON.parse(text) as object)
    expect(order(summary)).toEqual(order(shown).filter((name) => name !== "items"))
    expect(renderer.render(stored)).toBe(shown)
    expect(renderer.renderSummary(stored)).toBe(summary)
  })

  it("a text that is no whole charge is its own summary", () => {
    for (const text of ["", '{"id":"txn_1","payment_url":""}', '{"id":"rfd_1"}']) {
      expect(renderSummary(text)).toBe(text)
    }
  })
})

describe("rendered charges are remembered", () => {
  it("one charge more than is remembered is shown like all others, and so is the first one again", () => {
    const made: Array<string> = []
    const tokenOf = (id: string) => {
      made.push(id)
      return urls.tokenOf(id)
    }
    const { render: remembering } = makeChargeRenderer({ open, urls: { ...urls, tokenOf } })
    const stored = (id: string, link: string, document: string, code: string) =>
      JSON.stringify({ id, payment_url: link, customer: { document }, pix: { payload, qr_base64: code } })
    const expectShown = (id: string) =>
      expect(remembering(stored(id, "", sealed, ""))).toBe(stored(id, urlOf(id), cpf, picture))
    const random = new Uint8Array(14)
    const ids = Array.from({ length: renderedMax + 1 }, (_, i) => makeId("txn_", i, 0, random))
    for (const id of ids) expectShown(id)
    expect(made).toEqual(ids)
    const [first = "", second = ""] = ids
    expectShown(second)
    expect(made).toEqual(ids)
    expectShown(first)
    expect(made).toEqual([...ids, first])
  })

  it("a charge that is shown again as it was is not opened again, and one that has changed is shown as it is", () => {
    const opened: Array<string> = []
    const { render: counting } = makeChargeRenderer({
      urls,
      open: (text) => {
        opened.push(text)
        return open(text)
      },
    })
    const { stored, shown } = charge()
    expect([counting(stored), counting(stored), counting(stored)]).toEqual([shown, shown, shown])
    expect(opened).toEqual([sealed])

    const paid = stored.replace('"status":"pending"', '"status":"paid"')
    const shownPaid = shown.replace('"status":"pending"', '"status":"paid"')
    expect([counting(paid), counting(paid), counting(stored)]).toEqual([shownPaid, shownPaid, shown])
    expect(opened).toEqual([sealed])

    const erased = stored.replace(sealed, "enc:v2:0:erased")
    expect([counting(erased), counting(stored)]).toEqual([shown.replace(cpf, "enc:v2:0:erased"), shown])
    expect(opened).toEqual([sealed, "enc:v2:0:erased", sealed])
  })

  it("links lead to the address that holds now, in charges that were shown before it moved too", () => {
    let base = "https://old.example.com"
    const moving = makePaymentUrls(key, () => base)
    const { render: following } = makeChargeRenderer({ open, urls: moving })
    const { stored } = charge()
    const before = [following(stored), following(stored), following(stored)]
    expect(before.every((text) => text.includes("https://old.example.com/pay/"))).toBe(true)
    base = "https://new.example.com"
    const after = [following(stored), following(stored), following(stored)]
    expect(after).toEqual(before.map((text) => text.replace("old.example.com", "new.example.com")))
  })
})
