import { Schema } from "effect"
import { ApiError, validationFailed } from "../../../schema/errors.ts"
import { actsOfKind, type ExceptionAct, exceptionActs } from "../../../schema/resources/exception.ts"
import type { ExceptionChange, StoredException } from "../../ports/exceptionStore.ts"
import { storedReader } from "../../values/storedDocuments.ts"
import { type Resolution, readException } from "./exceptionDocument.ts"

/** What an operator asks for (docs/contract/exceptions.md#resolve). */
export interface ResolveRequest {
  readonly act: ExceptionAct
  readonly reason: string
  /** Who gets the money of a `payment_unknown`. */
  readonly sellerId: string | undefined
  readonly operatorId: string
  /** Whether the act is to be done though the acquirer does not answer; two operators always agree to that. */
  readonly isWithoutBank?: boolean | undefined
}

/** An act that awaits a second operator, or is under way at the acquirer or in another partition. */
const PendingAct = Schema.Struct({
  act: Schema.Literals(exceptionActs),
  operator_ids: Schema.Array(Schema.String),
  reason: Schema.String,
  seller_id: Schema.NullOr(Schema.String),
  /** Of an act that awaits: whether it is to be done without the acquirer's answer; absent for not. */
  without_bank: Schema.optionalKey(Schema.Literal(true)),
  /** `awaiting`: the second operator; `going`: what is left is not the operators'. */
  stage: Schema.Literals(["awaiting", "going"]),
  /** Of a refund: our id of it at the acquirer, and when it was sent, in ms; null before. */
  refund_id: Schema.NullOr(Schema.String),
  sent_millis: Schema.NullOr(Schema.Number),
  /** Of a refund: since when the acquirer says that it never heard of it, in ms; absent while it says otherwise. */
  unknown_since_millis: Schema.optionalKey(Schema.Number),
  /** Of a refund: why its last sending was refused; absent where that was not. */
  refusal: Schema.optionalKey(Schema.String),
})
export type PendingAct = typeof PendingAct.Type
const parsePending = storedReader("act on an exception", PendingAct)

/** The act that awaits or is under way; undefined where there is none. */
export const readPending = ({ pending }: Pick<StoredException, "pending">): PendingAct | undefined =>
  pending === "" ? undefined : parsePending(pending)

/** A change of nothing but what is pending. */
export const withPending = (stored: StoredException, pending: PendingAct | undefined): ExceptionChange => ({
  exception: stored,
  to: stored.state,
  document: stored.document,
  pending: pending === undefined ? "" : JSON.stringify(pending),
})

/** 409 `invalid_state` of an exception. */
export const exceptionRefused = (
  { id }: Pick<StoredException, "id">,
  why: string,
  details: Readonly<Record<string, unknown>>,
): ApiError<"invalid_state"> =>
  new ApiError({ code: "invalid_state", message: `Exception '${id}' ${why}.`, details })

/** 409 `invalid_state` of an exception whose Pix counts for `holder` (docs/contract/exceptions.md#one-pix-one-use). */
export const pixCountsElsewhere = (
  stored: StoredException,
  done: "credited" | "refunded",
  holder: string,
): ApiError<"invalid_state"> =>
  exceptionRefused(
    stored,
    `cannot be ${done}: its Pix ${readException(stored).details.end_to_end_id} counts for '${holder}'`,
    { reason: "end_to_end_id_claimed", claimed_by: holder },
  )

const sellerRefusal = (
  stored: StoredException,
  { act, sellerId }: ResolveRequest,
): ApiError<"validation_failed"> | undefined => {
  if (stored.kind === "payment_unknown" && act === "credit") {
    return sellerId === undefined
      ? validationFailed("seller_id", "Say which seller gets the money: seller_id is required to credit it.")
      : undefined
  }
  if (sellerId === undefined || sellerId === stored.sellerId) return undefined
  return validationFailed(
    "seller_id",
    "This exception's money belongs to another seller. Leave seller_id out.",
  )
}

/** Whether the acquirer is asked before the act (docs/contract/exceptions.md#the-bank-is-asked-first). */
export const isBankAsked = ({ kind }: Pick<StoredException, "kind">, act: ExceptionAct): boolean =>
  (kind === "payout_stuck" || kind === "refund_stuck") && (act === "settle" || act === "fail")

