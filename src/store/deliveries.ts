import { Clock, Effect, Layer } from "effect"
import {
  type AttemptPage,
  type AttemptRecord,
  type ClaimedDelivery,
  DeliveryQueue,
  type Destination,
} from "../../actors/ports/deliveryQueue.ts"
import type { EndpointScope } from "../../actors/ports/endpointStore.ts"
import { goneEventType } from "../../actors/values/goneEvent.ts"
import { latencyBinOf } from "../../actors/values/latencyBins.ts"
import type { Principal } from "../../actors/values/principal.ts"
import { parseAttempt } from "../../actors/values/storedDocuments.ts"
import type { StoreUnavailable } from "../../actors/values/storeUnavailable.ts"
import { pingEventType } from "../../schema/events.ts"
import { encodeTime, entryIdOf, eventIdOf } from "../../schema/ids.ts"
import { limits } from "../../schema/limits.ts"
import { attemptStatuses, type DeliveryTarget } from "../../schema/resources/delivery.ts"
import { eventKeys } from "./commits.ts"
import { idRange } from "./idRange.ts"
import * as keys from "./keys.ts"
import { callFunction, unexpectedReply } from "./redis/functionLibrary.ts"
import { luaFunction } from "./redis/luaFunction.ts"
import { RedisClient, type Reply } from "./redis/redisClient.ts"
import { dueIn, readKind, words } from "./redis/reply.ts"
import { apiKeyCheck, isKeyValid } from "./requests.ts"
import { StoreOptions } from "./storeOptions.ts"

type Client = RedisClient["Service"]
type Options = StoreOptions["Service"]

const dueFunction = luaFunction("deliveries.due_destinations", { keys: ["due"], isReadOnly: true })

/** Lists destinations with something to claim now, after the first `skip`, and when the next one is due. */
const dueDestinations = (client: Client) => (partition: number, skip: number) =>
  Effect.map(
    callFunction(
      client,
      dueFunction,
      { due: keys.dueKey(keys.partitionTag(partition)) },
      { skip, destinationsMax: limits.dueDestinationsPerLook },
    ),
    (reply) => {
      const [nextIn, ...destinationIds] = words(reply)
      return { destinationIds, nextInMillis: dueIn(nextIn) }
    },
  )

const claimFunction = luaFunction("deliveries.claim", { keys: ["queue", "destination", "due"] })

/** How many values of the reply come before the deliveries, and how many each delivery has. */
const headerLength = 11
const deliveryLength = 11

/**
 * Leases up to `deliveriesMax` due deliveries of one destination (docs/contract/deliveries.md#claims). Also answers when the
 * next one is due.
 */
const claim = (client: Client, options: Options) => (destinationId: string, deliveriesMax: number) => {
  const call = callFunction(
    client,
    claimFunction,
    {
      queue: keys.queueKey(destinationId),
      destination: keys.destinationKey(destinationId),
      due: keys.dueKey(keys.tagOfDestination(destinationId)),
    },
    {
      destinationId,
      deliveriesMax,
      leaseMillis: limits.deliveryLeaseMillis,
      retentionMillis: options.retentionMillis,
    },
  )
  return Effect.map(call, (reply) => {
    const values = words(reply)
    const claimed: Array<ClaimedDelivery> = []
    if (values.length > headerLength) {
      const destination = readDestination(destinationId, values)
      for (let at = headerLength; at < values.length; at += deliveryLength) {
        claimed.push(readDelivery(destination, values.slice(at, at + deliveryLength)))
      }
    }
    return { claimed, nextInMillis: dueIn(values[0]) }
  })
}

const readDestination = (id: string, values: ReadonlyArray<string>): Destination => {
  const [
    ,
    sellerId = "",
    mode,
    target,
    url = "",
    enabled,
    secret = "",
    previous = "",
    headers,
    deleted,
    password,
  ] = values
  return {
    id,
    sellerId,
    mode: mode === "live" ? "live" : "test",
    target: target as DeliveryTarget,
    url,
    urlPassword: password || undefined,
    enabled: enabled === "1",
    isDeleted: deleted === "1",
    headers: headers || undefined,
    secrets: [secret, previous].filter((text) => text !== ""),
  }
}

