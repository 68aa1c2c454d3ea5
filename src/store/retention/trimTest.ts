import { Clock, Effect } from "effect"
import type { TrimmedTestStep } from "../../../actors/ports/retention.ts"
import type { StoreUnavailable } from "../../../actors/values/storeUnavailable.ts"
import { limits } from "../../../schema/limits.ts"
import * as keys from "../keys.ts"
import type { RedisClient, Reply } from "../redis/redisClient.ts"
import type { StoreOptions } from "../storeOptions.ts"
import { deleteTestCharge } from "./deleteTestCharge.ts"
import { deleteTestWithdrawal } from "./deleteTestWithdrawal.ts"
import { endedCharges } from "./endedCharges.ts"
import { endedWithdrawals } from "./endedWithdrawals.ts"
import { beginningMillis, entriesOf, millisOf } from "./entryTimes.ts"
import { resourcesWithExceptions } from "./openExceptions.ts"
import { trimTestLedger } from "./trimTestLedger.ts"

type Client = RedisClient["Service"]

/** What a step does: a page of a seller's charges, of its withdrawals or of its ledger; `next`: looks for a seller after it. */
const stages = ["charges", "withdrawals", "ledger", "next"] as const
type Stage = (typeof stages)[number]

/** Where a step begins: in a seller and stage, after an id. */
interface Place {
  readonly sellerId: string
  readonly stage: Stage
  readonly afterId: string
}

const textOf = ({ sellerId, stage, afterId }: Place): string => `${sellerId} ${stage} ${afterId}`

const placeOf = (from: string | undefined): Place => {
  const [sellerId = "", name, afterId = ""] = (from ?? "").split(" ")
  return { sellerId, stage: stages.find((stage) => stage === name) ?? "next", afterId }
}

/** How many calls of a step run at once. */
const callsAtOnce = 8

const done = { resources: 0, ledgerEntries: 0 }

/** Whether a stream's first entry, or the creation of an index's first resource, is that old. */
const isOldEntry = (reply: Reply | undefined, beforeMillis: number): boolean => {
  const [first] = (reply ?? []) as ReadonlyArray<readonly [string, unknown]>
  return first !== undefined && millisOf(first[0]) < beforeMillis
}

const isOldResource = (events: Reply | undefined, beforeMillis: number): boolean =>
  events !== null && events !== undefined && beginningMillis(entriesOf(String(events))) < beforeMillis

/** Those of some sellers whose test mode begins before a time. */
const sellersWithOld = Effect.fnUntraced(function* (
  client: Client,
  sellerIds: ReadonlyArray<string>,
  beforeMillis: number,
) {
  const firsts = yield* client.callAll(
    sellerIds.flatMap((sellerId) => [
      ["XRANGE", [keys.ledgerKey({ sellerId, mode: "test" }), "-", "+", "COUNT", 1]] as const,
      ["ZRANGE", [keys.transactionsKey(sellerId, "test"), 0, 0]] as const,
      ["ZRANGE", [keys.withdrawalsKey(sellerId, "test"), 0, 0]] as const,
    ]),
  )
  const idIn = (reply: Reply | undefined): string => String((reply as ReadonlyArray<string>)[0] ?? "")
  const named = sellerIds.flatMap((sellerId, i) => [
    { sellerId, key: keys.transactionKey, id: idIn(firsts[i * 3 + 1]) },
    { sellerId, key: keys.withdrawalKey, id: idIn(firsts[i * 3 + 2]) },
  ])
  const resources = named.filter(({ id }) => id !== "")
  const events = yield* client.callAll(resources.map(({ key, id }) => ["HGET", [key(id), "events"]] as const))
  const old = new Set(
    resources.flatMap(({ sellerId }, i) => (isOldResource(events[i], beforeMillis) ? [sellerId] : [])),
  )
  return sellerIds.filter((sellerId, i) => old.has(sellerId) || isOldEntry(firsts[i * 3], beforeMillis))
})

