import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { SweepStore, type UnconfirmedItem, type UnreadItem } from "../../actors/ports/sweepStore.ts"
import { limits } from "../../schema/limits.ts"
import { elapse, type StoreCase, storeCase } from "./stage.ts"

const account = "api-pix:0123"
const times = (count: number) => Array.from({ length: count }, (_, index) => index)

const unswept: StoreCase = storeCase(
  "an account that was never swept has zeros, and a sweep that is asked for is dated by Redis' clock",
  Effect.gen(function* () {
    const store = yield* SweepStore
    const none = {
      beganMillis: 0,
      completedToMillis: 0,
      longBeganMillis: 0,
      wantedMillis: 0,
      unreadableCount: 0,
    }
    assert.deepStrictEqual(yield* store.load(account), none)
    const before = yield* store.now
    assert.isAbove(before, 0)
    yield* store.request(account)
    const { wantedMillis, ...rest } = yield* store.load(account)
    assert.isTrue(before <= wantedMillis && wantedMillis <= (yield* store.now), String(wantedMillis))
    assert.deepStrictEqual({ ...rest, wantedMillis: 0 }, none)
    assert.deepStrictEqual(yield* store.load("api-pix:4567"), none, "another account's")
    yield* elapse(2)
    assert.isAtLeast(yield* store.now, before + 2)
  }),
)

const leased: StoreCase = storeCase(
  "one process at a time sweeps an account; it renews its lease under the same fence",
  Effect.gen(function* () {
    const store = yield* SweepStore
    const first = yield* store.claim(account, "one", 60_000)
    assert.deepStrictEqual(first, { account, fence: 1 })
    assert.strictEqual(yield* store.claim(account, "two", 60_000), undefined)
    assert.deepStrictEqual(yield* store.claim(account, "one", 60_000), first)
    assert.deepStrictEqual(yield* store.claim("api-pix:4567", "two", 60_000), {
      account: "api-pix:4567",
      fence: 1,
    })
    const answers = yield* Effect.forEach(times(20), (n) => store.claim("api-pix:89", `${n}`, 60_000), {
      concurrency: "unbounded",
    })
    assert.strictEqual(answers.filter((lease) => lease !== undefined).length, 1)
  }),
)

const expired: StoreCase = storeCase(
  "a lease that has expired goes to whoever asks, under the next fence",
  Effect.gen(function* () {
    const store = yield* SweepStore
    yield* store.claim(account, "one", 1)
    yield* elapse(2)
    assert.deepStrictEqual(yield* store.claim(account, "two", 1), { account, fence: 2 })
    yield* elapse(2)
    assert.deepStrictEqual(yield* store.claim(account, "two", 1), { account, fence: 3 }, "its own as well")
  }),
)

const completed: StoreCase = storeCase(
  "a complete sweep is recorded with its window, a long one apart; who has lost the lease records nothing",
  Effect.gen(function* () {
    const store = yield* SweepStore
    yield* store.request(account)
    const { wantedMillis } = yield* store.load(account)
    const lease = (yield* store.claim(account, "one", 1)) ?? { account, fence: 0 }
    const long = { beganMillis: 1_000, toMillis: 1_500, isLong: true }
    assert.deepStrictEqual(yield* store.complete(lease, long), { kind: "applied" })
    const times = { beganMillis: 1_000, completedToMillis: 1_500, longBeganMillis: 1_000 }
    const known = { ...times, wantedMillis, unreadableCount: 0 }
    assert.deepStrictEqual(yield* store.load(account), known)
    const short = { beganMillis: 2_000, toMillis: 2_500, isLong: false }
    assert.deepStrictEqual(yield* store.complete(lease, short), { kind: "applied" })
    const later = { ...known, beganMillis: 2_000, completedToMillis: 2_500 }
    assert.deepStrictEqual(yield* store.load(account), later)
    yield* elapse(2)
    const next = yield* store.claim(account, "two", 60_000)
    assert.strictEqual(next?.fence, 2)
    const late = { beganMillis: 3_000, toMillis: 3_500, isLong: true }
    assert.deepStrictEqual(yield* store.complete(lease, late), { kind: "stale" })
    assert.deepStrictEqual(yield* store.load(account), later)
    assert.deepStrictEqual(yield* store.complete({ account: "api-pix:4567", fence: 1 }, late), {
      kind: "stale",
    })
  }),
)

