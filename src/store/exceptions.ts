import { Effect, Layer } from "effect"
import {
  type ExceptionChange,
  type ExceptionCommit,
  type ExceptionCredit,
  type ExceptionEffect,
  type ExceptionPage,
  ExceptionStore,
  type NewException,
  type StoredException,
} from "../../actors/ports/exceptionStore.ts"
import type { StoreUnavailable } from "../../actors/values/storeUnavailable.ts"
import { type Mode, modes } from "../../schema/ids.ts"
import { type ExceptionKind, type ExceptionState, exceptionStates } from "../../schema/resources/exception.ts"
import { newestOfPartitions } from "./allPartitions.ts"
import { eventKeyNames, eventKeys, moneyKeyNames, moneyKeys } from "./commits.ts"
import * as keys from "./keys.ts"
import { readListed } from "./readListed.ts"
import { callFunction, unexpectedReply } from "./redis/functionLibrary.ts"
import { luaFunction } from "./redis/luaFunction.ts"
import { RedisClient, type Reply } from "./redis/redisClient.ts"
import { readKind, words } from "./redis/reply.ts"
import { StoreOptions } from "./storeOptions.ts"

type Client = RedisClient["Service"]

/** Fields of an exception's hash, in the order that {@link readException} expects. */
const exceptionFields = [
  "fact",
  "kind",
  "state",
  "mode",
  "seller",
  "account",
  "document",
  "version",
  "pending",
] as const

/** Reads the values of an exception's {@link exceptionFields}; undefined if there is none. */
const readException = (id: string, reply: Reply | undefined): StoredException | undefined => {
  const [fact, kind, state, mode, seller, account, document, version, pending] = reply as ReadonlyArray<
    string | null
  >
  if (!fact || !document) return undefined
  return {
    id,
    fact,
    document,
    pending: pending ?? "",
    kind: kind as ExceptionKind,
    state: state as ExceptionState,
    mode: mode as Mode,
    sellerId: seller || undefined,
    account: account || undefined,
    version: Number(version),
  }
}

/** The fact, in the partition of a seller, that an exception was credited to it. */
export const creditedFact = (exceptionId: string): string => `credited:${exceptionId}`

const keysBetween = ({ id, kind, mode }: NewException, from: ExceptionState, to: ExceptionState) => {
  const tag = keys.tagOf(id)
  return {
    exception: keys.exceptionKey(id),
    exceptionFacts: keys.exceptionFactsKey(tag),
    exceptionOldIndex: keys.exceptionsKey(tag, from),
    exceptionNewIndex: keys.exceptionsKey(tag, to),
    exceptionOldKindIndex: keys.exceptionsOfKindKey(tag, from, kind, mode),
    exceptionNewKindIndex: keys.exceptionsOfKindKey(tag, to, kind, mode),
  }
}

/** The names of an exception's keys in a commit of something else. */
export const exceptionKeyNames = [
  "exception?",
  "exceptionFacts?",
  "exceptionOldIndex?",
  "exceptionNewIndex?",
  "exceptionOldKindIndex?",
  "exceptionNewKindIndex?",
] as const

/** What exceptions.lua reads of an exception that is recorded or changed. */
const identityOf = ({ id, fact, kind, mode, sellerId, account }: NewException) => ({
  id,
  fact,
  kind,
  mode,
  sellerId,
  account,
})

/** What a commit records of a new exception: keys, change and document. */
const openingOf = (exception: NewException) => ({
  keys: keysBetween(exception, "open", "open"),
  change: { ...identityOf(exception), isNew: true, state: "open" as const },
  document: exception.document,
})

/** What a commit changes of an exception: keys, change and document. */
const changeOf = ({ exception, to, document, pending }: ExceptionChange) => ({
  keys: keysBetween(exception, exception.state, to),
  change: { ...identityOf(exception), isNew: false, state: to, version: exception.version, pending },
  document,
})