/** The place of the next seller with old test data. */
const nextSeller = Effect.fnUntraced(function* (
  client: Client,
  partition: number,
  afterId: string,
  beforeMillis: number,
): Effect.fn.Return<TrimmedTestStep, StoreUnavailable> {
  const ids = (yield* client.call("ZRANGEBYLEX", [
    ...[keys.sellersKey(partition), afterId === "" ? "-" : `(${afterId}`, "+"],
    ...["LIMIT", 0, limits.trimmedSellersMax],
  ])) as ReadonlyArray<string>
  const [found] = yield* sellersWithOld(client, ids, beforeMillis)
  if (found !== undefined) {
    return { ...done, next: textOf({ sellerId: found, stage: "charges", afterId: "" }) }
  }
  const last = ids.length < limits.trimmedSellersMax ? undefined : ids.at(-1)
  return {
    ...done,
    next: last === undefined ? undefined : textOf({ sellerId: last, stage: "next", afterId: "" }),
  }
})

/** Deletes what has ended of a page of a seller's charges or withdrawals. */
const trimResources = Effect.fnUntraced(function* (
  client: Client,
  partition: number,
  { sellerId, stage, afterId }: Place,
  retentionMillis: number,
  beforeMillis: number,
): Effect.fn.Return<TrimmedTestStep, StoreUnavailable> {
  const isCharges = stage === "charges"
  const following: Place = { sellerId, stage: isCharges ? "withdrawals" : "ledger", afterId: "" }
  const keptIds = yield* resourcesWithExceptions(client, partition)
  if (keptIds === undefined) return { ...done, next: textOf(following) }
  const range = [client, sellerId, afterId, beforeMillis, keptIds] as const
  const { nextAfterId, deletions } = isCharges
    ? yield* Effect.map(endedCharges(...range), ({ ended, nextAfterId: next }) => ({
        nextAfterId: next,
        deletions: ended.map((charge) => ({
          count: 1 + charge.refunds.length,
          run: deleteTestCharge(client, retentionMillis, sellerId, charge),
        })),
      }))
    : yield* Effect.map(endedWithdrawals(...range), ({ ended, nextAfterId: next }) => ({
        nextAfterId: next,
        deletions: ended.map((withdrawal) => ({
          count: 1,
          run: deleteTestWithdrawal(client, retentionMillis, sellerId, withdrawal),
        })),
      }))
  const counts = yield* Effect.forEach(
    deletions,
    ({ count, run }) => Effect.map(run, ({ kind }) => (kind === "deleted" ? count : 0)),
    { concurrency: callsAtOnce },
  )
  const resources = counts.reduce((sum, count) => sum + count, 0)
  const next = nextAfterId === undefined ? following : { sellerId, stage, afterId: nextAfterId }
  return { resources, ledgerEntries: 0, next: textOf(next) }
})

/** Deletes a bounded part of what a partition's test mode no longer keeps; without a retention, nothing. */
export const trimTest = (client: Client, options: StoreOptions["Service"]) =>
  Effect.fnUntraced(function* (
    partition: number,
    from: string | undefined,
  ): Effect.fn.Return<TrimmedTestStep, StoreUnavailable> {
    const { testRetentionMillis: retentionMillis } = options
    if (retentionMillis === undefined) return { ...done, next: undefined }
    const beforeMillis = (yield* Clock.currentTimeMillis) - retentionMillis
    const place = placeOf(from)
    const { sellerId, stage } = place
    if (stage === "next") return yield* nextSeller(client, partition, sellerId, beforeMillis)
    if (stage !== "ledger") {
      return yield* trimResources(client, partition, place, retentionMillis, beforeMillis)
    }
    const { ledgerEntries, hasMore } = yield* trimTestLedger(client, sellerId, beforeMillis)
    const next: Place = { sellerId, stage: hasMore ? "ledger" : "next", afterId: "" }
    return { resources: 0, ledgerEntries, next: textOf(next) }
  })
