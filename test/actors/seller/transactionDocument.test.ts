import { Schema } from "effect"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import {
  chargeFee,
  expirySeconds,
  newTransaction,
} from "../../../actors/seller/decisions/transactionDocument.ts"
import { makeId } from "../../../schema/ids.ts"
import { limits } from "../../../schema/limits.ts"
import { type CreateTransaction, Transaction } from "../../../schema/resources/transaction.ts"
import { madeTraceId } from "../../../schema/trace.ts"
import { bodyOf } from "../support/bodies.ts"

const amount = fc.integer({ min: limits.amountMin, max: limits.amountMax })
const settings = fc.record({
  chargeFeeBps: fc.integer({ min: 0, max: 20_000 }),
  chargeFeeFixed: fc.oneof(fc.nat({ max: 1_000 }), fc.integer({ min: 0, max: limits.amountMax })),
})

describe("a charge's fee", () => {
  it.each([
    // amount, basis points, fixed, fee
    [10_000, 99, 0, 99],
    [10_000, 99, 10, 109],
    // Half a centavo is rounded up; less than half is not.
    [50, 100, 0, 1],
    [49, 100, 0, 0],
    [150, 100, 0, 2],
    [149, 100, 0, 1],
    [1, 5_000, 0, 1],
    [1, 4_999, 0, 0],
    // Never above the amount.
    [5, 0, 5, 5],
    [5, 0, 6, 5],
    [5, 20_000, 0, 5],
    [0, 0, 0, 0],
    // Beyond what doubles hold exactly: 999999999999 × 10001 / 10000 would be rounded wrongly.
    [limits.amountMax, 10_000, 0, limits.amountMax],
    [limits.amountMax, 9_999, 0, 999_899_999_999],
    [999_999_999_995, 9_999, 0, 999_899_999_995],
  ])("the fee of %i centavos at %i basis points plus %i is %i", (of, chargeFeeBps, chargeFeeFixed, fee) => {
    expect(chargeFee(of, { chargeFeeBps, chargeFeeFixed })).toBe(fee)
  })

  it("a charge's fee is the exact quotient rounded half up plus the fixed part, or the amount", () => {
    fc.assert(
      fc.property(amount, settings, (of, given) => {
        const fee = chargeFee(of, given)
        const product = BigInt(of) * BigInt(given.chargeFeeBps)
        const rounded = product / 10_000n + (product % 10_000n >= 5_000n ? 1n : 0n)
        const whole = rounded + BigInt(given.chargeFeeFixed)

        expect(BigInt(fee)).toBe(whole > BigInt(of) ? BigInt(of) : whole)
        expect(Number.isSafeInteger(fee)).toBe(true)
      }),
      { numRuns: 2_000 },
    )
  })

  it("a charge's fee does not shrink as the amount grows", () => {
    fc.assert(
      fc.property(amount, settings, (of, given) => {
        expect(chargeFee(of + 1, given)).toBeGreaterThanOrEqual(chargeFee(of, given))
      }),
    )
  })
})

const made = {
  // Made 200 ms before the acquirer accepted the charge.
  id: makeId("txn_", Date.parse("2026-11-21T00:07:34.923Z"), 7, new Uint8Array(14)),
  mode: "live" as const,
  txid: "0".repeat(32),
  payload: "000201",
  settings: { chargeFeeBps: 100, chargeFeeFixed: 30 },
  nowMillis: Date.parse("2026-11-21T00:07:35.123Z"),
  seal: (document: string) => `enc:v2:0:${document.split("").reverse().join("")}`,
}

