import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { EndpointStore } from "../../actors/ports/endpointStore.ts"
import { type SeriesCount, SeriesStore } from "../../actors/ports/seriesStore.ts"
import { TransactionStore } from "../../actors/ports/transactionStore.ts"
import { chargePaid, chargeReturned } from "../../actors/seller/decisions/movements.ts"
import type { ChargeLookup } from "../../actors/values/chargeLookups.ts"
import { latencyBinOf } from "../../actors/values/latencyBins.ts"
import type { Principal } from "../../actors/values/principal.ts"
import { claimOne, failedForGood, failedToRetry, record, succeeded } from "./attempts.ts"
import { creationOf, expectKind, move, newCharge, openCharge, openEndpoint, openShop } from "./fixtures.ts"
import { amount, openCounter, openRefund, openRefundable, pass } from "./refunds.ts"
import { nowMillis, type StoreCase, storeCase } from "./stage.ts"

const hourMillis = 3_600_000

/** The hours around now: what a test does is in them, also when it begins at the end of one. */
const spanNow = Effect.map(nowMillis, (now) => {
  const hour = Math.floor(now / hourMillis)
  return { fromHour: hour - 1, toHour: hour + 1 }
})

const sumOf = (numbers: Iterable<number>): number => [...numbers].reduce((sum, one) => sum + one, 0)

/** All of a count that was counted lately. */
const counted = (owner: Principal, count: SeriesCount) =>
  Effect.gen(function* () {
    const counts = yield* (yield* SeriesStore).counts(owner, count, yield* spanNow)
    return sumOf(counts.values())
  })

const allCounted = (owner: Principal) =>
  Effect.all({
    created: counted(owner, "created"),
    paid: counted(owner, "paid"),
    amount: counted(owner, "amount"),
  })

const documentOf = (id: string, more: object) => JSON.stringify({ id, ...more })

/** Pays a charge of an amount, without a fee. */
const paid = (owner: Principal, amount: number) =>
  Effect.flatMap(openCharge(owner), (charge) =>
    move(charge, "paid", {
      document: documentOf(charge.id, { status: "paid", amount }),
      movement: chargePaid({ id: charge.id, amount, fee: 0, net_amount: amount }, null),
    }),
  )

const charges: StoreCase = storeCase(
  "charges are counted as they are created, and payments with their gross amounts, by mode",
  Effect.gen(function* () {
    const { live, test } = yield* openShop()
    yield* paid(live, 1_290)
    yield* paid(live, 999_999_999_999)
    yield* Effect.flatMap(openCharge(live), (charge) => move(charge, "expired"))
    assert.deepStrictEqual(yield* allCounted(live), { created: 3, paid: 2, amount: 1_000_000_001_289 })
    assert.deepStrictEqual(yield* allCounted(test), { created: 0, paid: 0, amount: 0 })
  }),
)

const received: StoreCase = storeCase(
  "what all sellers received in live is counted by the hour, whatever becomes of it",
  Effect.gen(function* () {
    const [one, other] = [yield* openShop(), yield* openShop()]
    const store = yield* SeriesStore
    const { fromHour, toHour } = yield* spanNow
    const before = yield* store.received({ fromHour, toHour })
    const charge = yield* paid(one.live, 1_290)
    yield* paid(one.live, 10)
    yield* paid(other.live, 700)
    yield* paid(one.test, 5_000)
    yield* openCharge(one.live)
    yield* move(charge, "chargeback")
    assert.strictEqual((yield* store.received({ fromHour, toHour })) - before, 2_000)
    assert.strictEqual(yield* store.received({ fromHour: toHour + 30, toHour: toHour + 40 }), 0)
  }),
)

const endings: StoreCase = storeCase(
  "what happens to a charge after its payment counts no payment again, nor takes one away",
  Effect.gen(function* () {
    const { live } = yield* openShop()
    const charge = yield* paid(live, 500)
    yield* move(charge, "chargeback")
    assert.deepStrictEqual(yield* allCounted(live), { created: 1, paid: 1, amount: 500 })
  }),
)

const spans: StoreCase = storeCase(
  "hours outside of the span are left out, and those in which nothing happened are absent",
  Effect.gen(function* () {
    const { live } = yield* openShop()
    yield* openCharge(live)
    const store = yield* SeriesStore
    const { fromHour, toHour } = yield* spanNow
    const found = yield* store.counts(live, "created", { fromHour, toHour })
    assert.deepStrictEqual([...found.values()], [1])
    const [hour = 0] = found.keys()
    const only = (from: number, to: number) => store.counts(live, "created", { fromHour: from, toHour: to })
    assert.deepStrictEqual(yield* only(hour, hour), new Map([[hour, 1]]))
    assert.deepStrictEqual(yield* only(hour - 48, hour - 1), new Map())
    assert.deepStrictEqual(yield* only(hour + 1, hour + 48), new Map())
  }),
)

