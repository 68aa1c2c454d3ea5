import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { type AcquirerBooks, Acquirers } from "../../actors/ports/acquirer.ts"
import { ExceptionStore, type StoredException } from "../../actors/ports/exceptionStore.ts"
import { PayoutGate } from "../../actors/ports/payoutGate.ts"
import { SweepStore } from "../../actors/ports/sweepStore.ts"
import { limits } from "../../schema/limits.ts"
import { type ExceptionKind, exceptionKinds, freezingKinds } from "../../schema/resources/exception.ts"
import { PayoutGateLive } from "../../src/freeze/payoutGate.ts"
import { RedisClient } from "../../src/store/redis/redisClient.ts"
import { silentAcquirer } from "../actors/support/acquirer.ts"
import { unreadableItem } from "../actors/support/books.ts"
import { identifiers } from "../actors/support/process.ts"
import { startMillis } from "../actors/support/store.ts"
import { MemoryStoreLive } from "../model/memoryStore.ts"

const books: AcquirerBooks = {
  listReceived: () => Effect.succeed({ items: [], next: undefined }),
  listSent: () => Effect.succeed({ items: [], next: undefined }),
}
const { account } = silentAcquirer

/** A connection that breaks when the test says so. */
const connection = { breaks: 0 }

/** Runs a test on a fresh store, with an acquirer that has books or has none; the process starts at `startMillis`. */
const atGate = <A, E>(
  test: Effect.Effect<A, E, ExceptionStore | SweepStore | RedisClient | Acquirers>,
  hasBooks = true,
) => {
  const live = hasBooks ? { ...silentAcquirer, books } : silentAcquirer
  const process = PayoutGateLive.pipe(
    Layer.provideMerge(MemoryStoreLive({ partitions: 1 })),
    Layer.provideMerge(
      Layer.mock(RedisClient, {
        isCluster: false,
        servers: () => [],
        breaks: () => connection.breaks,
        awaitReplicas: undefined,
      }),
    ),
    Layer.provideMerge(Layer.succeed(Acquirers, { live, test: silentAcquirer })),
  )
  return Effect.andThen(TestClock.setTime(startMillis), Effect.provide(test, process))
}

const frozen = Effect.flatMap(PayoutGate, (gate) => gate.frozen("live"))
/** What the gate says once it looks again. */
const frozenNow = Effect.andThen(TestClock.adjust(limits.frozenCacheMillis), frozen)
const wanted = Effect.flatMap(SweepStore, (store) =>
  Effect.map(store.load(account), ({ wantedMillis }) => wantedMillis - startMillis),
)

/** Completes a sweep that began so many ms after the process started. */
const sweep = (beganAfterMillis: number, of = account) =>
  Effect.gen(function* () {
    const store = yield* SweepStore
    const lease = yield* store.claim(of, "another process", 1)
    if (lease === undefined) return yield* Effect.die("the sweeps are leased")
    const beganMillis = startMillis + beganAfterMillis
    yield* TestClock.adjust(1)
    const { kind } = yield* store.complete(lease, { beganMillis, toMillis: beganMillis, isLong: false })
    assert.strictEqual(kind, "applied")
  })

const openException = (kind: ExceptionKind, mode: "live" | "test" = "live") =>
  Effect.gen(function* () {
    const store = yield* ExceptionStore
    const id = identifiers.id("exc_", 0, startMillis)
    const rest = { sellerId: undefined, account, document: "{}" }
    yield* store.open({ id, fact: `${kind}:${id}`, kind, mode, ...rest })
    const found = yield* store.load(id)
    return found ?? (yield* Effect.die("it was not opened"))
  })

const resolve = (exception: StoredException) =>
  Effect.flatMap(ExceptionStore, (store) =>
    store.commit({
      change: { exception, to: "resolved", document: "{}", pending: "" },
      timers: [],
      timersDone: [],
    }),
  )

