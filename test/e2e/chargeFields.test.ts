import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { Transaction } from "../../schema/resources/transaction.ts"
import { startTlsReceiver, type TlsReceiver } from "../support/tlsReceiver.ts"
import { chargeBody, freshKey, getCharge, postCharge } from "./support/charges.ts"
import { findKey, openStage, receiverSettings, type Seller, type Stage } from "./support/stage.ts"

let receiver: TlsReceiver
let stage: Stage
let seller: Seller

beforeAll(async () => {
  receiver = await startTlsReceiver()
  // No charge is paid while these tests look at it.
  stage = await openStage({ SIMULATOR_DELAY_MS: "3600000", ...receiverSettings(receiver) })
  seller = await stage.newSeller()
})

afterAll(async () => {
  await stage?.close()
  await receiver?.close()
})

const customer = (changes: Readonly<Record<string, unknown>>) => ({
  customer: { name: "Ana Souza", email: "ana@example.com", document: "52998224725", ...changes },
})
const item = (changes: Readonly<Record<string, unknown>>) => ({
  items: [{ name: "Assinatura", quantity: 1, unit_amount: 100, ...changes }],
})
const itemsOf = (count: number) => ({
  items: Array.from({ length: count }, () => ({ name: "Livro", quantity: 1, unit_amount: 1 })),
})
const metadataOf = (count: number) => ({
  metadata: Object.fromEntries(Array.from({ length: count }, (_, i) => [`key${i}`, i])),
})
/** An e-mail address of `length` characters. */
const emailOf = (length: number) => `${"a".repeat(length - "@example.com".length)}@example.com`
const without = (field: string) => ({ [field]: undefined })

type Case = readonly [what: string, changes: Readonly<Record<string, unknown>>]

/** Everything at its limit (`docs/contract/transactions.md#limits`). */
const accepted: ReadonlyArray<Case> = [
  ["the smallest amount", { amount: 1 }],
  ["the largest amount", { amount: 999_999_999_999 }],
  ["an amount written with an exponent", { amount: 1e3 }],
  ["a name of 2 characters", customer({ name: "Al" })],
  ["a name of 120 characters", customer({ name: "a".repeat(120) })],
  ["a name of 120 characters beyond the basic plane", customer({ name: "💸".repeat(120) })],
  ["an e-mail address of 254 characters", customer({ email: emailOf(254) })],
  ["a CPF with punctuation", customer({ document: "529.982.247-25" })],
  ["a CNPJ with punctuation", customer({ document: "12.345.678/0001-95" })],
  ["an alphanumeric CNPJ", customer({ document: "12.ABC.345/01DE-35" })],
  ["a CPF with wrong check digits, in test", customer({ document: "52998224726" })],
  ["a phone", customer({ phone: "+55 11 98888-7777" })],
  ["a phone of 40 characters", customer({ phone: "9".repeat(40) })],
  ["a phone of null", customer({ phone: null })],
  ["a reference of 64 characters", { reference: "ç".repeat(64) }],
  ["a reference of null", { reference: null }],
  ["a description of 140 characters", { description: "ç".repeat(140) }],
  ["a description of null", { description: null }],
  ["a return_url", { return_url: "https://shop.example/orders/1?paid=1" }],
  ["a return_url of 2,048 characters", { return_url: `https://shop.example/${"x".repeat(2_027)}` }],
  ["a return_url of null", { return_url: null }],
  ["show_on_page of true", { show_on_page: true }],
  ["show_on_page of null", { show_on_page: null }],
  ["one item", itemsOf(1)],
  ["100 items", itemsOf(100)],
  ["an item name of 1 character", item({ name: "x" })],
  ["an item name of 200 characters", item({ name: "x".repeat(200) })],
  ["a quantity of 1,000,000", item({ quantity: 1_000_000 })],
  ["a unit amount of 0", item({ unit_amount: 0 })],
  ["the largest unit amount", item({ unit_amount: 999_999_999_999 })],
  ["items that do not add up to the amount", { amount: 5_000, ...item({ unit_amount: 1 }) }],
  ["the shortest expiry", { pix: { expires_in_seconds: 10 } }],
  ["the longest expiry", { pix: { expires_in_seconds: 2_592_000 } }],
  ["an empty pix", { pix: {} }],
  ["empty metadata", { metadata: {} }],
  ["50 keys of metadata", metadataOf(50)],
  ["metadata keys of 1 and 40 characters", { metadata: { a: "x", ["k".repeat(40)]: "x" } }],
  ["a metadata value of 500 characters", { metadata: { note: "ç".repeat(500) } }],
  ["metadata values of every type", { metadata: { text: "", number: -1.5, yes: true, no: false } }],
  ["a postback of null", { postback_url: null }],
  ["pix and metadata of null", { pix: null, metadata: null }],
  [
    "an e-mail address whose domain label has 63 characters",
    customer({ email: `ana@${"a".repeat(63)}.com` }),
  ],
  ["unknown fields", { colour: "blue", ...customer({ nickname: "Ani" }) }],
]