const readDelivery = (destination: Destination, values: ReadonlyArray<string>): ClaimedDelivery => {
  const [
    entryId = "",
    seq,
    type = "",
    resourceId = "",
    internal,
    data = "",
    attempt,
    promised,
    fence,
    manual,
    ahead = "0",
  ] = values
  return {
    destination,
    entry: {
      entryId,
      ...(ahead === "0" ? {} : { aheadMillis: Number(ahead) }),
      seq: Number(seq),
      type,
      resourceId,
      internal: internal === "1",
      data,
    },
    attempt: Number(attempt),
    deliveryId: promised === "" ? undefined : promised,
    fence: Number(fence),
    manual: manual === "1",
  }
}

const recordFunction = luaFunction("deliveries.record", {
  keys: [
    "queue",
    "due",
    "delivery",
    "attempt",
    "destination",
    "attemptsOfEvent",
    "attemptsOfStatus",
    "attemptsOfEndpoint",
    "events?",
    "feed?",
    "subscriptions?",
  ],
  texts: ["row", "detail", "eventData"],
})

/** How exactly an endpoint's last success is known: it counts in days, and a busy endpoint's need not all be written. */
const successPrecisionMillis = 1_000

/** The bin of an attempt's duration, by its row, in whose strings quotes are escaped; undefined if it was not made. */
const binOf = (row: string): number | undefined => {
  const millis = /"response_ms":([\d.e+-]+)/.exec(row)?.[1]
  return millis === undefined ? undefined : latencyBinOf(Number(millis))
}

/** The keys of the record of an attempt. Most disable nothing, and have no use for the feed's. */
const recordKeys = ({ destination, entry, deliveryId, status, disablingEvent }: AttemptRecord) => {
  const { id, sellerId, mode } = destination
  return {
    queue: keys.queueKey(id),
    due: keys.dueKey(keys.tagOf(sellerId)),
    delivery: keys.deliveryKey(id, entry.entryId),
    attempt: keys.attemptKey(deliveryId),
    destination: keys.destinationKey(id),
    attemptsOfEvent: keys.attemptsKey(sellerId, mode, { kind: "event", value: entry.entryId }),
    attemptsOfStatus: keys.attemptsKey(sellerId, mode, { kind: "status", value: status }),
    attemptsOfEndpoint: keys.attemptsKey(sellerId, mode, { kind: "endpoint", value: id }),
    ...(disablingEvent === undefined ? {} : eventKeys({ sellerId, mode })),
  }
}

/** What decides whether an attempt disables its endpoint. */
const disablingOf = ({ disablingEvent }: AttemptRecord, nowMillis: number) =>
  disablingEvent === undefined
    ? undefined
    : {
        eventType: disablingEvent.type,
        at: new Date(nowMillis).toISOString(),
        deadStreakMax: limits.deadStreakMax,
        deadStreakWindowMillis: limits.deadStreakWindowMillis,
      }

/** Records an attempt: `recorded`, `disabledEndpoint`, or refused as `stale` if the lease was lost. */
const record = (client: Client, options: Options) => (attempt: AttemptRecord) =>
  Effect.flatMap(Clock.currentTimeMillis, (nowMillis) => {
    const { destination, entry, row } = attempt
    const call = callFunction(
      client,
      recordFunction,
      recordKeys(attempt),
      {
        sellerId: destination.sellerId,
        mode: destination.mode,
        retentionMillis: options.retentionMillis,
        destinationId: destination.id,
        target: destination.target,
        entry: entry.entryId,
        deliveryId: attempt.deliveryId,
        fence: attempt.fence,
        attempt: attempt.attempt,
        status: attempt.status,
        retryInMillis: attempt.retryInMillis,
        oldestId: `whd_${encodeTime(Math.max(0, nowMillis - options.retentionMillis))}`,
        isPing: entry.type === pingEventType,
        isGone: entry.type === goneEventType,
        bin: binOf(row),
        successPrecisionMillis,
        failing: { attemptsMin: limits.failingAttemptsMin, minMillis: limits.failingMillisMin },
        disabling: disablingOf(attempt, nowMillis),
      },
      { row, detail: attempt.detail, eventData: attempt.disablingEvent?.data ?? "" },
    )
    return Effect.flatMap(
      call,
      readKind(recordFunction, {
        recorded: "recorded",
        disabled_endpoint: "disabledEndpoint",
        stale: "stale",
      }),
    )
  })