describe("a new charge", () => {
  it("a new charge is of the trace that its caller has begun", () => {
    const traceId = "4bf92f3577b34da6a3ce929d0e0e4736"
    expect(newTransaction(bodyOf(), { ...made, traceId }).trace_id).toBe(traceId)
  })

  it("a new charge has the contract's fields in their order", () => {
    const charge = newTransaction(bodyOf(), made)

    expect(charge).toEqual({
      id: made.id,
      object: "transaction",
      trace_id: madeTraceId(made.id),
      mode: "live",
      status: "pending",
      amount: 1_000,
      fee: 40,
      net_amount: 960,
      currency: "BRL",
      payment_method: "pix",
      payment_url: "",
      customer: {
        name: "Maria Souza",
        email: "maria@example.com",
        document: "enc:v2:0:52742289925",
        phone: null,
      },
      reference: null,
      description: null,
      return_url: null,
      show_on_page: false,
      items: [{ name: "Pão", quantity: 2, unit_amount: 500 }],
      metadata: {},
      postback_url: null,
      pix: {
        txid: made.txid,
        payload: made.payload,
        qr_base64: "",
        expires_at: "2026-11-22T00:07:35.123Z",
      },
      end_to_end_id: null,
      failure_reason: null,
      reserve: null,
      refunded_amount: 0,
      refunds: [],
      exceptions: [],
      created_at: "2026-11-21T00:07:34.923Z",
      expires_at: "2026-11-22T00:07:35.123Z",
      paid_at: null,
      expired_at: null,
      failed_at: null,
      refunded_at: null,
      chargeback_at: null,
    })
    const paymentLinkId = "plk_01KA0000000700000000000000"
    const ofLink = newTransaction(bodyOf(), { ...made, paymentLinkId })
    expect(ofLink).toEqual({ ...charge, payment_link_id: paymentLinkId })
    expect(Object.keys(ofLink)).toEqual(Object.keys(Transaction.fields))
    expect(Schema.decodeUnknownSync(Transaction)(charge)).toEqual(charge)
  })

  it("a new charge expires after a day, or after the seconds that were asked for", () => {
    expect(expirySeconds(bodyOf())).toBe(86_400)
    expect(expirySeconds(bodyOf({ pix: {} }))).toBe(86_400)
    const charge = newTransaction(bodyOf({ pix: { expires_in_seconds: 10 } }), made)

    expect([charge.expires_at, charge.pix.expires_at]).toEqual([
      "2026-11-21T00:07:45.123Z",
      "2026-11-21T00:07:45.123Z",
    ])
  })

  it("a new charge treats null in an optional field as if it were left out", () => {
    const absent = newTransaction(bodyOf(), made)
    expect(newTransaction(bodyOf({ pix: null, metadata: null, postback_url: null }), made)).toEqual(absent)
    expect(newTransaction(bodyOf({ pix: { expires_in_seconds: null } }), made)).toEqual(absent)
  })

  it("a new charge keeps the contract's fields and drops the rest of the body", () => {
    const item = { name: "Pão", quantity: 1, unit_amount: 1, secret: "x" }
    const body: CreateTransaction & { readonly admin: boolean } = {
      ...bodyOf({ items: [item] }),
      admin: true,
      customer: Object.assign({ vip: true }, bodyOf().customer, { phone: "+55 81 99999-0000" }),
      metadata: { order: "A-1", count: 2, gift: false },
      postback_url: "https://shop.example/postback",
    }
    const charge = newTransaction(body, made)

    expect(charge).not.toHaveProperty("admin")
    expect(charge.customer).toEqual({
      name: "Maria Souza",
      email: "maria@example.com",
      document: "enc:v2:0:52742289925",
      phone: "+55 81 99999-0000",
    })
    expect(charge.items).toEqual([{ name: "Pão", quantity: 1, unit_amount: 1 }])
    expect(charge.metadata).toEqual({ order: "A-1", count: 2, gift: false })
    expect(charge.postback_url).toBe("https://shop.example/postback")
  })

  it("a new charge's document is sealed without punctuation and in upper case", () => {
    const sealed: Array<string> = []
    const seal = (document: string) => {
      sealed.push(document)
      return "enc:v2:0:x"
    }
    for (const document of ["529.982.247-25", "12.abc.345/01de-35", " 11444777000161 "]) {
      newTransaction(bodyOf({ customer: { ...bodyOf().customer, document } }), { ...made, seal })
    }

    expect(sealed).toEqual(["52998224725", "12ABC34501DE35", "11444777000161"])
  })

  it("a new charge's sealed document precedes any copy that customer or seller could plant", () => {
    const marker = '"document":"enc:v2:0:'
    const planted = fc.oneof(
      fc.string(),
      fc.constantFrom(`${marker}planted"`, `","document":"enc:v2:0:planted`, "enc:v2:0:planted"),
    )
    fc.assert(
      fc.property(planted, planted, planted, planted, (name, email, item, value) => {
        const text = JSON.stringify(
          newTransaction(
            bodyOf({
              customer: { name, email, document: "52998224725", phone: value },
              items: [{ name: item, quantity: 1, unit_amount: 1 }],
              metadata: { document: value, [item]: "enc:v2:0:planted" },
              postback_url: value,
            }),
            { ...made, seal: () => "enc:v2:0:ours" },
          ),
        )

        expect(text.slice(text.indexOf(marker)).startsWith(`${marker}ours"`)).toBe(true)
      }),
    )
  })
})
