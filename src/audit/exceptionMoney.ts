import { Effect, Result } from "effect"
import type { Feed } from "../../schema/ids.ts"
import type { LedgerKind } from "../../schema/resources/ledger.ts"
import { creditedFact } from "../store/exceptions.ts"
import * as keys from "../store/keys.ts"
import type { RedisClient } from "../store/redis/redisClient.ts"
import { differs, type Fault, shown } from "./difference.ts"
import { type ExceptionDocument, readExceptionDocument } from "./documents.ts"
import { isBehind, readLedgerBase } from "./ledgerBase.ts"
import { type LedgerRecord, type RawEntry, readLedgerEntry } from "./ledgerEntry.ts"
import { textOf } from "./moneyText.ts"
import { isUnderWay } from "./neededTimers.ts"
import { type Fields, lookAgain, readFields } from "./reads.ts"

type Client = RedisClient["Service"]

/** The movements of the acts that move money themselves (docs/contract/exceptions.md#acts). */
const kindsOfAct: Readonly<Record<string, ReadonlyArray<LedgerKind>>> = {
  credit: ["payment_credited"],
  debit: ["payout_debited"],
  return: ["payout_returned"],
}

/** Those of the debit of a return: of a credited Pix, or of the one that paid its charge. */
const kindsOfReturn: ReadonlyArray<LedgerKind> = [
  ...["payment_debited", "charge_refunded", "charge_partially_refunded"],
  ...["charge_chargeback", "charge_partial_chargeback"],
] as ReadonlyArray<LedgerKind>

const kindsOf = ({ kind, act }: ExceptionDocument): ReadonlyArray<LedgerKind> | undefined => {
  if (act === null) return undefined
  return kind === "payment_returned" && act === "debit" ? kindsOfReturn : kindsOfAct[act]
}

/** What the seller gains by an entry about an exception, of its amount. */
const signOf = { payment_credited: 1n, payment_debited: -1n } as const
const isOfException = (kind: LedgerKind): kind is keyof typeof signOf => kind in signOf

/** Where the entry of an act's money is. */
interface MovementPlace {
  readonly feed: Feed
  readonly entryId: string
}

/** The entries of a credit in the partition of its seller; undefined: it got none. */
const creditOf = (client: Client, exceptionId: string, sellerId: string) =>
  Effect.map(
    client.call("HGET", [keys.exceptionFactsKey(keys.tagOf(sellerId)), creditedFact(exceptionId)]),
    (found) => {
      const [seller, mode, event, movement] = String(found ?? "").split(":")
      return seller === undefined || movement === undefined ? undefined : { seller, mode, event, movement }
    },
  )

/** Where the money of a resolved exception is; undefined: it is noted nowhere. */
const placeOf = Effect.fnUntraced(function* (client: Client, document: ExceptionDocument, record: Fields) {
  const { id, mode, seller_id: sellerId } = document
  if (sellerId === null) return undefined
  const feed = { sellerId, mode }
  const { movement } = record
  if (movement !== undefined) return { feed, entryId: movement } satisfies MovementPlace
  const credit = yield* creditOf(client, id, sellerId)
  const isHere = credit?.seller === sellerId && credit.mode === mode
  return isHere ? ({ feed, entryId: credit.movement } satisfies MovementPlace) : undefined
})

const entryFault = (
  document: ExceptionDocument,
  kinds: ReadonlyArray<LedgerKind>,
  entry: LedgerRecord,
): Fault | undefined => {
  const kind = kinds.find((one) => one === entry.kind) ?? kinds[0] ?? "payment_credited"
  const resource = isOfException(kind) ? document.id : document.resource_id
  const { available, external } = entry.gains
  // What was settled, or has come back, before is not moved again. A charge's return may take its reserve first.
  const isAmount = isOfException(kind)
    ? available === signOf[kind] * BigInt(document.amount)
    : document.kind === "payment_returned"
      ? external === BigInt(document.amount)
      : available !== 0n && available > 0n === (kind === "payout_returned")
  if (entry.kind === kind && entry.resourceId === resource && isAmount) return undefined
  return {
    expected: `a movement ${kinds.join(" or ")} of ${resource}, ${document.amount}, in entry ${entry.entryId}`,
    found: `${entry.resourceId}, ${textOf(entry)}`,
  }
}

/**
 * The fault of the money of a resolved exception: an act that moves money has its entry in its seller's ledger, or in what was
 * deleted of a test one.
 */
export const exceptionMoneyFault = Effect.fnUntraced(function* (
  client: Client,
  document: ExceptionDocument,
  record: Fields,
) {
  const kinds = kindsOf(document)
  if (kinds === undefined) return undefined
  const expected = `an entry ${kinds.join(" or ")} in its seller's ledger, since its act is ${document.act}`
  const place = yield* placeOf(client, document, record)
  if (place === undefined) return { expected, found: "none" }
  const { feed, entryId } = place
  const [raw] = (yield* client.call("XRANGE", [
    keys.ledgerKey(feed),
    entryId,
    entryId,
  ])) as unknown as ReadonlyArray<RawEntry>
  if (raw === undefined && isBehind(entryId, yield* readLedgerBase(client, feed))) return undefined
  const read = raw === undefined ? undefined : readLedgerEntry(raw)
  if (read === undefined || Result.isFailure(read))
    return { expected, found: `no readable entry ${shown(entryId)}` }
  return entryFault(document, kinds, read.success)
})

/** The fault of the entry of a credit or debit: its exception was resolved by it, or is about to be. */
const creditFault = Effect.fnUntraced(function* (client: Client, feed: Feed, entry: LedgerRecord) {
  const { resourceId: id, entryId, kind, gains } = entry
  const names = ["document", "pending", "movement"]
  const record = readFields(names, yield* client.call("HMGET", [keys.exceptionKey(id), ...names]))
  const document = readExceptionDocument(record.document)
  const expected = `an exception that was credited by entry ${entryId} of ${keys.ledgerKey(feed)}`
  if (document === undefined) return { expected, found: "none" }
  const act = kind === "payment_debited" ? "debit" : "credit"
  const isBooked = document.act === act || isUnderWay(record.pending)
  const isAmount = isOfException(kind) && gains.available === signOf[kind] * BigInt(document.amount)
  if (!isBooked || !isAmount) {
    return {
      expected,
      found: `one of ${document.amount} that is ${document.act ?? document.state}; ${textOf(entry)}`,
    }
  }
  if (record.movement === entryId && document.seller_id === feed.sellerId) return undefined
  const credit = yield* creditOf(client, id, feed.sellerId)
  const isNoted = credit?.movement === entryId && credit.seller === feed.sellerId && credit.mode === feed.mode
  return isNoted && credit.event === entry.event
    ? undefined
    : { expected, found: `one whose credit is entry ${credit?.movement ?? record.movement ?? "none"}` }
})

/** Checks that each credit in a page of a ledger is that of an exception, which need not lie in this partition. */
export const auditCredits = Effect.fnUntraced(function* (
  client: Client,
  feed: Feed,
  records: ReadonlyArray<LedgerRecord>,
) {
  for (const entry of records.filter(({ resourceType }) => resourceType === "exception")) {
    yield* lookAgain(
      Effect.gen(function* () {
        const fault = yield* creditFault(client, feed, entry)
        if (fault !== undefined) yield* differs("exception", keys.exceptionKey(entry.resourceId), fault)
      }),
    )
  }
})
