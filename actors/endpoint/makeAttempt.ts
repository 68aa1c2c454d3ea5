import { Clock, Context, Effect, Schedule, type Scope } from "effect"
import { pingEventType } from "../../schema/events.ts"
import { eventIdOf, partitionOfId } from "../../schema/ids.ts"
import { limits } from "../../schema/limits.ts"
import { type AttemptStatus, attemptStatuses } from "../../schema/resources/delivery.ts"
import { parentIdOfAttempt, traceIdOf } from "../../schema/trace.ts"
import { renderDeliveryEvent } from "../event/envelope.ts"
import { testEventOf } from "../event/testEvent.ts"
import { callBounds, Histogram } from "../metrics/histogram.ts"
import { makeRegistrar } from "../metrics/registrar.ts"
import { ChargeRenderer } from "../ports/chargeRenderer.ts"
import { type AttemptRecord, type ClaimedDelivery, DeliveryQueue } from "../ports/deliveryQueue.ts"
import { DisablingEvents } from "../ports/disablingEvents.ts"
import { Identifiers } from "../ports/identifiers.ts"
import { SecretOpener } from "../ports/secretOpener.ts"
import { Sender } from "../ports/sender.ts"
import { goneEventType } from "../values/goneEvent.ts"
import { sealedPlaces } from "../values/sealedPlaces.ts"
import { parseHeaders } from "../values/storedDocuments.ts"
import { inTraceOf, type TraceSpan, TracesExported, tellSpan } from "../values/traceSpan.ts"
import { attemptTexts, endpointDisabled, eventExpired, hostOf, judge, type Outcome } from "./attemptPlan.ts"

/**
 * Makes the function that counts attempts in the metrics, by how they are recorded. `responseMillis` is how long the receiver took;
 * null where it was not asked or did not answer.
 */
const makeAttemptMetrics: Effect.Effect<
  (status: AttemptStatus, responseMillis: number | null) => void,
  never,
  Scope.Scope
> = Effect.map(makeRegistrar, ({ counter, histogram }) => {
  const attempts = new Map(attemptStatuses.map((status) => [status, 0]))
  for (const outcome of attemptStatuses) {
    const series = {
      name: "corrente_delivery_attempts_total",
      description:
        "Attempts to deliver an event, by outcome; dead is the last attempt of a delivery that failed",
      labels: { outcome },
    }
    counter(series, () => attempts.get(outcome) ?? 0)
  }
  const durations = new Histogram(callBounds)
  const series = {
    name: "corrente_delivery_response_seconds",
    description: "How long receivers took to answer attempts",
  }
  histogram(series, durations)
  return (status, responseMillis) => {
    attempts.set(status, (attempts.get(status) ?? 0) + 1)
    if (responseMillis !== null) durations.record(responseMillis / 1_000)
  }
})

/** The delays between attempts (`RETRY_SCHEDULE_SECONDS`; docs/contract/deliveries.md#retries). */
export class RetrySchedule extends Context.Service<
  RetrySchedule,
  { readonly delaysMillis: ReadonlyArray<number> }
>()("corrente/actors/RetrySchedule") {}

const recordAgainMillis = 200

/** Outlives a short absence of the store: after a lost record the receiver gets the event twice. */
const recordAgain = Schedule.spaced(recordAgainMillis).pipe(
  Schedule.upTo({ duration: limits.deliveryLeaseMillis - limits.attemptTimeoutMillis - recordAgainMillis }),
)

/** Retries by `recordAgain`, but without making the retry's state and context for an attempt that needs no retry. */
const untilRecorded = <A, E>(record: Effect.Effect<A, E>): Effect.Effect<A, E> =>
  Effect.catch(record, () =>
    Effect.andThen(Effect.sleep(recordAgainMillis), Effect.retry(record, recordAgain)),
  )

/** An endpoint has at most two secrets and a password; a rotation brings others. */
const openedMax = 8

/** Makes a function that opens secrets and remembers them. */
const makeOpener = (open: SecretOpener["Service"]["open"]): SecretOpener["Service"]["open"] => {
  const opened = new Map<string, string>()
  return (sealed, place) => {
    const known = opened.get(sealed)
    if (known !== undefined) return known
    const secret = open(sealed, place)
    if (secret === undefined) return undefined
    if (opened.size === openedMax) opened.clear()
    opened.set(sealed, secret)
    return secret
  }
}

