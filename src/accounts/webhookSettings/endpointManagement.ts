import { randomUUID } from "node:crypto"
import { Clock, Context, Effect, Layer } from "effect"
import type { TestEvent } from "../../../actors/event/testEvent.ts"
import { DestinationCheck, type EndpointUrl } from "../../../actors/ports/destinationCheck.ts"
import { EndpointStore, type WaitingEvent } from "../../../actors/ports/endpointStore.ts"
import { Identifiers } from "../../../actors/ports/identifiers.ts"
import { RequestDelay } from "../../../actors/ports/requestDelay.ts"
import { SellerStore } from "../../../actors/ports/sellerStore.ts"
import { requestsFirst } from "../../../actors/timers/requestsFirst.ts"
import { sealedPlaces } from "../../../actors/values/sealedPlaces.ts"
import type { StoreUnavailable } from "../../../actors/values/storeUnavailable.ts"
import { ApiError, resourceNotFound, validationFailed } from "../../../schema/errors.ts"
import { checkSubscription, checkTestType } from "../../../schema/eventChecks.ts"
import { exampleDelivery } from "../../../schema/eventExamples.ts"
import { eventIdOf, type Feed, isId, partitionOfId } from "../../../schema/ids.ts"
import type { Endpoint, Ordering, WaitingDelivery } from "../../../schema/resources/endpoint.ts"
import { AccountSecrets } from "../accountSecrets.ts"
import { askAgain } from "../askAgain.ts"
import type { Outcome } from "../outcome.ts"
import { endpointResource, secretPrefixLength } from "./endpoints.ts"

/** Changes to an endpoint; absent fields stay. */
export interface EndpointPatch {
  readonly url?: string
  readonly events?: ReadonlyArray<string>
  readonly enabled?: boolean
  readonly description?: string | null
  readonly ordering?: Ordering
}

/** The last seven days of an endpoint (docs/contract/endpoints.md#statistics). */
export interface ShownStats {
  /** Share of attempts that succeeded; null if there were none. */
  readonly success_rate_7d: number | null
  readonly deliveries_7d: number
  readonly last_ping_at: string | null
  readonly last_ping_ok: boolean | null
}

/** What to recover (docs/contract/endpoints.md#recover): date-times, and whether missed events too. */
export interface Recovery {
  readonly since: string
  readonly until?: string
  readonly include_missed?: boolean
}

/** How many deliveries are owed again, and where missed events were asked for, how many of these are owed now. */
export interface Recovered {
  readonly queued: number
  readonly missed?: number
}

/**
 * Manages the webhook endpoints of a mode after creation (docs/contract/endpoints.md#routes). Foreign, deleted and
 * malformed ids are 404.
 */
export class EndpointManagement extends Context.Service<
  EndpointManagement,
  {
    /** Newest first. */
    readonly list: (feed: Feed) => Effect.Effect<ReadonlyArray<Endpoint>, StoreUnavailable>
    readonly get: (feed: Feed, endpointId: string) => Outcome<Endpoint, "resource_not_found">
    /** Fails with 400 `invalid_url` or `invalid_event_type` too; the URL is checked if given. */
    readonly patch: (
      feed: Feed,
      endpointId: string,
      patch: EndpointPatch,
    ) => Outcome<Endpoint, "invalid_event_type" | "invalid_url" | "resource_not_found" | "validation_failed">
    readonly delete: (feed: Feed, endpointId: string) => Outcome<void, "resource_not_found">
    readonly rotateSecret: (
      feed: Feed,
      endpointId: string,
    ) => Outcome<
      { readonly secret: string; readonly previous_secret_expires_at: string },
      "resource_not_found"
    >
    readonly stats: (feed: Feed, endpointId: string) => Outcome<ShownStats, "resource_not_found">
    readonly ping: (
      feed: Feed,
      endpointId: string,
    ) => Outcome<{ readonly delivery_id: string }, "resource_not_found">
    /** What waits at an ordered endpoint, `limit` at most (docs/contract/deliveries.md#ordering). */
    readonly waiting: (
      feed: Feed,
      endpointId: string,
      page: { readonly afterPosition: string | undefined; readonly limit: number },
    ) => Outcome<
      {
        readonly data: ReadonlyArray<WaitingDelivery>
        readonly nextAfterPosition: string | undefined
      },
      "resource_not_found"
    >
    /** Fails with 400 at `until`, 409 `invalid_state` if the endpoint is disabled. */
    readonly recover: (
      feed: Feed,
      endpointId: string,
      recovery: Recovery,
    ) => Outcome<Recovered, "invalid_state" | "resource_not_found" | "validation_failed">
    /** Sends the catalog's example of a type as a test event; 400 at `type` if there is no such type. */
    readonly test: (
      feed: Feed,
      endpointId: string,
      type: string,
    ) => Outcome<{ readonly delivery_id: string }, "resource_not_found" | "validation_failed">
  }
