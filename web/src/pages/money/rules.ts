import { formLimits } from "../../../../schema/formLimits.ts"
import type { LedgerEntry } from "../../../../schema/resources/ledger.ts"
import type { Withdrawal, WithdrawalStatus } from "../../../../schema/resources/withdrawal.ts"
import { type StatementMove, type StatementSums, statementSums } from "../../../../schema/statementSums.ts"
import type { FeedEvent } from "../../api/live.ts"
import { dayMillis } from "../../text/spans.ts"
import { dayOf } from "../../text/today.ts"
import { millisOfDay } from "../../ui/period.ts"

/** What a withdrawal of `amount` centavos takes from the balance, and what is left of it. */
export const costOf = (
  amount: number,
  fee: number,
  available: number,
): { readonly total: number; readonly left: number } => ({
  total: amount + fee,
  left: available - amount - fee,
})

/** The most centavos that can be withdrawn: the fee comes on top. */
export const withdrawableOf = (available: number, fee: number): number => Math.max(0, available - fee)

/** Whether a withdrawal's fee is, or stays, taken: it comes back with the amount of one that did not leave. */
export const isFeeCharged = (status: WithdrawalStatus): boolean =>
  status !== "rejected" && status !== "failed" && status !== "cancelled"

const moving =
  /^(?:transaction\.(?:paid|refunded|partially_refunded|chargeback)|withdrawal\.|refund\.|exception\.)/

/** Whether an event tells of money that moved. */
export const movesMoney = ({ type }: FeedEvent): boolean => moving.test(type)

/** Whether an event tells of a withdrawal. */
export const isOfWithdrawals = ({ type }: FeedEvent): boolean => type.startsWith("withdrawal.")

/** Whether an event tells of the resource with this id. */
export const isAbout =
  (id: string) =>
  ({ data }: FeedEvent): boolean =>
    data.object.id === id

/** The page of what moved money; undefined where sellers have none. */
export const pageOfResource = (type: string, id: string): string | undefined => {
  if (type === "transaction") return `/charges/${id}`
  if (type === "withdrawal") return `/withdrawals/${id}`
  return type === "refund" ? `/refunds?id=${id}` : undefined
}

/** Days of São Paulo, `YYYY-MM-DD`, both included. */
export interface Period {
  readonly from: string
  readonly to: string
}

/** The period of an address: its `from` and `to`, or else this month up to `today`. */
export const periodOf = (query: URLSearchParams, today: string): Period => ({
  from: query.get("from") ?? `${today.slice(0, 8)}01`,
  to: query.get("to") ?? today,
})

/** Why a period cannot be shown; undefined where it can. */
export const problemOf = ({ from, to }: Period): "noDay" | "reversed" | "tooLong" | undefined => {
  const first = millisOfDay(from)
  const last = millisOfDay(to)
  if (first === undefined || last === undefined) return "noDay"
  if (last < first) return "reversed"
  return (last - first) / dayMillis + 1 > formLimits.statementDaysMax ? "tooLong" : undefined
}

/** Kinds of movements by what a shop calls them. Ends that leave the available balance as it was are not in a statement. */
const kindGroups = {
  sales: ["charge_paid", "payment_credited"],
  refunds: [
    ...["refund_held", "refund_returned", "charge_refunded", "charge_partially_refunded"],
    ...["charge_chargeback", "charge_partial_chargeback", "payment_debited"],
  ],
  withdrawals: ["withdrawal_held", "withdrawal_returned", "payout_debited", "payout_returned"],
  reserve: ["reserve_released"],
} as const
export type KindGroup = keyof typeof kindGroups
export const kindGroupNames = Object.keys(kindGroups) as ReadonlyArray<KindGroup>

/** The kinds of a group as the API takes them; of all groups where none is chosen. */
export const kindsOf = (group: KindGroup | undefined): string =>
  (group === undefined ? Object.values(kindGroups).flat() : kindGroups[group]).join(",")

/** What an entry adds to the available balance. */
export const gainOf = ({ postings }: Pick<LedgerEntry, "postings">): number =>
  postings.find(({ bucket }) => bucket === "available")?.amount ?? 0

const moveOf = (entry: LedgerEntry): StatementMove => ({
  kind: entry.kind,
  resourceId: entry.resource_id,
  gain: gainOf(entry),
})

/** The entries of a day in São Paulo, newest first. */
export interface StatementDay {
  /** `YYYY-MM-DD`. */
  readonly day: string
  readonly entries: ReadonlyArray<LedgerEntry>
  /** Undefined while entries of the day are still to be read. */
  readonly sums: StatementSums | undefined
  /** The available balance after the newest entry. */
  readonly balance: number
}

/** Entries, newest first, by day. The oldest day may go on where `hasMore`. */
export const daysOf = (
  entries: ReadonlyArray<LedgerEntry>,
  hasMore: boolean,
): ReadonlyArray<StatementDay> => {
  const byDay = new Map<string, Array<LedgerEntry>>()
  for (const entry of entries) {
    const day = dayOf(new Date(entry.created_at))
    const ofDay = byDay.get(day)
    if (ofDay === undefined) byDay.set(day, [entry])
    else ofDay.push(entry)
  }
  const days = [...byDay]
  return days.map(([day, ofDay], index) => {
    const isWhole = !hasMore || index < days.length - 1
    return {
      day,
      entries: ofDay,
      sums: isWhole ? statementSums(ofDay.map(moveOf)) : undefined,
      balance: ofDay[0]?.balance.available ?? 0,
    }
  })
}

const shortIdLength = 12

/** A Pix id as far as people compare it: `E0000000020…`. */
export const shortId = (id: string): string =>
  id.length > shortIdLength ? `${id.slice(0, shortIdLength)}…` : id

/** What can be simulated in test mode, by the state that allows it (`docs/contract/test-controls.md#withdrawals`). */
export const actsOf = (
  status: WithdrawalStatus,
): ReadonlyArray<"approve" | "reject" | "succeed" | "fail"> => {
  if (status === "awaiting") return ["approve", "reject"]
  return status === "approved" || status === "processing" ? ["succeed", "fail"] : []
}

/** One step of a withdrawal; `at` is null while it is to come. */
export interface Step {
  readonly name: string
  readonly at: string | null
}

/** What a withdrawal has been through, and what is still to come if all goes well. */
export const stepsOf = (withdrawal: Withdrawal): ReadonlyArray<Step> => {
  const { status, created_at, approved_at, processing_at, completed_at, returned_at } = withdrawal
  const isOver = completed_at !== null
  const steps: ReadonlyArray<Step> = [
    { name: "awaiting", at: created_at },
    { name: "approved", at: approved_at },
    { name: "processing", at: processing_at },
    { name: isOver ? status : "successful", at: completed_at },
    { name: "returned", at: returned_at ?? null },
  ]
  return steps.filter(({ name, at }) => at !== null || (!isOver && name !== "returned"))
}
