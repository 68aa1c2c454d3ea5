import { type EventType, partiallyRefundedEventType, transactionEventType } from "../../../schema/events.ts"
import { limits } from "../../../schema/limits.ts"
import type { Transaction, TransactionStatus } from "../../../schema/resources/transaction.ts"
import type { LedgerMovement } from "../../ports/ledger.ts"
import type { SellerSettings } from "../../ports/sellerStore.ts"
import type { StoredTransaction, TransitionCommit } from "../../ports/transactionStore.ts"
import { customerSumsOf } from "../../values/customerSums.ts"
import { parseCharge } from "../../values/storedDocuments.ts"
import type { Timer } from "../../values/timer.ts"
import {
  type BegunReturn,
  recordedReturn,
  refundOfReturn,
  returnEventType,
  withoutReserve,
  withReturn,
} from "./chargeReturns.ts"
import { chargePaid, chargeReturned, heldReserve, reserveOf, reserveReleased } from "./movements.ts"
import { type SellerTime, shownTime, timerAt } from "./sellerTime.ts"

/**
 * The timers of a charge: `expire` at its time limit, `ask` when the acquirer should be asked about it, `release` when its
 * reserve is due.
 */
export const timerNames = { expire: "expire", ask: "ask", release: "release" } as const

/** All transitions (docs/contract/transactions.md#states). A late payment moved money, so it counts after expiry, too. */
const allowed: Readonly<Record<TransactionStatus, ReadonlyArray<TransactionStatus>>> = {
  pending: ["paid", "expired", "failed"],
  expired: ["paid"],
  paid: ["refunded", "chargeback"],
  failed: [],
  refunded: [],
  chargeback: [],
}

/** Whether a charge may go from one status to another. */
export const isAllowed = (from: TransactionStatus, to: TransactionStatus): boolean =>
  allowed[from].includes(to)

/** Whether a charge has ended because its money went back. */
const hasGoneBack = (status: TransactionStatus): boolean => status === "refunded" || status === "chargeback"

/** Several decisions read the same charge, so its text is parsed once. */
const charges = new WeakMap<StoredTransaction, Transaction>()

/** The charge as the seller sees it, its document still ciphertext. Do not change it. */
export const readCharge = (stored: StoredTransaction): Transaction => {
  const known = charges.get(stored)
  if (known !== undefined) return known
  const charge = parseCharge(stored.document)
  charges.set(stored, charge)
  return charge
}

/** Charges as commits leave them, so that the next decision need not parse their texts. */
const committed = new WeakMap<TransitionCommit, Transaction>()

/** What a commit changes besides the document. */
export interface CommitEffects {
  /** Undefined: that of the new status, if the status changes. */
  readonly eventType?: EventType | undefined
  readonly refund?: TransitionCommit["refund"]
  readonly movement?: LedgerMovement
  readonly exception?: TransitionCommit["exception"]
  readonly timers?: ReadonlyArray<Timer>
  readonly timersDone?: ReadonlyArray<string>
}

/** What a payment link counts of a transition. */
const linkEffectOf = (
  before: TransactionStatus,
  after: Transaction,
): Pick<TransitionCommit, "paymentLink"> => {
  const { payment_link_id: id, status, amount } = after
  if (id === undefined || status === before || (before !== "pending" && status !== "paid")) return {}
  return { paymentLink: { id, ...(status === "paid" ? { amount } : {}) } }
}

const customerEffectOf = (before: Transaction, after: Transaction): Pick<TransitionCommit, "customer"> => {
  const [from, to] = [customerSumsOf(before), customerSumsOf(after)]
  const customer = { paid: to.paid - from.paid, refunded: to.refunded - from.refunded }
  return customer.paid === 0 && customer.refunded === 0 ? {} : { customer }
}

