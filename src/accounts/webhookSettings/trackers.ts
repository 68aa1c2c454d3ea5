import { randomUUID } from "node:crypto"
import { Clock, Context, Effect, Layer } from "effect"
import { destinationIdOfTracker } from "../../../actors/delivery/destinationId.ts"
import { hideValues, isExtraHeaderAllowed } from "../../../actors/delivery/trackerHeaders.ts"
import { DestinationCheck } from "../../../actors/ports/destinationCheck.ts"
import { SecretOpener } from "../../../actors/ports/secretOpener.ts"
import { TrackerStore } from "../../../actors/ports/trackerStore.ts"
import { sealedPlaces } from "../../../actors/values/sealedPlaces.ts"
import { parseHeaders } from "../../../actors/values/storedDocuments.ts"
import { StoreUnavailable } from "../../../actors/values/storeUnavailable.ts"
import { ApiError } from "../../../schema/errors.ts"
import { eventCatalog } from "../../../schema/events.ts"
import type { Feed } from "../../../schema/ids.ts"
import { AccountSecrets } from "../accountSecrets.ts"
import { askAgain } from "../askAgain.ts"
import type { Outcome } from "../outcome.ts"

/** A tracker as shown: header values may be credentials and read `***`. */
export interface ShownTracker {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly created_at: string
}

/** A tracker to be set. */
export interface TrackerInput {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
}

/**
 * The tracker of a mode: a third party that also gets its `transaction.*` events
 * (docs/contract/deliveries.md#trackers).
 */
export class Trackers extends Context.Service<
  Trackers,
  {
    /** 404 if there is none. */
    readonly get: (feed: Feed) => Outcome<ShownTracker, "resource_not_found">
    /** Creates or changes it; 400 `invalid_url` at `url`, 400 `validation_failed` at `headers`. */
    readonly put: (
      feed: Feed,
      input: TrackerInput,
    ) => Outcome<ShownTracker, "invalid_url" | "validation_failed">
    /** 404 if there is none. */
    readonly remove: (feed: Feed) => Outcome<void, "resource_not_found">
  }
>()("corrente/accounts/Trackers") {}

/** The event types that a tracker gets: delivered ones of transactions. */
const trackedTypes = eventCatalog
  .filter(({ resourceType, internal }) => resourceType === "transaction" && !internal)
  .map(({ type }) => type)

const noTracker = (): ApiError<"resource_not_found"> =>
  new ApiError({
    code: "resource_not_found",
    message: "This mode has no tracker. Make one with PUT /v1/me/tracker.",
  })

const placeOf = ({ sellerId, mode }: Feed) =>
  sealedPlaces.trackerHeaders(destinationIdOfTracker(sellerId, mode))

const refusedHeaders = (message: string): ApiError<"validation_failed"> =>
  new ApiError({ code: "validation_failed", param: "headers", message })

const checkHeaders = (
  headers: Readonly<Record<string, string>>,
): ApiError<"validation_failed"> | undefined => {
  const names = new Set<string>()
  for (const [name, value] of Object.entries(headers)) {
    if (!isExtraHeaderAllowed(name, value)) {
      return refusedHeaders(`A tracker may not set the header '${name}'. Leave it out or use another name.`)
    }
    if (names.has(name.toLowerCase())) {
      return refusedHeaders(`The header '${name}' stands there twice. Send it once.`)
    }
    names.add(name.toLowerCase())
  }
  return undefined
}

export const TrackersLive = Layer.effect(
  Trackers,
  Effect.gen(function* () {
    const store = yield* TrackerStore
    const destinations = yield* DestinationCheck
    const opener = yield* SecretOpener
    const secrets = yield* AccountSecrets

    const shownOf = (feed: Feed, sealed: string): Record<string, string> => {
      const opened = opener.open(sealed, placeOf(feed))
      return opened === undefined ? {} : hideValues(parseHeaders(opened))
    }

    const get = Effect.fnUntraced(function* ({ sellerId, mode }: Feed) {
      const found = yield* store.get(sellerId, mode)
      if (found === undefined) return yield* noTracker()
      return {
        url: found.url,
        headers: shownOf({ sellerId, mode }, found.headers),
        created_at: found.createdAt,
      }
    })

    const put = Effect.fnUntraced(function* ({ sellerId, mode }: Feed, { url, headers }: TrackerInput) {
      const refused = checkHeaders(headers)
      if (refused !== undefined) return yield* refused
      yield* destinations.check(url)
      const tracker = {
        id: destinationIdOfTracker(sellerId, mode),
        sellerId,
        mode,
        url,
        headers: secrets.seal(JSON.stringify(headers), placeOf({ sellerId, mode })),
        createdAt: new Date(yield* Clock.currentTimeMillis).toISOString(),
      }
      const answer = yield* askAgain(store.put(tracker, trackedTypes))
      if (answer.kind === "noSeller") {
        return yield* new StoreUnavailable({ operation: "put tracker", reason: `no seller ${sellerId}` })
      }
      return { url, headers: hideValues(headers), created_at: answer.createdAt }
    })

    const remove = Effect.fnUntraced(function* ({ sellerId, mode }: Feed) {
      const { kind } = yield* askAgain(store.delete(sellerId, mode, randomUUID()))
      if (kind === "missing") return yield* noTracker()
    })

    return Trackers.of({ get, put, remove })
  }),
)
