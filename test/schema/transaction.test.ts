import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import fc from "fast-check"
import { limits } from "../../schema/limits.ts"
import { CreateTransaction, stripDocument, TaxDocument } from "../../schema/resources/transaction.ts"

const item = { name: "Café", quantity: 1, unit_amount: 0 }
const customer = { name: "João da Silva", email: "joao@loja.example", document: "529.982.247-25" }
const body = { amount: 1_000, payment_method: "pix", customer, items: [item] }

const isBody = Schema.is(CreateTransaction)
const accepts = (changes: object): boolean => isBody({ ...body, ...changes })
const withCustomer = (changes: object) => ({ customer: { ...customer, ...changes } })
const withItem = (changes: object) => ({ items: [{ ...item, ...changes }] })
const expiring = (seconds: unknown) => ({ pix: { expires_in_seconds: seconds } })
/** Characters beyond the first plane: each counts as one, not as the two units it takes. */
const letters = (length: number): string => "𝒜".repeat(length)
const emailOf = (length: number): string => `${"a".repeat(length - "@b.co".length)}@b.co`
const keysOf = (count: number, key = "k", value: unknown = 1) => ({
  metadata: Object.fromEntries(Array.from({ length: count }, (_, index) => [`${key}${index}`, value])),
})
const keyOf = (key: string, value: unknown = 1) => ({ metadata: { [key]: value } })

/** Each limit of a charge (`docs/contract/transactions.md#limits`): a value at it, and one past it. */
const bounds: ReadonlyArray<readonly [name: string, at: object, past: object]> = [
  ["the smallest amount", { amount: 1 }, { amount: 0 }],
  ["the largest amount", { amount: 999_999_999_999 }, { amount: 1_000_000_000_000 }],
  ["the shortest customer name", withCustomer({ name: letters(2) }), withCustomer({ name: letters(1) })],
  ["the longest customer name", withCustomer({ name: letters(120) }), withCustomer({ name: letters(121) })],
  ["the longest e-mail", withCustomer({ email: emailOf(254) }), withCustomer({ email: emailOf(255) })],
  ["the shortest phone", withCustomer({ phone: "1" }), withCustomer({ phone: "" })],
  [
    "the longest phone",
    withCustomer({ phone: "1".repeat(limits.customerPhoneLengthMax) }),
    withCustomer({ phone: "1".repeat(limits.customerPhoneLengthMax + 1) }),
  ],
  ["the fewest items", { items: [item] }, { items: [] }],
  ["the most items", { items: Array(100).fill(item) }, { items: Array(101).fill(item) }],
  ["the shortest item name", withItem({ name: letters(1) }), withItem({ name: "" })],
  ["the longest item name", withItem({ name: letters(200) }), withItem({ name: letters(201) })],
  ["the smallest quantity", withItem({ quantity: 1 }), withItem({ quantity: 0 })],
  ["the largest quantity", withItem({ quantity: 1_000_000 }), withItem({ quantity: 1_000_001 })],
  ["the smallest unit amount", withItem({ unit_amount: 0 }), withItem({ unit_amount: -1 })],
  [
    "the largest unit amount",
    withItem({ unit_amount: 999_999_999_999 }),
    withItem({ unit_amount: 1_000_000_000_000 }),
  ],
  ["the shortest expiry", expiring(10), expiring(9)],
  ["the longest expiry", expiring(2_592_000), expiring(2_592_001)],
  ["the most metadata keys", keysOf(50), keysOf(51)],
  ["the shortest metadata key", keyOf("k"), keyOf("")],
  ["the longest metadata key", keyOf(letters(40)), keyOf(letters(41))],
  ["the longest metadata text", keyOf("k", letters(500)), keyOf("k", letters(501))],
  ["the largest metadata integer", keyOf("k", 2 ** 53 - 1), keyOf("k", 2 ** 53)],
  ["the smallest metadata integer", keyOf("k", 1 - 2 ** 53), keyOf("k", -(2 ** 53))],
  ["the shortest postback URL", { postback_url: "x" }, { postback_url: "" }],
]

