import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import fc from "fast-check"
import {
  AcquirerRefused,
  Acquirers,
  type ChargeQuery,
  type ChargeReport,
  type PayoutReport,
  type RefundReport,
} from "../../actors/ports/acquirer.ts"
import { Identifiers } from "../../actors/ports/identifiers.ts"
import { endToEndId, simulatedEndToEndId } from "../../actors/seller/decisions/endToEndId.ts"
import { acquirerRefundIdOf, makeId, payoutIdOf, txidOf } from "../../schema/ids.ts"
import { limits } from "../../schema/limits.ts"
import { transactionStatuses } from "../../schema/resources/transaction.ts"
import { AcquirersLive } from "../../src/acquirers/acquirersLive.ts"
import { makeSimulator, type SimulatorOptions, simulate } from "../../src/acquirers/simulator/simulator.ts"
import { IdentifiersLive } from "../../src/crypto/identifiers.ts"

const defaults: SimulatorOptions = {
  delayMillis: 3_000,
  chargeLatencyMillis: 0,
  locationHost: "pix.corrente.test",
}
const nowMillis = Date.parse("2026-11-21T00:07:35.123Z")

const makeAcquirer = (options: Partial<SimulatorOptions> = {}) =>
  Effect.map(Identifiers, (identifiers) => makeSimulator({ ...defaults, ...options }, identifiers)).pipe(
    Effect.provide(IdentifiersLive),
  )
const id = makeId("txn_", nowMillis, 0, new Uint8Array(14).fill(9))
const txid = txidOf(id)
const request = (amount: number) => ({
  txid,
  amount,
  expiresInSeconds: 60,
  customer: { name: "Maria Souza", document: "52998224725" },
})
const query = (of: number, status: ChargeQuery["status"], endToEndId: string | null = null): ChargeQuery => ({
  txid,
  amount: of,
  status,
  endToEndId,
  noticedEndToEndId: undefined,
  ageMillis: 0,
})
const noNews: ChargeReport = { payments: [], failure: undefined, askAfterMillis: undefined }

/** Amounts of all sizes, half of them with one of the first endings. */
const amount = fc.oneof(
  fc.integer({ min: limits.amountMin, max: limits.amountMax }),
  fc
    .record({ reais: fc.nat({ max: 9_999_999_999 }), cents: fc.integer({ min: 1, max: 6 }) })
    .map(({ reais, cents }) => 100 * reais + cents),
)
const ending = (of: number) => of % 100

describe("the simulator's outcome of an amount", () => {
  it("the simulator's outcome depends on the amount's last two digits and the charge's status alone", () => {
    fc.assert(
      fc.property(amount, fc.constantFrom(...transactionStatuses), (of, status) => {
        const outcome = simulate(of, status)
        assert.strictEqual(outcome, simulate(ending(of), status))
        if (status === "pending") {
          const expected = { 1: "unchanged", 2: "failed", 3: "unchanged" }[ending(of)] ?? "paid"
          assert.strictEqual(outcome, expected)
        } else if (status === "paid") {
          assert.strictEqual(outcome, { 4: "refunded", 5: "chargeback" }[ending(of)] ?? "unchanged")
        } else {
          assert.strictEqual(outcome, "unchanged")
        }
      }),
      { numRuns: 1_000 },
    )
  })
})

