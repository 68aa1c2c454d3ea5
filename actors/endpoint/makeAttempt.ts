import { Clock, Context, Effect, Schedule } from "effect"
import { pingEventType } from "../../schema/events.ts"
import { eventIdOf, partitionOfId } from "../../schema/ids.ts"
import { limits } from "../../schema/limits.ts"
import { renderDeliveryEvent } from "../event/envelope.ts"
import { type ClaimedDelivery, DeliveryQueue } from "../ports/deliveryQueue.ts"
import { DocumentCipher } from "../ports/documentCipher.ts"
import { Identifiers } from "../ports/identifiers.ts"
import { SecretOpener } from "../ports/secretOpener.ts"
import { SellerProfiles } from "../ports/sellerProfiles.ts"
import { Sender } from "../ports/sender.ts"
import { attemptTexts, endpointDisabled, hostOf, judge, type Outcome } from "./attemptPlan.ts"

/** The delays between attempts (spec 6's table; `RETRY_SCHEDULE_SECONDS`). */
export class RetrySchedule extends Context.Service<
  RetrySchedule,
  { readonly delaysMillis: ReadonlyArray<number> }
>()("corrente/actors/RetrySchedule") {}

/** Recording outlives a short absence of the store: a lost record means that the receiver gets the event twice. */
const recordAgain = Schedule.spaced(200).pipe(
  Schedule.upTo({ duration: limits.deliveryLeaseMillis - limits.attemptTimeoutMillis }),
)

/** Makes the program of one attempt: send, judge, record. It never fails; an attempt not recorded is made again. */
export const makeAttempt = Effect.gen(function* () {
  const queue = yield* DeliveryQueue
  const sender = yield* Sender
  const cipher = yield* DocumentCipher
  const secrets = yield* SecretOpener
  const identifiers = yield* Identifiers
  const profiles = yield* SellerProfiles
  const { delaysMillis } = yield* RetrySchedule

  const send = (delivery: ClaimedDelivery, deliveryId: string): Effect.Effect<Outcome> => {
    const { destination, entry } = delivery
    const mayGet = destination.enabled || (entry.type === pingEventType && !destination.isDeleted)
    if (!mayGet) return Effect.succeed(endpointDisabled(hostOf(destination.url)))
    const headers = destination.headers && secrets.open(destination.headers)
    return sender.send({
      url: destination.url,
      body: renderDeliveryEvent(destination, entry, cipher.restore),
      secrets: destination.secrets.flatMap((secret) => secrets.open(secret) ?? []),
      secretRequired: destination.target !== "tracker",
      eventId: eventIdOf(destination, entry.entryId),
      eventType: entry.type,
      deliveryId,
      attempt: delivery.attempt,
      ...(headers ? { extraHeaders: JSON.parse(headers) as Readonly<Record<string, string>> } : {}),
    })
  }

  return Effect.fnUntraced(function* (delivery: ClaimedDelivery) {
    const { destination, entry } = delivery
    const startedMillis = yield* Clock.currentTimeMillis
    const deliveryId =
      delivery.deliveryId ?? identifiers.id("whd_", partitionOfId(destination.sellerId) ?? 0, startedMillis)
    const outcome = yield* send(delivery, deliveryId)
    // A ping is attempted once (decisions 5): it asks how the endpoint is now.
    const judged = entry.type === pingEventType ? { ...outcome, retriable: false } : outcome
    const verdict = judge(judged, delivery.attempt, delaysMillis)
    const mayDisable = verdict.status === "dead" && destination.target === "endpoint"
    const recorded = Effect.flatMap(
      mayDisable ? profiles.disablingEvent(destination.sellerId) : Effect.succeed(undefined),
      (disablingEvent) =>
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
        }),
    )
    yield* recorded.pipe(
      Effect.retry(recordAgain),
      Effect.tap(({ kind }) =>
        kind === "disabledEndpoint"
          ? Effect.logWarning(
              `endpoint ${destination.id} was disabled: ${limits.deadStreakMax} dead in a row`,
            )
          : Effect.void,
      ),
      Effect.catch((error) =>
        Effect.logWarning(
          `attempt ${deliveryId} could not be recorded and will be repeated: ${error.reason}`,
        ),
      ),
    )
    return { outcome, verdict }
  })
})
