import { Clock, Effect } from "effect"
import { ChargeRenderer } from "../../../actors/ports/chargeRenderer.ts"
import { DestinationCheck } from "../../../actors/ports/destinationCheck.ts"
import { Identifiers } from "../../../actors/ports/identifiers.ts"
import { PaymentLinkStore, type StoredPaymentLink } from "../../../actors/ports/paymentLinkStore.ts"
import { TransactionStore } from "../../../actors/ports/transactionStore.ts"
import { changedByOthers, decideAndCommit, stale } from "../../../actors/runtime/decideAndCommit.ts"
import { changedPaymentLink, newPaymentLink } from "../../../actors/seller/decisions/paymentLinkDecisions.ts"
import { paymentLinkText } from "../../../actors/values/paymentLinkText.ts"
import type { Principal } from "../../../actors/values/principal.ts"
import { parsePaymentLink } from "../../../actors/values/storedDocuments.ts"
import type { paymentLinksGroup, sessionPaymentLinksGroup } from "../../../schema/api/paymentLinks.ts"
import { ApiError, resourceNotFound } from "../../../schema/errors.ts"
import { isId, partitionOfId } from "../../../schema/ids.ts"
import { limits } from "../../../schema/limits.ts"
import type { ChangePaymentLink } from "../../../schema/resources/paymentLink.ts"
import { SellerAudit } from "../../accounts/sellerAudit.ts"
import { momentOf } from "../contract/moments.ts"
import type { GroupHandlers } from "../server/request.ts"
import { makeClockWindows } from "./clockWindows.ts"
import { Cursors } from "./cursors.ts"
import { createReply, idempotencyScope } from "./idempotent.ts"
import { keyRevoked, orFail, pageOf, pageSize } from "./page.ts"
import { forSession } from "./sessionReads.ts"

type PaymentLinkHandlers = GroupHandlers<typeof paymentLinksGroup>

const noCounts = { payments: 0, paidAmount: 0, pendingPayments: 0 }