/** The span of an attempt has the parent id that its receiver was sent, so that the receiver's spans hang below it. */
const describeAttempt = (
  span: TraceSpan,
  { destination, entry, attempt }: ClaimedDelivery,
  deliveryId: string,
  statusCode: number | null,
  status: AttemptStatus,
): void => {
  span.identify(parentIdOfAttempt(deliveryId))
  span.attribute("corrente.delivery.id", deliveryId)
  span.attribute("corrente.destination.id", destination.id)
  span.attribute("corrente.event.id", eventIdOf(destination, entry.entryId))
  span.attribute("corrente.attempt", attempt)
  span.attribute("corrente.outcome", status)
  span.attribute("http.response.status_code", statusCode)
}

/**
 * Makes the maker of a destination's attempts: send, judge, record. An attempt never fails; one that is not recorded is made
 * again. `onAnswered` is called when the receiver has finished. Each maker remembers the opened secrets of its destination.
 */
export const makeAttempts = Effect.gen(function* () {
  const queue = yield* DeliveryQueue
  const sender = yield* Sender
  const charges = yield* ChargeRenderer
  const secrets = yield* SecretOpener
  const identifiers = yield* Identifiers
  const disablingEvents = yield* DisablingEvents
  const { delaysMillis } = yield* RetrySchedule
  const count = yield* makeAttemptMetrics
  const disablingEventOf = ({ id, sellerId, mode, url }: ClaimedDelivery["destination"]) =>
    disablingEvents.make({ id, sellerId, mode, host: hostOf(url) })

  const send = (
    delivery: ClaimedDelivery,
    deliveryId: string,
    open: SecretOpener["Service"]["open"],
  ): Effect.Effect<Outcome> => {
    const { destination, entry } = delivery
    if (entry.type === goneEventType) return Effect.succeed(eventExpired(hostOf(destination.url)))
    const mayGet = destination.enabled || (entry.type === pingEventType && !destination.isDeleted)
    if (!mayGet) return Effect.succeed(endpointDisabled(hostOf(destination.url)))
    const headers =
      destination.headers && open(destination.headers, sealedPlaces.trackerHeaders(destination.id))
    const placeOfSecret =
      destination.target === "endpoint"
        ? sealedPlaces.endpointSecret(destination.id)
        : sealedPlaces.postbackSecret(destination.sellerId)
    const testEvent = testEventOf(entry)
    return sender.send({
      url: destination.url,
      urlPassword:
        destination.urlPassword &&
        open(destination.urlPassword, sealedPlaces.endpointPassword(destination.id, destination.url)),
      body: renderDeliveryEvent(destination, entry, charges.render),
      secrets: destination.secrets.flatMap((secret) => open(secret, placeOfSecret) ?? []),
      secretRequired: destination.target !== "tracker",
      eventId: eventIdOf(destination, entry.entryId),
      eventType: testEvent?.type ?? entry.type,
      deliveryId,
      attempt: delivery.attempt,
      traceId: traceIdOf(testEvent === undefined ? entry.data : JSON.stringify(testEvent.object)),
      ...(headers ? { extraHeaders: parseHeaders(headers) } : {}),
    })
  }

  const attempt = Effect.fnUntraced(function* (
    delivery: ClaimedDelivery,
    open: SecretOpener["Service"]["open"],
    onAnswered: (outcome: Outcome) => void,
  ) {
    const { destination, entry } = delivery
    const startedMillis = yield* Clock.currentTimeMillis
    const deliveryId =
      delivery.deliveryId ?? identifiers.id("whd_", partitionOfId(destination.sellerId) ?? 0, startedMillis)
    const outcome = yield* send(delivery, deliveryId, open)
    onAnswered(outcome)
    // A ping is attempted once: it asks how the endpoint is now (docs/contract/endpoints.md#ping).
    const judged = entry.type === pingEventType ? { ...outcome, retriable: false } : outcome
    const verdict = judge(judged, delivery.attempt, delaysMillis)
    yield* tellSpan((span) => describeAttempt(span, delivery, deliveryId, outcome.statusCode, verdict.status))
    count(verdict.status, outcome.responseMillis)
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
        `endpoint ${destination.id} was disabled: ${limits.deadStreakMax} dead deliveries in a row`,
      )
    }
    return verdict
  })

  const isTraced = yield* TracesExported

  return () => {
    const open = makeOpener(secrets.open)
    return (delivery: ClaimedDelivery, onAnswered: (outcome: Outcome) => void) => {
      const attempted = attempt(delivery, open, onAnswered)
      if (!isTraced) return attempted
      const { type, resourceId, data } = delivery.entry
      return inTraceOf({ id: resourceId, document: data }, `deliver ${type}`, { kind: "client" }, attempted)
    }
  }
})
