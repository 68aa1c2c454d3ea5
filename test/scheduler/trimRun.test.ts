import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { RequestDelay } from "../../actors/ports/requestDelay.ts"
import { Retention } from "../../actors/ports/retention.ts"
import { noAmounts } from "../../actors/values/closing.ts"
import { dayAfter, dayOf } from "../../actors/values/saoPauloDays.ts"
import { StoreUnavailable } from "../../actors/values/storeUnavailable.ts"
import { limits } from "../../schema/limits.ts"
import { makeTrimRun, nextTrimMillis } from "../../src/scheduler/trimRun.ts"
import { type Share, startProcess } from "../actors/support/process.ts"
import { pass } from "../actors/support/settle.ts"
import { createCharge, openShop } from "../actors/support/shop.ts"
import { onStore, StoreFaults, startMillis } from "../actors/support/store.ts"
import { MemoryStore } from "../model/state.ts"

const hourMillis = limits.trimIntervalMillis
const partitions = [0, 1, 2]

const away = new StoreUnavailable({ operation: "trim", reason: "away for the test" })

/** A run that holds these partitions, by itself: no more of a process has to run through its hours. */
const holdAll = Effect.gen(function* () {
  const trimmed: Array<number> = []
  const deletedFrom: Array<number> = []
  const store = { isAway: false, refusesToDelete: false }
  const run = yield* makeTrimRun.pipe(
    Effect.provideService(Retention, {
      trim: (partition) =>
        Effect.suspend(() => {
          trimmed.push(partition)
          return store.isAway
            ? Effect.fail(away)
            : Effect.succeed({ events: 0, attempts: 0, next: undefined })
        }),
      trimTest: (partition) =>
        Effect.suspend(() => {
          deletedFrom.push(partition)
          return store.refusesToDelete
            ? Effect.fail(away)
            : Effect.succeed({ resources: 0, ledgerEntries: 0, next: undefined })
        }),
    }),
    Effect.provideService(RequestDelay, { currentMillis: () => 0, inProgress: () => 0, started: () => 0 }),
  )
  yield* Effect.forEach(partitions, run.hold)
  return { trimmed, deletedFrom, store, run }
})

describe("trimming by retention", () => {
  it("a partition is trimmed once an hour, at a time of its own that restarts do not move", () => {
    const times = Array.from({ length: 64 }, (_, partition) => nextTrimMillis(partition, startMillis))
    assert.strictEqual(new Set(times).size, 64)
    for (const [partition, dueMillis] of times.entries()) {
      assert.isAbove(dueMillis, startMillis)
      assert.isAtMost(dueMillis, startMillis + hourMillis)
      assert.strictEqual(nextTrimMillis(partition, dueMillis - 1), dueMillis)
      assert.strictEqual(nextTrimMillis(partition, dueMillis), dueMillis + hourMillis)
    }
  })

  it.effect("the holder of the partitions trims each once an hour", () =>
    Effect.gen(function* () {
      const { trimmed } = yield* holdAll
      yield* TestClock.adjust(hourMillis + limits.trimLookMillis)
      assert.deepStrictEqual(trimmed.toSorted(), partitions)
      yield* TestClock.adjust(2 * hourMillis)
      assert.deepStrictEqual(trimmed.toSorted(), [0, 0, 0, 1, 1, 1, 2, 2, 2])
    }),
  )

  it.effect("a failed step is no end of it: the next hour trims again", () =>
    Effect.gen(function* () {
      const { trimmed, store } = yield* holdAll
      store.isAway = true
      yield* TestClock.adjust(hourMillis + limits.trimLookMillis)
      store.isAway = false
      yield* TestClock.adjust(hourMillis)
      assert.deepStrictEqual(trimmed.toSorted(), [0, 0, 1, 1, 2, 2])
    }),
  )

  it.effect("a partition that was released is not trimmed", () =>
    Effect.gen(function* () {
      const { trimmed, run } = yield* holdAll
      run.release(1)
      yield* TestClock.adjust(hourMillis + limits.trimLookMillis)
      assert.deepStrictEqual(trimmed.toSorted(), [0, 2])
    }),
  )

  for (const [what, share, trims] of [
    ["trims all partitions if it holds them", undefined, partitions.length],
    ["trims no partition that it does not hold", { rebalance: Effect.succeed(new Set([1])) }, 1],
  ] satisfies ReadonlyArray<readonly [string, Share | undefined, number]>) {
    it.effect(`a process ${what}`, () =>
      onStore(
        Effect.gen(function* () {
          // Shortly before partition 0 is due; the others follow within two minutes.
          const beganMillis = nextTrimMillis(0, startMillis) - 1_000
          yield* TestClock.setTime(beganMillis)
          yield* startProcess(share === undefined ? {} : { share })
          const { calls } = yield* StoreFaults
          assert.isUndefined(calls.get("trimRetention"))
          const dueMillis = partitions.map((partition) => nextTrimMillis(partition, beganMillis))
          yield* pass(Math.max(...dueMillis) - beganMillis + limits.trimLookMillis)
          assert.strictEqual(calls.get("trimRetention"), trims)
        }),
        partitions.length,
      ),
    )
  }
})

