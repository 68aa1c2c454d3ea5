import { Effect, Layer } from "effect"
import { type EventEntry, EventLog } from "../../actors/ports/eventLog.ts"
import type { Feed } from "../../schema/ids.ts"
import { readDated } from "./clockSteps.ts"
import { creditedFact } from "./exceptions.ts"
import * as keys from "./keys.ts"
import { RedisClient, type RedisCommand, type Reply } from "./redis/redisClient.ts"

/** Reads XRANGE's reply; events.lua fixes the order of an entry's fields. */
export const readEntries = (reply: Reply | undefined): ReadonlyArray<EventEntry> =>
  ((reply ?? []) as ReadonlyArray<readonly [string, ReadonlyArray<string>]>).map(([entryId, values]) => ({
    entryId,
    seq: Number(values[1]),
    type: values[3] ?? "",
    resourceId: values[5] ?? "",
    internal: values[7] === "1",
    data: values[9] ?? "",
  }))

/** Whether entry id `a` comes before `b`. */
export const isBefore = (a: string, b: string): boolean => {
  const [aMillis = 0, aSequence = 0] = a.split("-").map(Number)
  const [bMillis = 0, bSequence = 0] = b.split("-").map(Number)
  return aMillis < bMillis || (aMillis === bMillis && aSequence < bSequence)
}

/** The newest and the oldest id of a window as XREVRANGE takes them; the earlier of both ends applies. */
export const entryWindow = (window: {
  readonly beforeEntryId: string | undefined
  readonly fromMillis?: number | undefined
  readonly toMillis?: number | undefined
}): readonly [newest: string, oldest: string] => {
  const { beforeEntryId, fromMillis, toMillis } = window
  const isBeforeEnd =
    beforeEntryId !== undefined && (toMillis === undefined || isBefore(beforeEntryId, `${toMillis + 1}-0`))
  const newest = isBeforeEnd ? `(${beforeEntryId}` : toMillis === undefined ? "+" : `${toMillis}`
  return [newest, fromMillis === undefined ? "-" : String(fromMillis)]
}

/** The hash that lists a resource's events. Of exceptions and sellers none is listed there. */
const resourceKey = (resourceId: string): string => {
  if (resourceId.startsWith("wd_")) return keys.withdrawalKey(resourceId)
  return resourceId.startsWith("rfd_") ? keys.refundKey(resourceId) : keys.transactionKey(resourceId)
}

/** The event of an exception's credit, which may lie in another partition: its seller's lists it. */
const creditOf = (client: RedisClient["Service"], feed: Feed, exceptionId: string) =>
  Effect.map(
    client.call("HGET", [keys.exceptionFactsKey(keys.tagOf(feed.sellerId)), creditedFact(exceptionId)]),
    (found) => {
      const [sellerId, mode, entryId = ""] = String(found ?? "").split(":")
      return sellerId === feed.sellerId && mode === feed.mode ? [entryId] : []
    },
  )

/** Event feeds on Redis Streams. */
export const EventLogLive = Layer.effect(
  EventLog,
  Effect.gen(function* () {
    const client = yield* RedisClient

    const read = (feed: Feed, commands: ReadonlyArray<RedisCommand>) =>
      Effect.map(
        readDated(client, feed, commands, (replies) =>
          replies.slice(0, commands.length).flatMap(readEntries),
        ),
        ({ entries }) => entries,
      )

    const getMany = (feed: Feed, entryIds: ReadonlyArray<string>) =>
      read(
        feed,
        entryIds.map((id) => ["XRANGE", [keys.eventsKey(feed), id, id]] as const),
      )

    return EventLog.of({
      readAfter: (feed, afterEntryId, entriesMax) =>
        read(feed, [
          [
            "XRANGE",
            [keys.eventsKey(feed), afterEntryId === "0" ? "-" : `(${afterEntryId}`, "+", "COUNT", entriesMax],
          ],
        ]),
      readBefore: (feed, beforeEntryId, window, entriesMax) =>
        read(feed, [
          [
            "XREVRANGE",
            [keys.eventsKey(feed), ...entryWindow({ ...window, beforeEntryId }), "COUNT", entriesMax],
          ],
        ]),
      getMany,
      entriesOfResource: (feed, resourceId) => {
        if (resourceId.startsWith("exc_")) return creditOf(client, feed, resourceId)
        return Effect.map(
          client.call("HMGET", [resourceKey(resourceId), "seller", "mode", "events"]),
          (reply) => {
            const [sellerId, mode, entries] = reply as ReadonlyArray<string | null>
            return sellerId === feed.sellerId && mode === feed.mode && entries ? entries.split(" ") : []
          },
        )
      },
      newest: (feed) =>
        Effect.map(client.call("HGET", [keys.feedKey(feed), "last"]), (last) => String(last ?? "0-0")),
    })
  }),
)
