import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { type AlertChoice, AlertStore, type OwedAlert } from "../../actors/ports/alertStore.ts"
import { DeliveryQueue } from "../../actors/ports/deliveryQueue.ts"
import { ExceptionStore } from "../../actors/ports/exceptionStore.ts"
import { TimerQueue } from "../../actors/ports/timerQueue.ts"
import { alertTimerName } from "../../actors/values/alertNames.ts"
import type { Principal } from "../../actors/values/principal.ts"
import { limits } from "../../schema/limits.ts"
import { claimOne, failedToRetry, type Outcome, recordOf, succeeded } from "./attempts.ts"
import { newExceptionBeside } from "./exceptions.ts"
import { eventsOf, move, openCharge, openEndpoint, openPaidCharge, openShop } from "./fixtures.ts"
import { elapse, type StoreCase, storeCase, timedCase } from "./stage.ts"

const nothing: AlertChoice = {
  settings: "enc:v2:k:text",
  ...{ mail: [], url: [], balanceBelow: undefined, chargeFrom: undefined },
}

const choose = ({ sellerId }: Principal, choice: Partial<AlertChoice>) =>
  Effect.flatMap(AlertStore, (store) => store.save(sellerId, { ...nothing, ...choice }))

/** Ends all that is due, and returns it. */
const owedTo = ({ sellerId }: Principal) =>
  Effect.gen(function* () {
    const store = yield* AlertStore
    const { claimed } = yield* store.claim(sellerId)
    yield* Effect.forEach(claimed, (one) => store.finish(one, undefined))
    return claimed.map(({ channel, when, about, tries }): OwedAlert => ({ channel, when, about, tries }))
  })

const raise = ({ sellerId }: Principal, about: string) =>
  Effect.flatMap(AlertStore, (store) => store.raise(sellerId, "new_sign_in", about))

const isDue = (partition: number, sellerId: string) =>
  Effect.gen(function* () {
    const { due } = yield* (yield* TimerQueue).claim(partition, 9)
    return due.some(({ name, resourceId }) => name === alertTimerName && resourceId === sellerId)
  })

/** A paid charge of that amount. */
const payCharge = (owner: Principal, amount: number) =>
  Effect.flatMap(openCharge(owner), (charge) =>
    move(charge, "paid", {
      movement: {
        kind: "charge_paid",
        resourceType: "transaction",
        resourceId: charge.id,
        postings: [
          { bucket: "external", amount: -amount },
          { bucket: "available", amount: amount - 100 },
          { bucket: "fees", amount: 100 },
        ],
      },
    }),
  )

/** Takes the whole of a paid charge back. */
const chargeBack = (charge: Effect.Success<ReturnType<typeof payCharge>>, amount: number) =>
  move(charge, "chargeback", {
    movement: {
      kind: "charge_chargeback",
      resourceType: "transaction",
      resourceId: charge.id,
      postings: [
        { bucket: "external", amount },
        { bucket: "available", amount: -amount },
      ],
    },
  })

const settings: StoreCase = storeCase(
  "what a seller wants to hear of is kept as it was set last",
  Effect.gen(function* () {
    const store = yield* AlertStore
    const { live } = yield* openShop()
    assert.isUndefined(yield* store.settings(live.sellerId))
    yield* choose(live, { settings: "enc:v2:k:first" })
    yield* choose(live, { settings: "enc:v2:k:second" })
    assert.strictEqual(yield* store.settings(live.sellerId), "enc:v2:k:second")
    assert.deepStrictEqual(yield* store.claim(live.sellerId), { settings: "enc:v2:k:second", claimed: [] })
  }),
)

