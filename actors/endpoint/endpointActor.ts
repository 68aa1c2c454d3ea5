/**
 * How a destination gets what it is owed:
 * 1. A `wake` says that something may be due, or the actor's own alarm does.
 * 2. The actor computes its room: its window, its share of the process's slots, and what due work may take from requests.
 * 3. It claims that many deliveries, each under a lease with a fence.
 * 4. Each attempt runs in a fiber of its own: render, sign, send, judge, record.
 * 5. `answered` frees the slot, so that the next claim may begin; `ended` sets the alarm for the retry.
 *
 * If the process dies between 3 and the record of 4, the lease expires and the delivery is due again: the receiver may get it twice.
 * A record with an old fence is refused, so a slow attempt cannot undo a newer one.
 */

import { Clock, Context, Effect, Exit, FiberSet, Layer, Queue } from "effect"
import { limits } from "../../schema/limits.ts"
import { makeRegistrar } from "../metrics/registrar.ts"
import { type ClaimedDelivery, DeliveryQueue } from "../ports/deliveryQueue.ts"
import { RequestDelay } from "../ports/requestDelay.ts"
import type { ActorSelf } from "../runtime/actor.ts"
import { DueWindow } from "../runtime/dueWindow.ts"
import { makeRegistry, type Registry } from "../runtime/registry.ts"
import type { Outcome } from "./attemptPlan.ts"
import { AttemptSlots, type BegunAttempt, BegunAttempts, InFlightWindow } from "./attemptSlots.ts"
import { makeAttempts } from "./makeAttempt.ts"

/**
 * Messages a destination's actor accepts. `wake`: something may be due. `answered`: a receiver finished with an attempt, which
 * left its slot. `ended`: an attempt is recorded; its retry is due in `retryInMillis`.
 */
export type EndpointMessage =
  | { readonly _tag: "wake" }
  | { readonly _tag: "answered" }
  | { readonly _tag: "ended"; readonly retryInMillis: number | undefined }

/**
 * The actors of destinations (endpoint, postback or tracker): one each, woken when something is due there. Each claims what it
 * has room for, sends, records and claims again; it sleeps until its next attempt is due, and leaves memory when nothing is
 * owed for a while.
 */
export class EndpointActors extends Context.Service<
  EndpointActors,
  Registry<EndpointMessage> & {
    /** Destinations with due deliveries that wait for room. */
    readonly waiting: () => number
    /** Attempts that are claimed and not recorded yet. */
    readonly attemptsInFlight: () => number
    /** Stops claiming, and waits until all attempts in progress are recorded. */
    readonly drain: Effect.Effect<void>
  }
>()("corrente/actors/EndpointActors") {}

/** How long a destination waits where no slot is free in the whole process. */
const slotRetryMillis = 50
/** How often a drain checks for the end of the last attempt. */
const drainLookMillis = 20
/** How long to wait after a claim that the store did not answer. */
const claimRetryMillis = 250

