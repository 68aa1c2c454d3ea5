import { Clock, Effect, Layer } from "effect"
import {
  type EndpointChange,
  type EndpointFields,
  type EndpointScope,
  EndpointStore,
  type Ping,
  type WaitingEvent,
} from "../../actors/ports/endpointStore.ts"
import type { NewEndpoint } from "../../actors/ports/sellerStore.ts"
import { aheadAt } from "../../actors/values/clockSteps.ts"
import { goneEventType } from "../../actors/values/goneEvent.ts"
import type { StoreUnavailable } from "../../actors/values/storeUnavailable.ts"
import { limits } from "../../schema/limits.ts"
import type { Ordering } from "../../schema/resources/endpoint.ts"
import { readSteps, stepsCommand } from "./clockSteps.ts"
import { makeRecovery } from "./endpointRecovery.ts"
import { readEntries } from "./events.ts"
import * as keys from "./keys.ts"
import { callFunction, unexpectedReply } from "./redis/functionLibrary.ts"
import { luaFunction } from "./redis/luaFunction.ts"
import { RedisClient } from "./redis/redisClient.ts"
import { readKind, words } from "./redis/reply.ts"
import { endpointOutcomes } from "./series.ts"
import { StoreOptions } from "./storeOptions.ts"

type Client = RedisClient["Service"]

/** A subscription as fan-out matches it: `*`, or `,type,type,`; after a `>` where deliveries are ordered. */
export const subscriptionOf = (events: ReadonlyArray<string>, ordering: Ordering = "none"): string => {
  const subscription = events.includes("*") ? "*" : `,${events.join(",")},`
  return ordering === "resource" ? `>${subscription}` : subscription
}

/** The record of a seller's endpoint. A caller may send an id of another partition, which then finds nothing. */
const destinationOf = (sellerId: string, endpointId: string): string =>
  keys.keyWithin(keys.tagOf(sellerId), keys.destinationKey(endpointId))

const createFunction = luaFunction("endpoints.create", {
  keys: ["seller", "endpoints", "destination", "subscriptions"],
  audited: { replies: ["created"], id: "id" },
})

/** Adds a webhook endpoint: `created`, or refused as `limit` or `noSeller`. */
export const createEndpoint = (client: Client) => (endpoint: NewEndpoint) => {
  const {
    id,
    sellerId,
    mode,
    url,
    urlPassword,
    events,
    description = "",
    ordering,
    secret,
    secretPrefix,
  } = endpoint
  const call = callFunction(
    client,
    createFunction,
    {
      seller: keys.sellerKey(sellerId),
      endpoints: keys.endpointsKey(endpoint),
      destination: destinationOf(sellerId, id),
      subscriptions: keys.subscriptionsKey(endpoint),
    },
    {
      id,
      endpointsMax: limits.endpointsPerModeMax,
      subscription: subscriptionOf(events, ordering),
      fields: {
        seller: sellerId,
        mode,
        target: "endpoint",
        url,
        ...(urlPassword === undefined ? {} : { url_password: urlPassword }),
        events: events.join(","),
        description,
        enabled: "1",
        ...(ordering === "resource" ? { ordering, keeps_turns: "1" } : {}),
        secret,
        secret_prefix: secretPrefix,
        created_at: endpoint.createdAt,
      },
    },
  )
  return Effect.flatMap(
    call,
    readKind(createFunction, { created: "created", limit: "limit", no_seller: "noSeller" }),
  )
}

const secretFields = new Set(["secret", "secret_previous", "url_password"])

/** Names and values in turn as a record, without secrets. */
const shownFields = (endpointId: string, values: ReadonlyArray<string>): EndpointFields => {
  const fields: Record<string, string> = { id: endpointId }
  for (let i = 0; i + 1 < values.length; i += 2) {
    const name = values[i] ?? ""
    if (!secretFields.has(name)) fields[name] = values[i + 1] ?? ""
  }
  return fields
}

const get = (client: Client) =>
  Effect.fnUntraced(function* ({ feed, endpointId }: EndpointScope) {
    const [score, values] = yield* client.callAll([
      ["ZSCORE", [keys.endpointsKey(feed), endpointId]],
      ["HGETALL", [keys.destinationKey(endpointId)]],
    ])
    return score === null ? undefined : shownFields(endpointId, values as ReadonlyArray<string>)
  })