const ofEvents: StoreCase = storeCase(
  "an event owes an alert by each channel that was chosen for it, in live alone, and sets the seller's timer",
  Effect.gen(function* () {
    const { live, test, partition } = yield* openShop()
    yield* choose(live, { mail: ["payout_failed", "endpoint_disabled"], url: ["endpoint_disabled"] })
    yield* openPaidCharge(live)
    assert.isFalse(yield* isDue(partition, live.sellerId))
    const eventType = "seller.webhook_endpoint_disabled"
    const failing = yield* Effect.forEach([live, test], (owner) => openCharge(owner))
    yield* Effect.forEach(failing, (charge) => move(charge, "failed", { eventType }))
    assert.isTrue(yield* isDue(partition, live.sellerId))
    const about = (yield* eventsOf(live)).at(-1)?.entryId ?? ""
    const owed = { when: "endpoint_disabled", about, tries: 0 } as const
    assert.deepStrictEqual(yield* owedTo(live), [
      { ...owed, channel: "mail" },
      { ...owed, channel: "url" },
    ])
    yield* choose(live, {})
    yield* move(yield* openCharge(live), "failed", { eventType })
    assert.deepStrictEqual(yield* owedTo(live), [], "no longer chosen")
  }),
)

const ofMoney: StoreCase = storeCase(
  "a charge of the chosen amount or more owes an alert, one of a centavo less does not, and every chargeback does",
  Effect.gen(function* () {
    const { live, test } = yield* openShop()
    yield* choose(live, { mail: ["large_charge", "chargeback"], chargeFrom: 50_000 })
    yield* payCharge(live, 49_999)
    yield* payCharge(test, 50_000)
    const large = yield* payCharge(live, 50_000)
    assert.deepStrictEqual(yield* owedTo(live), [
      { channel: "mail", when: "large_charge", about: `50000 ${large.id}`, tries: 0 },
    ])
    yield* chargeBack(large, 50_000)
    const [owed, ...more] = yield* owedTo(live)
    assert.deepStrictEqual([owed?.when, more], ["chargeback", []])
    assert.match(owed?.about ?? "", new RegExp(`^50000 ${large.id} \\d+-\\d+$`))
  }),
)

const ofBalance: StoreCase = storeCase(
  "a balance that falls below its minimum owes one alert, and another only after it was there again",
  Effect.gen(function* () {
    const { live } = yield* openShop()
    yield* choose(live, { url: ["balance_below"], balanceBelow: 30_000 })
    const charges = yield* Effect.forEach([10_100, 10_100, 10_100], (amount) => payCharge(live, amount))
    assert.deepStrictEqual(
      yield* owedTo(live),
      [],
      "it was below from the beginning, and reached the minimum",
    )
    const [first, second, third] = charges
    if (first === undefined || second === undefined || third === undefined) return assert.fail("no charges")
    yield* chargeBack(first, 1)
    const [owed, ...more] = yield* owedTo(live)
    assert.deepStrictEqual([owed?.when, owed?.about.split(" ")[0], more], ["balance_below", "29999", []])
    yield* chargeBack(second, 10_000)
    assert.deepStrictEqual(yield* owedTo(live), [], "it is below still")
    yield* payCharge(live, 10_100)
    yield* chargeBack(third, 1)
    assert.deepStrictEqual(yield* owedTo(live), [], "it was below still")
    yield* payCharge(live, 200)
    const another = yield* payCharge(live, 5_000)
    yield* chargeBack(another, 5_100)
    assert.deepStrictEqual(
      (yield* owedTo(live)).map(({ when }) => when),
      ["balance_below"],
    )
  }),
)

const ofExceptions: StoreCase = storeCase(
  "a payout that is stuck owes an alert once, and other exceptions owe none",
  Effect.gen(function* () {
    const store = yield* ExceptionStore
    const { live } = yield* openShop()
    yield* choose(live, { mail: ["payout_stuck"] })
    const { sellerId } = live
    const stuck = yield* newExceptionBeside(sellerId, { kind: "payout_stuck", sellerId })
    const again = yield* newExceptionBeside(sellerId, { ...stuck })
    yield* store.open(yield* newExceptionBeside(sellerId, { kind: "payout_returned", sellerId }))
    yield* store.open(stuck)
    yield* store.open(again)
    assert.deepStrictEqual(yield* owedTo(live), [
      { channel: "mail", when: "payout_stuck", about: stuck.id, tries: 0 },
    ])
  }),
)