/** The commit that makes a charge `after`; with an event where its status changes. */
export const commitOf = (
  stored: StoredTransaction,
  after: Transaction,
  effects: CommitEffects,
): TransitionCommit => {
  const isTransition = after.status !== stored.status
  const commit: TransitionCommit = {
    sellerId: stored.sellerId,
    mode: stored.mode,
    transactionId: stored.id,
    expectedVersion: stored.version,
    from: stored.status,
    to: after.status,
    document: JSON.stringify(after),
    eventType: effects.eventType ?? (isTransition ? transactionEventType(after.status) : undefined),
    movement: effects.movement,
    refund: effects.refund,
    exception: effects.exception,
    ...linkEffectOf(stored.status, after),
    ...customerEffectOf(readCharge(stored), after),
    postback: after.postback_url === null ? undefined : { url: after.postback_url },
    timers: effects.timers ?? [],
    timersDone: effects.timersDone ?? [],
  }
  committed.set(commit, after)
  return commit
}

/** The charge after a commit, so that the next can be decided without reading it back. */
export const afterCommit = (stored: StoredTransaction, commit: TransitionCommit): StoredTransaction => {
  const left = { ...stored, status: commit.to, version: stored.version + 1, document: commit.document }
  const charge = committed.get(commit)
  if (charge !== undefined) charges.set(left, charge)
  return left
}

const askTimers = (stored: StoredTransaction, askAfterMillis: number | undefined, time: SellerTime) =>
  askAfterMillis === undefined
    ? []
    : [timerAt(time, timerNames.ask, stored.id, time.nowMillis + askAfterMillis)]

/** A payment that does not fit its charge, as the charge's `exceptions` list it. */
export type OddPayment = Pick<Transaction["exceptions"][number], "kind" | "end_to_end_id" | "amount">

/** Adds an exception; undefined where it is listed already, or too many are. */
export const withException = (
  charge: Transaction,
  exception: OddPayment,
  time: SellerTime,
): Transaction["exceptions"] | undefined => {
  const isKnown = charge.exceptions.some(
    ({ kind, end_to_end_id }) => kind === exception.kind && end_to_end_id === exception.end_to_end_id,
  )
  if (isKnown || charge.exceptions.length >= limits.chargeExceptionsMax) return undefined
  return [...charge.exceptions, { ...exception, created_at: shownTime(time.nowMillis) }]
}

const withLatePayment = (charge: Transaction, endToEndId: string, time: SellerTime) => {
  const late = { kind: "late_payment", end_to_end_id: endToEndId, amount: charge.amount } as const
  return withException(charge, late, time) ?? charge.exceptions
}

/**
 * Decides that a charge is paid, by a transfer or, with null, as an operator says; undefined where its status does not allow that.
 */
export const decidePaid = (
  stored: StoredTransaction,
  endToEndId: string | null,
  settings: Pick<SellerSettings, "reserveBps" | "reserveDays">,
  time: SellerTime,
  askAfterMillis?: number,
): TransitionCommit | undefined => {
  if (!isAllowed(stored.status, "paid")) return undefined
  const charge = readCharge(stored)
  const reserved = reserveOf(charge.net_amount, settings.reserveBps)
  const releaseMillis = time.nowMillis + settings.reserveDays * 24 * 60 * 60 * 1000
  const reserve =
    reserved === 0 ? null : { amount: reserved, release_at: shownTime(releaseMillis), released_at: null }
  const isLate = stored.status === "expired" && endToEndId !== null
  const after: Transaction = {
    ...charge,
    status: "paid",
    end_to_end_id: endToEndId,
    reserve,
    exceptions: isLate ? withLatePayment(charge, endToEndId, time) : charge.exceptions,
    paid_at: shownTime(time.nowMillis),
  }
  const asks = askTimers(stored, askAfterMillis, time)
  return commitOf(stored, after, {
    movement: chargePaid(charge, reserve),
    timers: [
      ...asks,
      ...(reserved === 0 ? [] : [timerAt(time, timerNames.release, stored.id, releaseMillis)]),
    ],
    timersDone: asks.length === 0 ? [timerNames.expire, timerNames.ask] : [timerNames.expire],
  })
}