describe("a charge at the simulator", () => {
  it.effect("a simulated charge is located at the simulator's host, to be queried after the delay", () =>
    Effect.gen(function* () {
      const simulator = yield* makeAcquirer()
      const accepted = yield* Effect.forEach([1_000, 102, 104, 105, 100], (of) =>
        simulator.createCharge(request(of)),
      )

      for (const { location, askAfterMillis } of accepted) {
        assert.match(location, /^pix\.corrente\.test\/qr\/v2\/[0-9a-f]{32}$/)
        assert.strictEqual(askAfterMillis, defaults.delayMillis)
      }
      assert.strictEqual(new Set(accepted.map(({ location }) => location)).size, accepted.length)
    }),
  )

  it.effect("a simulated charge that is never paid is not to be queried", () =>
    Effect.gen(function* () {
      const { askAfterMillis } = yield* (yield* makeAcquirer()).createCharge(request(1_001))

      assert.isUndefined(askAfterMillis)
    }),
  )

  it.effect("the simulator refuses a charge whose amount ends in 03", () =>
    Effect.gen(function* () {
      const refused = yield* Effect.flip((yield* makeAcquirer()).createCharge(request(103)))

      assert.instanceOf(refused, AcquirerRefused)
      assert.include(refused.reason, "03")
    }),
  )

  it.effect(
    "a simulated charge is paid by a transfer of its minute, and queried again only where more follows",
    () =>
      Effect.gen(function* () {
        const simulator = yield* makeAcquirer()
        const reports = yield* Effect.forEach([1_000, 104, 105], (of) =>
          simulator.queryCharge(query(of, "pending")),
        )

        assert.deepStrictEqual(
          reports.map(({ askAfterMillis }) => askAfterMillis),
          [undefined, defaults.delayMillis, defaults.delayMillis],
        )
        assert.deepStrictEqual(
          reports.map(({ payments }) => payments.map((payment) => payment.amount)),
          [[1_000], [104], [105]],
        )
        for (const { payments, failure } of reports) {
          assert.isUndefined(failure)
          assert.match(payments[0]?.endToEndId ?? "", /^E00000000202611210007[0-9A-Z]{11}$/)
          assert.deepStrictEqual(payments[0]?.refunds, [])
        }
      }),
  )

  it.effect("a simulated charge is paid by the same transfer whenever it is queried", () =>
    Effect.gen(function* () {
      const simulator = yield* makeAcquirer()
      const first = yield* simulator.queryCharge(query(1_000, "pending"))
      yield* TestClock.adjust(3_600_000)

      assert.deepStrictEqual(yield* simulator.queryCharge(query(1_000, "pending")), first)
    }),
  )

  it.effect("a simulated charge fails with a reason, is refunded or charged back, or stays as it is", () =>
    Effect.gen(function* () {
      const simulator = yield* makeAcquirer()
      const failed = yield* simulator.queryCharge(query(102, "pending"))
      assert.deepInclude(failed, { payments: [], askAfterMillis: undefined })
      assert.include(failed.failure ?? "", "02")

      const returnId = `D${simulatedEndToEndId(nowMillis, txid).slice(1)}`
      for (const [of, outcome] of [
        [104, { kind: "refund" }],
        [105, { kind: "chargeback", reason: "MED_FRAUDE" }],
      ] as const) {
        const { payments, failure } = yield* simulator.queryCharge(query(of, "paid", "E1"))
        assert.isUndefined(failure)
        const refund = { id: "simulated", amount: of, status: "done", returnId, ...outcome } as const
        assert.deepStrictEqual(payments, [{ endToEndId: "E1", amount: of, refunds: [refund] }])
      }
      for (const status of ["paid", "expired", "failed", "refunded", "chargeback"] as const) {
        assert.deepStrictEqual(yield* simulator.queryCharge(query(1_000, status, "E1")), noNews)
      }
      assert.deepStrictEqual(yield* simulator.queryCharge(query(101, "pending")), noNews)
    }),
  )
})

describe("a payout at the simulator", () => {
  const withdrawalId = makeId("wd_", nowMillis, 0, new Uint8Array(14).fill(5))
  const payoutId = payoutIdOf(withdrawalId)

  it.effect("the simulator takes a payout of any amount as processing", () =>
    Effect.gen(function* () {
      const simulator = yield* makeAcquirer()
      for (const sentAmount of [1_000, 101, 102]) {
        const sent = yield* simulator.sendPayout({
          payoutId,
          amount: sentAmount,
          pixKey: { type: "cpf", value: "52998224725" },
          description: null,
        })
        assert.strictEqual(sent.status, "processing")
      }
    }),
  )

  it("a simulated payout stays processing with 01, is not paid with 02, and else is paid by one transfer", () =>
    fc.assert(
      fc.asyncProperty(amount, async (of) => {
        const asked = Effect.flatMap(makeAcquirer(), ({ queryPayout }) =>
          Effect.all([queryPayout({ payoutId, amount: of }), queryPayout({ payoutId, amount: of })]),
        )
        const [first, again] = await Effect.runPromise(asked)
        const special: Readonly<Record<number, PayoutReport>> = {
          1: { status: "processing", askAfterMillis: undefined },
          2: { status: "notPaid", reason: "AC03" },
        }
        const paid = { status: "paid", endToEndId: simulatedEndToEndId(nowMillis, payoutId) } as const
        assert.deepStrictEqual(first, special[ending(of)] ?? paid)
        assert.deepStrictEqual(again, first)
      }),
      { numRuns: 200 },
    ))
})

