import { ApiError } from "../../../schema/errors.ts"
import { acquirerRefundIdOf } from "../../../schema/ids.ts"
import { limits } from "../../../schema/limits.ts"
import type { MemberRole } from "../../../schema/memberRoles.ts"
import type { CreateRefund, Refund, RefundOrigin } from "../../../schema/resources/refund.ts"
import { madeTraceId } from "../../../schema/trace.ts"
import type { NewException } from "../../ports/exceptionStore.ts"
import type { CreateRefundCommit, RefundPreconditions, StoredRefund } from "../../ports/refundStore.ts"
import type { StoredTransaction } from "../../ports/transactionStore.ts"
import type { IdempotencyScope } from "../../values/idempotency.ts"
import type { Principal } from "../../values/principal.ts"
import { refundTimers } from "../../values/refundTimers.ts"
import type { PendingAct } from "./exceptionActs.ts"
import { exceptionOfResource } from "./exceptionDocument.ts"
import { heldReserve, refundHeld } from "./movements.ts"
import { processingMillisOf, readRefund } from "./refundTransitions.ts"
import { type SellerTime, shownTime, timerAt } from "./sellerTime.ts"
import { readCharge } from "./transactionTransitions.ts"

/** A refund that may be made: what goes back and what of it the charge's reserve gives, in centavos. */
export interface AllowedRefund {
  readonly amount: number
  readonly fromReserve: number
}

const accountRefusal = ({
  seller,
  transaction,
}: RefundPreconditions): ApiError<"kyc_required" | "seller_not_allowed"> | undefined => {
  if (seller.status !== "active") {
    return new ApiError({
      code: "seller_not_allowed",
      message: "This account is not allowed to operate. Contact support.",
    })
  }
  if (transaction.mode === "live" && seller.kycStatus !== "approved") {
    return new ApiError({
      code: "kyc_required",
      message: "Live refunds need an approved identification. Send it by POST /v1/me/kyc.",
    })
  }
  return undefined
}

/** 409 `invalid_state`: nothing of the charge can be refunded, whatever the amount. */
const chargeRefusal = (
  { transaction, refunding, refunds }: RefundPreconditions,
  nowMillis: number,
): ApiError<"invalid_state"> | undefined => {
  const { status, paid_at, amount, refunded_amount, end_to_end_id } = readCharge(transaction)
  const refuse = (why: string, details: Readonly<Record<string, unknown>> = {}) =>
    new ApiError({
      code: "invalid_state",
      message: `Transaction '${transaction.id}' ${why}.`,
      details: { status, paid_at, ...details },
    })
  if (status !== "paid" || paid_at === null) return refuse(`is ${status}; only a paid one can be refunded`)
  if (nowMillis - Date.parse(paid_at) > limits.refundAgeMillisMax) {
    return refuse("was paid more than 90 days ago and can no longer be refunded")
  }
  if (amount - refunded_amount - refunding <= 0) {
    return refuse("has nothing left to refund: all of it went back, or is on its way", { left: 0 })
  }
  if (refunds >= limits.refundsPerChargeMax) {
    return refuse(`has had ${limits.refundsPerChargeMax} refunds, as many as a charge may have`, {
      refunds_limit: limits.refundsPerChargeMax,
    })
  }
  // An operator settled it, by a transfer that nobody named: the acquirer returns a payment by its id alone.
  if (transaction.mode === "live" && end_to_end_id === null) {
    return refuse("was settled by an operator, so no payment of it is known that could be returned", {
      reason: "end_to_end_id_unknown",
    })
  }
  return undefined
}

/** The amount that goes back: what is left of the charge by default. */
const amountOf = (
  asked: number | null | undefined,
  { transaction, refunding }: RefundPreconditions,
): number | ApiError<"validation_failed"> => {
  const { amount, refunded_amount } = readCharge(transaction)
  const left = amount - refunded_amount - refunding
  if (asked === undefined || asked === null) return left
  if (asked <= left) return asked
  return new ApiError({
    code: "validation_failed",
    param: "amount",
    message: `Only ${left} centavos of this charge are left to refund; refunds under way count.`,
    details: { left },
  })
}