describe("the body of a new transaction", () => {
  it.each(bounds)("a charge is accepted at %s and refused one past it", (_name, at, past) => {
    assert.isTrue(accepts(at))
    assert.isFalse(accepts(past))
  })

  it("a charge needs all fields that are not optional, and no other", () => {
    assert.isTrue(isBody(body))
    for (const field of Object.keys(body)) assert.isFalse(accepts({ [field]: undefined }), field)
    for (const field of Object.keys(customer))
      assert.isFalse(accepts(withCustomer({ [field]: undefined })), field)
    for (const field of Object.keys(item)) assert.isFalse(accepts(withItem({ [field]: undefined })), field)
    assert.isTrue(accepts({ pix: {}, metadata: {}, postback_url: null }))
    assert.isTrue(accepts(withCustomer({ phone: null })))
  })

  it("a charge may have null for any optional field", () => {
    assert.isTrue(accepts({ pix: null, metadata: null, postback_url: null }))
    assert.isTrue(accepts({ pix: { expires_in_seconds: null } }))
  })

  it("a charge may have unknown fields, at any depth", () => {
    assert.isTrue(accepts({ unknown: { deep: [1] } }))
    assert.isTrue(accepts(withCustomer({ nickname: "Jô" })))
    assert.isTrue(accepts(withItem({ sku: 7 })))
  })

  it("a charge's amount may be any integer within its bounds, and nothing else", () => {
    fc.assert(
      fc.property(fc.integer({ min: limits.amountMin, max: limits.amountMax }), (amount) => {
        assert.isTrue(accepts({ amount }))
        assert.isFalse(accepts({ amount: amount + 0.5 }))
        assert.isFalse(accepts({ amount: -amount }))
        assert.isFalse(accepts({ amount: String(amount) }))
      }),
    )
    for (const amount of [Number.NaN, Number.POSITIVE_INFINITY, null, true, 1n])
      assert.isFalse(accepts({ amount }))
  })

  it("a charge with a payment method other than pix is refused", () => {
    for (const method of ["PIX", "card", "", null]) assert.isFalse(accepts({ payment_method: method }))
  })

  it("a value of metadata may be a text, a number that keeps its digits or a boolean, and nothing else", () => {
    for (const value of ["", 0, -1.5, Number.MIN_VALUE, true, false])
      assert.isTrue(accepts(keyOf("k", value)))
    for (const value of [null, {}, [], Number.MAX_VALUE, Number.NaN, Number.POSITIVE_INFINITY]) {
      assert.isFalse(accepts(keyOf("k", value)), String(value))
    }
  })

  it("a customer's e-mail is accepted where it may be an address, and refused where it cannot be", () => {
    const good = ["a@b.co", "o'neil+tag@sub.loja.example", "josé@exemplo.com.br"]
    for (const email of good) assert.isTrue(accepts(withCustomer({ email })), email)
    const label = "a".repeat(63)
    assert.isTrue(accepts(withCustomer({ email: `a@${label}.${label}.br` })))
    const long = [`a@a${label}.br`, `a@b.a${label}`, `a@b.a${label}.br`]
    for (const email of long) assert.isFalse(accepts(withCustomer({ email })), email)
    for (const email of ["a@.co", "a@b..co", "a@b.co."])
      assert.isFalse(accepts(withCustomer({ email })), email)
    const bad = ["", "a", "a@b", "@b.co", "a@", "a@.", "a b@c.de", "a@b@c.de", "a@b.co\n", "a@b.c d"]
    for (const email of bad) assert.isFalse(accepts(withCustomer({ email })), email)
  })
})

describe("tax documents", () => {
  const isDocument = Schema.is(TaxDocument)
  const digits = (length: number) => fc.stringMatching(new RegExp(`^[0-9]{${length}}$`))
  const cpf = digits(11)
  const cnpj = fc.stringMatching(/^[0-9A-Z]{12}[0-9]{2}$/)
  const cpfShape = (text: string) =>
    `${text.slice(0, 3)}.${text.slice(3, 6)}.${text.slice(6, 9)}-${text.slice(9)}`
  const cnpjShape = (text: string) =>
    `${text.slice(0, 2)}.${text.slice(2, 5)}.${text.slice(5, 8)}/${text.slice(8, 12)}-${text.slice(12)}`

  it("a tax document is 11 digits or a CNPJ of digits and letters, with or without punctuation", () => {
    fc.assert(
      fc.property(cpf, cnpj, (person, company) => {
        for (const [bare, shaped] of [
          [person, cpfShape(person)],
          [company, cnpjShape(company)],
        ] as const) {
          for (const text of [bare, shaped, ` ${shaped} `, shaped.toLowerCase()]) {
            assert.isTrue(isDocument(text), text)
            assert.strictEqual(stripDocument(text), bare)
          }
        }
      }),
    )
  })

  it("a tax document that is shorter, longer or of other characters is refused", () => {
    for (const length of [0, 1, 10, 12, 13, 15, 100]) {
      fc.assert(
        fc.property(digits(length), (text) => assert.isFalse(isDocument(text), text)),
        { numRuns: 20 },
      )
    }
    const refused = [
      "A2345678901",
      "1234567800019A",
      "123456780001A5",
      "1234567800019Z",
      "529_982_247_25",
      "５２９９８２２４７２５",
    ]
    for (const text of [...refused, "ÀÉ345678000195"]) assert.isFalse(isDocument(text), text)
  })

  it("a stripped tax document has no punctuation, and stripping it again changes nothing", () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        const bare = stripDocument(text)
        assert.strictEqual(stripDocument(bare), bare)
        assert.notMatch(bare, /[.\-/\s]/)
      }),
    )
  })
})
