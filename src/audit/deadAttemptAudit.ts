import { Effect } from "effect"
import { encodeTime, type Feed, isId, type Mode, modes, timeOfId } from "../../schema/ids.ts"
import { limits } from "../../schema/limits.ts"
import * as keys from "../store/keys.ts"
import { writeKey } from "../store/partitions.ts"
import type { RedisClient, RedisCommand } from "../store/redis/redisClient.ts"
import { differs } from "./difference.ts"
import { type AuditFailure, forEachPage, lookAgain } from "./reads.ts"
import type { RepairReport } from "./repairReport.ts"

type Client = RedisClient["Service"]

const listOf = ({ sellerId, mode }: Feed): string => keys.deadAttemptsKey(keys.tagOf(sellerId), mode)

/** A seller's own list of dead attempts. */
const ownListOf = ({ sellerId, mode }: Feed): string =>
  keys.attemptsKey(sellerId, mode, { kind: "status", value: "dead" })

/** Of a seller's dead attempts, those that operators' list lacks and that retention does not end now. */
const missingOf = Effect.fnUntraced(function* (client: Client, feed: Feed, ids: ReadonlyArray<string>) {
  const scores = yield* client.callAll(ids.map((id): RedisCommand => ["ZSCORE", [listOf(feed), id]]))
  const unlisted = ids.filter((_, i) => scores[i] === null)
  const left = yield* client.callAll(unlisted.map((id): RedisCommand => ["PTTL", [keys.attemptKey(id)]]))
  return unlisted.filter((_, i) => Number(left[i]) > limits.auditTrimLagMillis)
})

/** Checks that operators' list has a seller's dead attempts since an entry of its feed ("": all). */
export const auditDeadAttempts = Effect.fnUntraced(function* (
  client: Client,
  feed: Feed,
  afterEntryId: string,
): Effect.fn.Return<void, AuditFailure> {
  // Ids bear the time of a process, entries that of Redis.
  const fromMillis = Math.max(0, Number(afterEntryId.split("-")[0]) - limits.auditTrimLagMillis)
  const step = (ids: ReadonlyArray<string>) =>
    Effect.gen(function* () {
      for (const id of yield* missingOf(client, feed, ids)) {
        yield* lookAgain(
          Effect.gen(function* () {
            const [missing] = yield* missingOf(client, feed, [id])
            if (missing === undefined) return
            yield* differs("delivery", listOf(feed), { expected: `${id} in it`, found: "no such entry" })
          }),
        )
      }
    })
  yield* forEachPage(client, ownListOf(feed), step, `whd_${encodeTime(fromMillis)}`)
})

/** How a list is read: ids oldest first, and since when attempts are kept, as far as it has been read. */
interface Reading {
  readonly partition: number
  readonly mode: Mode
  readonly keptSinceMillis: number
}

/**
 * Entries of a page that are no dead attempt of the partition and mode, and since when attempts are kept. Retention ends attempts
 * before their entries: one that is gone is a stranger only after others that are kept.
 */
const strangersOf = Effect.fnUntraced(function* (
  client: Client,
  reading: Reading,
  ids: ReadonlyArray<string>,
) {
  const tag = keys.partitionTag(reading.partition)
  const isNear = (id: string) => isId("whd_", id) && keys.tagOf(id) === tag
  const near = ids.filter(isNear)
  const replies = yield* client.callAll(
    near.map((id): RedisCommand => ["HMGET", [keys.attemptKey(id), "mode", "row"]]),
  )
  let { keptSinceMillis } = reading
  const own = new Set<string>()
  for (const [i, id] of near.entries()) {
    const [mode, row] = (replies[i] ?? []) as ReadonlyArray<string | null>
    const isKept = row !== null && row !== undefined
    if (isKept) keptSinceMillis = Math.min(keptSinceMillis, timeOfId(id))
    const mayBeOver = !isKept && timeOfId(id) <= keptSinceMillis + limits.auditTrimLagMillis
    if (mayBeOver || (isKept && mode === reading.mode && isDead(row))) own.add(id)
  }
  return { strangers: ids.filter((id) => !own.has(id)), keptSinceMillis }
})

// A quote within a text of the row is escaped.
const isDead = (row: string): boolean => row.includes('"status":"dead"')

/** Runs a step on each entry of a partition's lists that is no dead attempt. */
const forEachStranger = Effect.fnUntraced(function* (
  client: Client,
  partition: number,
  step: (list: string, id: string, reading: Reading) => Effect.Effect<void, AuditFailure>,
): Effect.fn.Return<void, AuditFailure> {
  for (const mode of modes) {
    const list = keys.deadAttemptsKey(keys.partitionTag(partition), mode)
    let reading: Reading = { partition, mode, keptSinceMillis: Number.POSITIVE_INFINITY }
    yield* forEachPage(client, list, (ids) =>
      Effect.gen(function* () {
        const { strangers, keptSinceMillis } = yield* strangersOf(client, reading, ids)
        reading = { ...reading, keptSinceMillis }
        for (const id of strangers) yield* step(list, id, reading)
      }),
    )
  }
})

/** Checks that operators' lists of a partition have nothing but dead attempts. */
export const auditDeadAttemptLists = (client: Client, partition: number) =>
  forEachStranger(client, partition, (list, id, reading) =>
    lookAgain(
      Effect.gen(function* () {
        const { strangers } = yield* strangersOf(client, reading, [id])
        if (strangers.length === 0 || (yield* client.call("ZSCORE", [list, id])) === null) return
        yield* differs("delivery", list, { expected: "only dead attempts that are kept", found: id })
      }),
    ),
  )

/** Makes operators' list agree with a seller's dead attempts. */
export const repairDeadAttempts = (client: Client, feed: Feed, report: RepairReport) =>
  forEachPage(client, ownListOf(feed), (ids) =>
    Effect.gen(function* () {
      for (const id of yield* missingOf(client, feed, ids)) {
        if ((yield* writeKey(client, "ZADD", listOf(feed), "NX", 0, id)) === 1) {
          report.indexes.push(`${listOf(feed)} gains ${id}`)
        }
      }
    }),
  )

/** Takes off operators' lists of a partition what is no dead attempt. */
export const repairDeadAttemptLists = (client: Client, partition: number, report: RepairReport) =>
  forEachStranger(client, partition, (list, id) =>
    Effect.map(writeKey(client, "ZREM", list, id), (removed) => {
      if (removed === 1) report.indexes.push(`${list} loses ${id}`)
    }),
  )
