import { Effect } from "effect"
import type { ClaimedDelivery, Destination } from "../../../actors/ports/deliveryQueue.ts"
import { limits } from "../../../schema/limits.ts"
import type { DeliveryTarget } from "../../../schema/resources/delivery.ts"
import * as keys from "../keys.ts"
import { declareFunction } from "../redis/functionDeclaration.ts"
import { callFunction } from "../redis/functionLibrary.ts"
import type { RedisClient } from "../redis/redisClient.ts"
import { dueIn, words } from "../redis/reply.ts"
import type { StoreOptions } from "../storeOptions.ts"

const declaration = declareFunction(import.meta.url, {
  keys: ["queue", "destination", "due"],
  args: [
    "destination_id",
    "deliveries_max",
    "lease_millis",
    "retention_millis",
    "events_prefix",
    "seller_prefix",
    "delivery_prefix",
  ],
})

/** How many values of the reply come before the deliveries, and how many each delivery has. */
const headerLength = 10
const deliveryLength = 10

/**
 * Leases up to `deliveriesMax` due deliveries of one destination (docs/contract/deliveries.md#claims). Also answers when the
 * next one is due.
 */
export const claimDeliveries =
  (client: RedisClient["Service"], options: StoreOptions["Service"]) =>
  (destinationId: string, deliveriesMax: number) => {
    const tag = keys.tagOfDestination(destinationId)
    const call = callFunction(
      client,
      declaration,
      {
        queue: keys.queueKey(destinationId),
        destination: keys.destinationKey(destinationId),
        due: keys.dueKey(tag),
      },
      {
        destination_id: destinationId,
        deliveries_max: deliveriesMax,
        lease_millis: limits.deliveryLeaseMillis,
        retention_millis: options.retentionMillis,
        events_prefix: keys.eventsPrefix(tag),
        seller_prefix: keys.sellerPrefix(tag),
        delivery_prefix: `${keys.deliveryPrefix(tag)}${destinationId}:`,
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
  const [, sellerId = "", mode, target, url = "", enabled, secret = "", previous = "", headers, deleted] =
    values
  return {
    id,
    sellerId,
    mode: mode === "live" ? "live" : "test",
    target: target as DeliveryTarget,
    url,
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
  ] = values
  return {
    destination,
    entry: { entryId, seq: Number(seq), type, resourceId, internal: internal === "1", data },
    attempt: Number(attempt),
    deliveryId: promised === "" ? undefined : promised,
    fence: Number(fence),
    manual: manual === "1",
  }
}
