import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Exit, Layer, Metric, Scope } from "effect"
import { TestClock } from "effect/testing"
import { type Acquirer, Acquirers } from "../../../actors/ports/acquirer.ts"
import { SweepStore } from "../../../actors/ports/sweepStore.ts"
import { SweeperLive, sweepMetrics } from "../../../actors/sweeps/sweeper.ts"
import { StoreUnavailable } from "../../../actors/values/storeUnavailable.ts"
import { txidOf } from "../../../schema/ids.ts"
import { limits } from "../../../schema/limits.ts"
import { MemoryStore } from "../../model/state.ts"
import { silentAcquirer } from "../support/acquirer.ts"
import { acquirerWith, type BooksScript, emptyScript, sweepWorld, unreadableItem } from "../support/books.ts"
import { chargeId, storedCharge } from "../support/charges.ts"
import { pass } from "../support/settle.ts"

const { account } = silentAcquirer
const startMillis = 1_795_000_000_000
const minute = 60_000
const hour = 60 * minute
const interval = 5 * minute
const look = limits.sweepLookMillis

/** A process that sweeps; `kill` ends it as if it had died. */
const startSweeper = (script: BooksScript, changes: Partial<Acquirer> = {}) =>
  Effect.gen(function* () {
    const scope = yield* Scope.fork(yield* Effect.scope)
    const live = { ...acquirerWith(script), ...changes }
    const services = yield* Effect.context<Layer.Services<ReturnType<typeof SweeperLive>>>()
    const layer = SweeperLive(interval).pipe(
      Layer.provide(Layer.succeedContext(Context.add(services, Acquirers, { live, test: silentAcquirer }))),
    )
    yield* Layer.buildWithScope(Layer.fresh(layer), scope)
    return { kill: Scope.close(scope, Exit.void) }
  })

const stateNow = Effect.flatMap(SweepStore, (store) => store.load(account))
const sweepsNow = Effect.map(Metric.value(sweepMetrics.incomplete), ({ count }) => count)
const windowsOf = ({ windows }: BooksScript) =>
  windows.map(({ fromMillis, toMillis }) => [fromMillis, toMillis - ahead])
const ahead = limits.acquirerClockAheadMillis
// The books of these tests list no returns by themselves.
const longAgo = startMillis - limits.sweepReturnsMillis

/** Runs a test with the store in memory, fake actors, and books that it fills. */
const runs = <A, E, R>(
  program: (
    world: ReturnType<typeof sweepWorld> & { readonly script: BooksScript },
  ) => Effect.Effect<A, E, R>,
) => {
  const world = { ...sweepWorld(), script: emptyScript() }
  return Effect.andThen(TestClock.setTime(startMillis), program(world)).pipe(
    Effect.scoped,
    Effect.provide(
      Layer.merge(world.layer, Layer.succeed(Acquirers, { live: silentAcquirer, test: silentAcquirer })),
    ),
    Effect.provide(TestClock.layer({ warningDelay: "30 seconds" })),
  )
}

/** The Pix of a charge that is not paid here. */
const unnoticed = Effect.map(MemoryStore, (state) => {
  state.transactions.set(chargeId, { ...storedCharge("pending"), mode: "live" })
  const pix = {
    endToEndId: "E1",
    amount: 1_000,
    refunds: [],
    txid: txidOf(chargeId),
    receivedMillis: startMillis,
  }
  return [[pix]]
})