const retryFunction = luaFunction("deliveries.retry", { keys: ["apiKey", "attempt", "due", "events"] })

/**
 * Queues an ended delivery again under the new id: `queued`, or refused as `missing`, `succeeded`, `scheduled`, `expired` or
 * `keyInvalid` (docs/contract/deliveries.md#replay).
 */
const retry = (client: Client) => (principal: Principal, deliveryId: string, newDeliveryId: string) => {
  const { sellerId, mode, keyHash } = principal
  const tag = keys.tagOf(sellerId)
  const call = callFunction(
    client,
    retryFunction,
    {
      apiKey: keys.apiKeyKey(keys.partitionOf(sellerId), keyHash),
      attempt: keys.keyWithin(tag, keys.attemptKey(deliveryId)),
      due: keys.dueKey(tag),
      events: keys.eventsKey(principal),
    },
    { sellerId, mode, promisedId: newDeliveryId },
  )
  return Effect.flatMap(
    call,
    readKind(retryFunction, {
      queued: "queued",
      missing: "missing",
      succeeded: "succeeded",
      scheduled: "scheduled",
      expired: "expired",
      key_invalid: "keyInvalid",
    }),
  )
}

const shiftFunction = luaFunction("deliveries.shift", { keys: ["queue", "due"] })

/** Makes entries of a destination's queue due earlier, except leased ones. */
export const shiftDeliveries =
  (client: Client) => (destinationId: string, millis: number, entries: ReadonlyArray<string>) =>
    callFunction(
      client,
      shiftFunction,
      {
        queue: keys.queueKey(destinationId),
        due: keys.dueKey(keys.tagOfDestination(destinationId)),
      },
      { destinationId, millis, entries },
    )

const endpointKeyNames = ["due", "queue", "events", "subscriptions"] as const

const endpointKeys = ({ feed, endpointId }: EndpointScope) => {
  const tag = keys.tagOf(feed.sellerId)
  return { ...eventKeys(feed), queue: keys.keyWithin(tag, keys.queueKey(endpointId)) }
}

const oweMissedFunction = luaFunction("deliveries.owe_missed", { keys: endpointKeyNames })

/** What one step owed, and the entry to go on after; undefined: nothing is left. */
export interface MissedStep {
  readonly owed: number
  readonly lastEntryId: string | undefined
}

/**
 * Owes an endpoint what it missed among a few entries of a range, `from` and `to` as XRANGE takes them; undefined: it is
 * disabled or deleted, and owed nothing.
 */
export const oweMissed =
  (client: Client, options: Options) => (endpoint: EndpointScope, from: string, to: string) => {
    const call = callFunction(client, oweMissedFunction, endpointKeys(endpoint), {
      endpointId: endpoint.endpointId,
      retentionMillis: options.retentionMillis,
      from,
      to,
      eventsMax: limits.missedEventsPerStep,
    })
    return Effect.flatMap(call, (reply): Effect.Effect<MissedStep | undefined, StoreUnavailable> => {
      const [kind, owed, lastEntryId] = words(reply)
      if (kind === "owed")
        return Effect.succeed({ owed: Number(owed), lastEntryId: lastEntryId || undefined })
      if (kind === "disabled") return Effect.succeed(undefined)
      return Effect.fail(unexpectedReply(oweMissedFunction, reply))
    })
  }

const recoverFunction = luaFunction("deliveries.recover", { keys: endpointKeyNames })

/** Queues failed and dead deliveries to an endpoint again; answers how many, or undefined if it is disabled or deleted. */
export const recoverDeliveries =
  (client: Client) => (endpoint: EndpointScope, entries: ReadonlyArray<string>) =>
    Effect.flatMap(
      callFunction(client, recoverFunction, endpointKeys(endpoint), {
        endpointId: endpoint.endpointId,
        entries,
      }),
      (reply: Reply): Effect.Effect<number | undefined, StoreUnavailable> => {
        const [kind, queued] = words(reply)
        if (kind === "queued") return Effect.succeed(Number(queued))
        if (kind === "disabled") return Effect.succeed(undefined)
        return Effect.fail(unexpectedReply(recoverFunction, reply))
      },
    )

