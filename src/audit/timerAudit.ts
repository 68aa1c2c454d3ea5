import { Clock, Effect } from "effect"
import type { StoreUnavailable } from "../../actors/values/storeUnavailable.ts"
import { type Feed, modes } from "../../schema/ids.ts"
import * as keys from "../store/keys.ts"
import { writeKey } from "../store/partitions.ts"
import type { RedisClient } from "../store/redis/redisClient.ts"
import { readHash } from "../store/redis/reply.ts"
import { type CheckName, differs } from "./difference.ts"
import { chargeKind, refundKind, withdrawalKind } from "./kinds.ts"
import {
  memberOf,
  type NeededTimer,
  noticeTimerFields,
  timersOfApiKey,
  timersOfException,
  timersOfNotice,
  timersOfReport,
} from "./neededTimers.ts"
import { forEachPage, lookAgain, readFields } from "./reads.ts"
import type { MoneyKind, Sighting } from "./resourceKind.ts"

type Client = RedisClient["Service"]

/** The needed timers of a partition that are not set. */
const missingOf = Effect.fnUntraced(function* (
  client: Client,
  tag: string,
  needed: ReadonlyArray<NeededTimer>,
) {
  if (needed.length === 0) return []
  const queue = keys.timersKey(tag)
  const scores = yield* client.callAll(needed.map((timer) => ["ZSCORE", [queue, memberOf(timer)]] as const))
  return needed.filter((_, i) => scores[i] === null)
})

/** Fails if a timer is still not set after some more looks at what needs it and at the queue. */
const failWhereMissing = (
  client: Client,
  check: CheckName,
  tag: string,
  readNeeded: Effect.Effect<ReadonlyArray<NeededTimer>, StoreUnavailable>,
) =>
  lookAgain(
    Effect.gen(function* () {
      const [missing] = yield* missingOf(client, tag, yield* readNeeded)
      if (missing === undefined) return
      yield* differs(check, keys.timersKey(tag), {
        expected: `timer ${memberOf(missing)} (ops audit repair sets it)`,
        found: "none",
      })
    }),
  )

/** Reads resources again; returns the timers that they need. */
const neededBy = (client: Client, kind: MoneyKind, feed: Feed, ids: ReadonlyArray<string>) =>
  Effect.map(
    client.callAll(ids.map((id) => ["HMGET", [kind.hashKey(id), "status", ...kind.fields]] as const)),
    (replies) =>
      ids.flatMap((id, i) => kind.timersOf(id, feed, readFields(["status", ...kind.fields], replies[i]))),
  )

const neededByNotices = (client: Client, ids: ReadonlyArray<string>) =>
  Effect.map(
    client.callAll(ids.map((id) => ["HMGET", [keys.noticeKey(id), ...noticeTimerFields]] as const)),
    (replies) => ids.flatMap((id, i) => timersOfNotice(id, readFields(noticeTimerFields, replies[i]))),
  )

const neededByExceptions = (client: Client, ids: ReadonlyArray<string>) =>
  Effect.map(
    client.callAll(ids.map((id) => ["HGET", [keys.exceptionKey(id), "pending"]] as const)),
    (replies) => ids.flatMap((id, i) => timersOfException(id, String(replies[i] ?? ""))),
  )

/** The timers that a mode's API keys need: at most a few. */
const neededByApiKeys = Effect.fnUntraced(function* (client: Client, feed: Feed) {
  const partition = keys.partitionOf(feed.sellerId)
  const listed = Object.entries(
    readHash(yield* client.call("HGETALL", [keys.apiKeysKey(feed.sellerId, feed.mode)])),
  )
  const replies = yield* client.callAll(
    listed.map(([, hash]) => ["HGET", [keys.apiKeyKey(partition, hash), "revoke_at"]] as const),
  )
  return listed.flatMap(([id], i) =>
    timersOfApiKey(id, feed, replies[i] === null ? undefined : String(replies[i])),
  )
})

/** The timers that a mode's reports by mail need: at most a few. */
const neededByReports = Effect.fnUntraced(function* (client: Client, feed: Feed) {
  const ids = (yield* client.call("ZRANGE", [keys.reportsKey(feed), 0, -1])) as ReadonlyArray<string>
  const replies = yield* client.callAll(ids.map((id) => ["HGET", [keys.reportKey(id), "next"]] as const))
  return ids.flatMap((id, i) => timersOfReport(id, String(replies[i] ?? "")))
})

/** How many resources with missing timers are remembered until the rest of a mode has been checked. */
const suspectsMax = 1_000