/** When the simulator pays, after a charge was created. */
const paidAfterMillis = 3_000

/** Charges and ledger entries that are left of one charge in each mode, after the runs of some hours since the charges' creation. */
const leftOver = (testRetentionMillis: number, hours: ReadonlyArray<number>) =>
  onStore(
    Effect.gen(function* () {
      const first = yield* startProcess({ simulator: { delayMillis: paidAfterMillis } })
      const shop = yield* openShop()
      const state = yield* MemoryStore
      const day = dayAfter(dayOf(startMillis))
      const closing = { day, movements: {}, closing: noAmounts, partner: undefined, createdAtMillis: 0 }
      state.closings.wholes.set("test", [closing])
      for (const owner of [shop.live, shop.test]) yield* createCharge(first, owner)
      yield* pass(paidAfterMillis)
      yield* first.kill
      const left: Array<unknown> = []
      for (const hour of hours) {
        // No process runs meanwhile, which makes hours cheap.
        yield* TestClock.setTime(startMillis + hour * hourMillis - limits.trimLookMillis)
        const process = yield* startProcess()
        yield* pass(limits.trimLookMillis)
        yield* process.kill
        left.push([
          [...state.transactions.values()].map(({ mode, status }) => `${mode} ${status}`),
          [...state.balances.values()].reduce((sum, { entries }) => sum + entries.length, 0),
        ])
      }
      return left
    }),
    1,
    { eventRetentionMillis: hourMillis, testRetentionMillis },
  )

const [both, liveOnly] = [
  [["live paid", "test paid"], 2],
  [["live paid"], 1],
]

describe("deleting what ended in test mode", () => {
  it.effect("the hourly run deletes a charge past its retention", () =>
    Effect.map(leftOver(3 * hourMillis - paidAfterMillis - 1, [3]), (left) => {
      assert.deepStrictEqual(left, [liveOnly])
    }),
  )

  it.effect("a charge that is exactly as old as its retention stays until the next hour", () =>
    Effect.map(leftOver(3 * hourMillis - paidAfterMillis, [3, 4]), (left) => {
      assert.deepStrictEqual(left, [both, liveOnly])
    }),
  )

  it.effect("a run ends at its most deletions, and the next hour's goes on there", () =>
    Effect.gen(function* () {
      const places: Array<string | undefined> = []
      // Each step leaves a next one; the first two of a run delete one less than its most, and one.
      const deletions = [limits.trimmedTestRunMax - 1, 1, limits.trimmedTestRunMax]
      const retention = Retention.of({
        trim: () => Effect.succeed({ events: 0, attempts: 0, next: undefined }),
        trimTest: (_, from) =>
          Effect.sync(() => {
            places.push(from)
            const resources = deletions[places.length - 1] ?? 0
            return { resources, ledgerEntries: 0, next: `after ${places.length}` }
          }),
      })
      yield* TestClock.setTime(startMillis)
      const run = yield* makeTrimRun.pipe(
        Effect.provideService(Retention, retention),
        Effect.provideService(RequestDelay, {
          currentMillis: () => 0,
          inProgress: () => 0,
          started: () => 0,
        }),
      )
      yield* run.hold(0)
      yield* TestClock.adjust(hourMillis)
      assert.deepStrictEqual(places, [undefined, "after 1"])
      yield* TestClock.adjust(hourMillis)
      assert.deepStrictEqual(places, [undefined, "after 1", "after 2"])
    }).pipe(Effect.scoped),
  )

  it.effect("a failed deletion is no end of it: the next hour deletes again", () =>
    Effect.gen(function* () {
      const { deletedFrom, store } = yield* holdAll
      store.refusesToDelete = true
      yield* TestClock.adjust(hourMillis + limits.trimLookMillis)
      store.refusesToDelete = false
      yield* TestClock.adjust(hourMillis)
      assert.deepStrictEqual(deletedFrom.toSorted(), [0, 0, 1, 1, 2, 2])
    }),
  )
})
