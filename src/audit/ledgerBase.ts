import { Effect, Result } from "effect"
import type { Feed } from "../../schema/ids.ts"
import type { AuditAnchor } from "../store/audit.ts"
import * as keys from "../store/keys.ts"
import type { RedisClient } from "../store/redis/redisClient.ts"
import { readHash } from "../store/redis/reply.ts"
import { differs, type Fault, shown } from "./difference.ts"
import { isOlder } from "./eventAudit.ts"
import { type RawEntry, readLedgerEntry, sumOf } from "./ledgerEntry.ts"
import {
  balanceFault,
  entryFault,
  foldEntry,
  type LedgerPosition,
  ledgerStart,
  readFold,
} from "./ledgerFold.ts"
import type { AuditFailure, Fields } from "./reads.ts"

type Client = RedisClient["Service"]

/** Where a ledger begins: at its first entry, or after what was deleted of test mode (docs/decisions/0073-test-data-ends.md). */
export interface LedgerBase {
  readonly position: LedgerPosition
  /** How many commits have deleted something of the mode. */
  readonly commits: string
}

const entryPattern = /^\d+-\d+$/

const baseFault = (feed: Feed, { entry, ...sums }: Fields): Fault | undefined => {
  if (feed.mode === "live")
    return { expected: "no base, since live is never trimmed", found: shown(entry ?? "one") }
  const fold = readFold(sums)
  const isWhole = entry !== undefined && entryPattern.test(entry) && fold !== undefined && fold.entries > 0
  if (!isWhole) return { expected: "a whole base", found: "one that lacks a field, or has no number in it" }
  const sum = sumOf(fold.amounts)
  return sum === 0n ? undefined : { expected: "buckets that sum to 0", found: String(sum) }
}

/** Reads the base of a mode's ledger. Only one of test mode has one. */
export const readLedgerBase = Effect.fnUntraced(function* (
  client: Client,
  feed: Feed,
): Effect.fn.Return<LedgerBase, AuditFailure> {
  const key = keys.ledgerBaseKey(feed)
  const hash = readHash(yield* client.call("HGETALL", [key]))
  const { commits = "", ...base } = hash
  // Where only resources were deleted there are no sums yet.
  const isEmpty = Object.keys(base).length === 0 && (commits === "" || feed.mode === "test")
  if (isEmpty) return { position: ledgerStart, commits }
  const fault = baseFault(feed, base)
  const fold = readFold(base)
  if (fault !== undefined || fold === undefined) {
    return yield* differs("ledger", key, fault ?? { expected: "a whole base", found: "none" })
  }
  return { position: { entryId: base.entry ?? "", fold }, commits }
})

/** Whether an entry is among those that a base stands for. */
export const isBehind = (entryId: string, { position }: LedgerBase): boolean =>
  position.entryId !== "" && !isOlder(position.entryId, entryId)

/**
 * Checks that the ledger goes on from its base: its next entry follows from it, or, where there is none, the balance has its
 * sums. An audit that goes on from a checkpoint does not read it otherwise.
 */
export const auditBase = Effect.fnUntraced(function* (
  client: Client,
  feed: Feed,
  { position }: LedgerBase,
  anchor: AuditAnchor,
): Effect.fn.Return<void, AuditFailure> {
  if (position.entryId === "") return
  const key = keys.ledgerBaseKey(feed)
  const reply = yield* client.call("XRANGE", [
    ...[keys.ledgerKey(feed), `(${position.entryId}`, "+"],
    ...["COUNT", 1],
  ])
  const [next] = reply as unknown as ReadonlyArray<RawEntry>
  if (next === undefined) {
    const fault = balanceFault(position.fold, anchor.balance)
    return fault === undefined ? undefined : yield* differs("ledger", key, fault)
  }
  const read = readLedgerEntry(next)
  if (Result.isFailure(read)) return yield* differs("ledger", keys.ledgerKey(feed), read.failure)
  const fault = entryFault(foldEntry(position.fold, read.success), read.success)
  if (fault !== undefined) yield* differs("ledger", key, fault)
})