/** Decides that a charge ended unpaid; undefined where its status does not allow that. */
export const decideEnd = (
  stored: StoredTransaction,
  to: "expired" | "failed",
  facts: { readonly reason?: string; readonly askAfterMillis?: number | undefined },
  time: SellerTime,
): TransitionCommit | undefined => {
  if (!isAllowed(stored.status, to)) return undefined
  const charge = readCharge(stored)
  const nowText = shownTime(time.nowMillis)
  const after: Transaction = {
    ...charge,
    status: to,
    failure_reason: facts.reason ?? charge.failure_reason,
    ...(to === "expired" ? { expired_at: nowText } : { failed_at: nowText }),
  }
  // An expired charge may still be paid, so the acquirer may still be asked.
  const isAsked = to === "expired" && facts.askAfterMillis === undefined
  return commitOf(stored, after, {
    timers: askTimers(stored, facts.askAfterMillis, time),
    timersDone: isAsked ? [timerNames.expire] : [timerNames.expire, timerNames.ask],
  })
}

/**
 * How much of a return is booked, in centavos. In live all of it, even beyond the charge's rest and after the charge's end: the money
 * has left (docs/decisions/0066-refunds-hold-their-money.md). The simulated bank keeps no books, so there it is the rest at most.
 */
const bookedOf = ({ mode, status }: StoredTransaction, charge: Transaction, amount: number): number => {
  if (status !== "paid" && (mode === "test" || !hasGoneBack(status))) return 0
  return mode === "test" ? Math.min(amount, charge.amount - charge.refunded_amount) : amount
}

/**
 * Decides that money of a paid charge went back to its payer by a return that began at the acquirer, which becomes a refund of its
 * own (docs/contract/refunds.md#origins). It takes no hold, and is booked whatever refunds under way hold. Undefined where it is
 * recorded already, the charge was never paid, or, in test mode, nothing is left to go back.
 */
export const decideReturned = (
  stored: StoredTransaction,
  begun: BegunReturn,
  time: SellerTime,
  askAfterMillis?: number,
): TransitionCommit | undefined => {
  const charge = readCharge(stored)
  const amount = bookedOf(stored, charge, begun.amount)
  if (amount <= 0 || recordedReturn(charge, begun.id) !== undefined) return undefined
  const { refund, entry } = refundOfReturn(stored.sellerId, charge, begun, amount, time.nowMillis)
  const held = heldReserve(charge)
  const fromReserve = Math.min(held, amount)
  const after = withReturn(withoutReserve(charge, fromReserve, entry.created_at), entry)
  const isWhole = after.status !== stored.status
  const asks = askTimers(stored, askAfterMillis, time)
  return commitOf(stored, after, {
    // More of a charge that has ended is told of as a part is: its movement needs an event.
    eventType: returnEventType(stored.status, after.status) ?? partiallyRefundedEventType,
    refund,
    movement: chargeReturned(charge, { kind: begun.kind, amount, isWhole }),
    timers: asks,
    timersDone: [
      ...(asks.length === 0 ? [timerNames.ask] : []),
      ...(held > 0 && held === fromReserve ? [timerNames.release] : []),
    ],
  })
}

/**
 * Releases a charge's reserve; undefined where there is none. While refunds hold the reserve's money, there is nothing to release, and
 * what they give back later goes to `available`.
 */
export const decideReleased = (stored: StoredTransaction, time: SellerTime): TransitionCommit | undefined => {
  const charge = readCharge(stored)
  if (charge.reserve === null || charge.reserve.released_at !== null) return undefined
  const reserve = { ...charge.reserve, released_at: shownTime(time.nowMillis) }
  return commitOf(
    stored,
    { ...charge, reserve },
    {
      ...(heldReserve(charge) === 0 ? {} : { movement: reserveReleased(charge) }),
      timersDone: [timerNames.release],
    },
  )
}