export const EndpointActorsLive = Layer.effect(
  EndpointActors,
  Effect.gen(function* () {
    const queue = yield* DeliveryQueue
    const attemptsOf = yield* makeAttempts
    const slots = new AttemptSlots()
    const begunAttempts = yield* makeBegunAttempts
    let isDraining = false
    let unrecordedInAll = 0

    const start = Effect.fnUntraced(function* (destinationId: string, self: ActorSelf<EndpointMessage>) {
      const alarm = yield* makeAlarm(() => self.tell(wake))
      const attempt = attemptsOf()
      const window = new InFlightWindow()
      /** Attempts that the receiver has not finished with. */
      let inFlight = 0
      let unrecorded = 0
      /** Whether something due may be unclaimed for lack of room. */
      let hasBacklog = false

      const launch = (delivery: ClaimedDelivery, isSuspect: boolean, begun: BegunAttempt) => {
        let isAnswered = false
        const leaveSlot = () => {
          isAnswered = true
          inFlight -= 1
          slots.give(1, isSuspect)
          if (inFlight === 0) slots.leave()
        }
        const onAnswered = (outcome: Outcome) => {
          window.record(outcome)
          leaveSlot()
          if (hasBacklog) self.tell(answered)
        }
        return self.run(
          attempt(delivery, onAnswered).pipe(
            Effect.onExit((exit) => {
              begun.end()
              if (!isAnswered) leaveSlot()
              unrecorded -= 1
              unrecordedInAll -= 1
              const retryInMillis = Exit.isSuccess(exit) ? exit.value.retryInMillis : undefined
              self.tell({ _tag: "ended", retryInMillis })
              return Effect.void
            }),
            Effect.catchDefect((defect) =>
              Effect.logError(
                `an attempt to ${destinationId} failed unexpectedly and will be repeated`,
                defect,
              ),
            ),
          ),
        )
      }

      /** Claims what there is room for, and sets the alarm for what is due later. */
      const claim = Effect.gen(function* () {
        const isSuspect = window.isSuspect
        if (isDraining) return
        const inFlightMax = Math.min(window.size, slots.perDestinationMax(begunAttempts.waiting))
        const free = Math.min(inFlightMax - inFlight, limits.attemptsUnrecordedPerDestination - unrecorded)
        hasBacklog = free <= 0
        if (hasBacklog) return
        const room = begunAttempts.take(Math.min(free, limits.attemptsPerClaimMax))
        if (room === 0) return begunAttempts.wait(destinationId, () => self.tell(wake))
        const taken = slots.take(room, isSuspect)
        begunAttempts.give(room - taken)
        if (taken === 0) return yield* alarm.ringIn(slotRetryMillis)
        const giveBack = (count: number) => {
          slots.give(count, isSuspect)
          begunAttempts.give(count)
        }
        const answer = yield* queue.claim(destinationId, taken).pipe(
          Effect.orElseSucceed(() => undefined),
          Effect.onError(() => Effect.sync(() => giveBack(taken))),
        )
        const claimed = answer?.claimed ?? []
        giveBack(taken - claimed.length)
        const begun = begunAttempts.begin(claimed.length)
        if (inFlight === 0 && claimed.length > 0) slots.enter()
        inFlight += claimed.length
        unrecorded += claimed.length
        unrecordedInAll += claimed.length
        hasBacklog = answer?.nextInMillis === 0
        for (const delivery of claimed) yield* launch(delivery, isSuspect, begun)
        if (answer === undefined) yield* alarm.ringIn(claimRetryMillis)
        else if (hasBacklog) self.tell(wake)
        else if (answer.nextInMillis !== undefined) yield* alarm.ringIn(answer.nextInMillis)
      })

      return (batch: ReadonlyArray<EndpointMessage>) =>
        Effect.gen(function* () {
          let isDue = hasBacklog
          for (const message of batch) {
            if (message._tag === "wake") isDue = true
            else if (message._tag === "ended" && message.retryInMillis !== undefined)
              yield* alarm.ringIn(message.retryInMillis)
          }
          if (isDue) yield* claim
          self.setBusy(unrecorded > 0)
        })
    })

    const registry = yield* makeRegistry<EndpointMessage, never>({
      name: "endpoint",
      start,
      mailboxCapacity: limits.mailboxCapacity,
      batchMax: limits.mailboxCapacity,
      idleMillis: limits.actorIdleMillis,
    })
    const { gauge } = yield* makeRegistrar
    gauge(
      {
        name: "corrente_delivery_attempts_in_flight",
        description: "Attempts that are claimed and not recorded yet",
      },
      () => unrecordedInAll,
    )
    gauge(
      {
        name: "corrente_destinations_waiting",
        description: "Destinations with due deliveries that wait for room",
      },
      () => begunAttempts.waiting,
    )
    return EndpointActors.of({
      ...registry,
      waiting: () => begunAttempts.waiting,
      attemptsInFlight: () => unrecordedInAll,
      drain: Effect.suspend(() => {
        isDraining = true
        return Effect.repeat(Effect.sleep(drainLookMillis), {
          until: () => slots.inFlight + unrecordedInAll === 0,
        })
      }).pipe(Effect.asVoid),
    })
  }),
)

/** Makes the window of attempts in progress, and the fiber that looks after it while a destination waits for room. */
const makeBegunAttempts = Effect.gen(function* () {
  const clock = yield* Clock.Clock
  const nowMillis = () => clock.currentTimeMillisUnsafe()
  const window = new DueWindow({
    sizeMin: limits.attemptsBegunMin,
    sizeMax: limits.attemptsBegunMax,
    requests: yield* RequestDelay,
    perRequest: limits.dueWorkPerRequest,
    nowMillis,
  })
  const awaited = yield* Queue.sliding<"awaited">(1)
  const attempts = new BegunAttempts(window, nowMillis, () => Queue.offerUnsafe(awaited, "awaited"))
  const lookWhileAwaited = Effect.sync(() => attempts.look()).pipe(
    Effect.andThen(Effect.sleep(limits.dueWorkLookMillis)),
    Effect.repeat({ while: () => attempts.waiting > 0 }),
  )
  yield* Effect.forkScoped(Effect.forever(Effect.andThen(Queue.take(awaited), lookWhileAwaited)))
  return attempts
})

const wake: EndpointMessage = { _tag: "wake" }
const answered: EndpointMessage = { _tag: "answered" }

/**
 * Makes an alarm that rings at the soonest time it was set to. It ignores times after which the actor would have left memory.
 */
const makeAlarm = Effect.fnUntraced(function* (ring: () => void) {
  const sleeping = yield* FiberSet.make()
  let ringsAtMillis = Number.POSITIVE_INFINITY
  const ringIn = Effect.fnUntraced(function* (millis: number) {
    const atMillis = (yield* Clock.currentTimeMillis) + millis
    if (millis >= limits.actorIdleMillis || atMillis >= ringsAtMillis) return
    ringsAtMillis = atMillis
    yield* FiberSet.clear(sleeping)
    yield* FiberSet.run(
      sleeping,
      Effect.andThen(
        Effect.sleep(millis),
        Effect.sync(() => {
          ringsAtMillis = Number.POSITIVE_INFINITY
          ring()
        }),
      ),
    )
  })
  return { ringIn }
})
