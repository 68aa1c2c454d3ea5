import { Clock, Effect, Layer } from "effect"
import { destinationIdOfTracker } from "../../actors/delivery/destinationId.ts"
import { SellerClock } from "../../actors/ports/sellerClock.ts"
import { timerNames } from "../../actors/seller/decisions/transactionTransitions.ts"
import { withdrawalTimers } from "../../actors/seller/decisions/withdrawalTransitions.ts"
import { refundTimers } from "../../actors/values/refundTimers.ts"
import type { StoreUnavailable } from "../../actors/values/storeUnavailable.ts"
import { encodeTime, type Feed } from "../../schema/ids.ts"
import { limits } from "../../schema/limits.ts"
import { readSteps, stepsCommand } from "./clockSteps.ts"
import { shiftDeliveries } from "./deliveries.ts"
import * as keys from "./keys.ts"
import { callFunction } from "./redis/functionLibrary.ts"
import { luaFunction } from "./redis/luaFunction.ts"
import { RedisClient } from "./redis/redisClient.ts"
import { words } from "./redis/reply.ts"
import { shiftTimers } from "./timers.ts"

type Client = RedisClient["Service"]

/**
 * The statuses whose charges have timers (an expired charge may still be queried), latest first: a charge that changes
 * status meanwhile is skipped, because the timers it then sets already use the new offset.
 */
const timedStatuses = ["paid", "expired", "pending"] as const

/** The same of refunds. */
const timedRefundStatuses = ["processing", "pending"] as const

const membersOf = (resourceId: string, names: Readonly<Record<string, string>>): ReadonlyArray<string> =>
  Object.values(names).map((name) => `${resourceId}:${name}`)

/** Runs `step` on the members of a sorted set in batches, each member once, in no particular order. */
const forEachMembers = (
  client: Client,
  key: string,
  step: (members: ReadonlyArray<string>) => Effect.Effect<unknown, StoreUnavailable>,
) =>
  Effect.gen(function* () {
    const seen = new Set<string>()
    let cursor = "0"
    do {
      const reply = yield* client.call("ZSCAN", [key, cursor, "COUNT", limits.clockAdvanceBatch])
      const [next, pairs] = reply as readonly [string, ReadonlyArray<string>]
      const fresh = pairs.filter((member, index) => index % 2 === 0 && !seen.has(member))
      for (const member of fresh) seen.add(member)
      for (let first = 0; first < fresh.length; first += limits.clockAdvanceBatch) {
        yield* step(fresh.slice(first, first + limits.clockAdvanceBatch))
      }
      cursor = next
    } while (cursor !== "0")
  })

/** Moves the timers of these names of the resources in an index that were created before `beforeId`. */
const moveIndexed = (
  client: Client,
  sellerId: string,
  index: { readonly key: string; readonly names: Readonly<Record<string, string>> },
  beforeId: string,
  millis: number,
) =>
  Effect.gen(function* () {
    let min = "-"
    while (true) {
      const page = [min, `(${beforeId}`, "BYLEX", "LIMIT", 0, limits.clockAdvanceBatch]
      const ids = (yield* client.call("ZRANGE", [index.key, ...page])) as ReadonlyArray<string>
      const members = ids.flatMap((id) => membersOf(id, index.names))
      if (members.length > 0) yield* shiftTimers(client)(sellerId, millis, members)
      if (ids.length < limits.clockAdvanceBatch) break
      min = `(${ids.at(-1)}`
    }
  })

/** Moves the timers of charges and refunds created before a moment of the seller's clock, in ms. */
const moveResources = (client: Client, { sellerId, mode }: Feed, beforeMillis: number, millis: number) =>
  Effect.gen(function* () {
    for (const status of timedStatuses) {
      const index = { key: keys.transactionsKey(sellerId, mode, status), names: timerNames }
      yield* moveIndexed(client, sellerId, index, `txn_${encodeTime(beforeMillis)}`, millis)
    }
    for (const status of timedRefundStatuses) {
      const index = { key: keys.refundsKey(sellerId, mode, status), names: refundTimers }
      yield* moveIndexed(client, sellerId, index, `rfd_${encodeTime(beforeMillis)}`, millis)
    }
  })

const moveDestinations = (client: Client, destinationIds: ReadonlyArray<string>, millis: number) =>
  Effect.forEach(
    destinationIds,
    (id) =>
      forEachMembers(client, keys.queueKey(id), (entryIds) => shiftDeliveries(client)(id, millis, entryIds)),
    { concurrency: limits.commitBatchMax, discard: true },
  )

/** Moves the deliveries owed to a mode's endpoints, deleted ones included, tracker and postbacks. */
const moveDeliveries = (client: Client, feed: Feed, millis: number) =>
  Effect.gen(function* () {
    const endpointIds = (yield* client.call("ZRANGE", [
      keys.endpointsKey(feed),
      0,
      -1,
    ])) as ReadonlyArray<string>
    const trackerId = destinationIdOfTracker(feed.sellerId, feed.mode)
    yield* moveDestinations(client, [...endpointIds, trackerId], millis)
    yield* forEachMembers(client, keys.postbacksKey(feed), (ids) => moveDestinations(client, ids, millis))
  })

const advanceFunction = luaFunction("clocks.advance", { keys: ["clock", "steps"] })

/**
 * Advances the clock (docs/contract/test-controls.md#clock). The offset is written first: timers set from then on use it and
 * need no move. If an advance is interrupted, the rest stays where it was and happens late, never twice.
 */
const advance = (client: Client) =>
  Effect.fnUntraced(function* (sellerId: string, millis: number) {
    const feed = { sellerId, mode: "test" } as const
    const nowMillis = yield* Clock.currentTimeMillis
    const open = yield* client.call("HGET", [keys.balanceKey(feed), "open"])
    const [, total] = words(
      yield* callFunction(
        client,
        advanceFunction,
        { clock: keys.clockKey(sellerId), steps: keys.clockStepsKey(sellerId) },
        { millis, stepsMax: limits.clockStepsMax },
      ),
    )
    const offsetMillis = Number(total)
    yield* moveResources(client, feed, nowMillis + offsetMillis, millis)
    if (typeof open === "string" && open !== "") {
      yield* shiftTimers(client)(sellerId, millis, membersOf(open, withdrawalTimers))
    }
    yield* moveDeliveries(client, feed, millis)
    return offsetMillis
  })

/** Clocks of test mode on Redis. */
export const SellerClockLive = Layer.effect(
  SellerClock,
  Effect.gen(function* () {
    const client = yield* RedisClient
    return SellerClock.of({
      offsetMillis: (sellerId) =>
        Effect.map(client.call("GET", [keys.clockKey(sellerId)]), (offset) => Number(offset ?? 0)),
      steps: (sellerId) =>
        Effect.map(client.callAll([stepsCommand(sellerId)]), ([reply]) => readSteps(reply)),
      advance: advance(client),
    })
  }),
)
