import fc from "fast-check"

/** What is done to a seller; `at` picks one of its charges, refunds or withdrawals, modulo their number. */
export type Act =
  | { readonly kind: "charge"; readonly amount: number; readonly isPaid: boolean }
  | { readonly kind: "pay" | "expire" | "fail" | "release"; readonly at: number }
  | {
      readonly kind: "giveBack"
      readonly at: number
      readonly amount: number
      readonly how: "refund" | "chargeback"
    }
  | {
      readonly kind: "refund"
      readonly at: number
      /** Percent of the charge; undefined: all that is left of it. */
      readonly percent: number | undefined
      readonly isRepeated: boolean
    }
  | {
      readonly kind: "sendRefund" | "refundDone" | "refundFailed"
      /** Mostly the last one (-1). */
      readonly at: number
    }
  | { readonly kind: "withdraw"; readonly amount: number; readonly isRepeated: boolean }
  | {
      readonly kind: "approve" | "reject" | "cancel" | "send" | "paid" | "notPaid"
      /** Mostly the last one (-1), as only that may be open. */
      readonly at: number
    }
  | { readonly kind: "nextDay" }

const amounts = fc.oneof(
  fc.integer({ min: 1, max: 50_000 }),
  fc.constantFrom(1, 99, 100, 101, 200, 999_999_999_999),
)
const at = fc.nat({ max: 12 })

/** Any act; those that make and use money are likelier than those that seldom apply. */
export const act: fc.Arbitrary<Act> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constant("charge" as const), amount: amounts, isPaid: fc.boolean() }),
  },
  { weight: 6, arbitrary: fc.record({ kind: fc.constant("pay" as const), at }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constantFrom("expire", "fail", "release"), at }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant("giveBack" as const),
      at,
      amount: amounts,
      how: fc.constantFrom("refund", "chargeback"),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant("refund" as const),
      at,
      percent: fc.option(fc.constantFrom(1, 25, 50, 75, 100, 101), { nil: undefined }),
      isRepeated: fc.boolean(),
    }),
  },
  {
    weight: 14,
    arbitrary: fc.record({
      kind: fc.constantFrom("sendRefund", "refundDone", "refundFailed"),
      at: fc.oneof({ weight: 2, arbitrary: fc.constant(-1) }, { weight: 1, arbitrary: at }),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant("withdraw" as const),
      amount: fc.oneof(fc.integer({ min: 90, max: 3_000 }), amounts),
      isRepeated: fc.boolean(),
    }),
  },
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constantFrom("approve", "reject", "cancel", "send", "paid", "notPaid"),
      at: fc.oneof({ weight: 4, arbitrary: fc.constant(-1) }, { weight: 1, arbitrary: at }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("nextDay" as const) }) },
)

/** Settings under which every limit can be reached. */
export const settings = fc.record({
  chargeFeeBps: fc.constantFrom(0, 1, 99, 333, 10_000),
  chargeFeeFixed: fc.constantFrom(0, 1, 50),
  reserveBps: fc.constantFrom(0, 500, 3_333, 10_000),
  reserveDays: fc.constant(1),
  withdrawalFee: fc.constantFrom(0, 1, 100),
  withdrawalDailyValue: fc.constantFrom(500, 5_000, 5_000_000),
  withdrawalDailyCount: fc.constantFrom(1, 3, 20),
  withdrawalAutoApproval: fc.boolean(),
})
