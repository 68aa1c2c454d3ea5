import { Effect, Layer } from "effect"
import { ClosingStore, type DayMovements, type StoredClosing } from "../../../actors/ports/closingStore.ts"
import * as keys from "../keys.ts"
import { RedisClient, type Reply } from "../redis/redisClient.ts"
import { words } from "../redis/reply.ts"
import { claimClosing } from "./claimClosing.ts"
import { closePart } from "./closePart.ts"
import { closeSeller } from "./closeSeller.ts"
import { closeWhole } from "./closeWhole.ts"
import { type ClosingEntry, entryOfDay, readClosings, readPartner } from "./closingText.ts"

const wholeOf = ({ fields, ...movements }: ClosingEntry): StoredClosing => ({
  ...movements,
  partner: readPartner(fields.partner),
  createdAtMillis: Number(fields.created_at),
})

const newestOf = (reply: Reply): DayMovements | undefined => {
  const [entry] = readClosings(reply)
  if (entry === undefined) return undefined
  const { fields: _, ...movements } = entry
  return movements
}

/** Closings on Redis Streams: an entry's id is its day, so they sort by day and none is written twice. */
export const ClosingStoreLive = Layer.effect(
  ClosingStore,
  Effect.gen(function* () {
    const client = yield* RedisClient
    const claim = claimClosing(client)

    /** The newest closing of a stream up to and including a day. */
    const upTo = (stream: string, day: string) =>
      Effect.map(client.call("XREVRANGE", [stream, entryOfDay(day), "-", "COUNT", 1]), newestOf)

    return ClosingStore.of({
      claim: (holder, leaseMillis) =>
        Effect.map(claim(holder, leaseMillis), (reply) => {
          const [fence = 0, nowMillis = 0] = words(reply).map(Number)
          return fence === 0 ? undefined : { fence, nowMillis }
        }),
      sellers: (partition, afterId, sellersMax) =>
        Effect.map(
          client.call("ZRANGEBYLEX", [
            ...[keys.sellersKey(partition), afterId === "" ? "-" : `(${afterId}`, "+"],
            ...["LIMIT", 0, sellersMax],
          ]),
          (ids) => ids as ReadonlyArray<string>,
        ),
      closeSeller: closeSeller(client),
      closePart: closePart(client),
      closeWhole: closeWhole(client),
      ofSeller: (feed, day) => upTo(keys.sellerClosingsKey(feed), day),
      ofPart: (partition, mode, day) => upTo(keys.closingPartsKey(partition, mode), day),
      lastOfPart: (partition, mode) =>
        Effect.map(client.call("HGET", [keys.closingStateKey(partition), mode]), (day) =>
          day === null ? undefined : String(day),
        ),
      get: (mode, day) => {
        const entry = entryOfDay(day)
        return Effect.map(client.call("XRANGE", [keys.closingsKey(mode), entry, entry]), (reply) =>
          readClosings(reply).map(wholeOf).at(0),
        )
      },
      list: (mode, beforeDay, limit) => {
        const newest = beforeDay === undefined ? "+" : `(${entryOfDay(beforeDay)}`
        return Effect.map(
          client.call("XREVRANGE", [keys.closingsKey(mode), newest, "-", "COUNT", limit]),
          (reply) => readClosings(reply).map(wholeOf),
        )
      },
    })
  }),
)
