import { Clock, Effect, Layer } from "effect"
import { type AttemptPage, DeliveryQueue } from "../../../actors/ports/deliveryQueue.ts"
import type { Principal } from "../../../actors/values/principal.ts"
import { entryIdOf, eventIdOf } from "../../../schema/ids.ts"
import { limits } from "../../../schema/limits.ts"
import { apiKeyCheck, isKeyValid } from "../apiKeys/apiKeyCheck.ts"
import { idRange } from "../idRange.ts"
import * as keys from "../keys.ts"
import { RedisClient } from "../redis/redisClient.ts"
import { StoreOptions } from "../storeOptions.ts"
import { claimDeliveries } from "./claimDeliveries.ts"
import { dueDestinations } from "./dueDestinations.ts"
import { recordAttempt } from "./recordAttempt.ts"
import { retryDelivery } from "./retryDelivery.ts"

/** The narrowest indexes for a page's filters; rows are filtered by the rest. */
const indexesOf = (principal: Principal, page: AttemptPage): ReadonlyArray<string> => {
  const { sellerId, mode } = principal
  if (page.entryIds !== undefined) {
    const entryId = page.eventId === undefined ? undefined : entryIdOf(principal, page.eventId)
    return page.entryIds
      .filter((value) => page.eventId === undefined || value === entryId)
      .map((value) => keys.attemptsKey(sellerId, mode, { kind: "event", value }))
  }
  const index = indexOf(principal, page)
  return index === undefined ? [] : [index]
}

const indexOf = (principal: Principal, page: AttemptPage): string | undefined => {
  const { sellerId, mode } = principal
  if (page.eventId !== undefined) {
    const entryId = entryIdOf(principal, page.eventId)
    return entryId === undefined
      ? undefined
      : keys.attemptsKey(sellerId, mode, { kind: "event", value: entryId })
  }
  if (page.endpointId !== undefined) {
    return keys.attemptsKey(sellerId, mode, { kind: "endpoint", value: page.endpointId })
  }
  if (page.status !== undefined) {
    return keys.attemptsKey(sellerId, mode, { kind: "status", value: page.status })
  }
  return keys.attemptsKey(sellerId, mode)
}

interface RowFields {
  readonly endpoint_id: string | null
  readonly event_type: string
  readonly status: string
}

const matches = (page: AttemptPage, row: string): boolean => {
  const fields = JSON.parse(row) as RowFields
  return (
    (page.endpointId === undefined || fields.endpoint_id === page.endpointId) &&
    (page.eventType === undefined || fields.event_type === page.eventType) &&
    (page.status === undefined || fields.status === page.status)
  )
}

/** The newest ids of some indexes, `count` at most; ids sort by age. */
const newestIds = Effect.fnUntraced(function* (
  client: RedisClient["Service"],
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
const list = (client: RedisClient["Service"]) =>
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
      claim: claimDeliveries(client, options),
      record: recordAttempt(client, options),
      retry: retryDelivery(client),
      get,
      list: list(client),
    })
  }),
)
