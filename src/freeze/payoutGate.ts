/**
 * When payouts and refunds of live are frozen (docs/contract/exceptions.md#freeze):
 * 1. After a start, and after every break of the connection to Redis, our store may be older than it once was: a backup, a failover.
 * 2. So a complete sweep must have begun since; the gate asks for one if nobody has.
 * 3. An open exception that may have moved money twice freezes too.
 * 4. The answer is kept for a moment, and only while the connection has not broken since before it was read.
 *
 * If Redis does not answer, neither does the gate: money waits.
 */

import { Clock, Effect, Layer, Semaphore } from "effect"
import { Acquirers } from "../../actors/ports/acquirer.ts"
import { ExceptionStore } from "../../actors/ports/exceptionStore.ts"
import { PayoutGate } from "../../actors/ports/payoutGate.ts"
import { type SweepState, SweepStore } from "../../actors/ports/sweepStore.ts"
import type { Mode } from "../../schema/ids.ts"
import { limits } from "../../schema/limits.ts"
import { freezingKinds } from "../../schema/resources/exception.ts"
import { RedisClient } from "../store/redis/redisClient.ts"

/** What `frozen` answered in live, and until when that may be believed. */
interface Answer {
  readonly reason: string | undefined
  readonly breaks: number
  readonly untilMillis: number
}

const notSwept = "the acquirer's books are being compared with ours first"
/** Why that takes an operator (docs/partner.md#unreadable-items). */
const unreadIn = ({ unreadableCount }: SweepState): string =>
  `${unreadableCount} ${unreadableCount === 1 ? "item" : "items"} of the acquirer's books cannot be read, see \`ops sweep show\``

/** Whether a sweep that begins after `sinceMillis` is asked for and not yet complete. */
const isAwaited = ({ beganMillis, wantedMillis }: SweepState, sinceMillis: number): boolean =>
  wantedMillis >= sinceMillis && wantedMillis >= beganMillis

/**
 * Makes the check of the acquirer's books: what our store has may be older than what it once had, after a restored backup or a
 * failover. So a complete sweep must have begun after this process's start and after its connection to Redis last broke; the check
 * asks for one. Answers why not, or undefined; always undefined for an acquirer without books.
 */
const makeSweepCheck = Effect.gen(function* () {
  const { live } = yield* Acquirers
  const sweeps = yield* SweepStore
  const { breaks } = yield* RedisClient
  if (live.books === undefined) return Effect.succeed(undefined)
  let since = { breaks: breaks(), millis: yield* sweeps.now }

  return Effect.gen(function* () {
    const breaksNow = breaks()
    if (breaksNow !== since.breaks) since = { breaks: breaksNow, millis: yield* sweeps.now }
    const state = yield* sweeps.load(live.account)
    if (state.beganMillis > since.millis) return undefined
    if (!isAwaited(state, since.millis)) yield* sweeps.request(live.account)
    return state.unreadableCount === 0 ? notSwept : unreadIn(state)
  })
})

const makePayoutGate = Effect.gen(function* () {
  const exceptions = yield* ExceptionStore
  const { breaks } = yield* RedisClient
  const sweepReason = yield* makeSweepCheck
  const checking = yield* Semaphore.make(1)
  let last: Answer | undefined

  const isFresh = Effect.map(
    Clock.currentTimeMillis,
    (nowMillis) => last !== undefined && last.breaks === breaks() && nowMillis < last.untilMillis,
  )
  const exceptionReason = Effect.map(exceptions.countOpen(freezingKinds), (open) =>
    open === 0 ? undefined : `${open} open ${open === 1 ? "exception" : "exceptions"} of payouts`,
  )
  const check = Effect.gen(function* () {
    const breaksBefore = breaks()
    // Both are looked at: a sweep may be asked for while exceptions are being resolved.
    const sweep = yield* sweepReason
    const reason = (yield* exceptionReason) ?? sweep
    // The connection broke meanwhile: what was read may be gone.
    const isWhole = breaks() === breaksBefore
    const untilMillis = (yield* Clock.currentTimeMillis) + limits.frozenCacheMillis
    last = { reason: isWhole ? reason : notSwept, breaks: breaksBefore, untilMillis }
  })
  const checkUnlessFresh = Effect.flatMap(isFresh, (fresh) => (fresh ? Effect.void : check))
  const frozen = Effect.map(
    Effect.flatMap(isFresh, (fresh) => (fresh ? Effect.void : checking.withPermit(checkUnlessFresh))),
    () => last?.reason,
  )
  return { frozen: (mode: Mode) => (mode === "live" ? frozen : Effect.succeed(undefined)) }
})

/**
 * The freeze (docs/contract/exceptions.md#freeze). Payouts and refunds of live wait for a first complete sweep of the acquirer's
 * books, and while exceptions that may have moved money twice are open. Needs a Redis that answers.
 */
export const PayoutGateLive = Layer.effect(PayoutGate, makePayoutGate)