>()("corrente/accounts/EndpointManagement") {}

const notFound = (endpointId: string): ApiError<"resource_not_found"> =>
  resourceNotFound("webhook endpoint", endpointId)

const isDisabled = (): ApiError<"invalid_state"> =>
  new ApiError({
    code: "invalid_state",
    message: "This endpoint is disabled, so nothing would be sent. Enable it first, then recover.",
  })

const isoOrNull = (millis: number | undefined): string | null =>
  millis === undefined ? null : new Date(millis).toISOString()

/** A waiting event as its endpoint's owner sees it. */
const waitingResource =
  (feed: Feed) =>
  ({ entryId, type, resourceId, turnEntryId }: WaitingEvent): WaitingDelivery => ({
    event_id: eventIdOf(feed, entryId),
    event_type: type,
    resource_id: resourceId,
    status: "pending",
    waits_for: eventIdOf(feed, turnEntryId),
    created_at: new Date(Number(entryId.split("-")[0])).toISOString(),
  })

/** The payload of a ping: the endpoint as shown, and what is sent instead of the ping, if anything. */
const pingData = (endpoint: Endpoint, testEvent: TestEvent | undefined): string =>
  JSON.stringify({ ...endpoint, object: "webhook_endpoint", test_event: testEvent })

const make = Effect.gen(function* () {
  const store = yield* EndpointStore
  const sellers = yield* SellerStore
  const destinations = yield* DestinationCheck
  const identifiers = yield* Identifiers
  const secrets = yield* AccountSecrets
  const pause = requestsFirst(yield* RequestDelay)

  const scopeOf = (
    feed: Feed,
    endpointId: string,
  ): Effect.Effect<{ feed: Feed; endpointId: string }, ApiError<"resource_not_found">> => {
    const isOfSeller = isId("we_", endpointId) && partitionOfId(endpointId) === partitionOfId(feed.sellerId)
    return isOfSeller ? Effect.succeed({ feed, endpointId }) : Effect.fail(notFound(endpointId))
  }
  const find = Effect.fnUntraced(function* (feed: Feed, endpointId: string) {
    const fields = yield* store.get(yield* scopeOf(feed, endpointId))
    return fields === undefined ? yield* notFound(endpointId) : endpointResource(fields)
  })

  /** The fields of another URL: a password that is not given stays with a Redis Stream, and goes with an HTTPS destination. */
  const movedTo = (endpointId: string, { url, password }: EndpointUrl) => {
    if (password !== undefined) {
      return { url, urlPassword: secrets.seal(password, sealedPlaces.endpointPassword(endpointId, url)) }
    }
    return url.startsWith("https:") ? { url, urlPassword: "" } : { url }
  }

  const patch = Effect.fnUntraced(function* (feed: Feed, endpointId: string, change: EndpointPatch) {
    const { url, events, enabled, description, ordering } = change
    const current = yield* find(feed, endpointId)
    const refused = events === undefined ? undefined : checkSubscription(events)
    if (refused !== undefined) return yield* refused
    const moved =
      url === undefined || url === current.url
        ? undefined
        : yield* destinations.checkEndpoint(url, current.url)
    const fields = yield* askAgain(
      store.update(
        { feed, endpointId },
        {
          ...(moved === undefined ? {} : movedTo(endpointId, moved)),
          ...(events === undefined ? {} : { events: [...new Set(events)] }),
          ...(enabled === undefined ? {} : { enabled }),
          ...(description === undefined ? {} : { description: description ?? "" }),
          ...(ordering === undefined ? {} : { ordering }),
        },
      ),
    )
    return fields === undefined ? yield* notFound(endpointId) : endpointResource(fields)
  })

  const rotateSecret = Effect.fnUntraced(function* (feed: Feed, endpointId: string) {
    const scope = yield* scopeOf(feed, endpointId)
    const secret = secrets.signingSecret()
    const prefix = secret.slice(0, secretPrefixLength)
    const sealed = secrets.seal(secret, sealedPlaces.endpointSecret(endpointId))
    const answer = yield* askAgain(store.rotateSecret(scope, sealed, prefix))
    if (answer.kind === "missing") return yield* notFound(endpointId)
    return { secret, previous_secret_expires_at: new Date(answer.previousUntilMillis).toISOString() }
  })

  const send = Effect.fnUntraced(function* (feed: Feed, endpoint: Endpoint, testEvent?: TestEvent) {
    const endpointId = endpoint.id
    const nowMillis = yield* Clock.currentTimeMillis
    const deliveryId = identifiers.id("whd_", partitionOfId(feed.sellerId) ?? 0, nowMillis)
    const { kind } = yield* askAgain(
      store.ping({ feed, endpointId }, { deliveryId, data: pingData(endpoint, testEvent) }),
    )
    return kind === "queued" ? { delivery_id: deliveryId } : yield* notFound(endpointId)
  })

  const recover = Effect.fnUntraced(function* (feed: Feed, endpointId: string, recovery: Recovery) {
    const { since, until, include_missed: includesMissed = false } = recovery
    const endpoint = yield* find(feed, endpointId)
    const fromMillis = Date.parse(since)
    const toMillis = until === undefined ? yield* Clock.currentTimeMillis : Date.parse(until)
    if (until !== undefined && toMillis < fromMillis) {
      return yield* validationFailed("until", "until must not be before since.")
    }
    if (!endpoint.enabled) return yield* isDisabled()
    if (toMillis < fromMillis) return includesMissed ? { queued: 0, missed: 0 } : { queued: 0 }
    if (!includesMissed) {
      return { queued: yield* store.recover({ feed, endpointId }, { fromMillis, toMillis }) }
    }
    // Redis dates events, and its clock may be ahead of this one.
    const untilMillis = until === undefined ? Number.MAX_SAFE_INTEGER : toMillis
    const window = { fromMillis, toMillis: untilMillis }
    return yield* store.recoverMissed({ feed, endpointId }, window, pause, { fromMillis, toMillis })
  })

  const test = Effect.fnUntraced(function* (feed: Feed, endpointId: string, type: string) {
    const endpoint = yield* find(feed, endpointId)
    const found = checkTestType(type)
    if (found instanceof ApiError) return yield* found
    return yield* send(feed, endpoint, { type, object: exampleDelivery(found).data.object })
  })

  return EndpointManagement.of({
    list: (feed) =>
      Effect.map(sellers.listEndpoints(feed.sellerId, feed.mode), (found) =>
        found.map(endpointResource).toReversed(),
      ),
    get: find,
    patch,
    delete: Effect.fnUntraced(function* (feed, endpointId) {
      const scope = yield* scopeOf(feed, endpointId)
      const { kind } = yield* askAgain(store.delete(scope, randomUUID()))
      if (kind === "missing") return yield* notFound(endpointId)
    }),
    rotateSecret,
    stats: Effect.fnUntraced(function* (feed, endpointId) {
      const stats = yield* store.stats(yield* scopeOf(feed, endpointId))
      if (stats === undefined) return yield* notFound(endpointId)
      return {
        success_rate_7d: stats.attempts === 0 ? null : stats.successes / stats.attempts,
        deliveries_7d: stats.attempts,
        last_ping_at: isoOrNull(stats.lastPingAtMillis),
        last_ping_ok: stats.lastPingSucceeded ?? null,
      }
    }),
    ping: (feed, endpointId) => Effect.flatMap(find(feed, endpointId), (endpoint) => send(feed, endpoint)),
    test,
    waiting: Effect.fnUntraced(function* (feed, endpointId, page) {
      const found = yield* store.waiting(yield* scopeOf(feed, endpointId), page)
      if (found === undefined) return yield* notFound(endpointId)
      const { events, nextAfterPosition } = found
      return { data: events.map(waitingResource(feed)), nextAfterPosition }
    }),
    recover,
  })
})

export const EndpointManagementLive = Layer.effect(EndpointManagement, make)
