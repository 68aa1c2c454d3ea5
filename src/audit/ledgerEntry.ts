import { Result } from "effect"
import { isId } from "../../schema/ids.ts"
import {
  type Bucket,
  buckets,
  type LedgerKind,
  type LedgerResourceType,
  ledgerKinds,
  ledgerResourceTypes,
} from "../../schema/resources/ledger.ts"
import { type Fault, shown } from "./difference.ts"

/** An amount of every bucket, in centavos; Redis counts in 64 bits. */
export type Amounts = Readonly<Record<Bucket, bigint>>

/** A well-formed ledger entry whose postings sum to zero. */
export interface LedgerRecord {
  readonly entryId: string
  readonly seq: number
  readonly kind: LedgerKind
  readonly resourceType: LedgerResourceType
  readonly resourceId: string
  /** The entry id of its event; "" if it has none. */
  readonly event: string
  /** What each bucket gains or loses; 0 if it does not change. */
  readonly gains: Amounts
  /** The balance that it says it left, as written. */
  readonly balance: string
}

/** A stream's entry as XRANGE returns it. */
export type RawEntry = readonly [entryId: string, values: ReadonlyArray<string>]

/** The names of an entry's fields, in order (`ledger.move` of src/store/ledger.lua). */
const names = ["seq", "kind", "resource_type", "resource", "event", "postings", "balance"]

/** Zero in every bucket. */
export const noAmounts: Amounts = {
  available: 0n,
  reserve: 0n,
  pending_withdraw: 0n,
  pending_refund: 0n,
  external: 0n,
  fees: 0n,
}

const isBucket = (text: string): text is Bucket => (buckets as ReadonlyArray<string>).includes(text)

/** `available:-100 pending_withdraw:100` as amounts; undefined for text of another form. */
const readPostings = (text: string): Amounts | undefined => {
  const gains: Partial<Record<Bucket, bigint>> = {}
  for (const posting of text.split(" ")) {
    const [, bucket = "", amount = ""] = /^([a-z_]+):(-?[1-9]\d*)$/.exec(posting) ?? []
    if (!isBucket(bucket) || gains[bucket] !== undefined) return undefined
    gains[bucket] = BigInt(amount)
  }
  return { ...noAmounts, ...gains }
}

/** The sum over all buckets. */
export const sumOf = (amounts: Amounts): bigint => buckets.reduce((sum, bucket) => sum + amounts[bucket], 0n)

/** A balance as an entry writes it. */
export const balanceText = ({ available, reserve, pending_withdraw, pending_refund }: Amounts): string =>
  `available:${available} reserve:${reserve} pending_withdraw:${pending_withdraw} pending_refund:${pending_refund}`

const prefixes = { transaction: "txn_", withdrawal: "wd_", refund: "rfd_", exception: "exc_" } as const

const fault = (expected: string, found: string) => Result.fail<Fault>({ expected, found })

/** Reads an entry strictly: its fields, a known kind, an id of its resource's type, postings that sum to zero. */
export const readLedgerEntry = ([entryId, values]: RawEntry): Result.Result<LedgerRecord, Fault> => {
  const found = values.filter((_, i) => i % 2 === 0).join(" ")
  if (found !== names.join(" ")) {
    return fault(`the fields ${names.join(" ")} of entry ${entryId}`, shown(found))
  }
  const [
    ,
    seq = "",
    ,
    kindText = "",
    ,
    type = "",
    ,
    resourceId = "",
    ,
    event = "",
    ,
    text = "",
    ,
    balance = "",
  ] = values
  const kind = ledgerKinds.find((name) => name === kindText)
  if (kind === undefined) return fault(`a known kind of movement in entry ${entryId}`, shown(kindText))
  const resourceType = ledgerResourceTypes.find((name) => name === type)
  if (resourceType === undefined || !isId(prefixes[resourceType], resourceId)) {
    return fault(
      `a transaction, a withdrawal, a refund or an exception with its id in entry ${entryId}`,
      `${shown(type)} ${shown(resourceId)}`,
    )
  }
  const gains = readPostings(text)
  if (gains === undefined) return fault(`one amount per bucket in entry ${entryId}`, shown(text))
  if (sumOf(gains) !== 0n) return fault(`postings that sum to 0 in entry ${entryId}`, `${shown(text)}`)
  return Result.succeed({
    entryId,
    seq: Number(seq),
    kind,
    resourceType,
    resourceId,
    event,
    gains,
    balance,
  })
}