const attempts: StoreCase = storeCase(
  "attempts are counted by their outcome, each with its duration",
  Effect.gen(function* () {
    const { live } = yield* openShop()
    const endpoint = yield* openEndpoint(live)
    yield* Effect.flatMap(openCharge(live), (charge) => move(charge, "paid"))
    yield* record(yield* claimOne(endpoint.id), failedToRetry)
    yield* record(yield* claimOne(endpoint.id), succeeded)
    assert.strictEqual(yield* counted(live, "failed"), 1)
    assert.strictEqual(yield* counted(live, "succeeded"), 1)
    const times = yield* (yield* SeriesStore).times(live, yield* spanNow)
    assert.strictEqual(sumOf([...times.values()].flat()), 2)
  }),
)

const ofEndpoints: StoreCase = storeCase(
  "an endpoint's attempts are counted apart from those of others and of pings, until it is deleted",
  Effect.gen(function* () {
    const { live } = yield* openShop()
    const [first, other] = [yield* openEndpoint(live), yield* openEndpoint(live)]
    yield* Effect.flatMap(openCharge(live), (charge) => move(charge, "paid"))
    yield* record(yield* claimOne(first.id), failedToRetry)
    yield* record(yield* claimOne(first.id), succeeded)
    yield* record(yield* claimOne(other.id), failedForGood)
    const store = yield* SeriesStore
    const countedOf = (id: string) =>
      Effect.gen(function* () {
        const span = yield* spanNow
        const good = sumOf((yield* store.endpointCounts(id, "succeeded", span)).values())
        const bad = sumOf((yield* store.endpointCounts(id, "failed", span)).values())
        const times = [...(yield* store.endpointTimes(id, span)).values()]
        assert.isTrue(times.every((bins) => bins[latencyBinOf(12)] === sumOf(bins)))
        return { good, bad, timed: sumOf(times.flat()) }
      })
    assert.deepStrictEqual(yield* countedOf(first.id), { good: 1, bad: 1, timed: 2 })
    assert.deepStrictEqual(yield* countedOf(other.id), { good: 0, bad: 1, timed: 1 })
    const { sellerId, mode } = live
    yield* (yield* EndpointStore).delete({ feed: { sellerId, mode }, endpointId: first.id }, "op")
    assert.deepStrictEqual(yield* countedOf(first.id), { good: 0, bad: 0, timed: 0 })
    assert.deepStrictEqual(yield* countedOf(other.id), { good: 0, bad: 1, timed: 1 })
    assert.strictEqual(yield* counted(live, "failed"), 2)
  }),
)

const email = "Ana.Souza@Example.com"

/** A charge of a customer with an address. */
const openChargeOf = (owner: Principal, address: string) =>
  Effect.gen(function* () {
    const bare = yield* newCharge(owner)
    const charge = { ...bare, document: documentOf(bare.id, { customer: { email: address } }) }
    yield* expectKind("created", (yield* TransactionStore).create(creationOf(owner, charge)))
    return charge
  })

const idsFound = (owner: Principal, by: ChargeLookup, countMax = 20) =>
  Effect.gen(function* () {
    const found = yield* (yield* TransactionStore).find(owner, by, countMax)
    return found.map(({ id }) => id)
  })

const byEmail: StoreCase = storeCase(
  "charges are found by their customer's address in any case, newest first, by their own seller and mode alone",
  Effect.gen(function* () {
    const { live, test } = yield* openShop()
    const { live: stranger } = yield* openShop()
    const opened = yield* Effect.forEach([1, 2, 3], () => openChargeOf(live, email))
    yield* openChargeOf(live, "bia@example.com")
    const ids = opened
      .map(({ id }) => id)
      .toSorted()
      .toReversed()
    const by = { kind: "email", value: email.toLowerCase() } as const
    assert.deepStrictEqual(yield* idsFound(live, by), ids)
    assert.deepStrictEqual(yield* idsFound(live, by, 2), ids.slice(0, 2))
    assert.deepStrictEqual(yield* idsFound(test, by), [])
    assert.deepStrictEqual(yield* idsFound(stranger, by), [])
    assert.deepStrictEqual(yield* idsFound(live, { kind: "email", value: "ana.souza@example.co" }), [])
  }),
)

const byPayment: StoreCase = storeCase(
  "a charge is found by its end-to-end id from its payment on",
  Effect.gen(function* () {
    const { live } = yield* openShop()
    const by = { kind: "end_to_end_id", value: "E1234567820261121000712345678901" } as const
    const charge = yield* openChargeOf(live, email)
    assert.deepStrictEqual(yield* idsFound(live, by), [])
    yield* move(charge, "paid", {
      document: documentOf(charge.id, { customer: { email }, pix: {}, end_to_end_id: by.value }),
    })
    assert.deepStrictEqual(yield* idsFound(live, by), [charge.id])
    assert.deepStrictEqual(yield* idsFound(live, { kind: "email", value: email }), [charge.id])
  }),
)

