import { describe, expect, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { AcquirerUnavailable } from "../../actors/ports/acquirer.ts"
import { ClosingStore } from "../../actors/ports/closingStore.ts"
import { Ledger } from "../../actors/ports/ledger.ts"
import { noAmounts, plusAmounts, plusEntry, totalOf } from "../../actors/values/closing.ts"
import { dayAfter, dayEndMillis, dayOf, dayStartMillis } from "../../actors/values/saoPauloDays.ts"
import { closingLimits } from "../../schema/closingLimits.ts"
import { type Mode, modes } from "../../schema/ids.ts"
import { Closer, CloserLive, closingDueMillis } from "../../src/closings/closer.ts"
import {
  ClosingsLive,
  feedOf,
  goTo,
  held,
  type Moved,
  paid,
  StageLive,
  write,
  written,
} from "./closingStage.ts"

const closeDue = Effect.flatMap(Closer, (closer) => closer.closeDue("one"))

/** A small generator: the same numbers for the same seed. */
const numbers = (seed: number) => {
  let state = seed
  return (below: number): number => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
    return (state >>> 8) % below
  }
}

const sellers = 7
const days = 6

/** Ledgers of some sellers over six days from `firstDay`, with entries at the very edges of days too. */
const randomMoves = (seed: number, firstDay: string): ReadonlyArray<Moved> => {
  const next = numbers(seed)
  const [from, to] = [dayStartMillis(firstDay), dayEndMillis(dayAfter(firstDay, days - 1))]
  const edges = Array.from({ length: days }, (_, i) => dayAfter(firstDay, i)).flatMap((day) => [
    dayStartMillis(day),
    dayEndMillis(day),
  ])
  return Array.from({ length: 60 }, (): Moved => {
    const amount = 1 + next(100_000)
    return {
      seller: next(sellers),
      mode: modes[next(2)] as Mode,
      atMillis: next(3) === 0 ? (edges[next(edges.length)] as number) : from + next(to - from),
      movement: next(2) === 0 ? paid(amount, next(amount)) : held(amount),
    }
  }).toSorted((one, other) => one.atMillis - other.atMillis)
}

const sumUpTo = (moves: ReadonlyArray<Moved>, millis: number) =>
  totalOf(
    moves
      .filter(({ atMillis }) => atMillis <= millis)
      .reduce((sum, { movement }) => plusEntry(sum, movement), {}),
  )

/** Checks each closing of a mode against its ledgers. */
const checkMode = Effect.fnUntraced(function* (moves: ReadonlyArray<Moved>, mode: Mode) {
  const store = yield* ClosingStore
  const mine = moves.filter((move) => move.mode === mode)
  const closings = (yield* store.list(mode, undefined, 100)).toReversed()
  const first = dayOf(mine[0]?.atMillis ?? 0)
  expect(closings[0]?.day).toBe(first)
  let opening = noAmounts
  for (const [index, { day, movements, closing }] of closings.entries()) {
    expect(day).toBe(dayAfter(first, index))
    expect(plusAmounts(opening, totalOf(movements))).toEqual(closing)
    expect(closing).toEqual(sumUpTo(mine, dayEndMillis(day)))
    let ofSellers = noAmounts
    for (let seller = 0; seller < sellers; seller++) {
      const found = yield* store.ofSeller(feedOf(seller, mode), day)
      const own = mine.filter((move) => move.seller === seller)
      expect(found?.closing ?? noAmounts).toEqual(sumUpTo(own, dayEndMillis(day)))
      ofSellers = plusAmounts(ofSellers, found?.closing ?? noAmounts)
    }
    expect(ofSellers).toEqual(closing)
    opening = closing
  }
  expect(opening).toEqual(sumUpTo(mine, Number.POSITIVE_INFINITY))
})

