import { Effect, Layer, Schema } from "effect"
import { BulkStore, type FailedRow, type StoredBulk } from "../../actors/ports/bulkStore.ts"
import { bulkTimerName } from "../../actors/values/bulkTimer.ts"
import type { IdempotencyScope } from "../../actors/values/idempotency.ts"
import type { Principal } from "../../actors/values/principal.ts"
import { storedReader } from "../../actors/values/storedDocuments.ts"
import type { ErrorCode } from "../../schema/errorCodes.ts"
import type { Mode } from "../../schema/ids.ts"
import { limits } from "../../schema/limits.ts"
import type { BulkAct } from "../../schema/names.ts"
import * as keys from "./keys.ts"
import { callFunction } from "./redis/functionLibrary.ts"
import { luaFunction } from "./redis/luaFunction.ts"
import { RedisClient } from "./redis/redisClient.ts"
import { readAnswer, readHash, readKind } from "./redis/reply.ts"
import { requestKeyNames, requestKeys, requestOf } from "./requests.ts"

type Client = RedisClient["Service"]

const parseBy = storedReader(
  "maker of a bulk act",
  Schema.Struct({
    actor: Schema.Struct({
      type: Schema.Literals(["user", "api_key", "operator"]),
      id: Schema.NullOr(Schema.String),
      name: Schema.NullOr(Schema.String),
    }),
    ipAddress: Schema.optionalKey(Schema.String),
    keptMillis: Schema.Number,
  }),
)

const parseIds = storedReader("list of rows", Schema.Array(Schema.String))

/** Reads a bulk act's hash; undefined if there is none. */
const readBulk = (id: string, record: Readonly<Record<string, string>>): StoredBulk | undefined => {
  if (record.ids === undefined) return undefined
  const ids = parseIds(record.ids)
  const { actor, ipAddress, keptMillis } = parseBy(record.by ?? "")
  return {
    id,
    sellerId: record.seller ?? "",
    mode: record.mode as Mode,
    userId: record.user ?? "",
    ...(record.member ? { memberId: record.member } : {}),
    by: { actor, ipAddress, keptMillis },
    act: record.act as BulkAct,
    reason: record.reason || undefined,
    ids,
    done: Number(record.done),
    failed: ids.flatMap((rowId, index) => {
      const code = record[`failed:${index}`]
      return code === undefined ? [] : [{ id: rowId, code: code as ErrorCode }]
    }),
    createdAt: record.created_at ?? "",
  }
}

const createFunction = luaFunction("bulk.create", {
  keys: [...requestKeyNames, "events", "bulk", "running", "timers"],
  texts: ["ids", "answer"],
  audited: { replies: ["created"] },
})

/** Keeps a new bulk act: `created`, or refused as `running`, or what the Idempotency-Key holds, or a refusal of the credential. */
const create =
  (client: Client) =>
  (principal: Principal, idempotency: IdempotencyScope, bulk: StoredBulk, answer: string) => {
    const { sellerId, mode } = principal
    const call = callFunction(
      client,
      createFunction,
      {
        ...requestKeys(principal, idempotency),
        bulk: keys.bulkKey(bulk.id),
        running: keys.bulkRunningKey({ sellerId, mode }),
        timers: keys.timersKey(keys.tagOf(sellerId)),
      },
      {
        ...requestOf(principal, idempotency),
        id: bulk.id,
        fields: {
          seller: sellerId,
          mode,
          user: bulk.userId,
          member: bulk.memberId ?? "",
          by: JSON.stringify(bulk.by),
          act: bulk.act,
          reason: bulk.reason ?? "",
          total: bulk.ids.length,
          done: bulk.done,
          created_at: bulk.createdAt,
        },
        timer: bulkTimerName,
        retentionMillis: limits.idempotencyRetentionMillis,
      },
      { ids: JSON.stringify(bulk.ids), answer },
    )
    const read = readAnswer(createFunction, ([word]) => {
      if (word === "created") return { kind: "created" } as const
      return word === "running" ? ({ kind: "running" } as const) : undefined
    })
    return Effect.flatMap(call, read)
  }

const advanceFunction = luaFunction("bulk.advance", { keys: ["bulk", "running", "timers"] })

/** Records how far a bulk act is: `advanced` or `finished`, or refused as `stale`. */
const advance = (client: Client) => (bulk: StoredBulk, done: number, failed: ReadonlyArray<FailedRow>) => {
  const call = callFunction(
    client,
    advanceFunction,
    {
      bulk: keys.bulkKey(bulk.id),
      running: keys.bulkRunningKey(bulk),
      timers: keys.timersKey(keys.tagOf(bulk.id)),
    },
    {
      id: bulk.id,
      from: bulk.done,
      done,
      failed: failed.map(({ id, code }) => ({ index: bulk.ids.indexOf(id), code })),
      timer: bulkTimerName,
      leaseMillis: limits.bulkLeaseMillis,
      keptMillis: limits.bulkKeptMillis,
    },
  )
  return Effect.flatMap(
    call,
    readKind(advanceFunction, { advanced: "advanced", finished: "finished", stale: "stale" }),
  )
}

/** Bulk acts on Redis. */
export const BulkStoreLive = Layer.effect(
  BulkStore,
  Effect.map(RedisClient, (client) =>
    BulkStore.of({
      create: create(client),
      load: (id) =>
        Effect.map(client.call("HGETALL", [keys.bulkKey(id)]), (reply) => readBulk(id, readHash(reply))),
      advance: advance(client),
    }),
  ),
)
