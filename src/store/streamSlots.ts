import { Effect, Exit, Layer } from "effect"
import { StreamSlots } from "../../actors/ports/streamSlots.ts"
import { limits } from "../../schema/limits.ts"
import * as keys from "./keys.ts"
import { writeKey } from "./partitions.ts"
import { type Liveness, Processes } from "./processes.ts"
import { callFunction } from "./redis/functionLibrary.ts"
import { luaFunction } from "./redis/luaFunction.ts"
import { RedisClient } from "./redis/redisClient.ts"
import { words } from "./redis/reply.ts"

const takeFunction = luaFunction("stream_slots.take", { keys: ["streams"] })

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

    const tryTake = (sellerId: string, connectionId: string) =>
      Effect.map(
        callFunction(
          client,
          takeFunction,
          { streams: keys.streamsKey(sellerId) },
          { connectionId, processId: processes.processId, streamsMax: limits.streamsPerSellerMax },
        ),
        words,
      )

    /**
     * Whether a slot is held. A process knows its own: a Redis that hung may apply a take, whose connection was given up, after the
     * slot was released.
     */
    const holdOf = (sellerId: string, connectionId: string, processId: string) => {
      if (processId !== processes.processId) return processes.livenessOf(processId)
      return Effect.sync((): Liveness => (own.has(nameOf(sellerId, connectionId)) ? "alive" : "dead"))
    }

    const takeOne = Effect.fnUntraced(function* (sellerId: string, connectionId: string) {
      const [first, ...holders] = yield* tryTake(sellerId, connectionId)
      if (first === "taken") return "taken" as const
      let isDoubtful = false
      let freed = false
      for (let i = 0; i + 1 < holders.length; i += 2) {
        const held = yield* holdOf(sellerId, holders[i] ?? "", holders[i + 1] ?? "")
        isDoubtful ||= held === "doubtful"
        if (held !== "dead") continue
        yield* release(sellerId, holders[i] ?? "")
        freed = true
      }
      if (freed && (yield* tryTake(sellerId, connectionId))[0] === "taken") return "taken" as const
      return isDoubtful ? ("uncertain" as const) : ("full" as const)
    })

    const take = (sellerId: string, connectionId: string) => {
      const name = nameOf(sellerId, connectionId)
      const taking = Effect.suspend(() => {
        own.add(name)
        return takeOne(sellerId, connectionId)
      })
      return Effect.onExit(taking, (exit) =>
        Effect.sync(() => {
          if (Exit.isFailure(exit) || exit.value !== "taken") own.delete(name)
          processes.reportStreams(own.size)
        }),
      )
    }

    return StreamSlots.of({ take, release })
  }),
)
