import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { destinationIdOfPostback } from "../../actors/delivery/destinationId.ts"
import { EventLog } from "../../actors/ports/eventLog.ts"
import { Ledger, type LedgerMovement, type LedgerPage, type LedgerSpan } from "../../actors/ports/ledger.ts"
import { TimerQueue } from "../../actors/ports/timerQueue.ts"
import { TransactionStore } from "../../actors/ports/transactionStore.ts"
import { chargePaid, chargeReturned, reserveReleased } from "../../actors/seller/decisions/movements.ts"
import { type Principal, sessionPrincipal } from "../../actors/values/principal.ts"
import { claimAll, claimOne } from "./attempts.ts"
import { eventsOf, hashOf, move, openCharge, openEndpoint, openShop, transitionOf } from "./fixtures.ts"
import { elapse, nowMillis, Stage, type StoreCase, storeCase, timedCase } from "./stage.ts"
import { balance, balanceOf, credit, entriesOf, writingNothing } from "./withdrawals.ts"

const url = "https://shop.example/postback"
const everyEntry: LedgerPage = {
  ...{ beforeEntryId: undefined, fromMillis: undefined, toMillis: undefined, limit: 100 },
}

const wholeSpan: LedgerSpan = {
  ...{ afterEntryId: undefined, fromMillis: 0, toMillis: 8_000_000_000_000, entriesMax: 10 },
}

/** The `seq` of each of a page's entries. */
const listed = (owner: Principal, page: Partial<LedgerPage> = {}) =>
  Effect.gen(function* () {
    const answer = yield* (yield* Ledger).list(owner, { ...everyEntry, ...page })
    if ("kind" in answer) return yield* Effect.die(new Error(answer.kind))
    return answer.map(({ seq }) => seq)
  })

const nothing: StoreCase = storeCase(
  "balance and ledger belong to one seller and mode, and are empty until money moves there",
  Effect.gen(function* () {
    const ledger = yield* Ledger
    const { sellerId, live, test } = yield* openShop()
    yield* credit((yield* openShop()).live, 500)
    yield* credit(test, 300)
    yield* openCharge(live)
    assert.deepStrictEqual(yield* balanceOf(live), balance())
    assert.deepStrictEqual(yield* balanceOf(sessionPrincipal(sellerId, "live", "a-user")), balance())
    assert.deepStrictEqual(yield* ledger.list(live, everyEntry), [])
    assert.deepStrictEqual(yield* entriesOf(live), [])
    assert.deepStrictEqual(yield* balanceOf(test), balance({ available: 300 }))
    assert.deepStrictEqual(yield* listed(sessionPrincipal(sellerId, "test", "a-user")), [1])
  }),
)

const releasesOf = (owner: Principal) => Effect.flatMap(Ledger, (ledger) => ledger.releases(owner))

const calendar: StoreCase = storeCase(
  "the calendar of releases has what each day makes available, and follows returns and releases",
  Effect.gen(function* () {
    const { live, test } = yield* openShop()
    const empty = { reserve: 0, days: [] }
    assert.deepStrictEqual(yield* releasesOf(live), empty)
    const early = { amount: 300, release_at: "2026-12-21T02:59:59.999Z", released_at: null }
    const late = { amount: 500, release_at: "2026-12-21T03:00:00.000Z", released_at: null }
    const pay = (reserve: typeof early) =>
      Effect.gen(function* () {
        const charge = yield* openCharge(live)
        const money = { id: charge.id, amount: 1_000, fee: 0, net_amount: 1_000 }
        return yield* move(charge, "paid", { movement: chargePaid(money, reserve) })
      })
    const one = yield* pay(early)
    yield* pay(early)
    const other = yield* pay(late)
    const first = { day: "2026-12-20", amount: 600, charges: 2 }
    const second = { day: "2026-12-21", amount: 500, charges: 1 }
    assert.deepStrictEqual(yield* releasesOf(live), { reserve: 1_100, days: [first, second] })
    const takes = (charge: typeof one, reserve: typeof early, amount: number) => {
      const part = { kind: "refund", amount, isWhole: false } as const
      return move(charge, "paid", { movement: chargeReturned({ id: charge.id, reserve }, part) })
    }
    const less = yield* takes(one, early, 100)
    const left = { ...first, amount: 500 }
    assert.deepStrictEqual(yield* releasesOf(live), { reserve: 1_000, days: [left, second] })
    yield* takes(less, { ...early, amount: 200 }, 250)
    const alone = { ...first, amount: 300, charges: 1 }
    assert.deepStrictEqual(yield* releasesOf(live), { reserve: 800, days: [alone, second] })
    yield* move(other, "paid", {
      eventType: undefined,
      movement: reserveReleased({ id: other.id, reserve: late }),
    })
    assert.deepStrictEqual(yield* releasesOf(live), { reserve: 300, days: [alone] })
    assert.deepStrictEqual(yield* releasesOf(test), empty)
  }),
)