describe("a refund at the simulator", () => {
  const refundId = acquirerRefundIdOf(makeId("rfd_", nowMillis, 0, new Uint8Array(14).fill(6)))
  const asked = (of: number) => ({ endToEndId: "E1", refundId, amount: of })

  it.effect("the simulator takes a refund of any amount as processing, to be queried after the delay", () =>
    Effect.gen(function* () {
      const simulator = yield* makeAcquirer()
      for (const askedAmount of [1_000, 101, 102]) {
        assert.deepStrictEqual(yield* simulator.refund(asked(askedAmount)), {
          ...{ id: refundId, amount: askedAmount, kind: "refund", status: "processing" },
          askAfterMillis: defaults.delayMillis,
        })
      }
    }),
  )

  it("a simulated refund stays processing with 01, fails with 02, and else succeeds by one return", () =>
    fc.assert(
      fc.asyncProperty(amount, async (of) => {
        const queried = Effect.flatMap(makeAcquirer(), ({ queryRefund }) =>
          Effect.all([queryRefund(asked(of)), queryRefund(asked(of))]),
        )
        const [first, again] = await Effect.runPromise(queried)
        const special: Readonly<Record<number, Partial<RefundReport>>> = {
          1: { status: "processing" },
          2: {
            status: "failed",
            failureCode: "AM09",
            failureReason: "the simulator fails refunds of amounts that end in 02",
          },
        }
        const returnId = `D${simulatedEndToEndId(nowMillis, refundId).slice(1)}`
        const outcome = special[ending(of)] ?? { status: "done", returnId }
        assert.deepStrictEqual(first, {
          id: refundId,
          amount: of,
          kind: "refund",
          ...outcome,
        } as RefundReport)
        assert.deepStrictEqual(again, first)
      }),
      { numRuns: 200 },
    ))
})

describe("the simulator's latency", () => {
  it.effect("the simulator with a latency is a remote acquirer that accepts and refuses after it", () =>
    Effect.gen(function* () {
      const remote = yield* makeAcquirer({ chargeLatencyMillis: 500 })
      assert.isFalse(remote.isLocal)
      const accepting = yield* Effect.forkChild(remote.createCharge(request(1_000)))
      const refusing = yield* Effect.forkChild(Effect.flip(remote.createCharge(request(103))))
      yield* TestClock.adjust(499)
      assert.isUndefined(accepting.pollUnsafe())
      assert.isUndefined(refusing.pollUnsafe())
      yield* TestClock.adjust(1)

      assert.include((yield* Fiber.join(accepting)).location, "pix.corrente.test")
      assert.instanceOf(yield* Fiber.join(refusing), AcquirerRefused)
    }),
  )

  it.effect("the simulator without a latency is a local acquirer that answers at once", () =>
    Effect.gen(function* () {
      const local = yield* makeAcquirer()
      assert.isTrue(local.isLocal)

      yield* local.createCharge(request(1_000))
    }),
  )
})

describe("endToEndId", () => {
  it("an endToEndId is E, the ISPB, the minute in UTC and eleven characters", () => {
    assert.strictEqual(endToEndId("12345678", nowMillis, "ABCDEFGHIJ1"), "E12345678202611210007ABCDEFGHIJ1")
    assert.strictEqual(endToEndId("12345678", nowMillis, "ABCDEFGHIJ1").length, 32)
  })
})

describe("the acquirers", () => {
  it.effect("the simulator serves both modes when it is the live acquirer", () =>
    Effect.gen(function* () {
      const { live, test } = yield* Acquirers

      assert.deepStrictEqual([live.slug, test.slug], ["simulator", "simulator"])
    }).pipe(
      Effect.provide(
        AcquirersLive("simulator", {
          simulator: { ...defaults, webhookSecret: undefined },
        }).pipe(Layer.provide(IdentifiersLive)),
      ),
    ),
  )
})