describe("a process that has just started", () => {
  it.effect(
    "payouts are frozen until a sweep is complete that began after the start, and one is asked for",
    () =>
      atGate(
        Effect.gen(function* () {
          yield* sweep(-1)
          assert.match((yield* frozen) ?? "", /books/)
          assert.isAtLeast(yield* wanted, 0)
          yield* sweep(0)
          assert.isDefined(yield* frozenNow)
          yield* sweep(1)
          assert.isUndefined(yield* frozenNow)
        }),
      ),
  )

  it.effect("the reason names the items that no sweep can read, until an operator has accepted them", () =>
    atGate(
      Effect.gen(function* () {
        const store = yield* SweepStore
        const lease = (yield* store.claim(account, "another process", 1)) ?? { account, fence: 0 }
        const [one, two] = ["a", "b"].map((letter) => ({
          ...unreadableItem(letter),
          ...{ list: "sent" as const, window: { fromMillis: 0, toMillis: 1 }, page: undefined },
        }))
        if (one === undefined || two === undefined) return assert.fail("there are two")
        yield* store.recordUnread(lease, { items: [one, two], more: 0 })
        assert.match(
          (yield* frozen) ?? "",
          /^2 items of the acquirer's books cannot be read, see `ops sweep show`$/,
        )
        yield* store.accept(account, two, "looked it up")
        assert.match((yield* frozenNow) ?? "", /^1 item of .* cannot be read/)
        yield* store.accept(account, one, "looked it up")
        assert.match((yield* frozenNow) ?? "", /being compared/)
      }),
    ),
  )

  it.effect("payouts stay frozen by the sweep of another account", () =>
    atGate(
      Effect.gen(function* () {
        yield* sweep(1_000, "elsewhere:2")
        assert.isDefined(yield* frozenNow)
      }),
    ),
  )

  it.effect("a sweep is asked for once, and again where it was complete without helping", () =>
    atGate(
      Effect.gen(function* () {
        yield* frozen
        const first = yield* wanted
        yield* frozenNow
        assert.strictEqual(yield* wanted, first)
        connection.breaks += 1
        yield* frozenNow
        assert.isAbove(yield* wanted, first)
      }),
    ),
  )

  it.effect("payouts in test mode are never frozen", () =>
    atGate(
      Effect.gen(function* () {
        yield* openException("payout_unknown")
        assert.isDefined(yield* frozen)
        assert.isUndefined(yield* (yield* PayoutGate).frozen("test"))
      }),
    ),
  )
})

describe("a connection to Redis that breaks", () => {
  it.effect(
    "payouts are frozen at once when the connection breaks, until a sweep that began after that",
    () =>
      atGate(
        Effect.gen(function* () {
          yield* sweep(1)
          assert.isUndefined(yield* frozen)
          connection.breaks += 1
          assert.isDefined(yield* frozen)
          const sinceMillis = yield* wanted
          yield* sweep(sinceMillis)
          assert.isDefined(yield* frozenNow)
          yield* sweep(sinceMillis + 1)
          assert.isUndefined(yield* frozenNow)
        }),
      ),
  )

  it.effect("payouts are frozen where the connection breaks while the gate reads", () =>
    Effect.gen(function* () {
      const breaking = Layer.effect(
        ExceptionStore,
        Effect.map(ExceptionStore, (store) => ({
          ...store,
          countOpen: (kinds: ReadonlyArray<ExceptionKind>) =>
            Effect.tap(store.countOpen(kinds), () =>
              Effect.sync(() => {
                connection.breaks += 1
              }),
            ),
        })),
      )
      yield* atGate(
        Effect.gen(function* () {
          yield* sweep(1)
          const gate = yield* PayoutGate.pipe(
            Effect.provide(Layer.fresh(PayoutGateLive).pipe(Layer.provide(breaking))),
          )
          // The process of this gate started at the time of the sweep.
          yield* sweep(1_000)
          assert.isDefined(yield* gate.frozen("live"))
        }),
      )
    }),
  )
})

describe("exceptions", () => {
  for (const kind of exceptionKinds) {
    const freezes = freezingKinds.includes(kind)
    it.effect(`an open ${kind} ${freezes ? "freezes" : "does not freeze"} payouts`, () =>
      atGate(
        Effect.gen(function* () {
          yield* sweep(1)
          yield* openException(kind, "test")
          assert.isUndefined(yield* frozen)
          const exception = yield* openException(kind)
          assert.strictEqual(yield* frozenNow, freezes ? "1 open exception of payouts" : undefined)
          yield* resolve(exception)
          assert.isUndefined(yield* frozenNow)
        }),
      ),
    )
  }

  it.effect("payouts at an acquirer without books are frozen by exceptions alone", () =>
    atGate(
      Effect.gen(function* () {
        assert.isUndefined(yield* frozen)
        connection.breaks += 1
        assert.isUndefined(yield* frozen)
        assert.strictEqual(yield* wanted, -startMillis)
        yield* openException("payout_unknown")
        yield* openException("payout_contradicted")
        assert.strictEqual(yield* frozenNow, "2 open exceptions of payouts")
      }),
      false,
    ),
  )

  it.effect("what the gate has read is believed for a second, and not longer", () =>
    atGate(
      Effect.gen(function* () {
        yield* sweep(1)
        assert.isUndefined(yield* frozen)
        yield* openException("payout_unknown")
        yield* TestClock.adjust(limits.frozenCacheMillis - 1)
        assert.isUndefined(yield* frozen)
        yield* TestClock.adjust(1)
        assert.isDefined(yield* frozen)
      }),
    ),
  )
})
