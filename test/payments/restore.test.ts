import { Effect, Layer } from "effect"
import { describe, expect, it } from "vitest"
import { DocumentCipher } from "../../actors/ports/documentCipher.ts"
import { SecretOpener } from "../../actors/ports/secretOpener.ts"
import { makeId } from "../../schema/ids.ts"
import type { Transaction } from "../../schema/resources/transaction.ts"
import { plainKey } from "../../src/crypto/encryptionKeys.ts"
import { makePaymentUrls, PaymentUrls } from "../../src/payments/paymentUrls.ts"
import { makeRestore, RestoreLive, rememberedMax } from "../../src/payments/restore.ts"
import { buildBrCode } from "../../src/pixCode/brCode.ts"
import { encodeQrPngBase64 } from "../../src/pixCode/qrPng.ts"
import { storedCharge } from "../actors/support/charges.ts"

const urls = makePaymentUrls(plainKey(new Uint8Array(32).fill(5)), () => "https://pay.example.com")
const urlOf = (id: string) => urls.urlOf(urls.tokenOf(id))
const open = (text: string) => (text === "enc:v2:0:sealed" ? "52998224725" : undefined)
const payload = buildBrCode({ location: "a.test/1", merchantName: "Padaria", merchantCity: "Recife" })
const pix = { txid: "0".repeat(32), payload, qr_base64: "", expires_at: "2026-11-22T00:07:35.123Z" }
const picture = encodeQrPngBase64(payload)

describe("the stored JSON of a charge", () => {
  it("a stored charge is shown with its link, its document and its picture, and every other byte as it is", () => {
    const { restore } = Effect.runSync(
      Effect.provide(
        DocumentCipher,
        RestoreLive.pipe(
          Layer.provide(Layer.succeed(SecretOpener, { open })),
          Layer.provide(Layer.succeed(PaymentUrls, urls)),
        ),
      ),
    )
    const { id, document } = storedCharge("pending", { pix })
    const stored = JSON.parse(document) as Transaction
    const shown = JSON.stringify({
      ...stored,
      payment_url: urlOf(id),
      customer: { ...stored.customer, document: "52998224725" },
      pix: { ...pix, qr_base64: picture },
    })
    expect(restore(document)).toBe(shown)
    expect(restore(document)).toBe(shown)
  })

  it("one charge more than is remembered is shown like all others, and so is the first one again", () => {
    const made: Array<string> = []
    const tokenOf = (id: string) => {
      made.push(id)
      return urls.tokenOf(id)
    }
    const restore = makeRestore({ open, urls: { ...urls, tokenOf } })
    const stored = (id: string, link: string, code: string) =>
      JSON.stringify({ id, payment_method: "pix", payment_url: link, pix: { payload, qr_base64: code } })
    const expectShown = (id: string) =>
      expect(restore(stored(id, "", ""))).toBe(stored(id, urlOf(id), picture))
    const random = new Uint8Array(14)
    const ids = Array.from({ length: rememberedMax + 1 }, (_, i) => makeId("txn_", i, 0, random))
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
    const restore = makeRestore({
      urls,
      open: (sealed) => {
        opened.push(sealed)
        return open(sealed)
      },
    })
    const { id, document } = storedCharge("pending", { pix })
    const sealed = '"document":"enc:v2:0:sealed"'
    expect(document).toContain(sealed)
    const shown = restore(document)
    expect([restore(document), restore(document), restore(document)]).toEqual([shown, shown, shown])
    expect(opened).toEqual(["enc:v2:0:sealed"])

    const paid = document.replace('"status":"pending"', '"status":"paid"')
    const shownPaid = shown.replace('"status":"pending"', '"status":"paid"')
    expect([restore(paid), restore(paid), restore(document)]).toEqual([shownPaid, shownPaid, shown])
    expect(shown).toContain(urlOf(id))
    expect(opened).toEqual(["enc:v2:0:sealed"])

    const erased = document.replace(sealed, '"document":"enc:v2:0:erased"')
    expect([restore(erased), restore(document)]).toEqual([
      shown.replace("52998224725", "enc:v2:0:erased"),
      shown,
    ])
    expect(opened).toEqual(["enc:v2:0:sealed", "enc:v2:0:erased", "enc:v2:0:sealed"])
  })

  it("links lead to the address that holds now, in charges that were shown before it moved too", () => {
    let base = "https://old.example.com"
    const moving = makePaymentUrls(plainKey(new Uint8Array(32).fill(5)), () => base)
    const restore = makeRestore({ open, urls: moving })
    const { document } = storedCharge("pending", { pix })
    const before = [restore(document), restore(document), restore(document)]
    expect(before.every((text) => text.includes("https://old.example.com/pay/"))).toBe(true)
    base = "https://new.example.com"
    const after = [restore(document), restore(document), restore(document)]
    expect(after).toEqual(before.map((text) => text.replace("old.example.com", "new.example.com")))
  })
})
