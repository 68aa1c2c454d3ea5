import { Effect } from "effect"
import type { EndpointScope, EndpointStore, RecoveryWindow } from "../../actors/ports/endpointStore.ts"
import { encodeTime } from "../../schema/ids.ts"
import { limits } from "../../schema/limits.ts"
import { type MissedStep, oweMissed, recoverDeliveries } from "./deliveries.ts"
import { isBefore } from "./events.ts"
import * as keys from "./keys.ts"
import type { RedisClient, Reply } from "./redis/redisClient.ts"
import type { StoreOptions } from "./storeOptions.ts"

/** A period in which an endpoint was disabled: the entries of its feed after one, up to another (undefined: it still is). */
export interface Outage {
  /** Exclusive. */
  readonly afterEntryId: string
  /** Inclusive. */
  readonly upToEntryId: string
}

/** The periods that have ended, oldest first, from the `outages` of an endpoint's record (endpoints.lua). */
export const readOutages = (text: string | undefined): ReadonlyArray<Outage> =>
  (text ?? "")
    .split(",")
    .filter((outage) => outage !== "")
    .map((outage) => {
      const [after = "", upTo = ""] = outage.split(" ")
      return { afterEntryId: after, upToEntryId: upTo }
    })

const millisOf = (entryId: string): number => Number(entryId.split("-")[0])

/** What of an outage lies in a window of times, both ends included, as XRANGE takes it; undefined: nothing. */
export const rangeWithin = (
  { afterEntryId, upToEntryId }: Outage,
  { fromMillis, toMillis }: { readonly fromMillis: number; readonly toMillis: number },
): { readonly from: string; readonly to: string } | undefined => {
  const beginMillis = millisOf(afterEntryId)
  if (beginMillis > toMillis || millisOf(upToEntryId) < fromMillis) return undefined
  return {
    from: fromMillis > beginMillis ? `${fromMillis}` : `(${afterEntryId}`,
    to: toMillis < millisOf(upToEntryId) ? `${toMillis}` : upToEntryId,
  }
}

const compareEntries = (a: string, b: string): number => (isBefore(a, b) ? -1 : 1)

/** The entry of a bound of XRANGE, which may be a time alone. */
const entryOf = (bound: string): string => {
  const entryId = bound.replace("(", "")
  return entryId.includes("-") ? entryId : `${entryId}-0`
}

/** What a recovery is to owe again, oldest event first, and how far it has come. */
interface Again {
  readonly entries: ReadonlyArray<string>
  next: number
  queued: number
  /** The endpoint was found disabled or deleted: nothing more is owed, though it be enabled again at once. */
  isOver: boolean
}

const makeAgain = (entries: ReadonlyArray<string>): Again => ({ entries, next: 0, queued: 0, isOver: false })

