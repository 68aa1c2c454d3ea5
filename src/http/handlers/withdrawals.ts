import { Effect } from "effect"
import { createdAtOf } from "../../../actors/event/envelope.ts"
import { Identifiers } from "../../../actors/ports/identifiers.ts"
import {
  Ledger,
  type LedgerPage,
  type SellerBalance,
  type StoredLedgerEntry,
} from "../../../actors/ports/ledger.ts"
import { RefundStore } from "../../../actors/ports/refundStore.ts"
import { WithdrawalStore } from "../../../actors/ports/withdrawalStore.ts"
import { createWithdrawal } from "../../../actors/seller/operations/createWithdrawal.ts"
import { decideWithdrawal } from "../../../actors/seller/operations/decideWithdrawal.ts"
import { SellerActors } from "../../../actors/seller/sellerActor.ts"
import type { Principal } from "../../../actors/values/principal.ts"
import type { balanceGroup, sessionMoneyGroup, withdrawalsGroup } from "../../../schema/api/withdrawals.ts"
import { resourceNotFound } from "../../../schema/errors.ts"
import { eventIdOf, type Feed, isId, ledgerEntryIdOf } from "../../../schema/ids.ts"
import { limits } from "../../../schema/limits.ts"
import type { Balance, LedgerEntry } from "../../../schema/resources/ledger.ts"
import { traceIdOfHeader } from "../../../schema/trace.ts"
import { SellerAudit } from "../../accounts/sellerAudit.ts"
import type { GroupHandlers } from "../server/request.ts"
import { Cursors } from "./cursors.ts"
import { createReply, idempotencyScope } from "./idempotent.ts"
import { entriesBefore, keyRevoked, orFail, pageOf, pageSize, windowOf } from "./page.ts"
import { forSession } from "./sessionReads.ts"

export type MoneyHandlers = GroupHandlers<typeof withdrawalsGroup> & GroupHandlers<typeof balanceGroup>

/** The seller's buckets under their wire names. */
const bucketsOf = ({ available, reserve, pendingWithdraw, pendingRefund }: SellerBalance) => ({
  available,
  reserve,
  pending_withdraw: pendingWithdraw,
  pending_refund: pendingRefund,
})

/** An entry of the ledger as the API shows it, as JSON text. */
export const renderLedgerEntry = (feed: Feed, entry: StoredLedgerEntry): string => {
  const rendered: LedgerEntry = {
    id: ledgerEntryIdOf(feed, entry.entryId),
    object: "ledger_entry",
    kind: entry.kind,
    mode: feed.mode,
    resource_type: entry.resourceType,
    resource_id: entry.resourceId,
    event_id: entry.eventEntryId === undefined ? null : eventIdOf(feed, entry.eventEntryId),
    postings: entry.postings,
    balance: bucketsOf(entry.balance),
    created_at: createdAtOf(entry.entryId),
  }
  return JSON.stringify(rendered)
}

/** Routes of withdrawals. */
const makeWithdrawalHandlers = Effect.gen(function* () {
  const actors = yield* SellerActors
  const store = yield* WithdrawalStore
  const identifiers = yield* Identifiers
  const cursors = yield* Cursors
  const audit = yield* SellerAudit

  /** Finds one of the principal's own; an invalid key is reported before a missing withdrawal. */
  const find = Effect.fnUntraced(function* (principal: Principal, id: string) {
    const found = isId("wd_", id) ? yield* store.get(principal, id) : undefined
    if (found === undefined) return yield* resourceNotFound("withdrawal", id)
    if ("kind" in found) return yield* keyRevoked()
    return found
  })

  const handlers: GroupHandlers<typeof withdrawalsGroup> = {
    createWithdrawal: Effect.fnUntraced(function* (request) {
      const { principal, payload: body, requestId } = request
      const idempotency = idempotencyScope(identifiers, "withdrawals", request)
      const traceId = traceIdOfHeader(request.header("traceparent"))
      const { mode } = principal
      const { amount, pix_key_id } = body
      const act = yield* audit.act(principal, {
        ...{ action: "withdrawal.requested", resourceType: "withdrawal" },
        details: { mode, amount, pix_key_id },
      })
      const asked = { principal, body, idempotency, requestId, traceId, act }
      const answer = yield* actors.ask(createWithdrawal, asked)
      return yield* createReply(answer)
    }),

    getWithdrawal: ({ params, principal }) =>
      Effect.map(find(principal, params.id), ({ document }) => ({ status: 200, body: document })),

    listWithdrawals: Effect.fnUntraced(function* ({ query, principal }) {
      const { limit, cursor, ...filters } = query
      const scope = { list: "withdrawals", principal, filters }
      const beforeId = yield* orFail(cursors.decode(scope, cursor))
      const size = pageSize(limit)
      const page = { status: query.status, ...windowOf(query), beforeId, limit: size + 1 }
      const found = yield* store.list(principal, page)
      if ("kind" in found) return yield* keyRevoked()
      return pageOf(
        found,
        size,
        ({ document }) => document,
        (last) => cursors.encode(scope, last.id),
      )
    }),

    cancelWithdrawal: Effect.fnUntraced(function* ({ params, principal }) {
      yield* find(principal, params.id)
      const { document } = yield* actors.ask(decideWithdrawal, {
        withdrawalId: params.id,
        act: "cancel",
        reason: undefined,
        audited: yield* audit.act(principal, {
          ...{ action: "withdrawal.cancelled", resourceType: "withdrawal" },
          details: { mode: principal.mode },
        }),
      })
      return { status: 200, body: document }
    }),
  }
  return handlers
})