describe("closings of random ledgers", () => {
  const weeks = ["2026-11-20", "2018-11-01", "2018-02-15", "2024-02-26", "2025-12-29"]
  for (const [index, firstDay] of weeks.entries()) {
    it.effect(`closings add up to the balances, day by day, over the days from ${firstDay}`, () =>
      Effect.gen(function* () {
        const moves = randomMoves(index + 1, firstDay)
        yield* write(moves)
        yield* goTo(closingDueMillis(dayAfter(firstDay, days - 1)))
        expect(yield* closeDue).toBeGreaterThan(days)
        for (const mode of modes) yield* checkMode(moves, mode)
        const before = yield* written
        expect(yield* closeDue).toBe(0)
        expect(yield* written).toEqual(before)
      }).pipe(Effect.provide(ClosingsLive())),
    )
  }
})

describe("when days are closed", () => {
  for (const [what, day] of [
    ["an ordinary day", "2026-11-21"],
    ["a day without a midnight", "2018-11-04"],
    ["the day before it", "2018-11-03"],
    ["a day of 25 hours", "2018-02-17"],
  ] as const) {
    it.effect(`${what} is closed half an hour after its end, and not a millisecond before`, () =>
      Effect.gen(function* () {
        yield* write([{ seller: 0, mode: "live", atMillis: dayStartMillis(day), movement: paid(100) }])
        yield* goTo(closingDueMillis(day) - 1)
        expect(yield* closeDue).toBe(0)
        yield* goTo(closingDueMillis(day))
        expect(yield* closeDue).toBe(1)
        expect(yield* (yield* ClosingStore).get("live", day)).toMatchObject({ day, partner: undefined })
        expect(closingDueMillis(day)).toBe(dayStartMillis(dayAfter(day)) + 30 * 60 * 1000)
      }).pipe(Effect.provide(ClosingsLive())),
    )
  }

  it.effect(
    "missed days are caught up in order, and days without movement are closed with the same sums",
    () =>
      Effect.gen(function* () {
        const store = yield* ClosingStore
        const at = (day: string) => dayStartMillis(day) + 3_600_000
        yield* write([
          { seller: 0, mode: "live", atMillis: at("2026-11-01"), movement: paid(100, 9) },
          { seller: 1, mode: "live", atMillis: at("2026-11-04"), movement: paid(50) },
        ])
        yield* goTo(closingDueMillis("2026-11-05"))
        expect(yield* closeDue).toBe(5)
        const closings = (yield* store.list("live", undefined, 10)).toReversed()
        expect(closings.map(({ day, closing }) => [day, closing.available])).toEqual([
          ["2026-11-01", 91],
          ["2026-11-02", 91],
          ["2026-11-03", 91],
          ["2026-11-04", 141],
          ["2026-11-05", 141],
        ])
        expect(closings.map(({ movements }) => Object.keys(movements).length)).toEqual([1, 0, 0, 1, 0])
        // Sellers and partitions are written for days on which something moved.
        const { sellers: found, parts } = yield* written
        expect(found.map(([, written]) => written.length)).toEqual([1, 1])
        expect(parts.map(([, lastDay]) => lastDay)).toEqual(parts.map(() => ({ live: "2026-11-05" })))
        expect(yield* store.list("test", undefined, 10)).toEqual([])
      }).pipe(Effect.provide(ClosingsLive())),
  )

  it.effect("an acquirer that does not answer holds up closings of live mode, and none of test mode", () => {
    const away = Effect.fail(new AcquirerUnavailable({ operation: "listReceived", reason: "away" }))
    return Effect.gen(function* () {
      const day = "2026-11-21"
      const atMillis = dayStartMillis(day)
      yield* write(modes.map((mode) => ({ seller: 0, mode, atMillis, movement: paid(100, 9) })))
      yield* goTo(closingDueMillis(day))
      expect(yield* Effect.flip(closeDue)).toMatchObject({ _tag: "AcquirerUnavailable" })
      const store = yield* ClosingStore
      expect(yield* store.list("test", undefined, 10)).toMatchObject([{ day }])
      expect(yield* store.list("live", undefined, 10)).toEqual([])
    }).pipe(Effect.provide(ClosingsLive({ listReceived: () => away, listSent: () => away })))
  })

  it.effect("nothing is closed before the first ledger entry", () =>
    Effect.gen(function* () {
      yield* goTo(closingDueMillis("2026-11-05"))
      expect(yield* closeDue).toBe(0)
    }).pipe(Effect.provide(ClosingsLive())),
  )

  it.effect("a process leaves the work to another that has the lease", () =>
    Effect.gen(function* () {
      yield* (yield* ClosingStore).claim("another", closingLimits.leaseMillis)
      expect(yield* closeDue).toBeUndefined()
    }).pipe(Effect.provide(ClosingsLive())),
  )
})

