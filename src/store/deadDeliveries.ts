import { Effect } from "effect"
import { type Mode, modes } from "../../schema/ids.ts"
import * as keys from "./keys.ts"
import type { RedisClient } from "./redis/redisClient.ts"

/** A dead attempt: its row (JSON text) and whose it is. */
export interface DeadDelivery {
  readonly id: string
  readonly row: string
  readonly sellerId: string
  readonly mode: Mode
  /** What its event is about; undefined once the event is no longer kept. */
  readonly resourceId: string | undefined
}

const isMode = (text: string | null | undefined): text is Mode => modes.some((mode) => mode === text)

/** The resource of the one event that XRANGE found. */
const resourceOf = (reply: unknown): string | undefined => {
  const [[, fields] = []] = (reply ?? []) as ReadonlyArray<
    readonly [id: string, fields: ReadonlyArray<string>]
  >
  return fields?.[fields.indexOf("resource") + 1]
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
    ids.map((id) => ["HMGET", [keys.attemptKey(id), "row", "seller", "mode", "entry"]] as const),
  )
  const found = ids.flatMap((id, i) => {
    const [row, sellerId, mode, entry] = (records[i] ?? []) as ReadonlyArray<string | null>
    return row && sellerId && isMode(mode) && entry ? [{ id, row, sellerId, mode, entry }] : []
  })
  const events = yield* client.callAll(
    found.map(({ entry, ...feed }) => ["XRANGE", [keys.eventsKey(feed), entry, entry]] as const),
  )
  return found.map(
    ({ entry: _entry, ...delivery }, i): DeadDelivery => ({ ...delivery, resourceId: resourceOf(events[i]) }),
  )
})
