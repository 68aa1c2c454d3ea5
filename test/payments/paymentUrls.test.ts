import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { makeFiller } from "../../actors/values/gaps.ts"
import type { Transaction } from "../../schema/resources/transaction.ts"
import { makeFindDocument } from "../../src/crypto/cipher.ts"
import { plainKey } from "../../src/crypto/encryptionKeys.ts"
import { makeFindLink, makePaymentUrls } from "../../src/payments/paymentUrls.ts"
import { storedCharge } from "../actors/support/charges.ts"

const key = new Uint8Array(32).fill(5)
const urls = makePaymentUrls(plainKey(key), () => "https://pay.example.com")
const urlOf = (id: string) => urls.urlOf(urls.tokenOf(id))
const sealed = "enc:v2:0:sealed"
const restore = makeFiller([
  makeFindLink(urlOf),
  makeFindDocument((text) => (text === sealed ? "52998224725" : undefined)),
])

/** The text of a charge as stored, and as it is shown with its link. */
const charge = (changes: Partial<Transaction> = {}) => {
  const { id, document } = storedCharge("pending", changes)
  const shown = { ...(JSON.parse(document) as Transaction), payment_url: urlOf(id) }
  return { id, stored: document, shown: JSON.stringify(shown).replace(sealed, "52998224725") }
}

describe("a charge's payment_url", () => {
  it("a stored charge is shown with the link of its id, and every other byte as it is", () => {
    const { id, stored, shown } = charge()
    expect(restore(stored)).toBe(shown)
    expect(restore(stored)).toBe(shown)
    const { payment_url } = JSON.parse(shown) as Transaction
    expect(payment_url).toMatch(/^https:\/\/pay\.example\.com\/pay\/[\w-]{43}$/)
    expect(urls.chargeOf(payment_url?.split("/").at(-1) ?? "")).toBe(id)
  })

  it("a stored charge holds no link", () => {
    expect(charge().stored).toContain('"payment_url":""')
  })

  it("a charge whose texts and metadata look like a link's place gets its link where it belongs", () => {
    const text = fc.constantFrom(
      '"payment_method":"pix","payment_url":""',
      '","payment_url":""',
      "payment_url",
    )
    fc.assert(
      fc.property(text, text, fc.string(), (name, value, before) => {
        const { stored, shown } = charge({
          metadata: { payment_method: "pix", payment_url: "", [before + name]: before + value },
          customer: { name: before + name, email: "a@b.test", document: sealed, phone: value },
          items: [{ name: value, quantity: 1, unit_amount: 1 }],
        })
        expect(restore(stored)).toBe(shown)
      }),
    )
  })

  it("a charge of an earlier commit, which has no such member, is shown as it is, whatever its metadata say", () => {
    const { payment_url: _, ...former } = JSON.parse(
      charge({ metadata: { payment_method: "pix", payment_url: "" } }).stored,
    ) as Transaction
    const stored = JSON.stringify(former)
    expect(restore(stored)).toBe(stored.replace(sealed, "52998224725"))
  })

  it.each([
    ["another resource", '{"id":"rfd_1","payment_method":"pix","payment_url":""}'],
    ["a charge without a method", '{"id":"txn_1","payment_url":""}'],
    ["a text cut off before its link", '{"id":"txn_1","payment_method":"pix","payment_url":'],
    ["an empty text", ""],
  ])("%s gets no link", (_, text) => {
    expect(restore(text)).toBe(text)
  })

  it("links follow the address of the service, and are written so that JSON needs no escapes", () => {
    let base = "http://localhost:3000"
    const moving = makePaymentUrls(plainKey(key), () => base)
    const { id } = charge()
    const token = moving.tokenOf(id)
    expect(moving.urlOf(token)).toBe(urlOf(id).replace("https://pay.example.com", base))
    base = 'https://example.com/a "b"'
    expect(moving.urlOf(token)).toMatch(/^https:\/\/example\.com\/a%20%22b%22\/pay\/[\w-]{43}$/)
  })
})
