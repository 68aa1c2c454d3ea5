import { Effect, Exit, Layer } from "effect"
import { type SlotAnswer, type StreamOpening, StreamSlots } from "../../actors/ports/streamSlots.ts"
import type { StoreUnavailable } from "../../actors/values/storeUnavailable.ts"
import { limits } from "../../schema/limits.ts"
import * as keys from "./keys.ts"
import { writeKey } from "./partitions.ts"
import { type Liveness, Processes } from "./processes.ts"
import { callFunction } from "./redis/functionLibrary.ts"
import { luaFunction } from "./redis/luaFunction.ts"
import { RedisClient } from "./redis/redisClient.ts"
import { words } from "./redis/reply.ts"

const takeFunction = luaFunction("stream_slots.take", { keys: ["streams", "apiKey", "feed", "events"] })

const full: SlotAnswer = { kind: "full" }

const answerOf = ([kind, newest = "0-0", oldest, hasRequested]: ReadonlyArray<string>): SlotAnswer => {
  if (kind === "key_invalid") return { kind: "keyInvalid" }
  if (kind !== "taken") return full
  return {
    kind: "taken",
    bounds: { newest, oldest: oldest === "" ? undefined : oldest, hasRequested: hasRequested === "1" },
  }
}

/** Stream slots on Redis: one hash per seller, connection -> process. Slots that nobody holds are freed when needed. */
export const StreamSlotsLive = Layer.effect(
  StreamSlots,
  Effect.gen(function* () {
    const client = yield* RedisClient
    const processes = yield* Processes

    /** The slots that this process holds, and those that it is asking for. */
    const own = new Set<string>()
    const nameOf = (sellerId: string, connectionId: string) => `${sellerId} ${connectionId}`

    const release = (sellerId: string, connectionId: string) =>
      Effect.suspend(() => {
        if (own.delete(nameOf(sellerId, connectionId))) processes.reportStreams(own.size)
        return Effect.asVoid(writeKey(client, "HDEL", keys.streamsKey(sellerId), connectionId))
      })

    const tryTake = ({ feed, connectionId, keyHash, requestedEntryId }: StreamOpening) => {
      const { sellerId } = feed
      return Effect.map(
        callFunction(
          client,
          takeFunction,
          {
            streams: keys.streamsKey(sellerId),
            apiKey: keys.apiKeyKey(keys.partitionOf(sellerId), keyHash),
            feed: keys.feedKey(feed),
            events: keys.eventsKey(feed),
          },
          {
            sellerId,
            connectionId,
            processId: processes.processId,
            streamsMax: limits.streamsPerSellerMax,
            requested: requestedEntryId,
          },
        ),
        words,
      )
    }

    /**
     * Whether a slot is held. A process knows its own: a Redis that hung may apply a take, whose connection was given up, after the
     * slot was released.
     */
    const holdOf = (sellerId: string, connectionId: string, processId: string) => {
      if (processId !== processes.processId) return processes.livenessOf(processId)
      return Effect.sync((): Liveness => (own.has(nameOf(sellerId, connectionId)) ? "alive" : "dead"))
    }

    /** Frees the slots of dead holders. Answers whether it freed one, and whether the process of another may have died. */
    const freeUnheld = Effect.fnUntraced(function* (sellerId: string, holders: ReadonlyArray<string>) {
      let isDoubtful = false
      let freed = false
      for (let i = 0; i + 1 < holders.length; i += 2) {
        const held = yield* holdOf(sellerId, holders[i] ?? "", holders[i + 1] ?? "")
        isDoubtful ||= held === "doubtful"
        if (held !== "dead") continue
        yield* release(sellerId, holders[i] ?? "")
        freed = true
      }
      return { freed, isDoubtful }
    })

    const takeOne = Effect.fnUntraced(function* (
      opening: StreamOpening,
    ): Effect.fn.Return<SlotAnswer, StoreUnavailable> {
      const first = yield* tryTake(opening)
      if (first[0] !== "full") return answerOf(first)
      const { freed, isDoubtful } = yield* freeUnheld(opening.feed.sellerId, first.slice(1))
      const second = freed ? answerOf(yield* tryTake(opening)) : full
      return second.kind === "full" && isDoubtful ? { kind: "uncertain" } : second
    })

    const take = (opening: StreamOpening) => {
      const name = nameOf(opening.feed.sellerId, opening.connectionId)
      const taking = Effect.suspend(() => {
        own.add(name)
        return takeOne(opening)
      })
      return Effect.onExit(taking, (exit) =>
        Effect.sync(() => {
          if (Exit.isFailure(exit) || exit.value.kind !== "taken") own.delete(name)
          processes.reportStreams(own.size)
        }),
      )
    }

    return StreamSlots.of({ take, release })
  }),
)