const keys: StoreCase = storeCase(
  "balance and ledger are refused to an unknown, foreign or revoked API key",
  Effect.gen(function* () {
    const ledger = yield* Ledger
    const { revokeKey } = yield* Stage
    const shop = yield* openShop()
    yield* credit(shop.live, 500)
    const refused = { kind: "keyInvalid" } as const
    const stranger = { ...shop.live, keyHash: hashOf("no such key") }
    const borrowed = { ...shop.live, keyHash: (yield* openShop()).live.keyHash }
    yield* revokeKey(shop.live)
    for (const principal of [stranger, borrowed, shop.live]) {
      assert.deepStrictEqual(yield* ledger.balance(principal), refused)
      assert.deepStrictEqual(yield* ledger.releases(principal), refused)
      assert.deepStrictEqual(yield* ledger.list(principal, everyEntry), refused)
      assert.deepStrictEqual(yield* ledger.readSpan(principal, wholeSpan), refused)
    }
    assert.deepStrictEqual(yield* balanceOf(shop.test), balance())
  }),
  { needs: ["revokeKey"] },
)

const buckets: StoreCase = storeCase(
  "each movement of a charge changes its buckets, below zero too, and adds an entry with what it left",
  Effect.gen(function* () {
    const { live } = yield* openShop()
    const ledger = yield* Ledger
    assert.strictEqual(yield* ledger.available(live), 0)
    const pending = yield* openCharge(live)
    const { id } = pending
    const money = { id, amount: 10_000, fee: 109, net_amount: 9_891 }
    const reserve = { amount: 989, release_at: "2026-12-21T00:07:35.123Z", released_at: null }
    const movements: ReadonlyArray<LedgerMovement> = [
      chargePaid(money, reserve),
      chargeReturned({ id, reserve }, { kind: "refund", amount: 10_000, isWhole: true }),
    ]
    const balances = [balance({ available: 8_902, reserve: 989 }), balance({ available: -109 })]
    const paid = yield* move(pending, "paid", { movement: movements[0] })
    assert.deepStrictEqual(yield* balanceOf(live), balances[0])
    yield* move(paid, "refunded", { movement: movements[1] })
    assert.deepStrictEqual(yield* balanceOf(live), balances[1])
    assert.strictEqual(yield* ledger.available(live), -109)
    const events = yield* eventsOf(live)
    const entries = yield* entriesOf(live)
    assert.deepStrictEqual(
      entries.map(({ entryId: _, ...entry }) => entry as Omit<typeof entry, "entryId">),
      movements.map(({ release: _, ...movement }, index) => ({
        ...movement,
        ...{ seq: index + 1, eventEntryId: events[index + 1]?.entryId },
        balance: balances[index] ?? balance(),
      })),
    )
    for (const { postings } of entries) {
      const sum = postings.reduce((left, posting) => left + posting.amount, 0)
      assert.strictEqual(sum, 0)
    }
  }),
)

const silent: StoreCase = storeCase(
  "a charge change without an event writes money, document, version and timers, and owes no delivery",
  Effect.gen(function* () {
    const [store, log, queue] = [yield* TransactionStore, yield* EventLog, yield* TimerQueue]
    const { live, partition } = yield* openShop()
    const endpoint = yield* openEndpoint(live)
    const pending = yield* openCharge(live)
    const { id } = pending
    const money = { id, amount: 10_000, fee: 0, net_amount: 10_000 }
    const release = { name: "release", resourceId: id, dueMillis: 1_000 }
    const reserve = { amount: 1_000, release_at: "2026-12-21T00:07:35.123Z", released_at: null }
    const paid = yield* move(pending, "paid", { movement: chargePaid(money, reserve), timers: [release] })
    yield* claimOne(endpoint.id)
    const before = yield* eventsOf(live)
    const released = yield* move(paid, "paid", {
      ...{ eventType: undefined, movement: reserveReleased({ id, reserve }), postback: { url } },
      ...{ timersDone: ["release"], timers: [{ ...release, name: "next" }] },
    })
    assert.deepStrictEqual(yield* store.get(live, id), released)
    assert.deepStrictEqual([released.version, released.status], [3, "paid"])
    assert.notStrictEqual(released.document, paid.document)
    assert.deepStrictEqual(yield* balanceOf(live), balance({ available: 10_000 }))
    const entry = (yield* entriesOf(live)).at(-1)
    assert.deepStrictEqual([entry?.seq, entry?.kind, entry?.eventEntryId], [2, "reserve_released", undefined])
    assert.deepStrictEqual(yield* eventsOf(live), before)
    const entryIds = before.map(({ entryId }) => entryId)
    assert.deepStrictEqual(yield* log.entriesOfResource(live, id), entryIds)
    assert.deepStrictEqual(yield* claimAll(endpoint.id), [])
    assert.deepStrictEqual(yield* claimAll(destinationIdOfPostback(live.sellerId, "live", url)), [])
    const { due } = yield* queue.claim(partition, 10)
    assert.deepStrictEqual(
      due.map(({ name }) => name),
      ["next"],
    )
    const inStatus = { status: "paid", fromMillis: undefined, toMillis: undefined } as const
    const page = yield* store.list(live, { ...inStatus, beforeId: undefined, limit: 10 })
    assert.deepStrictEqual(page, [released], "it is still listed by its status")
  }),
)