/** The narrowest indexes for a page's filters; rows are filtered by the rest. */
const indexesOf = (principal: Principal, page: AttemptPage): ReadonlyArray<string> => {
  const { sellerId, mode } = principal
  if (page.entryIds !== undefined) {
    const entryId = page.eventId === undefined ? undefined : entryIdOf(principal, page.eventId)
    return page.entryIds
      .filter((value) => page.eventId === undefined || value === entryId)
      .map((value) => keys.attemptsKey(sellerId, mode, { kind: "event", value }))
  }
  if (page.eventId !== undefined) {
    const value = entryIdOf(principal, page.eventId)
    return value === undefined ? [] : [keys.attemptsKey(sellerId, mode, { kind: "event", value })]
  }
  if (page.endpointId !== undefined) {
    return [keys.attemptsKey(sellerId, mode, { kind: "endpoint", value: page.endpointId })]
  }
  const statuses = page.status === undefined ? attemptStatuses : [page.status]
  return statuses.map((value) => keys.attemptsKey(sellerId, mode, { kind: "status", value }))
}

const matches = (page: AttemptPage, row: string): boolean => {
  const fields = parseAttempt(row)
  return (
    (page.endpointId === undefined || fields.endpoint_id === page.endpointId) &&
    (page.eventType === undefined || fields.event_type === page.eventType) &&
    (page.status === undefined || fields.status === page.status)
  )
}

/** The newest ids of some indexes, `count` at most; ids sort by age. */
const newestIds = Effect.fnUntraced(function* (
  client: Client,
  indexes: ReadonlyArray<string>,
  range: readonly [max: string, min: string],
  count: number,
) {
  const replies = yield* client.callAll(
    indexes.map((index) => ["ZRANGE", [index, ...range, "BYLEX", "REV", "LIMIT", 0, count]] as const),
  )
  const ids = (replies as ReadonlyArray<ReadonlyArray<string>>).flat()
  return indexes.length === 1 ? ids : ids.toSorted().reverse().slice(0, count)
})

/** Reads index and rows in steps until the page is full, the index ends, or the scan limit is reached. */
const list = (client: Client) =>
  Effect.fnUntraced(function* (principal: Principal, page: AttemptPage) {
    const check = yield* client.call(...apiKeyCheck(principal))
    if (!isKeyValid(principal, check, yield* Clock.currentTimeMillis)) return { kind: "keyInvalid" } as const
    const indexes = indexesOf(principal, page)
    const rows: Array<string> = []
    let beforeId = page.beforeId
    if (indexes.length === 0) return { rows, nextBeforeId: undefined }
    for (let scanned = 0; scanned < limits.filterScanEntriesMax; ) {
      const range = idRange("whd_", { ...page, beforeId })
      const step = Math.max(page.limit + 1 - rows.length, 50)
      const ids = yield* newestIds(client, indexes, range, step)
      const found = yield* client.callAll(ids.map((id) => ["HGET", [keys.attemptKey(id), "row"]] as const))
      for (const [i, row] of found.entries()) {
        if (typeof row === "string" && matches(page, row)) {
          if (rows.length === page.limit) return { rows, nextBeforeId: beforeId }
          rows.push(row)
        }
        beforeId = ids[i]
      }
      if (ids.length < step) return { rows, nextBeforeId: undefined }
      scanned += ids.length
    }
    return { rows, nextBeforeId: beforeId }
  })

/** Deliveries on Redis. */
export const DeliveryQueueLive = Layer.effect(
  DeliveryQueue,
  Effect.gen(function* () {
    const client = yield* RedisClient
    const options = yield* StoreOptions

    const get = Effect.fnUntraced(function* (principal: Principal, deliveryId: string) {
      const [check, record] = yield* client.callAll([
        apiKeyCheck(principal),
        ["HMGET", [keys.attemptKey(deliveryId), "seller", "mode", "row", "detail", "entry"]],
      ])
      if (!isKeyValid(principal, check, yield* Clock.currentTimeMillis))
        return { kind: "keyInvalid" } as const
      const [sellerId, mode, row, detail, entryId] = record as ReadonlyArray<string | null>
      if (sellerId !== principal.sellerId || mode !== principal.mode || !row || !detail || !entryId) {
        return undefined
      }
      return { row, detail, eventId: eventIdOf(principal, entryId) }
    })

    return DeliveryQueue.of({
      dueDestinations: dueDestinations(client),
      claim: claim(client, options),
      record: record(client, options),
      retry: retry(client),
      get,
      list: list(client),
    })
  }),
)
