import { Context, Effect, Layer } from "effect"
import type { StoreUnavailable } from "../../../actors/values/storeUnavailable.ts"
import { partitionOfId } from "../../../schema/ids.ts"
import * as keys from "../../../src/store/keys.ts"
import { RedisClient } from "../../../src/store/redis/redisClient.ts"
import { MemoryStore } from "../../model/state.ts"

/** What the end of a history is compared with, read past the ports. */
export class StoreReads extends Context.Service<
  StoreReads,
  {
    /** The facts of all exceptions in the partition of an id. */
    readonly facts: (id: string) => Effect.Effect<ReadonlyArray<string>, StoreUnavailable>
    /** The acquirer's notices by the names of their events, in the partition of an id; those that were not received are left out. */
    readonly noticeIds: (
      id: string,
      names: ReadonlyArray<string>,
    ) => Effect.Effect<ReadonlyArray<string>, StoreUnavailable>
  }
>()("corrente/test/money/StoreReads") {}

/** The reads of Redis. */
export const RedisReadsLive = Layer.effect(
  StoreReads,
  Effect.map(RedisClient, (client) => ({
    facts: (id) =>
      Effect.map(
        client.call("HKEYS", [keys.exceptionFactsKey(keys.tagOf(id))]),
        (reply) => reply as ReadonlyArray<string>,
      ),
    noticeIds: (id, names) =>
      Effect.map(
        client.callAll(
          names.map((name) => ["GET", [keys.noticeSeenKey(keys.tagOf(id), "acquirer", name)]] as const),
        ),
        (ids) => ids.flatMap((found) => (found === null ? [] : [String(found)])),
      ),
  })),
)

/** The reads of the model in memory. */
export const MemoryReadsLive = Layer.effect(
  StoreReads,
  Effect.map(MemoryStore, (state) => ({
    facts: (id) =>
      Effect.sync(() => {
        const prefix = `${(partitionOfId(id) ?? 0) % state.options.partitions}:`
        const names = [...state.exceptionFacts.keys()].filter((name) => name.startsWith(prefix))
        return names.map((name) => name.slice(prefix.length))
      }),
    noticeIds: (_, names) =>
      Effect.sync(() => names.flatMap((name) => state.noticesSeen.get(`acquirer:${name}`) ?? [])),
  })),
)
