import { createHash } from "node:crypto"
import { Effect } from "effect"
import type { ErrorCode } from "../../schema/errorCodes.ts"
import type { ApiError } from "../../schema/errors.ts"
import { isId, makeId, partitionOfId, timeOfId } from "../../schema/ids.ts"
import { type MemberAct, may } from "../../schema/memberRoles.ts"
import type { BulkAct } from "../../schema/names.ts"
import type { SellerAction } from "../../schema/sellerActions.ts"
import type { StoredBulk } from "../ports/bulkStore.ts"
import { DeliveryQueue } from "../ports/deliveryQueue.ts"
import { Identifiers } from "../ports/identifiers.ts"
import { MemberStore } from "../ports/memberStore.ts"
import { WithdrawalStore } from "../ports/withdrawalStore.ts"
import type { CreateAnswer } from "../seller/createAnswer.ts"
import { createRefund } from "../seller/operations/createRefund.ts"
import { decideWithdrawal } from "../seller/operations/decideWithdrawal.ts"
import { SellerActors } from "../seller/sellerActor.ts"
import { type Principal, sessionPrincipal } from "../values/principal.ts"
import type { SellerAct } from "../values/sellerAct.ts"
import { parseWithdrawal } from "../values/storedDocuments.ts"
import { StoreUnavailable } from "../values/storeUnavailable.ts"

/** What became of a row: undefined where it was done. */
type RowEnd = ErrorCode | undefined

/** What a row takes of whoever asked for it, as the act alone does. */
export const memberActs = {
  refund: "refunding",
  resend: "integrating",
  cancel_withdrawal: "payingOut",
} as const satisfies Readonly<Record<BulkAct, MemberAct>>

/** A row's own act in the seller's audit log, the same however often the row is tried. */
const actOf = (bulk: StoredBulk, id: string, action: SellerAction, resourceType: string): SellerAct => ({
  ...bulk.by,
  sellerId: bulk.sellerId,
  operation: `${bulk.id}:${id}`,
  action,
  resourceType,
  resourceId: id,
  details: { mode: bulk.mode, bulk_id: bulk.id, ...(bulk.act === "refund" ? { amount: null } : {}) },
})

const codeIn = (body: string): ErrorCode => (JSON.parse(body) as { error: { code: ErrorCode } }).error.code

/** What an answer to a request for a refund says of its row; "again": another process asks for it right now. */
const endOfRefund = (answer: CreateAnswer): RowEnd | "again" => {
  switch (answer.kind) {
    case "answered":
    case "replay":
      return answer.status < 400 ? undefined : codeIn(answer.body)
    case "inProgress":
      return "again"
    case "mismatch":
      return "idempotency_key_reused"
    case "keyInvalid":
      return "invalid_api_key"
    case "sellerNotAllowed":
      return "seller_not_allowed"
    case "kycRequired":
      return "kyc_required"
  }
}

/** The id of the attempt that sends a row again: always the same, so that a row that is tried twice is sent once. */
const attemptIdOf = ({ id: bulkId, sellerId }: StoredBulk, rowId: string): string =>
  makeId(
    "whd_",
    timeOfId(bulkId),
    partitionOfId(sellerId) ?? 0,
    createHash("sha256").update(`${bulkId}:${rowId}`).digest(),
  )

const endOfRetry = {
  queued: undefined,
  missing: "resource_not_found",
  succeeded: "invalid_state",
  scheduled: "invalid_state",
  expired: "invalid_state",
  keyInvalid: "invalid_api_key",
} as const

/**
 * Makes the program that does a bulk act to one of its rows, by the same operation as the act alone, and answers its error code, or
 * undefined where it is done. Done again, it changes nothing (docs/contract/bulk.md#once). Fails where the row is to be tried again:
 * the store is away, or the seller's actor has no room.
 */
export const makeBulkRow = Effect.gen(function* () {
  const sellers = yield* SellerActors
  const queue = yield* DeliveryQueue
  const withdrawals = yield* WithdrawalStore
  const members = yield* MemberStore
  const identifiers = yield* Identifiers
  const tryAgain = (reason: string) => new StoreUnavailable({ operation: "bulk row", reason })

  const refund = Effect.fnUntraced(function* (bulk: StoredBulk, transactionId: string, principal: Principal) {
    if (!isId("txn_", transactionId)) return "resource_not_found"
    const answer = yield* sellers.ask(createRefund, {
      principal,
      act: actOf(bulk, transactionId, "transaction.refund_requested", "transaction"),
      transactionId,
      origin: "seller",
      body: bulk.reason === undefined ? {} : { reason: bulk.reason },
      idempotency: {
        route: "bulk-rows",
        key: `${bulk.id}:${transactionId}`,
        fingerprint: bulk.id,
        executionId: identifiers.alphanumeric(16),
      },
      requestId: bulk.id,
    })
    const end = endOfRefund(answer)
    return end === "again" ? yield* tryAgain("another process refunds it") : end
  })

  const resend = Effect.fnUntraced(function* (bulk: StoredBulk, deliveryId: string, principal: Principal) {
    if (!isId("whd_", deliveryId)) return "resource_not_found"
    const { kind } = yield* queue.retry(principal, deliveryId, attemptIdOf(bulk, deliveryId))
    return endOfRetry[kind]
  })

  /** Whether a withdrawal that cannot be cancelled was cancelled since the bulk act was made, so by an earlier try of its row. */
  const isCancelledSince = Effect.fnUntraced(function* (bulk: StoredBulk, withdrawalId: string) {
    const stored = yield* withdrawals.load(withdrawalId)
    if (stored?.status !== "cancelled") return false
    const { completed_at } = parseWithdrawal(stored.document)
    return completed_at !== null && completed_at >= bulk.createdAt
  })

  const cancel = Effect.fnUntraced(function* (bulk: StoredBulk, withdrawalId: string, principal: Principal) {
    const found = isId("wd_", withdrawalId) ? yield* withdrawals.get(principal, withdrawalId) : undefined
    if (found === undefined || "kind" in found) return "resource_not_found"
    yield* sellers.ask(decideWithdrawal, {
      withdrawalId,
      act: "cancel",
      reason: undefined,
      audited: actOf(bulk, withdrawalId, "withdrawal.cancelled", "withdrawal"),
    })
    return undefined
  })

  const acts: Readonly<
    Record<
      BulkAct,
      (
        bulk: StoredBulk,
        rowId: string,
        principal: Principal,
      ) => Effect.Effect<RowEnd, ApiError | StoreUnavailable>
    >
  > = { refund, resend, cancel_withdrawal: cancel }

  return Effect.fnUntraced(function* (
    bulk: StoredBulk,
    rowId: string,
  ): Effect.fn.Return<RowEnd, StoreUnavailable> {
    const { sellerId, mode, userId, memberId, act } = bulk
    // Asked for each row: whoever is removed, or gets another role, does no more.
    const membership = yield* members.membershipOf(sellerId, userId, memberId)
    if (membership === undefined || !may(membership.role, memberActs[act])) return "permission_denied"
    return yield* Effect.catchTag(
      acts[act](bulk, rowId, sessionPrincipal(sellerId, mode, userId, membership)),
      "ApiError",
      Effect.fnUntraced(function* ({ code, message }) {
        if (code === "service_unavailable") return yield* tryAgain(message)
        const isDone =
          act === "cancel_withdrawal" && code === "invalid_state" && (yield* isCancelledSince(bulk, rowId))
        return isDone ? undefined : code
      }),
    )
  })
})