describe("the sweeper", () => {
  it.effect("the first sweep begins at the start and is recorded with its window", () =>
    runs(({ script }) =>
      Effect.gen(function* () {
        yield* startSweeper(script)
        yield* pass(0)
        assert.deepStrictEqual(windowsOf(script), [[longAgo, startMillis]])
        assert.deepStrictEqual(yield* stateNow, {
          beganMillis: startMillis,
          completedToMillis: startMillis,
          longBeganMillis: startMillis,
          wantedMillis: 0,
          unreadableCount: 0,
        })
      }),
    ),
  )

  it.effect("a sweep follows each interval, and the daily one goes back 120 days", () =>
    runs(({ script }) =>
      Effect.gen(function* () {
        yield* startSweeper(script)
        yield* pass(interval - 1)
        assert.strictEqual(script.windows.length, 1)
        yield* pass(1)
        const second = startMillis + interval
        assert.deepStrictEqual(windowsOf(script)[1], [startMillis - hour, second])
        yield* pass(interval)
        assert.deepStrictEqual(windowsOf(script)[2], [second - hour, second + interval])
        // As if the first had been a minute less than a day ago.
        const sweeps = (yield* MemoryStore).sweeps
        const record = sweeps.get(account)
        if (record === undefined) return assert.fail("nothing was recorded")
        const longBeganMillis = second + interval + minute - limits.sweepLongEveryMillis
        sweeps.set(account, { ...record, state: { ...record.state, longBeganMillis } })
        yield* pass(minute - 1)
        assert.strictEqual(script.windows.length, 3)
        yield* pass(1)
        const long = second + interval + minute
        assert.deepStrictEqual(windowsOf(script)[3], [long - limits.sweepReturnsMillis, long])
        assert.strictEqual((yield* stateNow).longBeganMillis, long)
      }),
    ),
  )

  it.effect(
    "the daily sweep finds a return of a Pix that came in before the 90 days that it reads whole",
    () =>
      runs(({ script, door }) =>
        Effect.gen(function* () {
          const pix = (yield* unnoticed)[0]?.[0]
          if (pix === undefined) return assert.fail("no Pix")
          const refund = { id: "D1", kind: "chargeback", amount: 1_000, isOwn: false } as const
          script.returned = [[{ ...pix, refunds: [{ ...refund, status: "done" }] }]]
          yield* startSweeper(script)
          yield* pass(0)
          const wholeFrom = startMillis - limits.sweepLongMillis
          assert.deepStrictEqual(windowsOf(script), [[wholeFrom, startMillis]])
          const older = { fromMillis: startMillis - limits.sweepReturnsMillis, toMillis: wholeFrom }
          assert.deepStrictEqual(script.returnedWindows, [older])
          yield* pass(minute)
          assert.deepStrictEqual(door.asked, [`${chargeId} E1 -`])
          yield* pass(interval)
          assert.strictEqual(script.returnedWindows.length, 1)
        }),
      ),
  )

  it.effect("a request is followed by a sweep within a second, once", () =>
    runs(({ script }) =>
      Effect.gen(function* () {
        yield* startSweeper(script)
        yield* pass(minute + 1)
        yield* (yield* SweepStore).request(account)
        yield* pass(look)
        assert.strictEqual(script.windows.length, 2)
        assert.isAtLeast((yield* stateNow).beganMillis, startMillis + minute + 1)
        yield* pass(minute)
        assert.strictEqual(script.windows.length, 2)
      }),
    ),
  )

  it.effect("a request during a sweep is followed by another, as that one began before it", () =>
    runs(({ script }) =>
      Effect.gen(function* () {
        script.delayMillis = 10
        yield* startSweeper(script)
        yield* pass(5)
        yield* (yield* SweepStore).request(account)
        yield* pass(15 + look)
        assert.strictEqual(script.windows.length, 2)
      }),
    ),
  )

  it.effect("of two processes one sweeps, and the other takes over once a killed one's lease has ended", () =>
    runs(({ script }) =>
      Effect.gen(function* () {
        script.delayMillis = 10_000
        const first = yield* startSweeper(script)
        yield* pass(1)
        yield* startSweeper(script)
        yield* pass(9_999)
        assert.deepStrictEqual(script.pages, ["received 0", "sent 0"])
        // The lease has been renewed twice; it ends 15 s after the last time.
        yield* first.kill
        yield* pass(limits.sweepLeaseMillis - 1_000)
        assert.strictEqual(script.pages.length, 2)
        yield* pass(limits.sweepRenewMillis)
        assert.deepStrictEqual(script.pages.slice(2), ["received 0"])
        yield* pass(20_000)
        assert.isAbove((yield* stateNow).beganMillis, startMillis)
        assert.strictEqual(script.windows.length, 2)
      }),
    ),
  )

  it.effect("a process that starts after another's sweep ended sweeps as soon as it is asked to", () =>
    runs(({ script }) =>
      Effect.gen(function* () {
        const first = yield* startSweeper(script)
        yield* pass(look - 1)
        yield* first.kill
        yield* (yield* SweepStore).request(account)
        yield* pass(1)
        yield* startSweeper(script)
        yield* pass(look)
        assert.strictEqual(script.windows.length, 2)
      }),
    ),
  )

  it.effect("a long sweep keeps its lease and is recorded under it", () =>
    runs(({ script }) =>
      Effect.gen(function* () {
        script.received = [[], [], [], []]
        script.delayMillis = 10_000
        yield* startSweeper(script)
        yield* pass(1)
        yield* startSweeper(script)
        yield* pass(60_000)
        assert.strictEqual(script.pages.length, 5)
        assert.strictEqual((yield* stateNow).beganMillis, startMillis)
      }),
    ),
  )

  it.effect("a sweep that lost its lease is given up and not recorded", () =>
    runs(({ script }) =>
      Effect.gen(function* () {
        script.received = [[], [], [], []]
        script.delayMillis = 10_000
        yield* startSweeper(script)
        yield* pass(1)
        const sweeps = (yield* MemoryStore).sweeps
        const record = sweeps.get(account)
        if (record === undefined) return assert.fail("no lease was taken")
        const leaseUntilMillis = startMillis + hour
        sweeps.set(account, { ...record, holder: "another", fence: record.fence + 1, leaseUntilMillis })
        yield* pass(minute)
        assert.deepStrictEqual(script.pages, ["received 0"])
        assert.strictEqual((yield* stateNow).beganMillis, 0)
      }),
    ),
  )

  it.effect(
    "a sweep that is not complete is not recorded, and repeated after 5 s, doubling to a minute",
    () =>
      runs(({ door, script }) =>
        Effect.gen(function* () {
          script.received = yield* unnoticed
          door.answers.set(chargeId, { kind: "unavailable", reason: "overloaded" })
          yield* startSweeper(script)
          const begunAt: Array<number> = []
          for (let seconds = 0; seconds < 240; seconds++) {
            yield* pass(1_000)
            if (script.windows.length > begunAt.length) begunAt.push(seconds)
          }
          const pauses = begunAt.slice(1).map((at, i) => at - (begunAt[i] ?? 0))
          // Each look comes a second after the last, and a sweep takes a moment of its own.
          for (const [i, least] of [5, 10, 20, 40, 60, 60].entries()) {
            assert.isAtLeast(pauses[i] ?? 0, least)
            assert.isAtMost(pauses[i] ?? 0, least + 2)
          }
          assert.strictEqual((yield* stateNow).beganMillis, 0)
          door.answers.clear()
          yield* pass(minute + look)
          assert.isAbove((yield* stateNow).beganMillis, startMillis)
          // The failures are over: the next sweep comes after the interval.
          const { length } = script.windows
          yield* pass(interval)
          assert.strictEqual(script.windows.length, length + 1)
        }),
      ),
  )

  it.effect(
    "a sweep with an item that cannot be read is complete once an operator has accepted just that item",
    () =>
      runs(({ door, script }) =>
        Effect.gen(function* () {
          script.received = yield* unnoticed
          script.unreadable.set("received 0", [unreadableItem("a"), unreadableItem("b")])
          const store = yield* SweepStore
          yield* startSweeper(script)
          yield* pass(10)
          assert.strictEqual(door.asked.length, 1, "what can be read is put right all the same")
          const { open } = yield* store.unread(account)
          assert.deepStrictEqual(
            open.map(({ digest, list, page }) => ({ digest, list, page })),
            ["a", "b"].map((letter) => ({
              digest: letter.repeat(64),
              list: "received" as const,
              page: undefined,
            })),
          )
          assert.deepInclude(yield* stateNow, { unreadableCount: 2, beganMillis: 0 })
          const incomplete = yield* sweepsNow
          assert.isAbove(incomplete, 0)
          for (const item of open.slice(0, 1)) yield* store.accept(account, item, "looked it up")
          yield* pass(limits.sweepRetryMillisMin + look)
          assert.deepInclude(yield* stateNow, { unreadableCount: 1, beganMillis: 0 })
          for (const item of open.slice(1)) yield* store.accept(account, item, "looked it up")
          yield* pass(minute + look)
          const complete = yield* stateNow
          assert.isAbove(complete.beganMillis, 0)
          assert.strictEqual(complete.unreadableCount, 0)
          assert.isAbove(yield* sweepsNow, incomplete)
          // With other content it is another item.
          script.unreadable.set("received 0", [unreadableItem("c"), unreadableItem("b")])
          yield* pass(interval + look)
          assert.deepInclude(yield* stateNow, { unreadableCount: 1, beganMillis: complete.beganMillis })
          // One that the acquirer mends is forgotten.
          script.unreadable.clear()
          yield* pass(minute + look)
          assert.strictEqual((yield* stateNow).unreadableCount, 0)
          assert.deepStrictEqual((yield* store.unread(account)).open, [])
          assert.isAbove((yield* stateNow).beganMillis, complete.beganMillis)
        }),
      ),
  )

  it.effect("a sweep whose page fails is repeated whole, and nothing else stops it", () =>
    runs(({ door, script }) =>
      Effect.gen(function* () {
        script.received = yield* unnoticed
        script.failsAt = { list: "sent", page: 0 }
        yield* startSweeper(script)
        yield* pass(10)
        script.failsAt = undefined
        yield* pass(limits.sweepRetryMillisMin + look)
        assert.deepStrictEqual(script.pages, ["received 0", "sent 0", "received 0", "sent 0"])
        assert.strictEqual(door.asked.length, 2)
        assert.isAbove((yield* stateNow).beganMillis, 0)
      }),
    ),
  )

  it.effect("a sweeper whose store is away looks again each second", () =>
    runs(({ script }) =>
      Effect.gen(function* () {
        const store = yield* SweepStore
        const away = { is: true }
        const load = (of: string) =>
          Effect.suspend(() =>
            away.is
              ? Effect.fail(new StoreUnavailable({ operation: "load", reason: "away" }))
              : store.load(of),
          )
        yield* startSweeper(script).pipe(Effect.provideService(SweepStore, { ...store, load }))
        yield* pass(3 * look)
        assert.deepStrictEqual(script.pages, [])
        away.is = false
        yield* pass(look)
        assert.strictEqual((yield* stateNow).beganMillis, startMillis + 4 * look)
      }),
    ),
  )

  it.effect("an acquirer without books is not swept", () =>
    runs(({ script }) =>
      Effect.gen(function* () {
        yield* startSweeper(script, { books: undefined })
        yield* pass(minute)
        assert.deepStrictEqual(script.pages, [])
        assert.strictEqual((yield* stateNow).beganMillis, 0)
      }),
    ),
  )
})