/** Recoveries of an endpoint on Redis (docs/contract/endpoints.md#recover). */
export const makeRecovery = (
  client: RedisClient["Service"],
  options: StoreOptions["Service"],
): Pick<EndpointStore["Service"], "recover" | "recoverMissed"> => {
  const requeue = recoverDeliveries(client)
  const owe = oweMissed(client, options)

  /** A batch of attempts of the index, from an id on: the entries they are of, and the last attempt's id. */
  const entriesAfter = Effect.fnUntraced(function* (index: string, from: string, to: string) {
    const range = [index, from, to, "BYLEX", "LIMIT", 0, limits.recoverBatchMax]
    const attemptIds = (yield* client.call("ZRANGE", range)) as ReadonlyArray<string>
    const entries = yield* client.callAll(
      attemptIds.map((id) => ["HGET", [keys.attemptKey(id), "entry"]] as const),
    )
    return {
      lastId: attemptIds.at(-1),
      entries: entries.filter((entry: Reply) => entry !== null).map(String),
    }
  })

  /**
   * The entries that had an attempt in the window, in the order of the feed. Attempts are in the order in which they ended, so all
   * are read before the first is owed: at an ordered endpoint a later event would take its resource's turn.
   */
  const attempted = Effect.fnUntraced(function* (scope: EndpointScope, window: RecoveryWindow) {
    const { sellerId, mode } = scope.feed
    const index = keys.attemptsKey(sellerId, mode, { kind: "endpoint", value: scope.endpointId })
    const to = `(whd_${encodeTime(window.toMillis + 1)}`
    // A delivery has one attempt for each failure.
    const seen = new Set<string>()
    let from: string | undefined = `[whd_${encodeTime(window.fromMillis)}`
    while (from !== undefined) {
      const batch: { readonly lastId: string | undefined; readonly entries: ReadonlyArray<string> } =
        yield* entriesAfter(index, from, to)
      for (const entry of batch.entries) seen.add(entry)
      from = batch.lastId === undefined ? undefined : `(${batch.lastId}`
    }
    return makeAgain([...seen].sort(compareEntries))
  })

  const requeueSome = Effect.fnUntraced(function* (
    scope: EndpointScope,
    again: Again,
    entries: ReadonlyArray<string>,
  ) {
    if (again.isOver) return
    const queued = yield* requeue(scope, entries)
    if (queued === undefined) again.isOver = true
    else again.queued += queued
  })

  /** Owes again what comes before an entry; without one all that is left. */
  const requeueBefore = Effect.fnUntraced(function* (scope: EndpointScope, again: Again, before?: string) {
    const isDue = (entry: string | undefined): boolean =>
      entry !== undefined && (before === undefined || isBefore(entry, before))
    while (!again.isOver && isDue(again.entries[again.next])) {
      const from = again.next
      while (again.next < from + limits.recoverBatchMax && isDue(again.entries[again.next])) again.next++
      yield* requeueSome(scope, again, again.entries.slice(from, again.next))
    }
  })

  /** Owes what an endpoint missed in a range of its feed, and between it what it is owed again. */
  const recoverRange = Effect.fnUntraced(function* (
    scope: EndpointScope,
    again: Again,
    range: { readonly from: string; readonly to: string },
    pause: Effect.Effect<void>,
  ) {
    let missed = 0
    let from: string | undefined = range.from
    while (from !== undefined) {
      yield* requeueBefore(scope, again, entryOf(from))
      if (again.isOver) break
      const cut = again.entries[again.next]
      const isCut = cut !== undefined && isBefore(cut, entryOf(range.to))
      const step: MissedStep | undefined = yield* owe(scope, from, isCut ? `(${cut}` : range.to)
      if (step === undefined) again.isOver = true
      missed += step?.owed ?? 0
      const after: string | undefined = step?.lastEntryId ?? (isCut ? cut : undefined)
      if (isCut && after === cut) {
        again.next++
        yield* requeueSome(scope, again, [cut])
      }
      from = after === undefined || again.isOver ? undefined : `(${after}`
      yield* pause
    }
    return missed
  })

  return {
    recover: Effect.fnUntraced(function* (scope, window) {
      const again = yield* attempted(scope, window)
      yield* requeueBefore(scope, again)
      return again.queued
    }),

    recoverMissed: Effect.fnUntraced(function* (scope, window, pause, failedIn) {
      // Read before anything is owed: a missed event that fails meanwhile is not to be sent twice.
      const again = failedIn === undefined ? makeAgain([]) : yield* attempted(scope, failedIn)
      const outages = yield* client.call("HGET", [keys.destinationKey(scope.endpointId), "outages"])
      let missed = 0
      for (const outage of readOutages(outages === null ? undefined : String(outages))) {
        const range = rangeWithin(outage, window)
        if (range !== undefined) missed += yield* recoverRange(scope, again, range, pause)
      }
      yield* requeueBefore(scope, again)
      return { queued: again.queued, missed }
    }),
  }
}
