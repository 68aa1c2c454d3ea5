import { Effect, Layer } from "effect"
import { Partitions, type Wake } from "../../../actors/ports/partitions.ts"
import { limits } from "../../../schema/limits.ts"
import * as keys from "../keys.ts"
import { RedisClient } from "../redis/redisClient.ts"
import { type Signal, Subscriber } from "../redis/subscriber.ts"
import { StoreOptions } from "../storeOptions.ts"
import { holdPartition } from "./holdPartition.ts"
import { holdPartitions } from "./holdPartitions.ts"
import { nextDue } from "./nextDue.ts"
import { Processes } from "./processes.ts"
import { releasePartition } from "./releasePartition.ts"

/** Partitions that a process takes at a time, so that it does not take all before others start. */
const takenAtOnceMax = 16

const readSignal = (signal: Signal): Wake | undefined => {
  if (signal.kind === "dropped") return undefined
  if (signal.kind === "restored") return { kind: "lookAgain" }
  const partition = keys.partitionOfWakeChannel(signal.channel)
  if (partition === undefined) return undefined
  const [kind, value = ""] = signal.message.split(" ")
  return kind === "d"
    ? { kind: "delivery", partition, destinationId: value }
    : { kind: "timer", partition, dueMillis: Number(value) }
}

/** Partition leases on Redis. */
export const PartitionsLive = Layer.effect(
  Partitions,
  Effect.gen(function* () {
    const client = yield* RedisClient
    const processes = yield* Processes
    const subscriber = yield* Subscriber
    const { partitions } = yield* StoreOptions
    const held = new Set<number>()

    /** What one call may take at once: all, or with a cluster each partition, as each lies in a slot of its own. */
    const together = (some: ReadonlyArray<number>): ReadonlyArray<ReadonlyArray<number>> => {
      if (client.isCluster) return some.map((partition) => [partition])
      return some.length === 0 ? [] : [some]
    }
    const release = (partition: number) => releasePartition(client)(partition, processes.processId)

    const hold = (some: ReadonlyArray<number>) => {
      const [first] = some
      const [processId, leaseMillis] = [processes.processId, limits.partitionLeaseMillis]
      if (first === undefined || some.length > 1) return holdPartitions(client)(some, processId, leaseMillis)
      return Effect.map(holdPartition(client)(first, processId, leaseMillis), (reply) =>
        Number(reply) === 1 ? some : [],
      )
    }
    const take = (candidates: ReadonlyArray<number>) =>
      Effect.map(Effect.forEach(together(candidates), hold, { concurrency: "unbounded" }), (taken) =>
        taken.flat(),
      )

    const rebalance = Effect.gen(function* () {
      const share = Math.ceil(partitions / processes.alive())
      const kept = new Set(yield* take([...held]))
      for (const partition of [...kept].slice(share)) {
        yield* release(partition)
        kept.delete(partition)
      }
      const free = Array.from({ length: partitions }, (_, i) => i).filter((i) => !kept.has(i))
      // Each process starts its search elsewhere, so that two that start together share at once.
      const start = free.length === 0 ? 0 : seedOf(processes.processId) % free.length
      const order = [...free.slice(start), ...free.slice(0, start)]
      for (let tried = 0; tried < order.length && kept.size < share; ) {
        const candidates = order.slice(tried, tried + Math.min(takenAtOnceMax, share - kept.size))
        for (const partition of yield* take(candidates)) kept.add(partition)
        tried += candidates.length
      }
      const won = [...kept].filter((partition) => !held.has(partition))
      const lost = [...held].filter((partition) => !kept.has(partition))
      held.clear()
      for (const partition of kept) held.add(partition)
      yield* subscriber.subscribe(won.map((partition) => keys.wakeChannel(keys.partitionTag(partition))))
      yield* subscriber.unsubscribe(lost.map((partition) => keys.wakeChannel(keys.partitionTag(partition))))
      return new Set(held) as ReadonlySet<number>
    })

    const releaseAll = Effect.suspend(() =>
      Effect.all([...held].map(release), { concurrency: "unbounded" }).pipe(
        Effect.tap(() => Effect.sync(() => held.clear())),
        Effect.catch((error) => Effect.logDebug(`release partitions: ${error.reason}`)),
        Effect.asVoid,
      ),
    )

    return Partitions.of({
      rebalance,
      releaseAll,
      nextDue: (some) => together(some).map(nextDue(client)),
      listen: (listener) =>
        subscriber.listen((signal) => {
          const wake = readSignal(signal)
          if (wake !== undefined) listener(wake)
        }),
    })
  }),
)

const seedOf = (text: string): number => {
  let seed = 0
  for (const character of text) seed = (seed * 31 + (character.codePointAt(0) ?? 0)) >>> 0
  return seed
}