const told: StoreCase = storeCase(
  "the event of a change that keeps the charge's status is owed to endpoint and postback",
  Effect.gen(function* () {
    const { live } = yield* openShop()
    const endpoint = yield* openEndpoint(live, ["transaction.refunded"])
    const pending = yield* openCharge(live)
    const money = { id: pending.id, amount: 10_000, fee: 0, net_amount: 10_000 }
    const paid = yield* move(pending, "paid", { movement: chargePaid(money, null) })
    const part = { kind: "refund", amount: 400, isWhole: false } as const
    const movement = chargeReturned({ id: pending.id, reserve: null }, part)
    const next = yield* move(paid, "paid", {
      ...{ eventType: "transaction.refunded", movement, postback: { url } },
    })
    const postback = yield* claimOne(destinationIdOfPostback(live.sellerId, "live", url))
    assert.deepStrictEqual([postback.entry.seq, postback.entry.data], [3, next.document])
    assert.deepStrictEqual((yield* claimOne(endpoint.id)).entry, postback.entry)
    const entry = (yield* entriesOf(live)).at(-1)
    assert.strictEqual(entry?.kind, "charge_partially_refunded")
    assert.strictEqual(entry?.eventEntryId, postback.entry.entryId)
    assert.deepStrictEqual(yield* balanceOf(live), balance({ available: 9_600 }))
  }),
)

const unapplied: StoreCase = storeCase(
  "a charge change that is not applied moves no money",
  Effect.gen(function* () {
    const store = yield* TransactionStore
    const { live } = yield* openShop()
    const paid = yield* credit(live, 1_000)
    const movement = chargePaid({ id: paid.id, amount: 1_000, fee: 0, net_amount: 1_000 }, null)
    const timers = [{ name: "release", resourceId: paid.id, dueMillis: 1_000 }]
    const silently = { movement, timers, eventType: undefined }
    const behind = transitionOf({ ...paid, version: paid.version - 1 }, "paid", silently)
    const otherwise = transitionOf({ ...paid, status: "pending" }, "paid", { movement, timers })
    for (const commit of [behind, otherwise]) {
      assert.deepStrictEqual(yield* writingNothing(store.transition(commit)), { kind: "stale" })
    }
    const commit = transitionOf(paid, "paid", silently)
    assert.deepStrictEqual(yield* store.transition(commit), { kind: "applied" })
    assert.deepStrictEqual(yield* writingNothing(store.transition(commit)), { kind: "stale" })
    assert.deepStrictEqual(yield* balanceOf(live), balance({ available: 2_000 }))
  }),
  { needs: ["contents"] },
)

const large: StoreCase = storeCase(
  "balance and ledger are exact to the centavo for the largest amounts",
  Effect.gen(function* () {
    const { live } = yield* openShop()
    const parts = [4_503_599_627_370_497, 4_503_599_627_370_493, 1]
    yield* Effect.forEach(parts, (part) => credit(live, part))
    assert.deepStrictEqual(yield* balanceOf(live), balance({ available: Number.MAX_SAFE_INTEGER }))
    const amounts = (yield* entriesOf(live)).map(({ postings }) => postings.map((posting) => posting.amount))
    assert.deepStrictEqual(
      amounts,
      parts.map((part) => [-part, part]),
    )
  }),
)

