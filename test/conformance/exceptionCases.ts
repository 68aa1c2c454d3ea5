import { assert } from "@effect/vitest"
import { Effect, Queue } from "effect"
import { ExceptionStore } from "../../actors/ports/exceptionStore.ts"
import { Partitions, type Wake } from "../../actors/ports/partitions.ts"
import { TimerQueue } from "../../actors/ports/timerQueue.ts"
import { apply, changeOf, commit, idsOf, load, newException, openException, opened } from "./exceptions.ts"
import { elapse, nowMillis, type StoreCase, storeCase } from "./stage.ts"
import { writingNothing } from "./withdrawals.ts"

const times = (count: number) => Array.from({ length: count }, (_, index) => index)
const stale = { kind: "stale" } as const
const missing = { kind: "missing" } as const

const recorded: StoreCase = storeCase(
  "an exception is recorded as it was given, and found by its id and by its fact in its partition",
  Effect.gen(function* () {
    const store = yield* ExceptionStore
    const whole = { sellerId: "sel_of_it", account: "api-pix:0123", mode: "test" } as const
    const one = yield* openException(7, { ...whole, kind: "double_payment" })
    const other = yield* openException(7)
    assert.deepStrictEqual(yield* load(one.id), one)
    assert.deepStrictEqual(yield* load(other.id), other)
    assert.deepStrictEqual(yield* store.findFact(other.id, one.fact), one)
    const elsewhere = yield* openException(8)
    assert.strictEqual(yield* store.findFact(elsewhere.id, one.fact), undefined, "in another partition")
    assert.strictEqual(yield* store.findFact(one.id, "double_payment:E0"), undefined)
    assert.strictEqual(yield* load((yield* newException(7)).id), undefined)
  }),
)

const once: StoreCase = storeCase(
  "a fact is recorded once, for ever: also after its exception was resolved",
  Effect.gen(function* () {
    const store = yield* ExceptionStore
    const first = yield* openException(7)
    const again = yield* newException(7, { fact: first.fact })
    const exists = { kind: "exists", id: first.id } as const
    assert.deepStrictEqual(yield* store.open(again), exists)
    const resolved = yield* apply(changeOf(first))
    assert.deepStrictEqual(yield* store.open(again), exists)
    assert.strictEqual(yield* load(again.id), undefined)
    assert.deepStrictEqual(yield* store.findFact(first.id, first.fact), resolved)
    assert.deepStrictEqual(yield* idsOf(), [first.id])
  }),
)

const changes: StoreCase = storeCase(
  "a change of an exception moves state, document, act under way and version together",
  Effect.gen(function* () {
    const exception = yield* openException(7, { account: "api-pix:0123" })
    const waiting = yield* apply(changeOf(exception, { to: "open", pending: '{"act":"refund"}' }))
    assert.deepStrictEqual(yield* load(exception.id), waiting)
    assert.deepStrictEqual([waiting.version, waiting.pending], [2, '{"act":"refund"}'])
    const resolved = yield* apply(changeOf(waiting))
    assert.deepStrictEqual(yield* load(exception.id), resolved)
    assert.deepStrictEqual([resolved.state, resolved.version, resolved.pending], ["resolved", 3, ""])
  }),
)

const guard: StoreCase = storeCase(
  "a change decided on another version of an exception writes nothing, nor does one of none",
  Effect.gen(function* () {
    const first = yield* openException(7)
    const second = yield* apply(changeOf(first, { to: "open", pending: "{}" }))
    const unwritten = opened(yield* newException(7))
    const timers = [{ name: "resolve", resourceId: first.id, dueMillis: 1_000 }]
    yield* writingNothing(
      Effect.gen(function* () {
        assert.deepStrictEqual(yield* commit(changeOf(first), { timers }), stale)
        assert.deepStrictEqual(yield* commit(changeOf({ ...second, version: 3 }), { timers }), stale)
        assert.deepStrictEqual(yield* commit(changeOf(unwritten), { timers }), missing)
      }),
    )
  }),
  { needs: ["contents"] },
)

const concurrent: StoreCase = storeCase(
  "of 30 concurrent acts on an exception, one is applied; of 30 records of a fact, one",
  Effect.gen(function* () {
    const store = yield* ExceptionStore
    const exception = yield* openException(7)
    const answers = yield* Effect.forEach(times(30), () => commit(changeOf(exception)), {
      concurrency: "unbounded",
    })
    assert.strictEqual(answers.filter(({ kind }) => kind === "applied").length, 1)
    assert.strictEqual(answers.filter(({ kind }) => kind === "stale").length, 29)
    const many = yield* Effect.forEach(times(30), () => newException(7, { fact: "payout_unknown:E1" }))
    const records = yield* Effect.forEach(many, store.open, { concurrency: "unbounded" })
    assert.strictEqual(records.filter(({ kind }) => kind === "opened").length, 1)
    assert.strictEqual(new Set(records.map(({ id }) => id)).size, 1)
  }),
)

