import { Effect, Layer } from "effect"
import { Partitions, type Wake } from "../../actors/ports/partitions.ts"
import type { StoreUnavailable } from "../../actors/values/storeUnavailable.ts"
import { limits } from "../../schema/limits.ts"
import * as keys from "./keys.ts"
import { Processes } from "./processes.ts"
import { callFunction } from "./redis/functionLibrary.ts"
import { luaFunction } from "./redis/luaFunction.ts"
import { type Argument, RedisClient } from "./redis/redisClient.ts"
import { dueIn, words } from "./redis/reply.ts"
import { type Signal, Subscriber } from "./redis/subscriber.ts"
import { StoreOptions } from "./storeOptions.ts"

type Client = RedisClient["Service"]

const holdFunction = luaFunction("partitions.hold", { keys: ["...owners"] })

/** Takes or renews leases, the strings at `leaseKeys`, which lie in one slot; answers for each whether the process holds it now. */
const hold = (client: Client, leaseKeys: ReadonlyArray<string>, processId: string, leaseMillis: number) =>
  Effect.map(callFunction(client, holdFunction, { owners: leaseKeys }, { processId, leaseMillis }), (reply) =>
    words(reply).map((isHeld) => isHeld === "1"),
  )

/** Takes or renews a lease, the string at `key`; answers whether the process holds it now. */
export const holdLease = (client: Client, key: string, processId: string, leaseMillis: number) =>
  Effect.map(hold(client, [key], processId, leaseMillis), ([isHeld]) => isHeld === true)

const releaseFunction = luaFunction("partitions.release", { keys: ["owner"] })

/** Gives up a lease, the string at `key`, if the process holds it. */
export const releaseLease = (client: Client, key: string, processId: string) =>
  Effect.asVoid(callFunction(client, releaseFunction, { owner: key }, { processId }))

const writeFunction = luaFunction("partitions.write", { keys: ["written"] })

/**
 * Runs one command that writes one key of a seller or an account; replies as it does. To be used instead of the plain command, which
 * would write behind the back of `ops partition move`: what is written to a copied key is lost. Takes 4,000 arguments at most.
 */
export const writeKey = (client: Client, command: string, key: string, ...args: ReadonlyArray<Argument>) =>
  callFunction(client, writeFunction, { written: key }, { command, args: args.map(String) })

const nextDueFunction = luaFunction("partitions.next_due", { keys: ["...queues"], isReadOnly: true })

/** When the first timer and the first delivery of each partition are due. With a cluster all must lie in one slot. */
const nextDue = (client: Client) => (partitions: ReadonlyArray<number>) => {
  const queues = partitions.flatMap((partition) => {
    const tag = keys.partitionTag(partition)
    return [keys.timersKey(tag), keys.dueKey(tag)]
  })
  return Effect.map(callFunction(client, nextDueFunction, { queues }), (reply) => {
    const waits = words(reply)
    return partitions.map((partition, i) => ({
      partition,
      timersInMillis: dueIn(waits[2 * i]),
      deliveriesInMillis: dueIn(waits[2 * i + 1]),
    }))
  })
}

const countDueFunction = luaFunction("partitions.count_due", { keys: ["...sets"], isReadOnly: true })

/** How many members of a sorted set are due, and how long the first of them has been; 0 if none is. */
export interface DueCount {
  readonly due: number
  readonly oldestMillis: number
}

/** Counts what is due by Redis' clock in each sorted set at `sets`. All lie in one slot; members without a time are always due. */
export const countDue = (
  client: Client,
  sets: ReadonlyArray<string>,
): Effect.Effect<ReadonlyArray<DueCount>, StoreUnavailable> =>
  Effect.map(callFunction(client, countDueFunction, { sets }), (reply) => {
    const numbers = words(reply).map(Number)
    return sets.map((_, i) => ({ due: numbers[2 * i] ?? 0, oldestMillis: numbers[2 * i + 1] ?? 0 }))
  })

/** Partitions that a process takes at a time, so that it does not take all before others start. */
const takenAtOnceMax = 16

const readSignal = (signal: Signal): ReadonlyArray<Wake> => {
  if (signal.kind === "dropped") return []
  if (signal.kind === "restored") return [{ kind: "lookAgain" }]
  const partition = keys.partitionOfWakeChannel(signal.channel)
  if (partition === undefined) return []
  const [kind, ...values] = signal.message.split(" ")
  return kind === "d"
    ? values.map((destinationId) => ({ kind: "delivery", partition, destinationId }))
    : [{ kind: "timer", partition, dueMillis: Number(values[0]) }]
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
    const release = (partition: number) => releaseLease(client, keys.ownerKey(partition), processes.processId)

    const takeTogether = (some: ReadonlyArray<number>) =>
      Effect.map(
        hold(client, some.map(keys.ownerKey), processes.processId, limits.partitionLeaseMillis),
        (isHeld) => some.filter((_, i) => isHeld[i]),
      )
    /** Of partitions that move to another server nobody is answered, and their due work waits; that of others goes on. */
    const takeUnlessMoving = (some: ReadonlyArray<number>) =>
      Effect.catchIf(
        takeTogether(some),
        ({ isMoving }) => isMoving === true,
        () => Effect.succeed([]),
      )
    const take = (candidates: ReadonlyArray<number>) =>
      Effect.map(
        Effect.forEach(together(candidates), takeUnlessMoving, { concurrency: "unbounded" }),
        (taken) => taken.flat(),
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
          for (const wake of readSignal(signal)) listener(wake)
        }),
    })
  }),
)

const seedOf = (text: string): number => {
  let seed = 0
  for (const character of text) seed = (seed * 31 + (character.codePointAt(0) ?? 0)) >>> 0
  return seed
}
