import { Effect, Layer } from "effect"
import { StreamSlots } from "../../../actors/ports/streamSlots.ts"
import { limits } from "../../../schema/limits.ts"
import * as keys from "../keys.ts"
import { Processes } from "../partitions/processes.ts"
import { RedisClient } from "../redis/redisClient.ts"
import { words } from "../redis/reply.ts"
import { takeStreamSlot } from "./takeStreamSlot.ts"

/** Stream slots on Redis: one hash per seller, connection -> process. Slots of dead processes are freed when needed. */
export const StreamSlotsLive = Layer.effect(
  StreamSlots,
  Effect.gen(function* () {
    const client = yield* RedisClient
    const processes = yield* Processes

    const open = new Set<string>()

    const release = (sellerId: string, connectionId: string) =>
      Effect.suspend(() => {
        if (open.delete(`${sellerId} ${connectionId}`)) processes.reportStreams(open.size)
        return Effect.asVoid(client.call("HDEL", [keys.streamsKey(sellerId), connectionId]))
      })

    const tryTake = (sellerId: string, connectionId: string) =>
      Effect.map(
        takeStreamSlot(client)(sellerId, connectionId, processes.processId, limits.streamsPerSellerMax),
        words,
      )

    const takeOne = Effect.fnUntraced(function* (sellerId: string, connectionId: string) {
      const [first, ...holders] = yield* tryTake(sellerId, connectionId)
      if (first === "taken") return "taken" as const
      let isDoubtful = false
      let freed = false
      for (let i = 0; i + 1 < holders.length; i += 2) {
        const liveness = yield* processes.livenessOf(holders[i + 1] ?? "")
        isDoubtful ||= liveness === "doubtful"
        if (liveness !== "dead") continue
        yield* release(sellerId, holders[i] ?? "")
        freed = true
      }
      if (freed && (yield* tryTake(sellerId, connectionId))[0] === "taken") return "taken" as const
      return isDoubtful ? ("uncertain" as const) : ("full" as const)
    })

    const take = (sellerId: string, connectionId: string) =>
      Effect.tap(takeOne(sellerId, connectionId), (answer) =>
        Effect.sync(() => {
          if (answer !== "taken") return
          open.add(`${sellerId} ${connectionId}`)
          processes.reportStreams(open.size)
        }),
      )

    return StreamSlots.of({ take, release })
  }),
)