const bounded: StoreCase = storeCase(
  "a commit that would take a bucket beyond 2^53 - 1 centavos writes nothing",
  Effect.gen(function* () {
    const store = yield* TransactionStore
    const { live } = yield* openShop()
    const gain = (amount: number) =>
      Effect.map(openCharge(live), (charge) =>
        transitionOf(charge, "paid", {
          movement: chargePaid({ id: charge.id, amount, fee: 0, net_amount: amount }, null),
          timers: [{ name: "release", resourceId: charge.id, dueMillis: 1 }],
        }),
      )
    const most = Number.MAX_SAFE_INTEGER
    assert.deepStrictEqual(yield* store.transition(yield* gain(most - 1)), { kind: "applied" })
    const [eventCount, left] = [(yield* eventsOf(live)).length, balance({ available: most - 1 })]
    const tooMuch = yield* gain(2)
    assert.deepStrictEqual(yield* store.transition(tooMuch), { kind: "overflow" })
    assert.deepStrictEqual(yield* balanceOf(live), left)
    assert.strictEqual((yield* eventsOf(live)).length, eventCount + 1, "the charge's creation alone")
    assert.strictEqual((yield* store.load(tooMuch.transactionId))?.status, "pending")
    assert.strictEqual((yield* entriesOf(live)).length, 1)
    assert.deepStrictEqual(yield* store.transition(yield* gain(1)), { kind: "applied" })
    assert.deepStrictEqual(yield* balanceOf(live), balance({ available: most }))
  }),
)

const atOnce: StoreCase = storeCase(
  "50 concurrent ledger entries are numbered without a gap, each with the balance that it left",
  Effect.gen(function* () {
    const { live } = yield* openShop()
    const count = 50
    const gains = Array.from({ length: count }, (_, index) => 100 + index)
    yield* Effect.forEach(gains, (gained) => credit(live, gained), { concurrency: "unbounded" })
    const entries = yield* entriesOf(live)
    assert.strictEqual(entries.length, count)
    let available = 0
    for (const [index, entry] of entries.entries()) {
      available += entry.postings.find(({ bucket }) => bucket === "available")?.amount ?? Number.NaN
      assert.deepStrictEqual([entry.seq, entry.balance], [index + 1, balance({ available })])
    }
    assert.deepStrictEqual(yield* balanceOf(live), balance({ available }))
    assert.strictEqual(
      available,
      gains.reduce((left, gained) => left + gained),
    )
  }),
)

const onceOfMany: StoreCase = storeCase(
  "50 concurrent payments of a charge credit it once",
  Effect.gen(function* () {
    const store = yield* TransactionStore
    const { live } = yield* openShop()
    const pending = yield* openCharge(live)
    const movement = chargePaid({ id: pending.id, amount: 700, fee: 0, net_amount: 700 }, null)
    const kinds = yield* Effect.forEach(
      Array.from({ length: 50 }, () => transitionOf(pending, "paid", { movement })),
      (commit) => Effect.map(store.transition(commit), ({ kind }) => kind),
      { concurrency: "unbounded" },
    )
    assert.deepStrictEqual(
      kinds.filter((kind) => kind !== "stale"),
      ["applied"],
    )
    assert.deepStrictEqual(yield* balanceOf(live), balance({ available: 700 }))
    assert.strictEqual((yield* entriesOf(live)).length, 1)
  }),
)

const paging: StoreCase = storeCase(
  "the ledger lists newest first below an exclusive cursor, up to the limit, and reads on from an entry",
  Effect.gen(function* () {
    const ledger = yield* Ledger
    const { live } = yield* openShop()
    yield* Effect.forEach([1, 2, 3, 4, 5], (gained) => credit(live, gained))
    const entries = yield* entriesOf(live)
    const [first, second, third] = entries.map(({ entryId }) => entryId)
    assert.deepStrictEqual(yield* listed(live), [5, 4, 3, 2, 1])
    assert.deepStrictEqual(yield* ledger.list(live, everyEntry), entries.toReversed())
    assert.deepStrictEqual(yield* listed(live, { limit: 2 }), [5, 4])
    assert.deepStrictEqual(yield* listed(live, { beforeEntryId: third, limit: 1 }), [2])
    assert.deepStrictEqual(yield* listed(live, { beforeEntryId: third }), [2, 1])
    assert.deepStrictEqual(yield* listed(live, { beforeEntryId: first }), [])
    const readOn = (after: string, entriesMax: number) =>
      Effect.map(ledger.readAfter(live, after, entriesMax), (read) => read.map(({ seq }) => seq))
    assert.deepStrictEqual(yield* readOn("0", 2), [1, 2])
    assert.deepStrictEqual(yield* readOn(second ?? "", 2), [3, 4])
    assert.deepStrictEqual(yield* readOn(entries[4]?.entryId ?? "", 2), [])
  }),
)