/** What the charge's reserve may give: a debt, which a chargeback leaves, stays covered by the reserves of all charges. */
const freeReserve = ({ transaction, available, reserve }: RefundPreconditions): number => {
  const ofCharge = heldReserve(readCharge(transaction))
  return available < 0 ? Math.max(0, Math.min(ofCharge, reserve + available)) : ofCharge
}

/** 403 `permission_denied`: more than whoever asks may give back at once (docs/contract/members.md#refund-limit). */
const aboveLimit = (amount: number, refundMax: number): ApiError<"permission_denied"> =>
  new ApiError({
    code: "permission_denied",
    param: "amount",
    message: `You may refund up to ${refundMax} centavos at a time, and this refund is ${amount}. Ask the owner or someone in finance.`,
    details: {
      roles: ["owner", "finance"] satisfies ReadonlyArray<MemberRole>,
      refund_limit: refundMax,
      amount,
    },
  })

/** Refusals that are about the charge, the seller or the balance, rather than the request. */
type RefundRefusal = ApiError<
  "insufficient_balance" | "invalid_state" | "kyc_required" | "seller_not_allowed"
>

/**
 * Checks all preconditions in the order of docs/contract/refunds.md#preconditions. `nowMillis` is the seller's time; `refundMax` the
 * most that whoever asks may give back, undefined for any amount. A 400 or 403 `permission_denied` is about the request and who makes
 * it; the others are about the charge and the balance.
 */
export const decideRefund = (
  body: CreateRefund,
  preconditions: RefundPreconditions,
  nowMillis: number,
  refundMax?: number,
): AllowedRefund | ApiError<"permission_denied" | "validation_failed"> | RefundRefusal => {
  const refused = accountRefusal(preconditions) ?? chargeRefusal(preconditions, nowMillis)
  if (refused !== undefined) return refused
  const amount = amountOf(body.amount, preconditions)
  if (amount instanceof ApiError) return amount
  if (refundMax !== undefined && amount > refundMax) return aboveLimit(amount, refundMax)
  const { available } = preconditions
  const reserve = freeReserve(preconditions)
  if (amount <= reserve + Math.max(0, available)) return { amount, fromReserve: Math.min(reserve, amount) }
  const isInDebt = available < 0
  const inReserve = `${isInDebt ? "without what covers the debt, " : ""}this charge has ${reserve} in the reserve`
  return new ApiError({
    code: "insufficient_balance",
    param: "amount",
    message: `${amount} centavos are needed; ${inReserve}, and ${available} are available.`,
    details: { available, reserve, amount },
  })
}

/** A request for a refund, as far as its commit depends on it. */
export interface RefundRequested {
  readonly principal: Principal
  readonly idempotency: IdempotencyScope
  readonly body: CreateRefund
  readonly origin: Exclude<RefundOrigin, "partner">
  readonly traceId?: string | undefined
}

/** A new refund; the order of fields is the wire's. */
const newRefund = (
  id: string,
  { body, origin, principal: { mode }, traceId = madeTraceId(id) }: RefundRequested,
  transactionId: string,
  amount: number,
  nowText: string,
): Refund => ({
  id,
  object: "refund",
  trace_id: traceId,
  transaction_id: transactionId,
  mode,
  amount,
  currency: "BRL",
  status: "pending",
  reason: body.reason ?? null,
  origin,
  failure_code: null,
  failure_reason: null,
  return_id: null,
  created_at: nowText,
  updated_at: nowText,
  completed_at: null,
})