const byWords: StoreCase = storeCase(
  "charges are looked up by beginnings of terms, newest first, by the word that fewest have, up to a number of them",
  Effect.gen(function* () {
    const { live, test } = yield* openShop()
    const { live: stranger } = yield* openShop()
    const open = (name: string, address: string, reference: string | null, metadata = {}) =>
      Effect.gen(function* () {
        const bare = yield* newCharge(live)
        const document = documentOf(bare.id, { customer: { name, email: address }, reference, metadata })
        yield* expectKind(
          "created",
          (yield* TransactionStore).create(creationOf(live, { ...bare, document })),
        )
        return bare.id
      })
    const ana = yield* open("Ana Souza", "ana@example.com", "Pedido-1152")
    const bia = yield* open("Beatriz Sousa", "bia@example.com", null)
    const joao = yield* open("João Ananias", "joao@example.com", "loja 1153")
    const plugged = yield* open("Zeca", "loja@example.com", null, { order: "Woo-77140" })
    const newest = (...ids: ReadonlyArray<string>) => ids.toSorted().toReversed()
    const lookUp = (words: ReadonlyArray<string>, countMax = 10, owner = live) =>
      Effect.flatMap(TransactionStore, (store) =>
        store.lookUp(
          owner,
          words.map((word) => ({ kind: "prefixes", prefixes: [`w:${word}`] })),
          countMax,
        ),
      )
    assert.deepStrictEqual(yield* lookUp(["ana"]), newest(ana, joao))
    // The address of one of them begins so too.
    assert.deepStrictEqual(yield* lookUp(["ana"], 3), newest(ana, joao))
    assert.deepStrictEqual(yield* lookUp(["ana"], 2), undefined)
    assert.deepStrictEqual(yield* lookUp(["joao"]), [joao])
    assert.deepStrictEqual(yield* lookUp(["sou"]), newest(ana, bia))
    assert.deepStrictEqual(yield* lookUp(["115"]), newest(ana, joao))
    assert.deepStrictEqual(yield* lookUp(["pedido-11"]), [ana])
    assert.deepStrictEqual(yield* lookUp(["woo-77"]), [plugged])
    assert.deepStrictEqual(yield* lookUp(["bia@"]), [bia])
    assert.deepStrictEqual(yield* lookUp(["zzz"]), [])
    assert.deepStrictEqual(yield* lookUp(["ana", "pedido-"], 1), [ana])
    assert.deepStrictEqual(yield* lookUp(["ana"], 10, test), [])
    assert.deepStrictEqual(yield* lookUp(["ana"], 10, stranger), [])
  }),
)

/** What went back to payers, by count and centavos. */
const returned = (owner: Principal) =>
  Effect.all({
    refunds: counted(owner, "refunded"),
    refunded: counted(owner, "refunded_amount"),
    chargebacks: counted(owner, "disputed"),
    disputed: counted(owner, "disputed_amount"),
  })
const noneReturned = { refunds: 0, refunded: 0, chargebacks: 0, disputed: 0 }

const returns: StoreCase = storeCase(
  "what the bank gave back or took back of charges is counted apart, in whole and in part, by mode",
  Effect.gen(function* () {
    const { live, test } = yield* openShop()
    const back = (kind: "refund" | "chargeback", part: number, isWhole: boolean) =>
      Effect.gen(function* () {
        const charge = yield* paid(live, 1_000)
        const movement = chargeReturned({ id: charge.id, reserve: null }, { kind, amount: part, isWhole })
        if (isWhole) yield* move(charge, kind === "refund" ? "refunded" : "chargeback", { movement })
        else yield* move(charge, "paid", { movement, eventType: "transaction.partially_refunded" })
      })
    yield* back("refund", 1_000, true)
    yield* back("refund", 1, false)
    yield* back("chargeback", 1_000, true)
    yield* back("chargeback", 30, false)
    const all = { refunds: 2, refunded: 1_001, chargebacks: 2, disputed: 1_030 }
    assert.deepStrictEqual(yield* returned(live), all)
    assert.deepStrictEqual(yield* returned(test), noneReturned)
    assert.deepStrictEqual(yield* allCounted(live), { created: 4, paid: 4, amount: 4_000 })
  }),
)

const refunds: StoreCase = storeCase(
  "a refund is counted once it succeeds: not when it is asked for, nor if it fails",
  Effect.gen(function* () {
    const counter = yield* openCounter()
    const { live } = counter
    const refund = yield* openRefund(counter)
    assert.deepStrictEqual(yield* returned(live), noneReturned)
    yield* pass(refund, "succeeded")
    const once = { ...noneReturned, refunds: 1, refunded: amount }
    assert.deepStrictEqual(yield* returned(live), once)
    const failing = yield* openRefund({ live, charge: yield* openRefundable(live) })
    yield* pass(failing, "failed")
    assert.deepStrictEqual(yield* returned(live), once)
  }),
)

/** What plots count, and what charges are found by. */
export const seriesCases: ReadonlyArray<StoreCase> = [
  charges,
  received,
  endings,
  returns,
  refunds,
  spans,
  attempts,
  ofEndpoints,
  byEmail,
  byPayment,
  byWords,
]