const unreadItem = (n: number): UnreadItem => ({
  ...{ list: "received", window: { fromMillis: 1, toMillis: 2 }, page: n === 0 ? undefined : `${n}` },
  ...{ position: n, digest: `${n}`.padStart(64, "0"), endToEndId: n === 1 ? undefined : `E${n}` },
  ...{ payoutId: undefined, txid: undefined, problem: `valor: "${n}" é outro\u2028` },
})
const digestsOf = (items: ReadonlyArray<UnreadItem>) => items.map(({ digest }) => digest).toSorted()

const swept = storeCase(
  "the accounts that were ever swept are known, those that were only asked about are not",
  Effect.gen(function* () {
    const store = yield* SweepStore
    assert.deepStrictEqual(yield* store.accounts, [])
    yield* store.request("api-pix:89")
    yield* store.claim("api-pix:4567", "one", 60_000)
    yield* store.claim("api-pix:4567", "two", 60_000)
    yield* store.claim(account, "one", 60_000)
    assert.deepStrictEqual(yield* store.accounts, [account, "api-pix:4567"])
  }),
)

const unread: StoreCase = storeCase(
  "what a sweep could not read replaces what the one before it could not; who has lost the lease records nothing",
  Effect.gen(function* () {
    const store = yield* SweepStore
    assert.deepStrictEqual(yield* store.unread(account), { open: [], accepted: [] })
    const lease = (yield* store.claim(account, "one", 1)) ?? { account, fence: 0 }
    const first = yield* store.recordUnread(lease, { items: [unreadItem(0), unreadItem(1)], more: 3 })
    assert.deepStrictEqual(first, { kind: "applied", openCount: 5 })
    assert.strictEqual((yield* store.load(account)).unreadableCount, 5)
    const { open } = yield* store.unread(account)
    const byPosition = open.toSorted((a, b) => a.position - b.position)
    assert.deepStrictEqual(byPosition, [unreadItem(0), unreadItem(1)])
    const second = yield* store.recordUnread(lease, { items: [unreadItem(2)], more: 0 })
    assert.deepStrictEqual(second, { kind: "applied", openCount: 1 })
    assert.deepStrictEqual(yield* store.unread(account), { open: [unreadItem(2)], accepted: [] })
    assert.deepStrictEqual(yield* store.unread("api-pix:4567"), { open: [], accepted: [] })
    yield* elapse(2)
    const next = (yield* store.claim(account, "two", 60_000)) ?? lease
    assert.deepStrictEqual(yield* store.recordUnread(lease, { items: [], more: 0 }), { kind: "stale" })
    assert.deepStrictEqual((yield* store.unread(account)).open, [unreadItem(2)])
    assert.deepStrictEqual(yield* store.recordUnread(next, { items: [], more: 0 }), {
      kind: "applied",
      openCount: 0,
    })
    assert.deepStrictEqual((yield* store.unread(account)).open, [])
    assert.strictEqual((yield* store.load(account)).unreadableCount, 0)
  }),
)

const accepted: StoreCase = storeCase(
  "an accepted item is not open in later sweeps, one with another digest is, and only an open one is accepted",
  Effect.gen(function* () {
    const store = yield* SweepStore
    const lease = (yield* store.claim(account, "one", 60_000)) ?? { account, fence: 0 }
    const met = { items: [unreadItem(0), unreadItem(1)], more: 0 }
    yield* store.recordUnread(lease, met)
    const before = yield* store.now
    assert.deepStrictEqual(yield* store.accept(account, unreadItem(2), "why"), { kind: "unknown" })
    assert.deepStrictEqual(yield* store.accept("api-pix:4567", unreadItem(0), "why"), { kind: "unknown" })
    assert.deepStrictEqual(yield* store.accept(account, unreadItem(0), "the bank's own test"), {
      kind: "applied",
    })
    const found = yield* store.unread(account)
    assert.deepStrictEqual(found.open, [unreadItem(1)])
    const [{ acceptedMillis, ...kept } = { acceptedMillis: 0 }, ...others] = found.accepted
    assert.deepStrictEqual(kept, { ...unreadItem(0), reason: "the bank's own test" })
    assert.deepStrictEqual(others, [])
    assert.isTrue(before <= acceptedMillis && acceptedMillis <= (yield* store.now), String(acceptedMillis))
    assert.strictEqual((yield* store.load(account)).unreadableCount, 1)
    // Once more changes nothing.
    assert.deepStrictEqual(yield* store.accept(account, unreadItem(0), "again"), { kind: "applied" })
    assert.deepStrictEqual(yield* store.unread(account), found)
    assert.deepStrictEqual(yield* store.recordUnread(lease, met), { kind: "applied", openCount: 1 })
    assert.deepStrictEqual(yield* store.unread(account), found)
    const onlyAccepted = { items: [unreadItem(0)], more: 0 }
    assert.deepStrictEqual(yield* store.recordUnread(lease, onlyAccepted), { kind: "applied", openCount: 0 })
  }),
)

