import { describe, expect, it } from "vitest"
import { plainKey } from "../../src/crypto/encryptionKeys.ts"
import { makePaymentUrls } from "../../src/payments/paymentUrls.ts"
import { storedCharge } from "../actors/support/charges.ts"

const key = new Uint8Array(32).fill(5)

describe("a charge's payment_url", () => {
  it("a link bears a token of 43 characters, which names the charge", () => {
    const urls = makePaymentUrls(plainKey(key), () => "https://pay.example.com")
    const { id } = storedCharge("pending")
    const link = urls.urlOf(urls.tokenOf(id))
    expect(link).toMatch(/^https:\/\/pay\.example\.com\/pay\/[\w-]{43}$/)
    expect(urls.chargeOf(link.split("/").at(-1) ?? "")).toBe(id)
  })

  it("links follow the address of the service, and are written so that JSON needs no escapes", () => {
    let base = "http://localhost:3000"
    const moving = makePaymentUrls(plainKey(key), () => base)
    const token = moving.tokenOf(storedCharge("pending").id)
    expect(moving.urlOf(token)).toBe(`http://localhost:3000/pay/${token}`)
    base = 'https://example.com/a "b"'
    expect(moving.urlOf(token)).toMatch(/^https:\/\/example\.com\/a%20%22b%22\/pay\/[\w-]{43}$/)
  })
})