const isMoneyId = (id: string): boolean => isId("txn_", id) || isId("wd_", id) || isId("rfd_", id)

const millisOf = ({ entryId }: StoredLedgerEntry): number => Number(entryId.split("-")[0])

/** A page of entries that are all there, newest first. */
const pageOfEntries = (
  found: ReadonlyArray<StoredLedgerEntry> | { readonly kind: "keyInvalid" },
  { fromMillis = 0, toMillis = Number.POSITIVE_INFINITY, beforeEntryId, limit }: LedgerPage,
) => {
  if ("kind" in found) return found
  return entriesBefore(found, beforeEntryId)
    .filter((entry) => millisOf(entry) >= fromMillis && millisOf(entry) <= toMillis)
    .slice(0, limit)
}

/** Routes of balance and ledger. */
const makeBalanceHandlers = Effect.gen(function* () {
  const ledger = yield* Ledger
  const refunds = yield* RefundStore
  const cursors = yield* Cursors

  /** The resources that a list of entries is filtered by; undefined: by none. */
  const resourcesOf = Effect.fnUntraced(function* (
    principal: Principal,
    { transaction_id, resource_id }: { readonly transaction_id?: string; readonly resource_id?: string },
  ) {
    if (transaction_id === undefined && resource_id === undefined) return undefined
    const one = resource_id === undefined || !isMoneyId(resource_id) ? [] : [resource_id]
    if (transaction_id === undefined) return one
    if (!isId("txn_", transaction_id)) return []
    const page = { status: undefined, fromMillis: undefined, toMillis: undefined, beforeId: undefined }
    const limit = limits.refundsPerChargeMax
    const found = yield* refunds.list(principal, { ...page, transactionId: transaction_id, limit })
    const all = [transaction_id, ...("kind" in found ? [] : found.map(({ id }) => id))]
    return resource_id === undefined ? all : all.filter((id) => one.includes(id))
  })

  const handlers: GroupHandlers<typeof balanceGroup> = {
    getBalance: Effect.fnUntraced(function* ({ principal }) {
      const found = yield* ledger.balance(principal)
      if ("kind" in found) return yield* keyRevoked()
      const { mode } = principal
      const balance: Balance = { object: "balance", mode, currency: "BRL", ...bucketsOf(found) }
      return { status: 200, body: JSON.stringify(balance) }
    }),

    listLedger: Effect.fnUntraced(function* ({ query, principal }) {
      const { limit, cursor, ...filters } = query
      const scope = { list: "ledger", principal, filters }
      const beforeEntryId = yield* orFail(cursors.decode(scope, cursor))
      const size = pageSize(limit)
      const resourceIds = yield* resourcesOf(principal, query)
      const page = { ...windowOf(query), beforeEntryId, limit: size + 1 }
      const found =
        resourceIds === undefined
          ? yield* ledger.list(principal, page)
          : pageOfEntries(yield* ledger.ofResources(principal, resourceIds), page)
      if ("kind" in found) return yield* keyRevoked()
      return pageOf(
        found,
        size,
        (entry) => renderLedgerEntry(principal, entry),
        (last) => cursors.encode(scope, last.entryId),
      )
    }),
  }
  return handlers
})

/** Routes of withdrawals, balance and ledger. */
export const makeMoneyHandlers = Effect.gen(function* () {
  const handlers: MoneyHandlers = { ...(yield* makeWithdrawalHandlers), ...(yield* makeBalanceHandlers) }
  return handlers
})

/** The same for sessions: only the principal differs, and the step-up was checked before. */
export const sessionMoneyHandlers = (handlers: MoneyHandlers): GroupHandlers<typeof sessionMoneyGroup> => ({
  createMyWithdrawal: forSession(handlers.createWithdrawal),
  getMyWithdrawal: forSession(handlers.getWithdrawal),
  listMyWithdrawals: forSession(handlers.listWithdrawals),
  cancelMyWithdrawal: forSession(handlers.cancelWithdrawal),
  getMyBalance: forSession(handlers.getBalance),
  listMyLedger: forSession(handlers.listLedger),
})
