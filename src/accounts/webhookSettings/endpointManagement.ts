import { randomUUID } from "node:crypto"
import { Clock, Context, Effect, Layer } from "effect"
import { DestinationCheck } from "../../../actors/ports/destinationCheck.ts"
import { EndpointStore } from "../../../actors/ports/endpointStore.ts"
import { Identifiers } from "../../../actors/ports/identifiers.ts"
import { SellerStore } from "../../../actors/ports/sellerStore.ts"
import { ApiError, resourceNotFound, validationFailed } from "../../../schema/errors.ts"
import { checkSubscription } from "../../../schema/events.ts"
import { type Feed, isId, partitionOfId } from "../../../schema/ids.ts"
import type { Endpoint } from "../../../schema/resources/endpoint.ts"
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
}

/** The last seven days of an endpoint (docs/contract/endpoints.md#statistics). */
export interface ShownStats {
  /** Share of attempts that succeeded; null if there were none. */
  readonly success_rate_7d: number | null
  readonly deliveries_7d: number
  readonly last_ping_at: string | null
  readonly last_ping_ok: boolean | null
}

/**
 * Manages the webhook endpoints of a mode after creation (docs/contract/endpoints.md#routes). Foreign, deleted and
 * malformed ids are 404.
 */
export class EndpointManagement extends Context.Service<
  EndpointManagement,
  {
    /** Newest first. */
    readonly list: (feed: Feed) => Outcome<ReadonlyArray<Endpoint>>
    /** Fails with 400 `invalid_url` or `invalid_event_type` too; the URL is checked if given. */
    readonly patch: (feed: Feed, endpointId: string, patch: EndpointPatch) => Outcome<Endpoint>
    readonly delete: (feed: Feed, endpointId: string) => Outcome<void>
    readonly rotateSecret: (
      feed: Feed,
      endpointId: string,
    ) => Outcome<{ readonly secret: string; readonly previous_secret_expires_at: string }>
    readonly stats: (feed: Feed, endpointId: string) => Outcome<ShownStats>
    readonly ping: (feed: Feed, endpointId: string) => Outcome<{ readonly delivery_id: string }>
    /**
     * `since` and `until` are date-times. Fails with 400 at `until`, 409 `invalid_state` if the endpoint is disabled.
     */
    readonly recover: (
      feed: Feed,
      endpointId: string,
      window: { readonly since: string; readonly until?: string },
    ) => Outcome<{ readonly queued: number }>
  }
>()("corrente/accounts/EndpointManagement") {}

const notFound = (endpointId: string): ApiError => resourceNotFound("webhook endpoint", endpointId)

const isDisabled = (): ApiError =>
  new ApiError({
    code: "invalid_state",
    message: "This endpoint is disabled, so nothing would be sent. Enable it first, then recover.",
  })

const isoOrNull = (millis: number | undefined): string | null =>
  millis === undefined ? null : new Date(millis).toISOString()

/** The payload of a ping: the endpoint as shown. */
const pingData = (endpoint: Endpoint): string => JSON.stringify({ ...endpoint, object: "webhook_endpoint" })

const make = Effect.gen(function* () {
  const store = yield* EndpointStore
  const sellers = yield* SellerStore
  const destinations = yield* DestinationCheck
  const identifiers = yield* Identifiers
  const secrets = yield* AccountSecrets

  const scopeOf = (
    feed: Feed,
    endpointId: string,
  ): Effect.Effect<{ feed: Feed; endpointId: string }, ApiError> => {
    const isOfSeller = isId("we_", endpointId) && partitionOfId(endpointId) === partitionOfId(feed.sellerId)
    return isOfSeller ? Effect.succeed({ feed, endpointId }) : Effect.fail(notFound(endpointId))
  }
  const find = Effect.fnUntraced(function* (feed: Feed, endpointId: string) {
    const fields = yield* store.get(yield* scopeOf(feed, endpointId))
    return fields === undefined ? yield* notFound(endpointId) : endpointResource(fields)
  })

  const patch = Effect.fnUntraced(function* (feed: Feed, endpointId: string, change: EndpointPatch) {
    const { url, events, enabled, description } = change
    const current = yield* find(feed, endpointId)
    const refused = events === undefined ? undefined : checkSubscription(events)
    if (refused !== undefined) return yield* refused
    if (url !== undefined && url !== current.url) yield* destinations.check(url)
    const fields = yield* askAgain(
      store.update(
        { feed, endpointId },
        {
          ...(url === undefined ? {} : { url }),
          ...(events === undefined ? {} : { events: [...new Set(events)] }),
          ...(enabled === undefined ? {} : { enabled }),
          ...(description === undefined ? {} : { description: description ?? "" }),
        },
      ),
    )
    return fields === undefined ? yield* notFound(endpointId) : endpointResource(fields)
  })

  const rotateSecret = Effect.fnUntraced(function* (feed: Feed, endpointId: string) {
    const scope = yield* scopeOf(feed, endpointId)
    const secret = secrets.signingSecret()
    const prefix = secret.slice(0, secretPrefixLength)
    const answer = yield* askAgain(store.rotateSecret(scope, secrets.seal(secret), prefix))
    if (answer.kind === "missing") return yield* notFound(endpointId)
    return { secret, previous_secret_expires_at: new Date(answer.previousUntilMillis).toISOString() }
  })

  const ping = Effect.fnUntraced(function* (feed: Feed, endpointId: string) {
    const endpoint = yield* find(feed, endpointId)
    const nowMillis = yield* Clock.currentTimeMillis
    const deliveryId = identifiers.id("whd_", partitionOfId(feed.sellerId) ?? 0, nowMillis)
    const { kind } = yield* askAgain(
      store.ping({ feed, endpointId }, { deliveryId, data: pingData(endpoint) }),
    )
    return kind === "queued" ? { delivery_id: deliveryId } : yield* notFound(endpointId)
  })

  return EndpointManagement.of({
    list: (feed) =>
      Effect.map(sellers.listEndpoints(feed.sellerId, feed.mode), (found) =>
        found.map(endpointResource).toReversed(),
      ),
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
    ping,
    recover: Effect.fnUntraced(function* (feed, endpointId, { since, until }) {
      const endpoint = yield* find(feed, endpointId)
      const fromMillis = Date.parse(since)
      const toMillis = until === undefined ? yield* Clock.currentTimeMillis : Date.parse(until)
      if (until !== undefined && toMillis < fromMillis) {
        return yield* validationFailed("until", "until must not be before since.")
      }
      if (!endpoint.enabled) return yield* isDisabled()
      if (toMillis < fromMillis) return { queued: 0 }
      return { queued: yield* store.recover({ feed, endpointId }, { fromMillis, toMillis }) }
    }),
  })
})

export const EndpointManagementLive = Layer.effect(EndpointManagement, make)