const millisOf = (entryId: string | undefined): number => Number(entryId?.split("-")[0])

const window: StoreCase = storeCase(
  "the ledger lists a window with both ends included, alone or together with the cursor",
  Effect.gen(function* () {
    const { live } = yield* openShop()
    yield* Effect.forEach([1, 2, 3, 4], (gained) => Effect.andThen(elapse(5), credit(live, gained)))
    const entryIds = (yield* entriesOf(live)).map(({ entryId }) => entryId)
    const [, second, third, fourth] = entryIds.map(millisOf)
    const inner = { fromMillis: second, toMillis: third }
    assert.deepStrictEqual(yield* listed(live, inner), [3, 2])
    assert.deepStrictEqual(yield* listed(live, { fromMillis: second }), [4, 3, 2])
    assert.deepStrictEqual(yield* listed(live, { toMillis: third }), [3, 2, 1])
    assert.deepStrictEqual(yield* listed(live, { ...inner, beforeEntryId: entryIds[3] }), [3, 2])
    assert.deepStrictEqual(yield* listed(live, { ...inner, beforeEntryId: entryIds[2] }), [2])
    assert.deepStrictEqual(yield* listed(live, { ...inner, beforeEntryId: entryIds[1] }), [])
    assert.deepStrictEqual(yield* listed(live, { ...inner, limit: 1 }), [3])
    assert.deepStrictEqual(yield* listed(live, { fromMillis: (fourth ?? 0) + 1 }), [])
    assert.deepStrictEqual(yield* listed(live, { fromMillis: third, toMillis: second }), [])
  }),
)

const spans: StoreCase = storeCase(
  "a stretch of the ledger is read oldest first, page by page, with both ends included",
  Effect.gen(function* () {
    const ledger = yield* Ledger
    const { sellerId, live, test } = yield* openShop()
    yield* Effect.forEach([1, 2, 3, 4], (gained) => Effect.andThen(elapse(5), credit(live, gained)))
    const entries = yield* entriesOf(live)
    const [, second, third, fourth] = entries.map(({ entryId }) => millisOf(entryId))
    const read = (owner: Principal, after: number | undefined, span: Partial<LedgerSpan> = {}) =>
      ledger.readSpan(owner, {
        afterEntryId: after === undefined ? undefined : entries[after]?.entryId,
        fromMillis: second ?? 0,
        toMillis: third ?? 0,
        entriesMax: 10,
        ...span,
      })
    assert.deepStrictEqual(yield* read(live, undefined), entries.slice(1, 3))
    assert.deepStrictEqual(yield* read(live, undefined, { entriesMax: 1 }), entries.slice(1, 2))
    assert.deepStrictEqual(yield* read(live, 1), entries.slice(2, 3))
    assert.deepStrictEqual(yield* read(live, 2), [])
    assert.deepStrictEqual(yield* read(live, 1, { toMillis: (fourth ?? 0) + 1 }), entries.slice(2))
    assert.deepStrictEqual(yield* read(live, undefined, { fromMillis: 0 }), entries.slice(0, 3))
    assert.deepStrictEqual(yield* read(live, undefined, { fromMillis: (fourth ?? 0) + 1 }), [])
    assert.deepStrictEqual(yield* read(test, undefined, { fromMillis: 0 }), [])
    assert.deepStrictEqual(
      yield* read(sessionPrincipal(sellerId, "live", "a-user"), undefined),
      entries.slice(1, 3),
    )
  }),
)

const dated: StoreCase = timedCase(
  "a ledger entry's id has the time of its writing",
  Effect.gen(function* () {
    const { live } = yield* openShop()
    yield* elapse(12_345)
    const now = yield* nowMillis
    yield* credit(live, 1)
    yield* credit(live, 1)
    const entryIds = (yield* entriesOf(live)).map(({ entryId }) => entryId)
    assert.deepStrictEqual(entryIds, [`${now}-0`, `${now}-1`])
    assert.deepStrictEqual(yield* listed(live, { fromMillis: now, toMillis: now }), [2, 1])
    assert.deepStrictEqual(yield* listed(live, { fromMillis: now + 1 }), [])
    assert.deepStrictEqual(yield* listed(live, { toMillis: now - 1 }), [])
  }),
)

/** The ledger, the balance, and the charges that move them (`docs/contract/balance-and-ledger.md#entries`). */
export const ledgerCases: ReadonlyArray<StoreCase> = [
  nothing,
  calendar,
  keys,
  buckets,
  silent,
  told,
  unapplied,
  large,
  bounded,
  atOnce,
  onceOfMany,
  paging,
  window,
  spans,
  dated,
]