/** Lets an endpoint's delivery be attempted once, with that outcome. */
const attempt = (endpointId: string, outcome: Outcome) =>
  Effect.gen(function* () {
    const made = yield* recordOf(yield* claimOne(endpointId), outcome)
    yield* (yield* DeliveryQueue).record(made)
  })

const ofEndpoints: StoreCase = timedCase(
  "an endpoint that fails for long enough owes one alert, and another only after a success",
  Effect.gen(function* () {
    const { live } = yield* openShop()
    yield* choose(live, { mail: ["endpoint_failing"] })
    const endpoint = yield* openEndpoint(live)
    const failAfter = (millis: number) => Effect.andThen(elapse(millis), attempt(endpoint.id, failedToRetry))
    const failLong = Effect.gen(function* () {
      yield* openPaidCharge(live)
      yield* failAfter(0)
      yield* failAfter(1)
      yield* failAfter(1)
      assert.deepStrictEqual(yield* owedTo(live), [], "enough attempts, but within moments")
      yield* failAfter(limits.failingMillisMin - 3)
      assert.deepStrictEqual(yield* owedTo(live), [], "a millisecond too early")
      yield* failAfter(1)
      const owed = yield* owedTo(live)
      assert.deepStrictEqual(
        owed.map(({ when, about }) => [when, about.split(" ")[0]]),
        [["endpoint_failing", endpoint.id]],
      )
      assert.match(owed[0]?.about ?? "", / 5$/)
      yield* failAfter(limits.failingMillisMin)
      assert.deepStrictEqual(yield* owedTo(live), [], "it is failing still")
    })
    yield* failLong
    yield* attempt(endpoint.id, succeeded)
    yield* failLong
  }),
)

const tooFew: StoreCase = timedCase(
  "an endpoint does not fail by fewer attempts, however long they take",
  Effect.gen(function* () {
    const { live } = yield* openShop()
    yield* choose(live, { mail: ["endpoint_failing"] })
    const endpoint = yield* openEndpoint(live)
    yield* openPaidCharge(live)
    yield* attempt(endpoint.id, failedToRetry)
    for (let count = 2; count < limits.failingAttemptsMin; count++) {
      yield* elapse(limits.failingMillisMin)
      yield* attempt(endpoint.id, failedToRetry)
    }
    assert.deepStrictEqual(yield* owedTo(live), [])
    yield* attempt(endpoint.id, failedToRetry)
    assert.strictEqual((yield* owedTo(live)).length, 1)
  }),
)

const bounded: StoreCase = timedCase(
  `an hour has at most ${limits.alertsPerHourMax} alerts of a kind by a channel, and one that says that others are held back`,
  Effect.gen(function* () {
    const store = yield* AlertStore
    const { live } = yield* openShop()
    yield* choose(live, { mail: ["new_sign_in"], url: ["new_sign_in"] })
    const all = Effect.gen(function* () {
      const found: Array<OwedAlert> = []
      for (;;) {
        const { claimed } = yield* store.claim(live.sellerId)
        if (claimed.length === 0) return found.filter(({ channel }) => channel === "mail")
        found.push(...claimed)
        yield* Effect.forEach(claimed, (one) => store.finish(one, undefined))
      }
    })
    yield* elapse(60 * 60 * 1000 - (1_795_000_000_000 % (60 * 60 * 1000)))
    const fill = Effect.forEach(Array.from({ length: limits.alertsPerHourMax }), (_, i) =>
      raise(live, `n ${i}`),
    )
    yield* fill
    const first = yield* all
    assert.strictEqual(first.length, limits.alertsPerHourMax)
    assert.isFalse(first.some(({ about }) => about.startsWith("held_back")))
    yield* raise(live, "one more")
    assert.match((yield* all).map(({ about }) => about).join(), /^held_back \d+$/)
    yield* raise(live, "yet another")
    yield* elapse(60 * 60 * 1000 - 1)
    yield* raise(live, "in the last moment")
    assert.deepStrictEqual(yield* all, [])
    yield* elapse(1)
    yield* raise(live, "an hour later")
    assert.deepStrictEqual(
      (yield* all).map(({ about }) => about),
      ["an hour later"],
    )
  }),
)

