import { Effect, Schedule } from "effect"
import type { StoreUnavailable } from "../../actors/values/storeUnavailable.ts"
import { limits } from "../../schema/limits.ts"
import type { RedisClient } from "../store/redis/redisClient.ts"
import type { AuditDifference } from "./difference.ts"
import type { RawEntry } from "./ledgerEntry.ts"

type Client = RedisClient["Service"]

/** The errors of every audit step. */
export type AuditFailure = AuditDifference | StoreUnavailable

/**
 * Looks again, with fresh reads, a moment after a difference: traffic may have changed data between two commands. The
 * last look counts.
 */
export const lookAgain = <A>(look: Effect.Effect<A, AuditFailure>): Effect.Effect<A, AuditFailure> =>
  Effect.retry(look, {
    schedule: Schedule.spaced(limits.auditLookAgainMillis),
    times: limits.auditLooksAgainMax,
    while: (failure) => failure._tag === "AuditDifference",
  })

/** A page of an index of ids, oldest first; `afterId` "" begins. */
export const readIds = (client: Client, index: string, afterId: string) =>
  Effect.map(
    client.call("ZRANGE", [
      index,
      afterId === "" ? "-" : `(${afterId}`,
      "+",
      "BYLEX",
      "LIMIT",
      0,
      limits.auditPageIds,
    ]),
    (reply) => reply as ReadonlyArray<string>,
  )

/** Runs a step on every page of an index of ids, or of those after one. */
export const forEachPage = Effect.fnUntraced(function* <R>(
  client: Client,
  index: string,
  step: (ids: ReadonlyArray<string>) => Effect.Effect<void, AuditFailure, R>,
  firstAfterId = "",
): Effect.fn.Return<void, AuditFailure, R> {
  let afterId = firstAfterId
  while (true) {
    const ids = yield* readIds(client, index, afterId)
    if (ids.length > 0) yield* step(ids)
    if (ids.length < limits.auditPageIds) return
    afterId = ids.at(-1) ?? ""
  }
})

/** A page of a stream, oldest first; `afterEntryId` "" begins, and `lastEntryId` counts ("+": to its end). */
export const readStream = (client: Client, stream: string, afterEntryId: string, lastEntryId: string) =>
  Effect.map(
    client.call("XRANGE", [
      ...[stream, afterEntryId === "" ? "-" : `(${afterEntryId}`, lastEntryId],
      ...["COUNT", limits.auditPageEntries],
    ]),
    (reply) => reply as unknown as ReadonlyArray<RawEntry>,
  )

/** Fields of a hash; absent ones are omitted. */
export type Fields = Readonly<Record<string, string>>

/** The reply of HMGET as a record of existing fields. */
export const readFields = (names: ReadonlyArray<string>, reply: unknown): Fields => {
  const values = (reply ?? []) as ReadonlyArray<string | null>
  return Object.fromEntries(
    names.flatMap((name, i) => {
      const value = values[i]
      return value === null || value === undefined ? [] : [[name, value] as const]
    }),
  )
}
