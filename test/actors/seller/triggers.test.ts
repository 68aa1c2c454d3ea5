import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Transaction } from "../../../schema/resources/transaction.ts"
import { startProcess } from "../support/process.ts"
import { pass, settle } from "../support/settle.ts"
import {
  chargeNow,
  createCharge,
  eventsOf,
  eventTypesOf,
  openShop,
  requestCharge,
  timersOf,
} from "../support/shop.ts"
import { onStore, StoreFaults, startMillis } from "../support/store.ts"

const delayMillis = 3_000
const at = (millis: number): string => new Date(startMillis + millis).toISOString()

/** A charge of that amount in a new shop, created when the test starts. */
const charge = (amount: number, expiresInSeconds?: number) =>
  Effect.gen(function* () {
    const shop = yield* openShop()
    const process = yield* startProcess({ simulator: { delayMillis } })
    const pix = expiresInSeconds === undefined ? {} : { pix: { expires_in_seconds: expiresInSeconds } }
    const made = yield* createCharge(process, shop.test, { body: { amount, ...pix } })
    assert.strictEqual(made.created_at, at(0))
    return { shop, process, id: made.id }
  })

const none = { paid_at: null, expired_at: null, failed_at: null, refunded_at: null, chargeback_at: null }
type Moments = { readonly [Name in keyof typeof none]: string | null }

/** When a charge was paid, expired, failed, refunded and charged back. */
const momentsOf = ({ paid_at, expired_at, failed_at, refunded_at, chargeback_at }: Transaction): Moments => ({
  paid_at,
  expired_at,
  failed_at,
  refunded_at,
  chargeback_at,
})
const moments = (given: Partial<Moments>): Moments => ({ ...none, ...given })

describe("a charge at the simulator", () => {
  it.effect("a charge is paid when the delay is over, not a millisecond before, and keeps no timer", () =>
    onStore(
      Effect.gen(function* () {
        const { shop, id } = yield* charge(1_000)
        yield* pass(delayMillis - 1)
        assert.strictEqual((yield* chargeNow(id)).status, "pending")
        yield* pass(1)
        const paid = yield* chargeNow(id)

        assert.strictEqual(paid.status, "paid")
        assert.deepStrictEqual(momentsOf(paid), moments({ paid_at: at(delayMillis) }))
        assert.match(paid.end_to_end_id ?? "", /^E0{8}202611210000[0-9A-Z]{11}$/)
        assert.deepStrictEqual(yield* eventTypesOf(shop.test, id), [
          "transaction.created",
          "transaction.paid",
        ])
        assert.deepStrictEqual(yield* timersOf(id), [])
      }),
    ),
  )

  it.effect("a charge ending in 01 is never paid and expires at its time limit", () =>
    onStore(
      Effect.gen(function* () {
        const { shop, id } = yield* charge(1_001, 10)
        yield* pass(9_999)
        assert.strictEqual((yield* chargeNow(id)).status, "pending")
        yield* pass(1)
        const expired = yield* chargeNow(id)

        assert.strictEqual(expired.status, "expired")
        assert.deepStrictEqual(momentsOf(expired), moments({ expired_at: at(10_000) }))
        assert.strictEqual(expired.end_to_end_id, null)
        assert.deepStrictEqual(yield* eventTypesOf(shop.test, id), [
          "transaction.created",
          "transaction.expired",
        ])
        yield* pass(60_000)
        assert.strictEqual((yield* chargeNow(id)).status, "expired")
        assert.deepStrictEqual(yield* timersOf(id), [])
      }),
    ),
  )

  it.effect("a charge ending in 02 fails with a reason and never expires", () =>
    onStore(
      Effect.gen(function* () {
        const { shop, id } = yield* charge(2, 10)
        yield* pass(delayMillis)
        const failed = yield* chargeNow(id)

        assert.strictEqual(failed.status, "failed")
        assert.deepStrictEqual(momentsOf(failed), moments({ failed_at: at(delayMillis) }))
        assert.match(failed.failure_reason ?? "", /02/)
        yield* pass(20_000)
        assert.deepStrictEqual(yield* eventTypesOf(shop.test, id), [
          "transaction.created",
          "transaction.failed",
        ])
        assert.deepStrictEqual(yield* timersOf(id), [])
      }),
    ),
  )

  it.effect("a charge ending in 03 is refused at its creation and leaves no event", () =>
    onStore(
      Effect.gen(function* () {
        const shop = yield* openShop()
        const process = yield* startProcess()
        const answer = yield* requestCharge(process, shop.test, {
          body: { amount: 103 },
          requestId: "req_refused",
        })
        if (answer.kind !== "answered") return assert.fail(answer.kind)
        const { error } = JSON.parse(answer.body)

        assert.strictEqual(answer.status, 502)
        assert.deepStrictEqual(
          [error.type, error.code, error.request_id],
          ["acquirer_error", "acquirer_error", "req_refused"],
        )
        assert.match(error.message, /new Idempotency-Key/)
        yield* pass(10_000)
        assert.deepStrictEqual(yield* eventsOf(shop.test), [])
      }),
    ),
  )

  for (const [ending, status] of [
    ["04", "refunded"],
    ["05", "chargeback"],
  ] as const) {
    it.effect(`a charge ending in ${ending} is paid, and after another delay becomes ${status}`, () =>
      onStore(
        Effect.gen(function* () {
          const { shop, id } = yield* charge(Number(`12${ending}`), 10)
          yield* pass(delayMillis)
          assert.strictEqual((yield* chargeNow(id)).status, "paid")
          yield* pass(delayMillis - 1)
          assert.strictEqual((yield* chargeNow(id)).status, "paid")
          yield* pass(1)
          const ended = yield* chargeNow(id)

          assert.strictEqual(ended.status, status)
          assert.deepStrictEqual(
            momentsOf(ended),
            moments({ paid_at: at(delayMillis), [`${status}_at`]: at(2 * delayMillis) }),
          )
          assert.match(ended.end_to_end_id ?? "", /^E/)
          yield* pass(60_000)
          assert.deepStrictEqual(yield* eventTypesOf(shop.test, id), [
            "transaction.created",
            "transaction.paid",
            `transaction.${status}`,
          ])
          assert.deepStrictEqual(yield* timersOf(id), [])
        }),
      ),
    )
  }

  it.effect("a charge that expires before the simulator pays stays expired", () =>
    onStore(
      Effect.gen(function* () {
        const shop = yield* openShop()
        const process = yield* startProcess({ simulator: { delayMillis: 30_000 } })
        const { id } = yield* createCharge(process, shop.test, { body: { pix: { expires_in_seconds: 10 } } })
        yield* pass(60_000)

        assert.strictEqual((yield* chargeNow(id)).status, "expired")
        assert.deepStrictEqual(yield* timersOf(id), [])
      }),
    ),
  )

  it.effect("a simulated charge is paid in live as in test, each in its own mode's feed", () =>
    onStore(
      Effect.gen(function* () {
        const shop = yield* openShop()
        const process = yield* startProcess({ simulator: { delayMillis } })
        const inLive = yield* createCharge(process, shop.live)
        const inTest = yield* createCharge(process, shop.test)
        yield* pass(delayMillis)

        assert.deepStrictEqual([inLive.mode, inTest.mode], ["live", "test"])
        for (const [owner, own] of [
          [shop.live, inLive],
          [shop.test, inTest],
        ] as const) {
          assert.deepStrictEqual(yield* eventTypesOf(owner, own.id), [
            "transaction.created",
            "transaction.paid",
          ])
          assert.strictEqual((yield* eventsOf(owner)).length, 2)
        }
      }),
    ),
  )
})