/** Why an exception may not be resolved so: 409 `invalid_state` or 400 `validation_failed`. Undefined where it may. */
export const resolveRefusal = (
  stored: StoredException,
  request: ResolveRequest,
): ApiError<"invalid_state" | "validation_failed"> | undefined => {
  const { kind, state } = stored
  const acts = actsOfKind[kind]
  if (state !== "open") return exceptionRefused(stored, "is resolved already", { state })
  if (!acts.includes(request.act)) {
    return exceptionRefused(stored, `is ${kind}, which has no act '${request.act}', but ${acts.join(", ")}`, {
      kind,
      acts,
    })
  }
  const pending = readPending(stored)
  if (pending?.stage === "going") {
    return exceptionRefused(stored, `is being resolved by '${pending.act}'; wait for its end`, {
      reason: "act_under_way",
      act: pending.act,
    })
  }
  if (request.act === "refund" && readException(stored).details.end_to_end_id === null) {
    return exceptionRefused(stored, "cannot be refunded: the acquirer names no Pix that could go back", {
      reason: "end_to_end_id_unknown",
    })
  }
  if (request.isWithoutBank === true && !isBankAsked(stored, request.act)) {
    return validationFailed(
      "without_bank",
      "The bank is asked before a payout_stuck or refund_stuck is settled or failed only. Leave without_bank out.",
    )
  }
  if (request.reason.trim() === "") return validationFailed("reason", "Say why, for the books.")
  return sellerRefusal(stored, request)
}

/** Who has to agree before an act is done. */
export type Agreement =
  | { readonly kind: "agreed"; readonly resolution: Resolution }
  /** Nothing is written where the same operator asks again. */
  | { readonly kind: "awaiting"; readonly change: ExceptionChange | undefined }

/**
 * Whether enough operators agree to an act. Where it moves live money and two have to, the first call is kept, and the same call
 * of another operator, with the same act, seller and `without_bank`, does it. A call for something else takes its place. What is done
 * without the acquirer's answer always takes two.
 */
export const decideAgreement = (
  stored: StoredException,
  { act, reason, sellerId, operatorId, isWithoutBank = false }: ResolveRequest,
  operatorApprovals: number,
): Agreement => {
  const alone = { kind: "agreed", resolution: { act, reason, operatorIds: [operatorId] } } as const
  const isOneEnough = operatorApprovals < 2 || stored.mode === "test" || act === "dismiss"
  if (isOneEnough && !isWithoutBank) return alone
  const first = readPending(stored)
  const isSameCall =
    first?.act === act &&
    first.seller_id === (sellerId ?? null) &&
    (first.without_bank ?? false) === isWithoutBank
  if (!isSameCall) {
    const asked = { act, operator_ids: [operatorId], reason, seller_id: sellerId ?? null } as const
    const how = isWithoutBank ? ({ without_bank: true } as const) : {}
    const pending: PendingAct = {
      ...asked,
      ...how,
      stage: "awaiting",
      refund_id: null,
      sent_millis: null,
    }
    return { kind: "awaiting", change: withPending(stored, pending) }
  }
  if (first.operator_ids.includes(operatorId)) return { kind: "awaiting", change: undefined }
  return { kind: "agreed", resolution: { act, reason, operatorIds: [...first.operator_ids, operatorId] } }
}

const refundIdOf = (stored: StoredException): string => {
  const { refund_attempts: attempts } = readException(stored).details
  const ulid = stored.id.slice(4)
  // An id under which a refund has failed is used up at the acquirer.
  return typeof attempts === "number" && attempts > 0 ? `${ulid}${attempts}` : ulid
}

/** Begins an act that goes on by the exception's timer: a refund, or a credit in another seller's partition. */
export const decideGoing = (
  stored: StoredException,
  { act, reason, operatorIds }: Resolution,
  sellerId: string | undefined,
): ExceptionChange =>
  withPending(stored, {
    act,
    operator_ids: operatorIds,
    reason,
    seller_id: sellerId ?? null,
    stage: "going",
    refund_id: act === "refund" ? refundIdOf(stored) : null,
    sent_millis: null,
  })

/** Takes back an act that came to nothing: the exception is open as before, and its details say what failed. */
export const decideRefundFailedOf = (stored: StoredException, failure: string): ExceptionChange => {
  const before = readException(stored)
  const { refund_attempts: attempts } = before.details
  const details = {
    ...before.details,
    refund_failure: failure,
    refund_attempts: (typeof attempts === "number" ? attempts : 0) + 1,
  }
  return {
    exception: stored,
    to: "open",
    document: JSON.stringify({ ...before, details }),
    pending: "",
  }
}

/** What a pending act resolves to once it is done. */
export const resolutionOf = ({ act, reason, operator_ids }: PendingAct): Resolution => ({
  act,
  reason,
  operatorIds: operator_ids,
})