/** The same fields one past their limit or of the wrong type: 400 that names `param`. */
const refused: ReadonlyArray<readonly [param: string, ...Case]> = [
  ["amount", "no amount", without("amount")],
  ["amount", "an amount of 0", { amount: 0 }],
  ["amount", "a negative amount", { amount: -1 }],
  ["amount", "an amount above the largest", { amount: 1_000_000_000_000 }],
  ["amount", "a fraction of a centavo", { amount: 10.5 }],
  ["amount", "an amount as text", { amount: "100" }],
  ["amount", "an amount of null", { amount: null }],
  ["amount", "an amount of true", { amount: true }],
  ["payment_method", "no payment method", without("payment_method")],
  ["payment_method", "another payment method", { payment_method: "boleto" }],
  ["payment_method", "a payment method in capitals", { payment_method: "PIX" }],
  ["customer", "no customer", without("customer")],
  ["customer", "a customer of null", { customer: null }],
  ["customer", "a list of customers", { customer: [] }],
  ["customer.name", "no name", customer(without("name"))],
  ["customer.name", "a name of 1 character", customer({ name: "A" })],
  ["customer.name", "a name of 1 character beyond the basic plane", customer({ name: "💸" })],
  ["customer.name", "a name of 121 characters", customer({ name: "a".repeat(121) })],
  ["customer.name", "a number for a name", customer({ name: 12 })],
  ["customer.name", "half a surrogate pair in a name", customer({ name: "Ana \ud83d" })],
  ["customer.email", "no e-mail address", customer(without("email"))],
  ["customer.email", "an e-mail address without @", customer({ email: "ana.example.com" })],
  ["customer.email", "an e-mail address without a domain", customer({ email: "ana@" })],
  ["customer.email", "an e-mail address of 255 characters", customer({ email: emailOf(255) })],
  [
    "customer.email",
    "an e-mail address whose domain label has 64 characters",
    customer({ email: `ana@${"a".repeat(64)}.com` }),
  ],
  ["customer.document", "no document", customer(without("document"))],
  ["customer.document", "a CPF of 10 digits", customer({ document: "5299822472" })],
  ["customer.document", "a CPF of 12 digits", customer({ document: "529982247250" })],
  ["customer.document", "a CPF with a letter", customer({ document: "5299822472A" })],
  ["customer.document", "a CNPJ of 13 characters", customer({ document: "1234567800019" })],
  ["customer.document", "a CNPJ of 15 characters", customer({ document: "123456780001950" })],
  ["customer.document", "a CNPJ that ends in a letter", customer({ document: "12ABC34501DE3X" })],
  ["customer.document", "a document as a number", customer({ document: 52_998_224_725 })],
  ["customer.phone", "an empty phone", customer({ phone: "" })],
  ["customer.phone", "a phone of 41 characters", customer({ phone: "9".repeat(41) })],
  ["customer.phone", "a phone as a number", customer({ phone: 11_988_887_777 })],
  ["reference", "an empty reference", { reference: "" }],
  ["reference", "a reference of 65 characters", { reference: "x".repeat(65) }],
  ["reference", "a reference with a line break", { reference: "a\nb" }],
  ["description", "an empty description", { description: "" }],
  ["description", "a description of 141 characters", { description: "x".repeat(141) }],
  ["description", "a description with a line break", { description: "a\nb" }],
  ["return_url", "an empty return_url", { return_url: "" }],
  ["return_url", "a return_url as a number", { return_url: 1 }],
  ["show_on_page", "show_on_page as text", { show_on_page: "true" }],
  ["items", "no items", without("items")],
  ["items", "an empty list of items", { items: [] }],
  ["items", "101 items", itemsOf(101)],
  ["items", "an object for items", { items: { 0: {} } }],
  ["items.0", "an item of null", { items: [null] }],
  ["items.0.name", "no item name", item(without("name"))],
  ["items.0.name", "an empty item name", item({ name: "" })],
  ["items.0.name", "an item name of 201 characters", item({ name: "x".repeat(201) })],
  ["items.0.quantity", "no quantity", item(without("quantity"))],
  ["items.0.quantity", "a quantity of 0", item({ quantity: 0 })],
  ["items.0.quantity", "a quantity of 1,000,001", item({ quantity: 1_000_001 })],
  ["items.0.quantity", "a fraction of a piece", item({ quantity: 0.5 })],
  ["items.0.unit_amount", "no unit amount", item(without("unit_amount"))],
  ["items.0.unit_amount", "a negative unit amount", item({ unit_amount: -1 })],
  ["items.0.unit_amount", "a unit amount above the largest", item({ unit_amount: 1_000_000_000_000 })],
  [
    "items.1.quantity",
    "a quantity as text in the second item",
    { items: [...item({}).items, ...item({ quantity: "2" }).items] },
  ],
  ["pix", "text for pix", { pix: "now" }],
  ["pix.expires_in_seconds", "an expiry of 9 s", { pix: { expires_in_seconds: 9 } }],
  ["pix.expires_in_seconds", "an expiry of 30 days and 1 s", { pix: { expires_in_seconds: 2_592_001 } }],
  ["pix.expires_in_seconds", "an expiry with a fraction", { pix: { expires_in_seconds: 60.5 } }],
  ["pix.expires_in_seconds", "an expiry as text", { pix: { expires_in_seconds: "60" } }],
  ["metadata", "a list for metadata", { metadata: ["a"] }],
  ["metadata", "51 keys of metadata", metadataOf(51)],
  ["metadata", "an empty metadata key", { metadata: { "": "x" } }],
  ["metadata", "a metadata key of 41 characters", { metadata: { ["k".repeat(41)]: "x" } }],
  ["metadata.note", "a metadata value of 501 characters", { metadata: { note: "x".repeat(501) } }],
  ["metadata.note", "a metadata value of null", { metadata: { note: null } }],
  ["metadata.note", "a metadata value that is an object", { metadata: { note: { a: 1 } } }],
  ["metadata.note", "a metadata value that is a list", { metadata: { note: [1] } }],
  ["postback_url", "an empty postback", { postback_url: "" }],
  ["postback_url", "a postback as a number", { postback_url: 1 }],
]

