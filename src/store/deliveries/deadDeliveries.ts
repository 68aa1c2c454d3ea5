import { Effect } from "effect"
import type { Mode } from "../../../schema/ids.ts"
import * as keys from "../keys.ts"
import type { RedisClient } from "../redis/redisClient.ts"

/** A dead attempt: its row (JSON text) and whose it is. */
export interface DeadDelivery {
  readonly id: string
  readonly row: string
  readonly sellerId: string
  readonly mode: string
}

/** The newest dead attempts of all sellers in some modes, `count` at most; those past retention are left out. */
export const deadDeliveries = Effect.fnUntraced(function* (
  client: RedisClient["Service"],
  partitions: number,
  page: {
    readonly modes: ReadonlyArray<Mode>
    readonly beforeId: string | undefined
    readonly count: number
  },
) {
  const end = page.beforeId === undefined ? "+" : `(${page.beforeId}`
  const tags = Array.from({ length: partitions }, (_, partition) => keys.partitionTag(partition))
  const replies = yield* client.callAll(
    page.modes.flatMap((mode) =>
      tags.map(
        (tag) =>
          [
            "ZRANGE",
            [keys.deadAttemptsKey(tag, mode), end, "-", "BYLEX", "REV", "LIMIT", 0, page.count],
          ] as const,
      ),
    ),
  )
  const ids = (replies.flat() as ReadonlyArray<string>).toSorted().reverse().slice(0, page.count)
  const records = yield* client.callAll(
    ids.map((id) => ["HMGET", [keys.attemptKey(id), "row", "seller", "mode"]] as const),
  )
  return ids.flatMap((id, i): ReadonlyArray<DeadDelivery> => {
    const [row, sellerId, mode] = (records[i] ?? []) as ReadonlyArray<string | null>
    return row && sellerId && mode ? [{ id, row, sellerId, mode }] : []
  })
})
