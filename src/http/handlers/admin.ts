import { Effect } from "effect"
import { SellerStore } from "../../../actors/ports/sellerStore.ts"
import {
  type DecideSeller,
  decideKyc,
  lockPayouts,
  patchSettings,
  setStatus,
} from "../../../actors/seller/decisions/sellerDecisions.ts"
import type { adminGroup } from "../../../schema/api/admin.ts"
import type { SellerProfile } from "../../../schema/resources/seller.ts"
import { OperatorLog } from "../../accounts/operatorLog.ts"
import { SellerChanges } from "../../accounts/sellers/sellerChanges.ts"
import { SellerSearches } from "../../accounts/sellers/sellerSearch.ts"
import type { Session } from "../../accounts/sessions/session.ts"
import type { JsonReply } from "../server/reply.ts"
import type { GroupHandlers } from "../server/request.ts"
import { type CursorScope, Cursors } from "./cursors.ts"
import { orFail, pageReply, pageSize } from "./page.ts"

const shown = (profile: SellerProfile): JsonReply => ({ status: 200, body: JSON.stringify(profile) })

/** Routes of sellers and the operators' log, for operators. */
export const makeAdminHandlers = Effect.gen(function* () {
  const sellers = yield* SellerChanges
  const store = yield* SellerStore
  const searches = yield* SellerSearches
  const operatorLog = yield* OperatorLog
  const cursors = yield* Cursors

  /**
   * Changes a seller. The act is logged before the change, and only if there is one
   * (`docs/decisions/0064-operator-acts-logged-first.md`).
   */
  const act = (
    session: Session,
    sellerId: string,
    action: string,
    details: Readonly<Record<string, unknown>>,
    decide: DecideSeller,
  ) => {
    const entry = {
      operatorId: session.userId,
      action,
      resourceType: "seller",
      resourceId: sellerId,
      details,
    }
    return Effect.map(sellers.change(sellerId, decide, operatorLog.append(entry)), shown)
  }

  const listSellers = Effect.fnUntraced(function* (
    query: Parameters<GroupHandlers<typeof adminGroup>["listSellers"]>[0]["query"],
  ) {
    const { status, kyc_status: kycStatus, q } = query
    const scope: CursorScope = { list: "sellers", filters: { status, kycStatus, q } }
    const beforeId = yield* orFail(cursors.decode(scope, query.cursor))
    const limit = pageSize(query.limit)
    const page =
      q === undefined
        ? yield* store.list({ status, kycStatus, beforeId, limit })
        : yield* searches.find({ q, status, kycStatus, after: beforeId, limit })
    const profiles = yield* Effect.forEach(page.sellers, sellers.render)
    const { nextBeforeId } = page
    return pageReply(
      profiles.map((profile) => JSON.stringify(profile)),
      nextBeforeId === undefined ? undefined : cursors.encode(scope, nextBeforeId),
    )
  })

  const listAudit = Effect.fnUntraced(function* (
    query: Parameters<GroupHandlers<typeof adminGroup>["listAudit"]>[0]["query"],
  ) {
    const scope: CursorScope = { list: "audit", filters: {} }
    const beforeId = yield* orFail(cursors.decode(scope, query.cursor))
    const { entries, nextBeforeId } = yield* operatorLog.list({ beforeId, limit: pageSize(query.limit) })
    return pageReply(
      entries.map((entry) => JSON.stringify(entry)),
      nextBeforeId === undefined ? undefined : cursors.encode(scope, nextBeforeId),
    )
  })

  const handlers: GroupHandlers<typeof adminGroup> = {
    listSellers: ({ query }) => listSellers(query),
    getSellerAsOperator: ({ params }) => Effect.map(sellers.profile(params.id), shown),
    decideKyc: ({ session, params: { id }, payload }) =>
      act(session, id, `seller.kyc_${payload.status}`, payload, decideKyc(payload.status)),
    setSellerStatus: ({ session, params: { id }, payload }) =>
      act(session, id, "seller.status_set", payload, setStatus(payload.status)),
    lockPayouts: ({ session, params: { id }, payload }) => {
      const untilMillis = payload.until === null ? undefined : Date.parse(payload.until)
      const action = untilMillis === undefined ? "seller.payouts_unlocked" : "seller.payouts_locked"
      return act(session, id, action, payload, lockPayouts(untilMillis))
    },
    patchSellerSettings: ({ session, params: { id }, payload }) =>
      act(session, id, "seller.settings_changed", payload, patchSettings(payload)),
    listAudit: ({ query }) => listAudit(query),
  }
  return handlers
})