const leased: StoreCase = timedCase(
  "an alert is leased to one, due again once the lease ends, and over when it is finished",
  Effect.gen(function* () {
    const store = yield* AlertStore
    const { live, partition } = yield* openShop()
    yield* choose(live, { url: ["new_sign_in"] })
    yield* raise(live, "Chrome, Windows")
    yield* raise(live, "Chrome, Windows")
    const [first, ...others] = (yield* store.claim(live.sellerId)).claimed
    assert.deepStrictEqual(others, [], "the same thing is told once")
    if (first === undefined) return assert.fail("nothing is due")
    assert.strictEqual(first.about, "Chrome, Windows")
    yield* elapse(limits.alertLeaseMillis - 1)
    assert.deepStrictEqual(yield* owedTo(live), [])
    yield* elapse(1)
    assert.isTrue(yield* isDue(partition, live.sellerId))
    const [second] = (yield* store.claim(live.sellerId)).claimed
    if (second === undefined) return assert.fail("its lease has ended")
    assert.deepStrictEqual(yield* store.finish(first, undefined), { kind: "stale" })
    assert.deepStrictEqual(yield* store.finish(second, 5_000), { kind: "finished" })
    yield* elapse(4_999)
    assert.deepStrictEqual(yield* owedTo(live), [])
    yield* elapse(1)
    const [third] = (yield* store.claim(live.sellerId)).claimed
    assert.strictEqual(third?.tries, 1)
    if (third === undefined) return
    assert.deepStrictEqual(yield* store.finish(third, undefined), { kind: "finished" })
    assert.deepStrictEqual(yield* store.finish(third, undefined), { kind: "stale" })
    yield* elapse(2 * limits.alertLeaseMillis)
    assert.isFalse(yield* isDue(partition, live.sellerId), "nothing is owed any more")
  }),
)

const atOnce: StoreCase = storeCase(
  `at most ${limits.alertsPerClaim} alerts are leased at once, and the timer stays due for the others`,
  Effect.gen(function* () {
    const store = yield* AlertStore
    const { live, partition } = yield* openShop()
    yield* choose(live, { mail: ["new_sign_in"] })
    const count = limits.alertsPerClaim + 1
    yield* Effect.forEach(Array.from({ length: count }), (_, i) => raise(live, `device ${i}`))
    assert.strictEqual((yield* store.claim(live.sellerId)).claimed.length, limits.alertsPerClaim)
    assert.isTrue(yield* isDue(partition, live.sellerId))
    assert.strictEqual((yield* owedTo(live)).length, 1)
  }),
)

const unchosen: StoreCase = storeCase(
  "who chose nothing is owed nothing",
  Effect.gen(function* () {
    const { live, partition } = yield* openShop()
    yield* raise(live, "Chrome")
    yield* chargeBack(yield* payCharge(live, 5_000_000), 5_000_000)
    assert.deepStrictEqual(yield* owedTo(live), [])
    assert.isFalse(yield* isDue(partition, live.sellerId))
  }),
)

/** Alerts. */
export const alertCases: ReadonlyArray<StoreCase> = [
  settings,
  ofEvents,
  ofMoney,
  ofBalance,
  ofExceptions,
  ofEndpoints,
  tooFew,
  bounded,
  leased,
  atOnce,
  unchosen,
]
