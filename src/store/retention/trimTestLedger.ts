import { Effect } from "effect"
import { baseAfter, type LedgerBase } from "../../../actors/values/ledgerBase.ts"
import { dayEndMillis } from "../../../actors/values/saoPauloDays.ts"
import type { StoreUnavailable } from "../../../actors/values/storeUnavailable.ts"
import type { Feed } from "../../../schema/ids.ts"
import { limits } from "../../../schema/limits.ts"
import { readClosings } from "../closings/closingText.ts"
import * as keys from "../keys.ts"
import { readLedgerEntries } from "../ledger/ledger.ts"
import { baseFields, readBase } from "../ledger/ledgerBase.ts"
import { declareFunction } from "../redis/functionDeclaration.ts"
import { callFunction, unexpectedReply } from "../redis/functionLibrary.ts"
import type { RedisClient } from "../redis/redisClient.ts"
import { words } from "../redis/reply.ts"
import { readHash } from "../sellers/sellerHash.ts"

const declaration = declareFunction(import.meta.url, {
  keys: ["ledger", "base", "deleted"],
  args: ["expected_entry", "entry", "next_entry", "...fields"],
})

/** The least id of an entry after another. */
const idAfter = (entryId: string): string => {
  const [millis = "0", sequence = "0"] = entryId.split("-")
  return `${millis}-${BigInt(sequence) + 1n}`
}

/** Moves a base on from `expectedEntryId`; returns how many entries went, 0 where the base is another by now. */
const moveBase = (
  client: RedisClient["Service"],
  feed: Feed,
  expectedEntryId: string,
  base: LedgerBase,
): Effect.Effect<number, StoreUnavailable> =>
  Effect.flatMap(
    callFunction(
      client,
      declaration,
      {
        ledger: keys.ledgerKey(feed),
        base: keys.ledgerBaseKey(feed),
        deleted: keys.ledgerDeletedKey(feed),
      },
      {
        expected_entry: expectedEntryId,
        entry: base.entryId,
        next_entry: idAfter(base.entryId),
        fields: baseFields(base).flat(),
      },
    ),
    (reply) => {
      const [kind, trimmed] = words(reply)
      if (kind === "stale") return Effect.succeed(0)
      return kind === "trimmed"
        ? Effect.succeed(Number(trimmed))
        : Effect.fail(unexpectedReply(declaration, reply))
    },
  )

/** The end, in ms, of the last day of test mode that is closed on the whole platform; before the first, 0. */
const closedToMillis = (client: RedisClient["Service"]) =>
  Effect.map(client.call("XREVRANGE", [keys.closingsKey("test"), "+", "-", "COUNT", 1]), (reply) => {
    const [last] = readClosings(reply)
    return last === undefined ? 0 : dayEndMillis(last.day)
  })

/**
 * Deletes entries from the old end of a seller's test ledger: those older than `beforeMillis`, of closed days, whose resources are
 * deleted or are exceptions, up to the first that is not or that does not follow from the base. Returns how many, and whether
 * there may be more.
 */
export const trimTestLedger = Effect.fnUntraced(function* (
  client: RedisClient["Service"],
  sellerId: string,
  beforeMillis: number,
) {
  const feed = { sellerId, mode: "test" } as const
  const start = readBase(readHash(yield* client.call("HGETALL", [keys.ledgerBaseKey(feed)])))
  const from = start.entryId === "" ? "-" : `(${start.entryId}`
  const count = limits.trimmedTestEntriesMax
  const oldest = readLedgerEntries(
    yield* client.call("XRANGE", [keys.ledgerKey(feed), from, "+", "COUNT", count]),
  )
  const endMillis = Math.min(beforeMillis, (yield* closedToMillis(client)) + 1)
  const old = oldest.filter(({ entryId }) => Number(entryId.split("-")[0]) < endMillis)
  if (old.length === 0) return { ledgerEntries: 0, hasMore: false }
  const marks = yield* client.callAll(
    old.map(({ resourceId }) => ["ZSCORE", [keys.ledgerDeletedKey(feed), resourceId]] as const),
  )
  let base = start
  for (const [i, entry] of old.entries()) {
    const mayGo = entry.resourceType === "exception" || marks[i] !== null
    const next = mayGo ? baseAfter(base, entry) : undefined
    if (next === undefined) break
    base = next
  }
  if (base === start) return { ledgerEntries: 0, hasMore: false }
  const ledgerEntries = yield* moveBase(client, feed, start.entryId, base)
  return {
    ledgerEntries,
    hasMore: ledgerEntries > 0 && base.entryId === oldest.at(-1)?.entryId && oldest.length === count,
  }
})
