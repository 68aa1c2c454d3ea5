import { Effect, Result } from "effect"
import type { Feed } from "../../schema/ids.ts"
import { limits } from "../../schema/limits.ts"
import { auditEvents, type EventHead } from "../store/audit.ts"
import * as keys from "../store/keys.ts"
import { writeKey } from "../store/partitions.ts"
import type { RedisClient } from "../store/redis/redisClient.ts"
import { readHash } from "../store/redis/reply.ts"
import { differs } from "./difference.ts"
import { isOlder } from "./eventAudit.ts"
import { isBehind, type LedgerBase } from "./ledgerBase.ts"
import { balanceText, type RawEntry, readLedgerEntry } from "./ledgerEntry.ts"
import { foldFields, type LedgerFold, type LedgerPosition, ledgerStart, readFold } from "./ledgerFold.ts"
import type { AuditFailure } from "./reads.ts"

type Client = RedisClient["Service"]

/** Up to where a seller's mode has been audited (docs/operations.md#checkpoints). */
export interface Checkpoint {
  readonly ledger: LedgerPosition
  /** The newest event that was audited; "" if there was none. */
  readonly eventEntryId: string
  readonly eventSeq: string
  /** When the last audit from the beginning began, in ms. */
  readonly fullMillis: number
}

const differsFrom = (feed: Feed, expected: string, found: string) =>
  differs("checkpoint", keys.auditedKey(feed), { expected, found })

/** Reads the checkpoint of a seller's mode; undefined: it was never audited. */
export const readCheckpoint = Effect.fnUntraced(function* (
  client: Client,
  feed: Feed,
): Effect.fn.Return<Checkpoint | undefined, AuditFailure> {
  const hash = readHash(yield* client.call("HGETALL", [keys.auditedKey(feed)]))
  if (Object.keys(hash).length === 0) return undefined
  const { ledger: entryId, event: eventEntryId, event_seq: eventSeq, full_at: fullAt } = hash
  const fold = readFold(hash)
  const isWhole = entryId !== undefined && eventEntryId !== undefined && eventSeq !== undefined
  if (!isWhole || fold === undefined || !/^\d+$/.test(fullAt ?? "")) {
    return yield* differsFrom(feed, "a whole checkpoint", "one that lacks a field, or has no number in it")
  }
  return { ledger: { entryId, fold }, eventEntryId, eventSeq, fullMillis: Number(fullAt) }
})

/** Writes the checkpoint of a seller's mode; a mode without a movement and an event gets none. */
export const writeCheckpoint = (client: Client, feed: Feed, checkpoint: Checkpoint) => {
  const { ledger, eventEntryId, eventSeq, fullMillis } = checkpoint
  if (ledger.entryId === "" && eventEntryId === "") return Effect.void
  return Effect.asVoid(
    writeKey(
      client,
      "HSET",
      keys.auditedKey(feed),
      ...["ledger", ledger.entryId, "event", eventEntryId, "event_seq", eventSeq, "full_at", fullMillis],
      ...foldFields(ledger.fold).flat(),
    ),
  )
}

const totalsText = (fold: LedgerFold): string =>
  foldFields(fold)
    .map(([field, value]) => `${field} ${value}`)
    .join(", ")

/** Checks that an audit from the beginning found the sums that the checkpoint has for its entry. */
export const auditCheckpointSums = (
  feed: Feed,
  { ledger }: Checkpoint,
  found: LedgerFold | undefined,
): Effect.Effect<void, AuditFailure> => {
  const expected = `entry ${ledger.entryId} of ${keys.ledgerKey(feed)}, as an earlier audit`
  if (found === undefined) return differsFrom(feed, `${expected} read it`, "no such entry")
  const [then, now] = [totalsText(ledger.fold), totalsText(found)]
  return then === now ? Effect.void : differsFrom(feed, `${expected} added up: ${then}`, now)
}

/** Checks that the ledger still has the checkpoint's entry, which left the checkpoint's balance; its base may stand for it. */
const auditEntry = Effect.fnUntraced(function* (
  client: Client,
  feed: Feed,
  checkpoint: Checkpoint,
  { position }: LedgerBase,
): Effect.fn.Return<void, AuditFailure> {
  const { entryId, fold } = checkpoint.ledger
  if (entryId === position.entryId) return yield* auditCheckpointSums(feed, checkpoint, position.fold)
  if (entryId === ledgerStart.entryId) return
  const reply = yield* client.call("XRANGE", [keys.ledgerKey(feed), entryId, entryId])
  const [read] = (reply as unknown as ReadonlyArray<RawEntry>).map(readLedgerEntry)
  const found = read === undefined ? undefined : Result.getOrUndefined(read)
  const balance = balanceText(fold.amounts)
  if (found?.seq === fold.entries && found.balance === balance) return
  yield* differsFrom(
    feed,
    `entry ${entryId} of ${keys.ledgerKey(feed)} with seq ${fold.entries} and ${balance}, as an earlier audit read it`,
    found === undefined ? "none that can be read" : `seq ${found.seq} and ${found.balance}`,
  )
})

/** The event after which an audit goes on; undefined if retention has trimmed it, so that what changed since is unknown. */
const eventOf = Effect.fnUntraced(function* (
  client: Client,
  feed: Feed,
  { eventEntryId, eventSeq }: Checkpoint,
): Effect.fn.Return<EventHead | undefined, AuditFailure> {
  if (eventEntryId === "") return undefined
  const ranges = [
    [eventEntryId, eventEntryId],
    ["-", "+"],
  ] as const
  const [[event] = [], [oldest] = []] = yield* auditEvents(client, feed, ranges, 1)
  if (event?.seq === eventSeq) return event
  const isTrimmed = event === undefined && (oldest === undefined || isOlder(eventEntryId, oldest.entryId))
  if (isTrimmed) return undefined
  return yield* differsFrom(
    feed,
    `entry ${eventEntryId} of ${keys.eventsKey(feed)} with seq ${eventSeq}, as an earlier audit read it`,
    event === undefined ? "none" : `seq ${event.seq}`,
  )
})

/** From where an audit goes on. */
export interface Resumption {
  readonly ledger: LedgerPosition
  readonly event: EventHead
}

/**
 * Finds where an audit goes on; undefined: it begins at the beginning, since the last one that did is too long ago, or since
 * the events after the checkpoint are no longer all there, or its ledger entry was deleted with others after it. Fails if
 * ledger or feed are not as the checkpoint says.
 */
export const resumptionOf = Effect.fnUntraced(function* (
  client: Client,
  feed: Feed,
  checkpoint: Checkpoint,
  base: LedgerBase,
  nowMillis: number,
): Effect.fn.Return<Resumption | undefined, AuditFailure> {
  const { entryId } = checkpoint.ledger
  if (entryId !== base.position.entryId && isBehind(entryId, base)) return undefined
  yield* auditEntry(client, feed, checkpoint, base)
  const event = yield* eventOf(client, feed, checkpoint)
  const isDue = nowMillis - checkpoint.fullMillis >= limits.auditFullAfterMillis
  return event === undefined || isDue ? undefined : { ledger: checkpoint.ledger, event }
})