const bounded: StoreCase = storeCase(
  "as many unreadable items are remembered and accepted as the limits say, and an open one is seen beside them all",
  Effect.gen(function* () {
    const store = yield* SweepStore
    const lease = (yield* store.claim(account, "one", 60_000)) ?? { account, fence: 0 }
    const most = limits.sweepUnreadableReadMax
    const all = times(most).map(unreadItem)
    assert.deepStrictEqual(yield* store.recordUnread(lease, { items: all, more: 1 }), {
      kind: "applied",
      openCount: most + 1,
    })
    const { open } = yield* store.unread(account)
    assert.deepStrictEqual(digestsOf(open), digestsOf(all.slice(0, limits.sweepUnreadableMax)))
    for (let begin = 0; begin < limits.sweepAcceptedMax; begin += limits.sweepUnreadableMax) {
      yield* store.recordUnread(lease, { items: all, more: 0 })
      for (const item of all.slice(begin, begin + limits.sweepUnreadableMax)) {
        assert.deepStrictEqual(yield* store.accept(account, item, "why"), { kind: "applied" })
      }
    }
    const last = yield* store.recordUnread(lease, { items: all, more: 0 })
    assert.deepStrictEqual(last, { kind: "applied", openCount: limits.sweepUnreadableMax })
    const found = yield* store.unread(account)
    assert.strictEqual(found.accepted.length, limits.sweepAcceptedMax)
    const [next = unreadItem(0)] = found.open
    assert.deepStrictEqual(yield* store.accept(account, next, "why"), { kind: "full" })
    assert.strictEqual((yield* store.unread(account)).accepted.length, limits.sweepAcceptedMax)
  }),
)

const unconfirmedItem = (nth: number): UnconfirmedItem => ({
  item: {
    ...{ kind: "payout", withdrawalId: `wd_${nth}`, endToEndId: "S1", amount: 1_000 },
    ...{ status: "paid", returnedAmount: 0 },
  },
  ...{ sinceMillis: 1_000 + nth, sweeps: nth },
})
const sorted = (items: ReadonlyArray<UnconfirmedItem>) =>
  items.toSorted((one, other) => one.sweeps - other.sweeps)

const unconfirmed: StoreCase = storeCase(
  "what no query confirms is remembered until the next sweep remembers something else, as many items as the limit says",
  Effect.gen(function* () {
    const store = yield* SweepStore
    assert.deepStrictEqual(yield* store.unconfirmed(account), [])
    const pix: UnconfirmedItem = {
      item: { kind: "pix", transactionId: "txn_1", endToEndId: "E1", refundId: "D1", amount: 5 },
      ...{ sinceMillis: 1, sweeps: 0 },
    }
    const many = [pix, ...times(limits.sweepUnconfirmedMax).slice(1).map(unconfirmedItem)]
    yield* store.keepUnconfirmed(account, many, [])
    assert.deepStrictEqual(sorted(yield* store.unconfirmed(account)), many)
    assert.deepStrictEqual(yield* store.unconfirmed("api-pix:4567"), [], "another account's")
    yield* store.keepUnconfirmed(account, [unconfirmedItem(7)], many)
    assert.deepStrictEqual(yield* store.unconfirmed(account), [unconfirmedItem(7)])
    const again = { ...unconfirmedItem(7), sweeps: 8 }
    yield* store.keepUnconfirmed(account, [again], [unconfirmedItem(7)])
    assert.deepStrictEqual(yield* store.unconfirmed(account), [again])
    yield* store.noteUnconfirmed(account, unconfirmedItem(9))
    yield* store.noteUnconfirmed(account, unconfirmedItem(9))
    // The sweep had begun before it was noted.
    yield* store.keepUnconfirmed(account, [], [again])
    assert.deepStrictEqual(yield* store.unconfirmed(account), [unconfirmedItem(9)])
    yield* store.keepUnconfirmed(account, [], [unconfirmedItem(9)])
    assert.deepStrictEqual(yield* store.unconfirmed(account), [])
  }),
)

/** Sweeps of acquirers' books, one process at a time. */
export const sweepCases: ReadonlyArray<StoreCase> = [
  ...[unswept, leased, expired, completed],
  ...[swept, unread, accepted, bounded, unconfirmed],
]
