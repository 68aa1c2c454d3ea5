import { type Bucket, buckets, type LedgerKind } from "../../schema/resources/ledger.ts"

/** Centavos by bucket, one for each. */
export type Amounts = Readonly<Record<Bucket, number>>

/** What each kind of ledger entry moved, by bucket; kinds without an entry are absent. */
export type Movements = Readonly<Partial<Record<LedgerKind, Amounts>>>

export const noAmounts: Amounts = {
  available: 0,
  reserve: 0,
  pending_withdraw: 0,
  pending_refund: 0,
  external: 0,
  fees: 0,
}

/** The sum of two amounts, bucket by bucket. */
export const plusAmounts = (one: Amounts, other: Amounts): Amounts => {
  const sum = { ...one }
  for (const bucket of buckets) sum[bucket] += other[bucket]
  return sum
}

/** Subtracts `b` from `a`, bucket by bucket. */
export const subtract = (a: Amounts, b: Amounts): Amounts => {
  const rest = { ...a }
  for (const bucket of buckets) rest[bucket] -= b[bucket]
  return rest
}

/** The sum of two days' or sellers' movements, kind by kind. */
export const plusMovements = (one: Movements, other: Movements): Movements => {
  const sum: Partial<Record<LedgerKind, Amounts>> = { ...one }
  for (const [kind, amounts] of Object.entries(other) as ReadonlyArray<[LedgerKind, Amounts]>) {
    sum[kind] = plusAmounts(sum[kind] ?? noAmounts, amounts)
  }
  return sum
}

/** Movements with one more ledger entry. */
export const plusEntry = (
  movements: Movements,
  entry: {
    readonly kind: LedgerKind
    readonly postings: ReadonlyArray<{ readonly bucket: Bucket; readonly amount: number }>
  },
): Movements => {
  const amounts = { ...noAmounts }
  for (const { bucket, amount } of entry.postings) amounts[bucket] += amount
  return plusMovements(movements, { [entry.kind]: amounts })
}

/** What movements of all kinds come to. */
export const totalOf = (movements: Movements): Amounts =>
  Object.values(movements).reduce(plusAmounts, noAmounts)

/** Whether nothing moved. */
export const isEmpty = (movements: Movements): boolean => Object.keys(movements).length === 0