/** Where a test ends a process: at the nth call of a store, before it or after it. */
interface Kill {
  readonly at: number
  readonly moment: "before" | "after"
}

/** A port whose calls are counted, and of which one ends the process. */
const killing = <Port extends object>(port: Port, kill: Kill, calls: { count: number }): Port =>
  new Proxy(port, {
    get: (target, name, receiver) => {
      const found: unknown = Reflect.get(target, name, receiver)
      if (typeof found !== "function") return found
      return (...args: ReadonlyArray<unknown>) =>
        Effect.suspend(() => {
          const isHere = ++calls.count === kill.at
          const call: Effect.Effect<unknown> = Reflect.apply(found, target, args)
          if (!isHere) return call
          return kill.moment === "before" ? Effect.die("killed") : Effect.andThen(call, Effect.die("killed"))
        })
    },
  })

const KillingLive = (kill: Kill, calls: { count: number }) =>
  CloserLive.pipe(
    Layer.provide(
      Layer.mergeAll(
        Layer.effect(
          ClosingStore,
          Effect.map(ClosingStore, (port) => killing(port, kill, calls)),
        ),
        Layer.effect(
          Ledger,
          Effect.map(Ledger, (port) => killing(port, kill, calls)),
        ),
      ),
    ),
  )

describe("a process that dies while it closes", () => {
  const lastDay = "2018-11-05"
  const moves = randomMoves(77, "2018-11-04").filter(({ atMillis }) => atMillis <= dayEndMillis(lastDay))

  const undisturbed = Effect.gen(function* () {
    yield* write(moves)
    yield* goTo(closingDueMillis(lastDay))
    yield* closeDue
    return yield* written
  }).pipe(Effect.provide(ClosingsLive()))

  /** Closes with a process that dies, then with another; answers what is written, and whether one died. */
  const disturbed = (kill: Kill) =>
    Effect.gen(function* () {
      yield* write(moves)
      yield* goTo(closingDueMillis(lastDay))
      const calls = { count: 0 }
      const first = Effect.flatMap(Closer, (closer) => closer.closeDue("first"))
      yield* Effect.exit(Effect.provide(first, KillingLive(kill, calls)))
      yield* goTo(closingDueMillis(lastDay) + closingLimits.leaseMillis)
      const second = Effect.flatMap(Closer, (closer) => closer.closeDue("second"))
      yield* Effect.provide(second, CloserLive)
      return { written: yield* written, died: calls.count >= kill.at }
    }).pipe(Effect.provide(StageLive()))

  for (const moment of ["before", "after"] as const) {
    it.effect(
      `what it wrote stays and the rest follows, wherever it died ${moment} a call of its stores`,
      () =>
        Effect.gen(function* () {
          const whole = yield* Effect.scoped(undisturbed)
          let kills = 0
          for (let at = 1; ; at += 1) {
            const found = yield* disturbed({ at, moment })
            if (!found.died) break
            kills++
            expect(found.written, `killed ${moment} call ${at}`).toEqual(whole)
          }
          expect(kills).toBeGreaterThan(100)
          expect(whole.sellers.length).toBeGreaterThan(3)
        }),
    )
  }
})