const updateFunction = luaFunction("endpoints.update", {
  keys: ["destination", "endpoints", "subscriptions", "feed"],
  audited: { replies: ["updated"], id: "id" },
})

/** Changes an endpoint; answers its fields without secrets, undefined if it is missing. */
const update =
  (client: Client) =>
  ({ feed, endpointId }: EndpointScope, change: EndpointChange) => {
    const { url, urlPassword, events, description, ordering, enabled } = change
    const call = callFunction(
      client,
      updateFunction,
      {
        destination: destinationOf(feed.sellerId, endpointId),
        endpoints: keys.endpointsKey(feed),
        subscriptions: keys.subscriptionsKey(feed),
        feed: keys.feedKey(feed),
      },
      {
        id: endpointId,
        isEnabled: enabled,
        fields: { url, url_password: urlPassword, events: events?.join(","), description, ordering },
      },
    )
    return Effect.flatMap(call, (reply): Effect.Effect<EndpointFields | undefined, StoreUnavailable> => {
      const [kind, ...values] = words(reply)
      if (kind === "updated") return Effect.succeed(shownFields(endpointId, values))
      if (kind === "missing") return Effect.succeed(undefined)
      return Effect.fail(unexpectedReply(updateFunction, reply))
    })
  }

const deleteFunction = luaFunction("endpoints.delete", {
  keys: ["destination", "endpoints", "subscriptions", "postbacks", "attempts"],
  audited: { replies: ["deleted"], id: "id" },
})

/** Deletes a webhook endpoint: `deleted`, or refused as `missing`. `operation` identifies retries after a lost reply. */
const remove =
  (client: Client, { retentionMillis }: StoreOptions["Service"]) =>
  ({ feed, endpointId }: EndpointScope, operation: string) => {
    const call = callFunction(
      client,
      deleteFunction,
      {
        destination: destinationOf(feed.sellerId, endpointId),
        endpoints: keys.endpointsKey(feed),
        subscriptions: keys.subscriptionsKey(feed),
        postbacks: keys.postbacksKey(feed),
        attempts: keys.attemptsKey(feed.sellerId, feed.mode, { kind: "endpoint", value: endpointId }),
      },
      { id: endpointId, operation, retentionMillis },
    )
    return Effect.flatMap(call, readKind(deleteFunction, { deleted: "deleted", missing: "missing" }))
  }

const rotateFunction = luaFunction("endpoints.rotate_secret", {
  keys: ["destination", "endpoints"],
  audited: { replies: ["rotated"], id: "id" },
})

type Rotation =
  | { readonly kind: "rotated"; readonly previousUntilMillis: number }
  | { readonly kind: "missing" }

/** Replaces an endpoint's secret: `rotated` with the end of the previous one, or refused as `missing`. */
const rotateSecret =
  (client: Client) =>
  ({ feed, endpointId }: EndpointScope, secret: string, secretPrefix: string) => {
    const call = callFunction(
      client,
      rotateFunction,
      { destination: destinationOf(feed.sellerId, endpointId), endpoints: keys.endpointsKey(feed) },
      { id: endpointId, secret, secretPrefix, graceMillis: limits.rotationGraceMillis },
    )
    return Effect.flatMap(call, (reply): Effect.Effect<Rotation, StoreUnavailable> => {
      const [kind, until] = words(reply)
      if (kind === "rotated") return Effect.succeed({ kind, previousUntilMillis: Number(until) })
      if (kind === "missing") return Effect.succeed({ kind })
      return Effect.fail(unexpectedReply(rotateFunction, reply))
    })
  }

const pingFunction = luaFunction("endpoints.ping", {
  keys: ["destination", "endpoints", "events", "feed", "due"],
  texts: ["eventData"],
})