/** Routes of payment links (docs/contract/payment-links.md). */
export const makePaymentLinkHandlers = Effect.gen(function* () {
  const store = yield* PaymentLinkStore
  const transactions = yield* TransactionStore
  const charges = yield* ChargeRenderer
  const identifiers = yield* Identifiers
  const destinations = yield* DestinationCheck
  const { shownAt } = yield* makeClockWindows
  const cursors = yield* Cursors
  const audit = yield* SellerAudit

  const render = (link: StoredPaymentLink) => charges.render(paymentLinkText(link.document, link))

  const checkReturn = (url: string | null | undefined): Effect.Effect<void, ApiError<"invalid_url">> =>
    typeof url === "string"
      ? Effect.mapError(
          destinations.checkForm(url),
          ({ code, message }) => new ApiError({ code, message, param: "return_url" }),
        )
      : Effect.void

  const timeOf = Effect.fnUntraced(function* (principal: Principal) {
    const nowMillis = yield* shownAt(principal, yield* Clock.currentTimeMillis)
    return { nowMillis, momentOf: (text: string) => momentOf(text, "end") }
  })

  const find = Effect.fnUntraced(function* (principal: Principal, id: string) {
    const found = isId("plk_", id) ? yield* store.get(principal, id) : undefined
    if (found === undefined) return yield* resourceNotFound("payment link", id)
    if ("kind" in found) return yield* keyRevoked()
    return found
  })

  /** Applies a change; if another one came first, on the link as it is now. */
  const change = (principal: Principal, known: StoredPaymentLink, payload: ChangePaymentLink) =>
    decideAndCommit({
      known,
      read: store.load(known.id),
      attempt: Effect.fnUntraced(function* (link: StoredPaymentLink | undefined) {
        if (link === undefined) return yield* resourceNotFound("payment link", known.id)
        const after = yield* orFail(
          changedPaymentLink(parsePaymentLink(link.document), payload, yield* timeOf(principal)),
        )
        const to = {
          active: after.active,
          paymentsMax: after.payments_max ?? undefined,
          document: JSON.stringify(after),
        }
        const { kind } = yield* store.change({ link, ...to })
        if (kind === "missing") return yield* resourceNotFound("payment link", known.id)
        return kind === "stale" ? stale : { ...link, ...to }
      }),
      giveUp: () => changedByOthers("payment link"),
    })

  const handlers: PaymentLinkHandlers = {
    createPaymentLink: Effect.fnUntraced(function* (request) {
      const { principal, payload } = request
      const { sellerId, mode } = principal
      const idempotency = idempotencyScope(identifiers, "payment-links", request)
      // A saved answer goes before a refusal: what was in the future then may be over.
      const earlier = yield* transactions.peek(principal, idempotency)
      if (earlier.kind !== "none") return yield* createReply(earlier, charges.render)
      yield* checkReturn(payload.return_url)
      const time = yield* timeOf(principal)
      const id = identifiers.id("plk_", partitionOfId(sellerId) ?? 0, time.nowMillis)
      const createdAt = new Date(time.nowMillis).toISOString()
      const settings = yield* orFail(newPaymentLink(payload, { id, mode, createdAt }, time))
      const document = JSON.stringify(settings)
      const body = paymentLinkText(document, noCounts)
      const link: StoredPaymentLink = {
        id,
        sellerId,
        mode,
        version: 1,
        document,
        ...noCounts,
        active: settings.active,
        paymentsMax: settings.payments_max ?? undefined,
      }
      const answer = yield* audit.does(
        principal,
        {
          action: "payment_link.created",
          resourceType: "payment_link",
          details: { mode, title: settings.title },
        },
        store.create(principal, idempotency, link, body, limits.paymentLinksPerModeMax),
      )
      if (answer.kind === "limit") {
        return yield* new ApiError({
          code: "invalid_state",
          message: `A mode has at most ${limits.paymentLinksPerModeMax} payment links. Change one that is no longer used.`,
        })
      }
      const made = { kind: "answered", status: 201, body } as const
      return yield* createReply(answer.kind === "created" ? made : answer, charges.render)
    }),

    listPaymentLinks: Effect.fnUntraced(function* ({ query, principal }) {
      const { limit, cursor, active } = query
      const scope = { list: "paymentLinks", principal, filters: { active } }
      const beforeId = yield* orFail(cursors.decode(scope, cursor))
      const size = pageSize(limit)
      const wanted = active === undefined ? undefined : active === "true"
      const found = yield* store.list(principal, { active: wanted, beforeId, limit: size + 1 })
      if ("kind" in found) return yield* keyRevoked()
      return pageOf(found, size, render, (last) => cursors.encode(scope, last.id))
    }),

    getPaymentLink: ({ params, principal }) =>
      Effect.map(find(principal, params.id), (link) => ({ status: 200, body: render(link) })),

    changePaymentLink: Effect.fnUntraced(function* ({ params, principal, payload }) {
      const known = yield* find(principal, params.id)
      yield* checkReturn(payload.return_url)
      const changed = yield* audit.does(
        principal,
        {
          action: "payment_link.changed",
          resourceType: "payment_link",
          details: {
            mode: principal.mode,
            fields: Object.keys(payload).join(" "),
            ...(payload.title !== undefined && { title: payload.title }),
          },
        },
        change(principal, known, payload),
      )
      return { status: 200, body: render(changed) }
    }),
  }
  return handlers
})

/** The same for sessions: only the principal differs. */
export const sessionPaymentLinkHandlers = (
  handlers: PaymentLinkHandlers,
): GroupHandlers<typeof sessionPaymentLinksGroup> => ({
  createMyPaymentLink: forSession(handlers.createPaymentLink),
  listMyPaymentLinks: forSession(handlers.listPaymentLinks),
  getMyPaymentLink: forSession(handlers.getPaymentLink),
  changeMyPaymentLink: forSession(handlers.changePaymentLink),
})
