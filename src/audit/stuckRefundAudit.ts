import { Effect } from "effect"
import { isId } from "../../schema/ids.ts"
import { limits } from "../../schema/limits.ts"
import * as keys from "../store/keys.ts"
import { writeKey } from "../store/partitions.ts"
import type { RedisClient, RedisCommand } from "../store/redis/redisClient.ts"
import { differs } from "./difference.ts"
import { type AuditFailure, lookAgain } from "./reads.ts"
import type { RepairReport } from "./repairReport.ts"

type Client = RedisClient["Service"]

/** Of ids that the list of stuck refunds has, those that are no live refund of the partition which is processing. */
const strangersOf = Effect.fnUntraced(function* (client: Client, tag: string, ids: ReadonlyArray<string>) {
  const near = ids.filter((id) => isId("rfd_", id) && keys.tagOf(id) === tag)
  const replies = yield* client.callAll(
    near.map((id): RedisCommand => ["HMGET", [keys.refundKey(id), "mode", "status"]]),
  )
  const stuck = near.filter((_, i) => {
    const [mode, status] = (replies[i] ?? []) as ReadonlyArray<string | null>
    return mode === "live" && status === "processing"
  })
  return ids.filter((id) => !stuck.includes(id))
})

/** Runs a step on each id that a partition's list wrongly has. The list is in order of time, so it is read by ZSCAN. */
const forEachStranger = Effect.fnUntraced(function* (
  client: Client,
  partition: number,
  step: (tag: string, id: string) => Effect.Effect<void, AuditFailure>,
): Effect.fn.Return<void, AuditFailure> {
  const tag = keys.partitionTag(partition)
  let cursor = "0"
  do {
    const reply = yield* client.call("ZSCAN", [
      keys.stuckRefundsKey(tag),
      cursor,
      "COUNT",
      limits.auditPageIds,
    ])
    const [next, found] = reply as unknown as readonly [string, ReadonlyArray<string>]
    // Each id is followed by its score.
    const ids = found.filter((_, place) => place % 2 === 0)
    for (const id of yield* strangersOf(client, tag, ids)) yield* step(tag, id)
    cursor = next
  } while (cursor !== "0")
})

/**
 * Checks that a partition's list of stuck refunds has only live refunds that are processing. One that it lacks is no difference: it
 * is noted when the acquirer is asked about it next.
 */
export const auditStuckRefunds = (client: Client, partition: number) =>
  forEachStranger(client, partition, (tag, id) =>
    lookAgain(
      Effect.gen(function* () {
        const list = keys.stuckRefundsKey(tag)
        const strangers = yield* strangersOf(client, tag, [id])
        if (strangers.length === 0 || (yield* client.call("ZSCORE", [list, id])) === null) return
        yield* differs("refund", list, { expected: "only live refunds that are processing", found: id })
      }),
    ),
  )

/** Takes off a partition's list of stuck refunds what does not belong there. */
export const repairStuckRefunds = (client: Client, partition: number, report: RepairReport) =>
  forEachStranger(client, partition, (tag, id) =>
    Effect.map(writeKey(client, "ZREM", keys.stuckRefundsKey(tag), id), (removed) => {
      if (removed === 1) report.indexes.push(`${keys.stuckRefundsKey(tag)} loses ${id}`)
    }),
  )
