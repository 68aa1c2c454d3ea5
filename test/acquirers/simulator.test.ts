import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import fc from "fast-check"
import { Acquirers, ChargeRefused } from "../../actors/ports/acquirer.ts"
import { Identifiers } from "../../actors/ports/identifiers.ts"
import { limits } from "../../schema/limits.ts"
import { transactionStatuses } from "../../schema/resources/transaction.ts"
import {
  AcquirersLive,
  endToEndId,
  makeSimulator,
  type SimulatorOptions,
  simulate,
} from "../../src/acquirers/simulator.ts"
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
const request = (amount: number) => ({ txid: "t".repeat(32), amount, expiresInSeconds: 60 })

/** Amounts of all sizes, half of them with one of the first endings. */
const amount = fc.oneof(
  fc.integer({ min: limits.amountMin, max: limits.amountMax }),
  fc
    .record({ reais: fc.nat({ max: 9_999_999_999 }), cents: fc.integer({ min: 1, max: 6 }) })
    .map(({ reais, cents }) => 100 * reais + cents),
)
const ending = (of: number) => of % 100

describe("what the simulator makes of an amount", () => {
  it("goes by its last two digits and the charge's status alone", () => {
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
  it.effect("is accepted at a location of its own host, and is to be asked for after the delay", () =>
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

  it.effect("that is never paid is not asked for", () =>
    Effect.gen(function* () {
      const { askAfterMillis } = yield* (yield* makeAcquirer()).createCharge(request(1_001))

      assert.isUndefined(askAfterMillis)
    }),
  )

  it.effect("is refused where its amount ends in 03", () =>
    Effect.gen(function* () {
      const refused = yield* Effect.flip((yield* makeAcquirer()).createCharge(request(103)))

      assert.instanceOf(refused, ChargeRefused)
      assert.include(refused.reason, "03")
    }),
  )

  it.effect(
    "is paid with a transfer identifier of that minute, and asked for again only where more follows",
    () =>
      Effect.gen(function* () {
        yield* TestClock.setTime(nowMillis)
        const simulator = yield* makeAcquirer()
        const outcomes = yield* Effect.forEach([1_000, 104, 105], (of) =>
          simulator.query({ amount: of, status: "pending" }),
        )

        assert.deepStrictEqual(
          outcomes.map((outcome) => [outcome.status, "askAfterMillis" in outcome && outcome.askAfterMillis]),
          [
            ["paid", undefined],
            ["paid", defaults.delayMillis],
            ["paid", defaults.delayMillis],
          ],
        )
        for (const outcome of outcomes) {
          assert.match(
            outcome.status === "paid" ? outcome.endToEndId : "",
            /^E00000000202611210007[0-9A-Z]{11}$/,
          )
        }
      }),
  )

  it.effect("fails with a reason, is given back, or stays as it is", () =>
    Effect.gen(function* () {
      const simulator = yield* makeAcquirer()
      const failed = yield* simulator.query({ amount: 102, status: "pending" })
      assert.strictEqual(failed.status === "failed" && failed.reason !== "", true)

      assert.deepStrictEqual(yield* simulator.query({ amount: 104, status: "paid" }), { status: "refunded" })
      assert.deepStrictEqual(yield* simulator.query({ amount: 105, status: "paid" }), {
        status: "chargeback",
      })
      for (const status of ["paid", "expired", "failed", "refunded", "chargeback"] as const) {
        assert.deepStrictEqual(yield* simulator.query({ amount: 1_000, status }), {
          status: "unchanged",
          askAfterMillis: undefined,
        })
      }
    }),
  )
})

describe("the simulator's latency", () => {
  it.effect("makes it a remote partner that takes so long, to accept and to refuse", () =>
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
      assert.instanceOf(yield* Fiber.join(refusing), ChargeRefused)
    }),
  )

  it.effect("is none by default: it answers at once", () =>
    Effect.gen(function* () {
      const local = yield* makeAcquirer()
      assert.isTrue(local.isLocal)

      yield* local.createCharge(request(1_000))
    }),
  )
})

describe("a transfer identifier", () => {
  it("is E, the ISPB, the minute in UTC and eleven characters", () => {
    assert.strictEqual(endToEndId("12345678", nowMillis, "ABCDEFGHIJ1"), "E12345678202611210007ABCDEFGHIJ1")
    assert.strictEqual(endToEndId("12345678", nowMillis, "ABCDEFGHIJ1").length, 32)
  })
})

describe("the acquirers", () => {
  it.effect("are the simulator in both modes", () =>
    Effect.gen(function* () {
      const { live, test } = yield* Acquirers

      assert.deepStrictEqual([live.slug, test.slug], ["simulator", "simulator"])
    }).pipe(Effect.provide(AcquirersLive(defaults).pipe(Layer.provide(IdentifiersLive)))),
  )
})
