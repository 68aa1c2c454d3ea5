import { Effect, Layer } from "effect"
import { type ExceptionPage, ExceptionStore } from "../../../actors/ports/exceptionStore.ts"
import { modes } from "../../../schema/ids.ts"
import { type ExceptionKind, exceptionStates } from "../../../schema/resources/exception.ts"
import * as keys from "../keys.ts"
import { newestOfPartitions } from "../partitions/newestOfPartitions.ts"
import { readListed } from "../readListed.ts"
import { RedisClient } from "../redis/redisClient.ts"
import { StoreOptions } from "../storeOptions.ts"
import { commitException } from "./commitException.ts"
import { creditException } from "./creditException.ts"
import { exceptionFields, readException } from "./exceptionHash.ts"
import { openException } from "./openException.ts"

type Client = RedisClient["Service"]

const load = (client: Client) => (id: string) =>
  Effect.map(client.call("HMGET", [keys.exceptionKey(id), ...exceptionFields]), (reply) =>
    readException(id, reply),
  )

/** The indexes that hold a page's exceptions between them, as functions of a partition's tag. */
const indexesOf = ({ state, kind }: ExceptionPage) =>
  (state === undefined ? exceptionStates : [state]).flatMap((inState) =>
    kind === undefined
      ? [(tag: string) => keys.exceptionsKey(tag, inState)]
      : modes.map((mode) => (tag: string) => keys.exceptionsOfKindKey(tag, inState, kind, mode)),
  )

const readPage = (client: Client, partitions: number) =>
  Effect.fnUntraced(function* (page: ExceptionPage) {
    const { beforeId, limit } = page
    const newest = yield* Effect.forEach(indexesOf(page), (indexOf) =>
      newestOfPartitions(client, partitions, indexOf, beforeId, limit),
    )
    // An exception that changes state between two reads is in both indexes.
    const ids = [...new Set(newest.flat())].toSorted().reverse().slice(0, limit)
    const records = yield* client.callAll(
      ids.map((id) => ["HMGET", [keys.exceptionKey(id), ...exceptionFields]] as const),
    )
    return ids.flatMap((id, i) => readException(id, records[i]) ?? [])
  })

const list = (client: Client, partitions: number) => {
  const read = readPage(client, partitions)
  return (page: ExceptionPage) =>
    readListed(({ state }) => page.state === undefined || state === page.state, read(page))
}

const countOpen = (client: Client, partitions: number) => (kinds: ReadonlyArray<ExceptionKind>) => {
  const reads = Array.from({ length: partitions }, (_, partition) => keys.partitionTag(partition)).flatMap(
    (tag) => kinds.map((kind) => ["ZCARD", [keys.exceptionsOfKindKey(tag, "open", kind, "live")]] as const),
  )
  return Effect.map(client.callAll(reads), (counts) =>
    counts.reduce((sum: number, count) => sum + Number(count), 0),
  )
}

/** Exceptions on Redis. */
export const ExceptionStoreLive = Layer.effect(
  ExceptionStore,
  Effect.gen(function* () {
    const client = yield* RedisClient
    const options = yield* StoreOptions
    return ExceptionStore.of({
      open: openException(client),
      load: load(client),
      findFact: (idOfPartition, fact) =>
        Effect.flatMap(
          client.call("HGET", [keys.exceptionFactsKey(keys.tagOf(idOfPartition)), fact]),
          (id) => (id === null ? Effect.succeed(undefined) : load(client)(String(id))),
        ),
      commit: commitException(client),
      credit: creditException(client, options),
      list: list(client, options.partitions),
      countOpen: countOpen(client, options.partitions),
    })
  }),
)