describe("the events of many charges", () => {
  it.effect("many charges have one event per transition, without gaps in seq, each with its status", () =>
    onStore(
      Effect.gen(function* () {
        const shop = yield* openShop()
        const process = yield* startProcess({ simulator: { delayMillis } })
        const amounts = Array.from({ length: 100 }, (_, ending) => 500 + ending).filter(
          (amount) => amount % 100 !== 3,
        )
        const charges = yield* Effect.forEach(
          amounts,
          (amount) => createCharge(process, shop.test, { body: { amount, pix: { expires_in_seconds: 20 } } }),
          { concurrency: "unbounded" },
        )
        yield* pass(30_000)
        const entries = yield* eventsOf(shop.test)

        assert.deepStrictEqual(
          entries.map(({ seq }) => seq),
          entries.map((_, index) => index + 1),
        )
        // Each is created and ends once; two of them are paid in between, and end by a refund with an event of its own.
        assert.strictEqual(entries.length, 2 * charges.length + 2 + 2)
        for (const { id } of charges) {
          const own = entries.filter((entry) => entry.resourceId === id)
          const statuses = own.map((entry) => (JSON.parse(entry.data) as Transaction).status)
          assert.strictEqual(statuses[0], "pending")
          assert.strictEqual(statuses.at(-1), (yield* chargeNow(id)).status)
          assert.strictEqual(new Set(statuses).size, statuses.length)
          for (const { type, data, internal } of own) {
            const { status } = JSON.parse(data) as Transaction
            assert.strictEqual(type, status === "pending" ? "transaction.created" : `transaction.${status}`)
            assert.strictEqual(internal, status === "pending")
          }
        }
      }),
    ),
  )
})

describe("a charge's timers", () => {
  it.effect("a charge's timer fires at its very millisecond although no hint of it arrived", () =>
    onStore(
      Effect.gen(function* () {
        const faults = yield* StoreFaults
        faults.areWakesLost = true
        const { id } = yield* charge(1_000)
        yield* pass(delayMillis - 1)
        assert.strictEqual((yield* chargeNow(id)).status, "pending")
        yield* pass(1)

        assert.strictEqual((yield* chargeNow(id)).status, "paid")
      }),
    ),
  )

  it.effect("a charge's timer is fired by another process when its own has died", () =>
    onStore(
      Effect.gen(function* () {
        const { process, id } = yield* charge(1_000)
        yield* pass(1_000)
        yield* process.kill
        yield* pass(60_000)
        assert.strictEqual((yield* chargeNow(id)).status, "pending")
        yield* startProcess()
        yield* settle

        assert.strictEqual((yield* chargeNow(id)).status, "paid")
      }),
    ),
  )
})
