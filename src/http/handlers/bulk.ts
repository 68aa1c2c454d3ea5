import { Clock, Effect } from "effect"
import { memberActs } from "../../../actors/bulk/bulkRow.ts"
import { BulkStore, type StoredBulk } from "../../../actors/ports/bulkStore.ts"
import { CustomerStore } from "../../../actors/ports/customerStore.ts"
import { Identifiers } from "../../../actors/ports/identifiers.ts"
import { SecretOpener } from "../../../actors/ports/secretOpener.ts"
import { TransactionStore } from "../../../actors/ports/transactionStore.ts"
import type { Principal } from "../../../actors/values/principal.ts"
import { asAct } from "../../../actors/values/sellerAct.ts"
import type { bulkGroup } from "../../../schema/api/bulk.ts"
import { deliveryFilters } from "../../../schema/api/deliveries.ts"
import { transactionFilters } from "../../../schema/api/transactions.ts"
import { ApiError, resourceNotFound, validationFailed } from "../../../schema/errors.ts"
import { isId, partitionOfId } from "../../../schema/ids.ts"
import { limits } from "../../../schema/limits.ts"
import type { Bulk, CreateBulk } from "../../../schema/resources/bulk.ts"
import { SellerAudit } from "../../accounts/sellerAudit.ts"
import type { Session } from "../../accounts/sessions/session.ts"
import { stepUpRequired } from "../../accounts/twoFactor/twoFactorErrors.ts"
import { filterTexts } from "../contract/filterTexts.ts"
import { mustMay } from "../contract/sessionGuard.ts"
import type { GroupHandlers } from "../server/request.ts"
import { makeChargePages } from "./chargePages.ts"
import { makeClockWindows } from "./clockWindows.ts"
import { makeDeliveryPages } from "./deliveryPages.ts"
import { createReply, idempotencyScope } from "./idempotent.ts"
import { orFail, withoutKey } from "./page.ts"

const chargeFilters = filterTexts(transactionFilters)
const attemptFilters = filterTexts(deliveryFilters)

const render = ({ id, mode, act, reason, ids, done, failed, createdAt }: StoredBulk): string =>
  JSON.stringify({
    id,
    object: "bulk",
    mode,
    act,
    reason: reason ?? null,
    state: done < ids.length ? "running" : "done",
    total: ids.length,
    done,
    failed,
    created_at: createdAt,
  } satisfies Bulk)

/** Why a request does not say what to do to which rows: 400 `validation_failed`. */
const refusalOf = ({ act, ids, filter, reason }: CreateBulk): ApiError<"validation_failed"> | undefined => {
  if ((ids === undefined) === (filter === undefined)) {
    return validationFailed("ids", "Name the rows by ids, or by filter, and not by both.")
  }
  if (filter !== undefined && act === "cancel_withdrawal") {
    return validationFailed("filter", "Withdrawals are named by ids: at most one is open.")
  }
  if (reason != null && act !== "refund") return validationFailed("reason", "Only refunds have a reason.")
  return undefined
}

const tooMany = () =>
  validationFailed(
    "filter",
    `The filter fits more than ${limits.bulkRowsMax} rows, or too many to look through. Narrow it, for example by from and to.`,
  )

