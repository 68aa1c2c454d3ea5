import { Clock, Context, Effect, Schedule } from "effect"
import { LRUCache } from "lru-cache"
import { pingEventType } from "../../schema/events.ts"
import { eventIdOf, type Feed, partitionOfId } from "../../schema/ids.ts"
import { limits } from "../../schema/limits.ts"
import { renderDeliveryEvent } from "../event/envelope.ts"
import {
  type AttemptRecord,
  type ClaimedDelivery,
  DeliveryQueue,
  goneEventType,
} from "../ports/deliveryQueue.ts"
import { DocumentCipher } from "../ports/documentCipher.ts"
import type { EventEntry } from "../ports/eventLog.ts"
import { Identifiers } from "../ports/identifiers.ts"
import { SecretOpener } from "../ports/secretOpener.ts"
import { SellerProfiles } from "../ports/sellerProfiles.ts"
import { Sender } from "../ports/sender.ts"
import { attemptTexts, endpointDisabled, eventExpired, hostOf, judge, type Outcome } from "./attemptPlan.ts"

/** The delays between attempts (spec 6's table; `RETRY_SCHEDULE_SECONDS`). */
export class RetrySchedule extends Context.Service<
  RetrySchedule,
  { readonly delaysMillis: ReadonlyArray<number> }
>()("corrente/actors/RetrySchedule") {}

const recordAgainMillis = 200

/** Recording outlives a short absence of the store: a lost record means that the receiver gets the event twice. */
const recordAgain = Schedule.spaced(recordAgainMillis).pipe(
  Schedule.upTo({ duration: limits.deliveryLeaseMillis - limits.attemptTimeoutMillis - recordAgainMillis }),
)

/** As a retry by `recordAgain`, which would make its state and a context of its own for each attempt that needs none. */
const untilRecorded = <A, E>(record: Effect.Effect<A, E>): Effect.Effect<A, E> =>
  Effect.catch(record, () =>
    Effect.andThen(Effect.sleep(recordAgainMillis), Effect.retry(record, recordAgain)),
  )

/** An endpoint has two secrets at most; a rotation brings others. */
const openedMax = 8

/** Opens secrets, each once while it is remembered. */
const makeOpener = (open: (sealed: string) => string | undefined) => {
  const opened = new Map<string, string>()
  return (sealed: string): string | undefined => {
    const known = opened.get(sealed)
    if (known !== undefined) return known
    const secret = open(sealed)
    if (secret === undefined) return undefined
    if (opened.size === openedMax) opened.clear()
    opened.set(sealed, secret)
    return secret
  }
}

/** Bodies that are kept: an event is sent to all of its destinations at about the same time. */
const bodiesMax = 128
/** Longer ones are rare, and are made each time. */
const bodyLengthMax = 16 * 1024

/** Makes an event's body once for all of its destinations, while it is kept. */
const makeRenderer = (restore: (data: string) => string) => {
  const bodies = new LRUCache<string, string>({ max: bodiesMax })
  return ({ sellerId, mode }: Feed, entry: EventEntry): string => {
    const name = `${sellerId}:${mode}:${entry.entryId}`
    const known = bodies.get(name)
    if (known !== undefined) return known
    const body = renderDeliveryEvent({ sellerId, mode }, entry, restore)
    if (body.length <= bodyLengthMax) bodies.set(name, body)
    return body
  }
}

/**
 * Makes what makes the programs of one destination's attempts: send, judge, record. They never fail; an attempt not recorded is
 * made again. `onAnswered` is called when the receiver is done with. Secrets of the destination are remembered, opened, for as long as the maker is.
 */
export const makeAttempts = Effect.gen(function* () {
  const queue = yield* DeliveryQueue
  const sender = yield* Sender
  const cipher = yield* DocumentCipher
  const secrets = yield* SecretOpener
  const identifiers = yield* Identifiers
  const profiles = yield* SellerProfiles
  const { delaysMillis } = yield* RetrySchedule
  const render = makeRenderer(cipher.restore)
  const disablingEventOf = ({ id, sellerId, mode, url }: ClaimedDelivery["destination"]) =>
    profiles.disablingEvent({ id, sellerId, mode, host: hostOf(url) })

  const send = (
    delivery: ClaimedDelivery,
    deliveryId: string,
    open: (sealed: string) => string | undefined,
  ): Effect.Effect<Outcome> => {
    const { destination, entry } = delivery
    if (entry.type === goneEventType) return Effect.succeed(eventExpired(hostOf(destination.url)))
    const mayGet = destination.enabled || (entry.type === pingEventType && !destination.isDeleted)
    if (!mayGet) return Effect.succeed(endpointDisabled(hostOf(destination.url)))
    const headers = destination.headers && open(destination.headers)
    return sender.send({
      url: destination.url,
      body: render(destination, entry),
      secrets: destination.secrets.flatMap((secret) => open(secret) ?? []),
      secretRequired: destination.target !== "tracker",
      eventId: eventIdOf(destination, entry.entryId),
      eventType: entry.type,
      deliveryId,
      attempt: delivery.attempt,
      ...(headers ? { extraHeaders: JSON.parse(headers) as Readonly<Record<string, string>> } : {}),
    })
  }

  const attempt = Effect.fnUntraced(function* (
    delivery: ClaimedDelivery,
    open: (sealed: string) => string | undefined,
    onAnswered: (outcome: Outcome) => void,
  ) {
    const { destination, entry } = delivery
    const startedMillis = yield* Clock.currentTimeMillis
    const deliveryId =
      delivery.deliveryId ?? identifiers.id("whd_", partitionOfId(destination.sellerId) ?? 0, startedMillis)
    const outcome = yield* send(delivery, deliveryId, open)
    onAnswered(outcome)
    // A ping is attempted once (decisions 5): it asks how the endpoint is now.
    const judged = entry.type === pingEventType ? { ...outcome, retriable: false } : outcome
    const verdict = judge(judged, delivery.attempt, delaysMillis)
    const record = (disablingEvent: AttemptRecord["disablingEvent"]) =>
      queue.record({
        destination,
        entry,
        fence: delivery.fence,
        deliveryId,
        attempt: delivery.attempt,
        status: verdict.status,
        ...attemptTexts(delivery, deliveryId, outcome, verdict),
        retryInMillis: verdict.retryInMillis,
        disablingEvent,
      })
    if (entry.type === goneEventType) {
      yield* Effect.logError(`${deliveryId} to ${destination.id} is dead: its event is no longer kept`)
    }
    const mayDisable =
      verdict.status === "dead" && entry.type !== goneEventType && destination.target === "endpoint"
    const recorded = yield* untilRecorded(
      mayDisable ? Effect.flatMap(disablingEventOf(destination), record) : record(undefined),
    ).pipe(
      Effect.catch((error) =>
        Effect.logWarning(
          `attempt ${deliveryId} could not be recorded and will be repeated: ${error.reason}`,
        ),
      ),
    )
    if (recorded?.kind === "disabledEndpoint") {
      yield* Effect.logWarning(
        `endpoint ${destination.id} was disabled: ${limits.deadStreakMax} dead in a row`,
      )
    }
    return verdict
  })

  return () => {
    const open = makeOpener(secrets.open)
    return (delivery: ClaimedDelivery, onAnswered: (outcome: Outcome) => void) =>
      attempt(delivery, open, onAnswered)
  }
})