/** Sends a ping to an endpoint: `queued`, or refused as `missing`. */
const ping =
  (client: Client, { retentionMillis }: StoreOptions["Service"]) =>
  ({ feed, endpointId }: EndpointScope, { deliveryId, data }: Ping) => {
    const { sellerId, mode } = feed
    const call = callFunction(
      client,
      pingFunction,
      {
        destination: destinationOf(sellerId, endpointId),
        endpoints: keys.endpointsKey(feed),
        events: keys.eventsKey(feed),
        feed: keys.feedKey(feed),
        due: keys.dueKey(keys.tagOf(sellerId)),
      },
      { id: endpointId, promisedId: deliveryId, sellerId, mode, retentionMillis },
      { eventData: data },
    )
    return Effect.flatMap(call, readKind(pingFunction, { queued: "queued", missing: "missing" }))
  }

const hourMillis = 60 * 60 * 1000

/** Adds up an endpoint's attempts of the last week. */
const countAttempts = Effect.fnUntraced(function* (client: Client, { feed, endpointId }: EndpointScope) {
  const nowMillis = yield* Clock.currentTimeMillis
  const steps = feed.mode === "test" ? readSteps(yield* client.call(...stepsCommand(feed.sellerId))) : []
  const toHour = Math.floor((nowMillis + aheadAt(steps, nowMillis)) / hourMillis)
  const span = { fromHour: toHour - limits.endpointStatsHours, toHour }
  const sum = { attempts: 0, successes: 0 }
  for (const { succeeded, failed } of (yield* endpointOutcomes(client, endpointId, span)).values()) {
    sum.attempts += succeeded + failed
    sum.successes += succeeded
  }
  return sum
})

const stats = (client: Client) =>
  Effect.fnUntraced(function* (scope: EndpointScope) {
    const fields = yield* get(client)(scope)
    if (fields === undefined) return undefined
    const { last_ping_at, last_ping_ok } = fields
    return {
      ...(yield* countAttempts(client, scope)),
      lastPingAtMillis: last_ping_at ? Number(last_ping_at) : undefined,
      lastPingSucceeded: last_ping_ok === undefined ? undefined : last_ping_ok === "1",
    }
  })

/** A member of the sorted set, which `deliveries.waiting_member` makes. */
const readMember = (member: string) => {
  const [resourceId = "", , entryId = ""] = member.split(" ")
  return { resourceId, entryId }
}

/** A page of the events that wait for their resource's turn; undefined if the endpoint is missing. */
const waiting = (client: Client): EndpointStore["Service"]["waiting"] =>
  Effect.fnUntraced(function* ({ feed, endpointId }, { afterPosition, limit }) {
    const after = afterPosition === undefined ? "-" : `(${afterPosition}`
    const [score, members] = yield* client.callAll([
      ["ZSCORE", [keys.endpointsKey(feed), endpointId]],
      ["ZRANGE", [keys.waitingKey(endpointId), after, "+", "BYLEX", "LIMIT", 0, limit + 1]],
    ])
    if (score === null) return undefined
    const found = members as ReadonlyArray<string>
    const page = found.slice(0, limit).map(readMember)
    const replies = yield* client.callAll(
      page.flatMap(({ resourceId, entryId }) => [
        ["HGET", [keys.turnsKey(endpointId), resourceId]] as const,
        ["XRANGE", [keys.eventsKey(feed), entryId, entryId]] as const,
      ]),
    )
    const events = page.flatMap((event, i): ReadonlyArray<WaitingEvent> => {
      const turn = replies[2 * i]
      const type = readEntries(replies[2 * i + 1])[0]?.type ?? goneEventType
      // The others' turn came between the two reads.
      return typeof turn === "string" && turn !== event.entryId ? [{ ...event, type, turnEntryId: turn }] : []
    })
    return { events, nextAfterPosition: found.length > limit ? found[limit - 1] : undefined }
  })

/** Webhook endpoints on Redis. */
export const EndpointStoreLive = Layer.effect(
  EndpointStore,
  Effect.gen(function* () {
    const client = yield* RedisClient
    const options = yield* StoreOptions
    return EndpointStore.of({
      get: get(client),
      update: update(client),
      delete: remove(client, options),
      rotateSecret: rotateSecret(client),
      ping: ping(client, options),
      stats: stats(client),
      waiting: waiting(client),
      ...makeRecovery(client, options),
    })
  }),
)