/** Routes of bulk acts (docs/contract/bulk.md). */
export const makeBulkHandlers = Effect.gen(function* () {
  const bulks = yield* BulkStore
  const transactions = yield* TransactionStore
  const identifiers = yield* Identifiers
  const audit = yield* SellerAudit
  const charges = makeChargePages(transactions, yield* CustomerStore, yield* SecretOpener)
  const deliveries = yield* makeDeliveryPages
  const { shownAt } = yield* makeClockWindows

  /** What moves money needs a step-up, as each row alone does: 403 `mfa_required`. */
  const confirmed = Effect.fnUntraced(function* ({ act }: CreateBulk, session: Session) {
    if (act === "resend" || session.mfaVerifiedUntilMillis > (yield* Clock.currentTimeMillis)) return
    return yield* stepUpRequired()
  })

  const fitting = Effect.fnUntraced(function* (
    act: CreateBulk["act"],
    filter: Readonly<Record<string, string>>,
    principal: Principal,
  ) {
    if (act === "refund") {
      const query = yield* orFail(chargeFilters("filter", filter))
      return yield* charges.idsOf(principal, query, limits.bulkRowsMax)
    }
    const query = yield* orFail(attemptFilters("filter", filter))
    return yield* deliveries.newestOfEach(principal, query, limits.bulkRowsMax)
  })

  /** The rows, fixed from here on. */
  const rowsOf = Effect.fnUntraced(function* ({ act, ids, filter = {} }: CreateBulk, principal: Principal) {
    if (ids !== undefined) return [...new Set(ids)]
    const found = yield* fitting(act, filter, principal)
    if (found === undefined) return yield* tooMany()
    if (found.length === 0) return yield* validationFailed("filter", "No row fits the filter.")
    return found
  })

  /** A bulk act of these rows, and what it is in the seller's audit log. */
  const newBulk = Effect.fnUntraced(function* (
    { act, reason }: CreateBulk,
    ids: ReadonlyArray<string>,
    principal: Principal,
    { membership }: Session,
  ) {
    const { sellerId, mode, keyId: userId } = principal
    const nowMillis = yield* Clock.currentTimeMillis
    const id = identifiers.id("blk_", partitionOfId(sellerId) ?? 0, nowMillis)
    const deed = yield* audit.act(principal, {
      action: "bulk.requested",
      resourceType: "bulk",
      resourceId: id,
      details: { mode, act, rows: ids.length },
    })
    // Only users without a seller have no audit log, and the route admits none.
    if (deed === undefined) return yield* Effect.die(new Error("a seller has no audit log"))
    const { actor, ipAddress, keptMillis } = deed
    const bulk: StoredBulk = {
      ...{ id, sellerId, mode, userId, act, ids },
      by: { actor, ipAddress, keptMillis },
      ...(membership === undefined ? {} : { memberId: membership.memberId }),
      reason: reason || undefined,
      done: 0,
      failed: [],
      createdAt: new Date(yield* shownAt(principal, nowMillis)).toISOString(),
    }
    return { bulk, deed }
  })

  const handlers: GroupHandlers<typeof bulkGroup> = {
    createBulk: Effect.fnUntraced(function* (request) {
      const { payload, principal, session } = request
      yield* mustMay(session, memberActs[payload.act])
      yield* confirmed(payload, session)
      const refused = refusalOf(payload)
      if (refused !== undefined) return yield* refused
      const idempotency = idempotencyScope(identifiers, "bulk", request)
      const earlier = yield* transactions.peek(principal, idempotency)
      if (earlier.kind !== "none") return yield* withoutKey(createReply(earlier))
      const ids = yield* withoutKey(rowsOf(payload, principal))
      const { bulk, deed } = yield* newBulk(payload, ids, principal, session)
      const body = render(bulk)
      const answer = yield* asAct(deed, bulks.create(principal, idempotency, bulk, body))
      if (answer.kind === "created") return { status: 202, body }
      if (answer.kind !== "running") return yield* withoutKey(createReply(answer))
      return yield* new ApiError({
        code: "invalid_state",
        message: "Another bulk act of this mode is running. Wait until it is done.",
      })
    }),

    getBulk: Effect.fnUntraced(function* ({ params: { id }, principal }) {
      const found = isId("blk_", id) ? yield* bulks.load(id) : undefined
      if (found?.sellerId !== principal.sellerId || found.mode !== principal.mode) {
        return yield* resourceNotFound("bulk act", id)
      }
      return { status: 200, body: render(found) }
    }),
  }
  return handlers
})