/** The rules of destinations hold for postbacks as well: 400 `invalid_url` (`docs/contract/endpoints.md#destination-rules`). */
const badDestinations: ReadonlyArray<readonly [what: string, url: string]> = [
  ["a text that is no URL", "example.com/hook"],
  ["an http URL", "http://example.com/hook"],
  ["a port other than 443", "https://example.com:8443/hook"],
  ["a literal address", "https://93.184.215.14/hook"],
  ["a literal address as a number", "https://2130706433/hook"],
  ["a literal IPv6 address", "https://[2606:2800:21f:cb07::1]/hook"],
  ["localhost", "https://localhost/hook"],
  ["a name of the local network", "https://printer.local/hook"],
  ["a URL with a user and a password", "https://ana:secret@example.com/hook"],
  ["a URL with a space", "https://example.com/a b"],
]

const badReturns: ReadonlyArray<readonly [what: string, url: string]> = [
  ["http", "http://shop.example/"],
  ["a script", "javascript:alert(1)"],
  ["a URL with a password", "https://a:b@shop.example/"],
  ["this machine", "https://localhost/"],
  ["2,049 characters", `https://shop.example/${"x".repeat(2_028)}`],
]

describe("POST /v1/transactions", () => {
  it.each(accepted)("POST /v1/transactions accepts %s", async (_, changes) => {
    const answer = await postCharge<Transaction>(seller.test, chargeBody(changes))
    expect(answer.text).toContain('"status":"pending"')
    expect(answer.status).toBe(201)
    expect((await getCharge(seller.test, answer.body.id)).text).toBe(answer.text)
  })

  it.each(refused)("POST /v1/transactions answers 400 at %s for %s", async (param, _, changes) => {
    const answer = await postCharge(seller.test, chargeBody(changes))
    expect(answer.body.error).toMatchObject({
      code: "validation_failed",
      type: "invalid_request_error",
      param,
    })
    expect(answer.status).toBe(400)
    expect(answer.body.error.message).toMatch(/^\S.+\.$/)
    expect(answer.body.error.message).toContain(param)
  })

  it("POST /v1/transactions accepts a postback of up to 2048 characters at an allowed origin", async () => {
    const url = `${receiver.url}?${"x".repeat(2048)}`.slice(0, 2048)
    const answer = await postCharge<Transaction>(seller.test, chargeBody({ postback_url: url }))
    expect(answer.status).toBe(201)
    expect(answer.body.postback_url).toBe(url)
    const longer = await postCharge(seller.test, chargeBody({ postback_url: `${url}x` }))
    expect(longer.body.error).toMatchObject({ code: "invalid_url", param: "postback_url" })
  })

  it.each(badReturns)("POST /v1/transactions refuses a return_url of %s", async (_, url) => {
    const answer = await postCharge(seller.test, chargeBody({ return_url: url }))
    expect(answer.status).toBe(400)
    expect(answer.body.error).toMatchObject({ code: "invalid_url", param: "return_url" })
  })

  it.each(badDestinations)("POST /v1/transactions refuses a postback to %s", async (_, url) => {
    const answer = await postCharge(seller.test, chargeBody({ postback_url: url }))
    expect(answer.status).toBe(400)
    expect(answer.body.error).toMatchObject({ code: "invalid_url", param: "postback_url" })
    expect(answer.body.error.message).toMatch(/^\S.+\.$/)
  })

  it("POST /v1/transactions accepts only Idempotency-Keys of 1 to 255 allowed characters", async () => {
    const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-:."
    for (const key of ["k", alphabet, freshKey().padEnd(255, "x")]) {
      expect((await postCharge(seller.test, chargeBody(), key)).status).toBe(201)
    }
    for (const key of [freshKey().padEnd(256, "x"), "two words", "a/b", "preço-1"]) {
      const answer = await postCharge(seller.test, chargeBody(), key)
      expect(answer.status).toBe(400)
      expect(answer.body.error).toMatchObject({ code: "validation_failed", param: "Idempotency-Key" })
    }
  })

  it("POST /v1/transactions accepts a body of 256 KiB and refuses one byte more with 413", async () => {
    const text = JSON.stringify(chargeBody())
    const exact = text + " ".repeat(256 * 1024 - text.length)
    expect((await postCharge(seller.test, exact)).status).toBe(201)
    const answer = await postCharge(seller.test, `${exact} `)
    expect(answer.status).toBe(413)
    expect(answer.body.error).toMatchObject({ code: "payload_too_large", type: "invalid_request_error" })
  })

  it("a live charge needs a document with right check digits", async () => {
    for (const document of ["529.982.247-25", "12.ABC.345/01DE-35"]) {
      expect((await postCharge(seller.live, chargeBody(customer({ document })))).status).toBe(201)
    }
    for (const document of ["529.982.247-26", "12.ABC.345/01DE-36", "11111111111"]) {
      const answer = await postCharge(seller.live, chargeBody(customer({ document })))
      expect(answer.status).toBe(400)
      expect(answer.body.error).toMatchObject({ code: "validation_failed", param: "customer.document" })
    }
  })

  it("a charge of a suspended seller is refused", async () => {
    const suspended = await stage.newSeller()
    await stage.redis("HSET", await findKey(stage, `seller:*:${suspended.id}`), "status", "suspended")
    const answer = await postCharge(suspended.test, chargeBody())
    expect(answer.status).toBe(403)
    expect(answer.body.error).toMatchObject({ code: "seller_not_allowed", type: "permission_error" })
  })
})