/**
 * What the commit of a resource does to an exception of its partition, or nothing. Throws if the exception lies in another
 * partition, where one commit cannot reach both.
 */
export const exceptionBeside = (resourceId: string, effect: ExceptionEffect | undefined) => {
  if (effect === undefined) return { keys: {}, change: undefined, document: "" }
  const { id } = effect.kind === "open" ? effect.exception : effect.change.exception
  if (keys.partitionOf(id) !== keys.partitionOf(resourceId)) {
    throw new RangeError(`${id} is not in the partition of ${resourceId}`)
  }
  return effect.kind === "open" ? openingOf(effect.exception) : changeOf(effect.change)
}

const openFunction = luaFunction("exceptions.open", { keys: exceptionKeyNames, texts: ["document"] })

/** Whether an exception was recorded, and the exception of its fact. */
interface Opening {
  readonly kind: "opened" | "exists"
  readonly id: string
}

/** Records an exception: `opened`, or `exists` with the id of the exception that its fact is recorded as. */
const open = (client: Client) => (exception: NewException) => {
  const opening = openingOf(exception)
  const call = callFunction(
    client,
    openFunction,
    opening.keys,
    { exception: opening.change },
    { document: opening.document },
  )
  return Effect.flatMap(call, (reply): Effect.Effect<Opening, StoreUnavailable> => {
    const [kind, known = ""] = words(reply)
    if (kind === "opened") return Effect.succeed({ kind, id: exception.id })
    if (kind === "exists") return Effect.succeed({ kind, id: known })
    return Effect.fail(unexpectedReply(openFunction, reply))
  })
}

const commitFunction = luaFunction("exceptions.commit", {
  keys: [...exceptionKeyNames, "timers"],
  texts: ["document"],
})

/** Commits a change of an exception alone, with its timers: `applied`, or refused as `stale` or `missing`. */
const commit =
  (client: Client) =>
  ({ change, timers, timersDone }: ExceptionCommit) => {
    const changed = changeOf(change)
    const call = callFunction(
      client,
      commitFunction,
      { ...changed.keys, timers: keys.timersKey(keys.tagOf(change.exception.id)) },
      { exception: changed.change, timers, timersDone },
      { document: changed.document },
    )
    return Effect.flatMap(
      call,
      readKind(commitFunction, { applied: "applied", stale: "stale", missing: "missing" }),
    )
  }

const creditFunction = luaFunction("exceptions.credit", {
  keys: ["facts", "seller", ...eventKeyNames, ...moneyKeyNames],
  texts: ["document"],
})

/** Credits a seller, once per exception: `applied`, or refused as `overflow` or `missing` (the seller). */
const credit =
  (client: Client, options: StoreOptions["Service"]) =>
  ({ exceptionId, feed, movement, eventType, resourceId, document }: ExceptionCredit) => {
    const call = callFunction(
      client,
      creditFunction,
      {
        facts: keys.exceptionFactsKey(keys.tagOf(feed.sellerId)),
        seller: keys.sellerKey(feed.sellerId),
        ...eventKeys(feed),
        ...moneyKeys(feed),
      },
      {
        sellerId: feed.sellerId,
        mode: feed.mode,
        retentionMillis: options.retentionMillis,
        fact: creditedFact(exceptionId),
        eventType,
        resourceId,
        movement,
      },
      { document },
    )
    return Effect.flatMap(
      call,
      readKind(creditFunction, { applied: "applied", missing: "missing", overflow: "overflow" }),
    )
  }

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
      open: open(client),
      load: load(client),
      findFact: (idOfPartition, fact) =>
        Effect.flatMap(
          client.call("HGET", [keys.exceptionFactsKey(keys.tagOf(idOfPartition)), fact]),
          (id) => (id === null ? Effect.succeed(undefined) : load(client)(String(id))),
        ),
      commit: commit(client),
      credit: credit(client, options),
      list: list(client, options.partitions),
      countOpen: countOpen(client, options.partitions),
    })
  }),
)
