import { PaymentLinkStore, type StoredPaymentLink } from "../../actors/ports/paymentLinkStore.ts"
import type { TransitionCommit } from "../../actors/ports/transactionStore.ts"
import { paymentLinkText } from "../../actors/values/paymentLinkText.ts"
import type { Principal } from "../../actors/values/principal.ts"
import { linkPaidEventType } from "../../schema/events.ts"
import { isKeyValid } from "./access.ts"
import { appendEvent } from "./feeds.ts"
import { checkRequest, writeRecord } from "./idempotency.ts"
import { atomicStep, type MemoryState, partitionOf } from "./state.ts"

const isOf = ({ sellerId, mode }: Principal, link: StoredPaymentLink): boolean =>
  link.sellerId === sellerId && link.mode === mode

const ownedBy = (state: MemoryState, principal: Principal) =>
  [...state.paymentLinks.values()].filter((link) => isOf(principal, link))

/** Why a link takes no charge more; undefined where it takes one, or there is no link. */
export const linkRefusal = (state: MemoryState, linkId: string | undefined) => {
  if (linkId === undefined) return undefined
  const link = state.paymentLinks.get(linkId)
  if (link?.active !== true) return { kind: "linkInactive" } as const
  const { paymentsMax = Number.POSITIVE_INFINITY, payments, pendingPayments } = link
  return payments + pendingPayments >= paymentsMax ? ({ kind: "linkFull" } as const) : undefined
}

/** Counts a new charge as pending. */
export const holdPlace = (state: MemoryState, linkId: string | undefined): void => {
  const link = state.paymentLinks.get(linkId ?? "")
  if (link === undefined) return
  state.paymentLinks.set(link.id, { ...link, pendingPayments: link.pendingPayments + 1 })
}

/** Counts what became of a charge that was made through a link. */
export const settleLink = (state: MemoryState, nowMillis: number, commit: TransitionCommit): void => {
  const { paymentLink, sellerId, mode, from, transactionId } = commit
  const link = state.paymentLinks.get(paymentLink?.id ?? "")
  if (paymentLink === undefined || link === undefined) return
  const { amount } = paymentLink
  const after: StoredPaymentLink = {
    ...link,
    pendingPayments: from === "pending" ? Math.max(0, link.pendingPayments - 1) : link.pendingPayments,
    payments: link.payments + (amount === undefined ? 0 : 1),
    paidAmount: link.paidAmount + (amount ?? 0),
  }
  state.paymentLinks.set(link.id, after)
  if (amount === undefined) return
  appendEvent(
    state,
    nowMillis,
    { sellerId, mode },
    {
      type: linkPaidEventType,
      resourceId: link.id,
      data: paymentLinkText(link.document, after, transactionId),
    },
  )
}

/** PaymentLinkStore over the memory state. */
export const makePaymentLinkStore = (state: MemoryState): PaymentLinkStore["Service"] =>
  PaymentLinkStore.of({
    create: (principal, idempotency, link, answer, linksMax) =>
      atomicStep(state, (nowMillis) => {
        const refusal = checkRequest(state, nowMillis, principal, idempotency)
        if (refusal?.kind === "doneByUs") return { kind: "created" }
        if (refusal !== undefined) return refusal
        if (ownedBy(state, principal).length >= linksMax) return { kind: "limit" }
        partitionOf(state, link.id)
        state.paymentLinks.set(link.id, link)
        writeRecord(state, nowMillis, principal, idempotency, { kind: "done", status: 201, body: answer })
        return { kind: "created" }
      }),

    change: ({ link: { id, version }, ...to }) =>
      atomicStep(state, () => {
        const found = state.paymentLinks.get(id)
        if (found === undefined) return { kind: "missing" }
        if (found.version !== version) return { kind: "stale" }
        state.paymentLinks.set(id, { ...found, ...to, version: version + 1 })
        return { kind: "applied" }
      }),

    get: (principal, id) =>
      atomicStep(state, (nowMillis) => {
        if (!isKeyValid(state, nowMillis, principal)) return { kind: "keyInvalid" }
        const found = state.paymentLinks.get(id)
        return found !== undefined && isOf(principal, found) ? found : undefined
      }),

    load: (id) => atomicStep(state, () => state.paymentLinks.get(id)),

    list: (principal, { active, beforeId, limit }) =>
      atomicStep(state, (nowMillis) => {
        if (!isKeyValid(state, nowMillis, principal)) return { kind: "keyInvalid" }
        return ownedBy(state, principal)
          .filter((link) => active === undefined || link.active === active)
          .filter(({ id }) => beforeId === undefined || id < beforeId)
          .sort((left, right) => (left.id < right.id ? 1 : -1))
          .slice(0, limit)
      }),
  })