/** The commit of a new refund: it holds the money, and is sent to the acquirer at once. */
export const refundCreation = (
  id: string,
  requested: RefundRequested,
  { transaction, seller, available }: RefundPreconditions,
  { amount, fromReserve }: AllowedRefund,
  time: SellerTime,
): CreateRefundCommit => {
  const { principal, idempotency } = requested
  const charge = readCharge(transaction)
  const refund = newRefund(id, requested, transaction.id, amount, shownTime(time.nowMillis))
  // The reserve counts as not released even where all of it is held, so that a failed refund can come back to it.
  const reserve =
    charge.reserve === null || fromReserve === 0
      ? charge.reserve
      : { ...charge.reserve, amount: charge.reserve.amount - fromReserve }
  return {
    principal,
    idempotency,
    refund: {
      id,
      sellerId: principal.sellerId,
      mode: principal.mode,
      transactionId: transaction.id,
      status: refund.status,
      version: 1,
      document: JSON.stringify(refund),
      ...(transaction.account === undefined ? {} : { account: transaction.account }),
      heldFromReserve: fromReserve,
      idempotency: { route: idempotency.route, key: idempotency.key },
    },
    // `available` may be below zero where it gives nothing.
    heldFromAvailable: Math.min(amount - fromReserve, available),
    decidedOn: { sellerVersion: seller.version },
    charge: {
      transaction,
      to: transaction.status,
      document: JSON.stringify({ ...charge, reserve }),
      refundingChange: amount,
      eventType: undefined,
      postback: undefined,
      timers: [],
      timersDone: [],
    },
    eventType: "refund.created",
    movement: refundHeld(refund, fromReserve, charge),
    timers: [timerAt(time, refundTimers.send, id, time.nowMillis)],
  }
}

/** A refund of an exception under way after the acquirer was asked about it: whether it `isKnown` there, undefined where nobody says. */
export const afterAsking = (
  { unknown_since_millis: sinceMillis, ...pending }: PendingAct,
  isKnown: boolean | undefined,
  nowMillis: number,
): PendingAct => {
  if (isKnown === true) return pending
  const unknownSinceMillis = isKnown === false ? (sinceMillis ?? nowMillis) : sinceMillis
  return unknownSinceMillis === undefined ? pending : { ...pending, unknown_since_millis: unknownSinceMillis }
}

/** The same after it was sent again, and refused or not. */
export const afterResending = (
  { refusal: _, ...pending }: PendingAct,
  refusal: string | undefined,
): PendingAct => (refusal === undefined ? pending : { ...pending, refusal })

/**
 * Why a refund of an exception has come to nothing: its last sending was refused, and the acquirer has said for an hour that it never
 * heard of it (docs/contract/exceptions.md#acts). Undefined while it may still be made.
 */
export const refundCameToNothing = (pending: PendingAct, nowMillis: number): string | undefined => {
  const { refusal, unknown_since_millis: sinceMillis } = pending
  const isOver = sinceMillis !== undefined && nowMillis - sinceMillis >= limits.refundUnknownMillisMax
  return isOver ? refusal : undefined
}

/** Whether a live refund has been processing for longer than it may. */
export const isRefundStuck = (stored: StoredRefund, stuckMillis: number, nowMillis: number): boolean =>
  stored.mode === "live" &&
  stored.status === "processing" &&
  nowMillis - processingMillisOf(stored) > stuckMillis

/** The exception of a refund that is stuck (docs/contract/exceptions.md#kinds). */
export const stuckRefundException = (
  stored: StoredRefund,
  transaction: StoredTransaction,
  acquirer: string,
  time: SellerTime,
): NewException => {
  const { id, sellerId, mode, account, status } = stored
  const { amount, updated_at } = readRefund(stored)
  const details = {
    status,
    processing_at: updated_at,
    transaction_id: transaction.id,
    end_to_end_id: readCharge(transaction).end_to_end_id,
    refund_id: acquirerRefundIdOf(id),
  }
  return exceptionOfResource(
    { kind: "refund_stuck", about: id, acquirer, amount, details },
    { type: "refund", id, sellerId, mode, account },
    time.nowMillis,
  )
}
