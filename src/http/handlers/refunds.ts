import { Effect } from "effect"
import { Identifiers } from "../../../actors/ports/identifiers.ts"
import { RefundStore } from "../../../actors/ports/refundStore.ts"
import { createRefund } from "../../../actors/seller/operations/createRefund.ts"
import { SellerActors } from "../../../actors/seller/sellerActor.ts"
import { sessionKeyHash } from "../../../actors/values/principal.ts"
import type { refundsGroup, sessionRefundsGroup } from "../../../schema/api/refunds.ts"
import { resourceNotFound } from "../../../schema/errors.ts"
import { isId } from "../../../schema/ids.ts"
import type { EntryCharge } from "../../../schema/resources/ledger.ts"
import { traceIdOfHeader } from "../../../schema/trace.ts"
import { SellerAudit } from "../../accounts/sellerAudit.ts"
import type { GroupHandlers } from "../server/request.ts"
import { Cursors } from "./cursors.ts"
import { makeShownCharges } from "./entryCharges.ts"
import { createReply, idempotencyScope } from "./idempotent.ts"
import { keyRevoked, orFail, pageOf, pageSize, windowOf } from "./page.ts"
import { forSession } from "./sessionReads.ts"

/** `listExports.ts` has the files. */
type RefundHandlers = Omit<GroupHandlers<typeof refundsGroup>, "exportRefunds">

/** A refund's document with the charge that it is of as its last field. */
const withCharge = (document: string, charge: EntryCharge | undefined): string =>
  `${document.slice(0, -1)},"charge":${JSON.stringify(charge ?? null)}}`

/** Routes of refunds. */
export const makeRefundHandlers = Effect.gen(function* () {
  const actors = yield* SellerActors
  const store = yield* RefundStore
  const identifiers = yield* Identifiers
  const cursors = yield* Cursors
  const audit = yield* SellerAudit
  const shownCharges = yield* makeShownCharges

  const handlers: RefundHandlers = {
    createRefund: Effect.fnUntraced(function* (request) {
      const { params, principal, payload: body, requestId } = request
      const idempotency = idempotencyScope(identifiers, "refunds", request)
      // What keys do is in the feed: only people's refunds are audited.
      const isPerson = principal.keyHash === sessionKeyHash
      const act = isPerson
        ? yield* audit.act(principal, {
            action: "transaction.refund_requested",
            resourceType: "transaction",
            resourceId: params.id,
            details: { mode: principal.mode, amount: body.amount ?? null },
          })
        : undefined
      const asked = {
        principal,
        act,
        transactionId: params.id,
        origin: "seller",
        body,
        idempotency,
        requestId,
        traceId: traceIdOfHeader(request.header("traceparent")),
      } as const
      return yield* createReply(yield* actors.ask(createRefund, asked))
    }),

    getRefund: Effect.fnUntraced(function* ({ params: { id }, principal }) {
      const found = isId("rfd_", id) ? yield* store.get(principal, id) : undefined
      if (found === undefined) return yield* resourceNotFound("refund", id)
      if ("kind" in found) return yield* keyRevoked()
      return { status: 200, body: found.document }
    }),

    listRefunds: Effect.fnUntraced(function* ({ query, principal }) {
      const { limit, cursor, view, ...filters } = query
      const scope = { list: "refunds", principal, filters }
      const beforeId = yield* orFail(cursors.decode(scope, cursor))
      const size = pageSize(limit)
      const { status, transaction_id: transactionId } = query
      const page = { status, transactionId, ...windowOf(query), beforeId, limit: size + 1 }
      const found = yield* store.list(principal, page)
      if ("kind" in found) return yield* keyRevoked()
      const shown = found.slice(0, size)
      const charges =
        view === "statement"
          ? yield* shownCharges(new Set(shown.map((refund) => refund.transactionId)))
          : undefined
      return pageOf(
        found,
        size,
        ({ document, transactionId: chargeId }) =>
          charges === undefined ? document : withCharge(document, charges.get(chargeId)),
        (last) => cursors.encode(scope, last.id),
      )
    }),
  }
  return handlers
})

/** The same for sessions: only the principal differs, and the step-up was checked before. */
export const sessionRefundHandlers = (
  handlers: RefundHandlers,
): Omit<GroupHandlers<typeof sessionRefundsGroup>, "exportMyRefunds"> => ({
  createMyRefund: forSession(handlers.createRefund),
  getMyRefund: forSession(handlers.getRefund),
  listMyRefunds: forSession(handlers.listRefunds),
})