/**
 * Looks for the timers of resources page by page (`add`), and fails at `finish` if one is still missing: faults of the
 * resources themselves are reported first.
 */
export const makeTimerAudit = (client: Client, feed: Feed) => {
  const tag = keys.tagOf(feed.sellerId)
  const suspects: Array<readonly [MoneyKind, string]> = []
  const add = (kind: MoneyKind, sightings: ReadonlyArray<Sighting>) => {
    const needed = sightings.flatMap(({ id, record }) => kind.timersOf(id, feed, record))
    return Effect.map(missingOf(client, tag, needed), (missing) => {
      const more = missing.slice(0, suspectsMax - suspects.length)
      suspects.push(...more.map(({ resourceId }) => [kind, resourceId] as const))
    })
  }
  const finish = Effect.suspend(() =>
    Effect.forEach(
      suspects,
      ([kind, id]) => failWhereMissing(client, kind.check, tag, neededBy(client, kind, feed, [id])),
      { discard: true },
    ),
  )
  return { add, finish }
}

/** Checks that every rotated API key of a mode has the timer that ends it. */
export const auditApiKeyTimers = (client: Client, feed: Feed) =>
  failWhereMissing(client, "api_key", keys.tagOf(feed.sellerId), neededByApiKeys(client, feed))

/** Checks that every report by mail that somebody is to get has the timer that mails it. */
export const auditReportTimers = (client: Client, feed: Feed) =>
  failWhereMissing(client, "report", keys.tagOf(feed.sellerId), neededByReports(client, feed))

/** Checks that every waiting notice of a partition has the timer that processes it. */
export const auditNoticeTimers = (client: Client, partition: number) => {
  const tag = keys.partitionTag(partition)
  return forEachPage(client, keys.noticesKey(tag, "unprocessed"), (ids) =>
    failWhereMissing(client, "inbox", tag, neededByNotices(client, ids)),
  )
}

/** Checks that every act on an exception of a partition that is under way has the timer that carries it on. */
export const auditExceptionTimers = (client: Client, partition: number) => {
  const tag = keys.partitionTag(partition)
  return forEachPage(client, keys.exceptionsKey(tag, "open"), (ids) =>
    failWhereMissing(client, "exception", tag, neededByExceptions(client, ids)),
  )
}

/** Sets the needed timers that are missing; returns their names. A spurious timer is dropped when it fires. */
const repairNeeded = Effect.fnUntraced(function* (
  client: Client,
  tag: string,
  offsetMillis: number,
  needed: ReadonlyArray<NeededTimer>,
) {
  const missing = yield* missingOf(client, tag, needed)
  const nowMillis = yield* Clock.currentTimeMillis
  for (const timer of missing) {
    const dueMillis = Math.max(nowMillis, timer.shownMillis - offsetMillis)
    yield* writeKey(client, "ZADD", keys.timersKey(tag), "NX", dueMillis, memberOf(timer))
  }
  return missing.map(memberOf)
})

/** Sets the missing timers that the states of a partition need; returns their names. Writes nothing else. */
export const repairTimers = Effect.fnUntraced(function* (client: Client, partition: number) {
  const tag = keys.partitionTag(partition)
  const set: Array<string> = []
  const repair = (offsetMillis: number) => (needed: ReadonlyArray<NeededTimer>) =>
    Effect.map(repairNeeded(client, tag, offsetMillis, needed), (names) => {
      set.push(...names)
    })
  yield* forEachPage(client, keys.noticesKey(tag, "unprocessed"), (ids) =>
    Effect.flatMap(neededByNotices(client, ids), repair(0)),
  )
  yield* forEachPage(client, keys.exceptionsKey(tag, "open"), (ids) =>
    Effect.flatMap(neededByExceptions(client, ids), repair(0)),
  )
  yield* forEachPage(client, keys.sellersKey(partition), (sellerIds) =>
    Effect.gen(function* () {
      for (const sellerId of sellerIds) {
        const offset = Number((yield* client.call("GET", [keys.clockKey(sellerId)])) ?? 0)
        for (const mode of modes) {
          const feed = { sellerId, mode }
          const offsetMillis = mode === "test" ? offset : 0
          yield* Effect.flatMap(neededByApiKeys(client, feed), repair(0))
          yield* Effect.flatMap(neededByReports(client, feed), repair(0))
          for (const kind of [chargeKind, withdrawalKind, refundKind]) {
            yield* forEachPage(client, kind.indexKey(feed), (ids) =>
              Effect.flatMap(neededBy(client, kind, feed, ids), repair(offsetMillis)),
            )
          }
        }
      }
    }),
  )
  return set
})