const timers: StoreCase = storeCase(
  "a change of an exception drops and sets its timers, a dropped one anew as well, and wakes its partition",
  Effect.gen(function* () {
    const exception = yield* openException(7)
    const timer = (name: string, dueMillis = 1_000) => ({ name, resourceId: exception.id, dueMillis })
    const begun = changeOf(exception, { to: "open", pending: "{}" })
    assert.deepStrictEqual(yield* commit(begun, { timers: [timer("resolve"), timer("ask")] }), {
      kind: "applied",
    })
    const woken = yield* Queue.unbounded<Wake>()
    const partitions = yield* Partitions
    yield* partitions.listen((wake) => Queue.offerUnsafe(woken, wake))
    yield* partitions.rebalance
    const dueMillis = (yield* nowMillis) - 1
    const next = changeOf({ ...exception, version: 2 }, { to: "open", pending: "{}" })
    const change = { timers: [timer("resolve", dueMillis)], timersDone: ["resolve", "ask"] }
    assert.deepStrictEqual(yield* commit(next, change), { kind: "applied" })
    assert.deepStrictEqual(yield* Queue.take(woken), { kind: "timer", partition: 7, dueMillis })
    const { due } = yield* (yield* TimerQueue).claim(7, 10)
    assert.deepStrictEqual(
      due.map(({ name, resourceId }) => `${resourceId}:${name}`),
      [`${exception.id}:resolve`],
    )
  }),
)

const listed: StoreCase = storeCase(
  "exceptions of all partitions are listed newest first, by state and kind, page by page",
  Effect.gen(function* () {
    const kinds = ["payment_unknown", "payout_unknown", "payment_unknown", "payout_stuck"] as const
    const written = yield* Effect.forEach(kinds, (kind, index) =>
      // Ids sort by their millisecond.
      Effect.andThen(elapse(2), openException(index * 21, { kind, mode: index === 2 ? "test" : "live" })),
    )
    const [a = "", b = "", c = "", d = ""] = written.map(({ id }) => id)
    assert.deepStrictEqual(yield* idsOf(), [d, c, b, a])
    assert.deepStrictEqual(yield* idsOf({ limit: 2 }), [d, c])
    assert.deepStrictEqual(yield* idsOf({ limit: 2, beforeId: c }), [b, a])
    assert.deepStrictEqual(yield* idsOf({ kind: "payment_unknown" }), [c, a], "of both modes")
    const second = written[1]
    if (second !== undefined) yield* apply(changeOf(second))
    assert.deepStrictEqual(yield* idsOf({ state: "open" }), [d, c, a])
    assert.deepStrictEqual(yield* idsOf({ state: "resolved" }), [b])
    assert.deepStrictEqual(yield* idsOf({ state: "resolved", kind: "payment_unknown" }), [])
    assert.deepStrictEqual(yield* idsOf({ state: "resolved", kind: "payout_unknown" }), [b])
    assert.deepStrictEqual(yield* idsOf(), [d, c, b, a], "both states")
  }),
)

const counted: StoreCase = storeCase(
  "open exceptions of live are counted by kind over all partitions",
  Effect.gen(function* () {
    const { countOpen } = yield* ExceptionStore
    assert.strictEqual(yield* countOpen(["payout_unknown", "payout_contradicted"]), 0)
    const one = yield* openException(0, { kind: "payout_unknown" })
    yield* openException(63, { kind: "payout_contradicted" })
    yield* openException(63, { kind: "payout_contradicted", mode: "test" })
    yield* openException(63, { kind: "payout_stuck" })
    assert.strictEqual(yield* countOpen(["payout_unknown", "payout_contradicted"]), 2)
    const waiting = yield* apply(changeOf(one, { to: "open", pending: "{}" }))
    assert.strictEqual(yield* countOpen(["payout_unknown"]), 1, "an act under way leaves it open")
    yield* apply(changeOf(waiting))
    assert.strictEqual(yield* countOpen(["payout_unknown", "payout_contradicted"]), 1)
    assert.strictEqual(yield* countOpen([]), 0)
  }),
)

/** Exceptions by themselves (`docs/contract/exceptions.md#fields`). */
export const exceptionCases: ReadonlyArray<StoreCase> = [
  recorded,
  once,
  changes,
  guard,
  concurrent,
  timers,
  listed,
  counted,
]
