import { Effect } from "effect"
import { RefundStore } from "../../../actors/ports/refundStore.ts"
import { WithdrawalStore } from "../../../actors/ports/withdrawalStore.ts"
import type { Principal } from "../../../actors/values/principal.ts"
import { parseRefund, parseWithdrawal } from "../../../actors/values/storedDocuments.ts"
import type { StoreUnavailable } from "../../../actors/values/storeUnavailable.ts"
import type { api } from "../../../schema/api/index.ts"
import { limits } from "../../../schema/limits.ts"
import type { RefundStatus } from "../../../schema/resources/refund.ts"
import type { WithdrawalStatus } from "../../../schema/resources/withdrawal.ts"
import { refundTable } from "../../exports/refundTable.ts"
import { withdrawalTable } from "../../exports/withdrawalTable.ts"
import { SessionAuthenticator, whileLive } from "../contract/sessionGuard.ts"
import type { Handlers } from "../server/request.ts"
import { makeShownCharges } from "./entryCharges.ts"
import type { OpenFile } from "./fileStream.ts"
import { keyRevoked, windowOf, withoutKey } from "./page.ts"
import { makeTableFile, type TableQuery } from "./tableFile.ts"

type ExportHandlers = Pick<
  Handlers<typeof api, never>,
  "exportRefunds" | "exportMyRefunds" | "exportWithdrawals" | "exportMyWithdrawals"
>

interface ExportQuery extends TableQuery {
  readonly from?: string
  readonly to?: string
}

interface RefundQuery extends ExportQuery {
  readonly status?: RefundStatus
  readonly transaction_id?: string
}

interface WithdrawalQuery extends ExportQuery {
  readonly status?: WithdrawalStatus
}

interface Stored {
  readonly id: string
  readonly document: string
}

/** A page of a list, newest first, or the key that was revoked meanwhile. */
type Page<Item> = ReadonlyArray<Item> | { readonly kind: "keyInvalid" }

/** Makes the functions that answer files of refunds and withdrawals. */
export const makeListFiles = Effect.fnUntraced(function* (open: OpenFile) {
  const refunds = yield* RefundStore
  const withdrawals = yield* WithdrawalStore
  const chargesOf = yield* makeShownCharges
  const fileOf = makeTableFile(open)

  /** Makes the reader of a list's pages. `admitted` is asked before each, beside the key's own check. */
  const reader = <Item extends Stored, E>(
    read: (beforeId: string | undefined, limit: number) => Effect.Effect<Page<Item>, StoreUnavailable>,
    admitted: Effect.Effect<void, E>,
  ) =>
    Effect.fnUntraced(function* (beforeId: string | undefined) {
      yield* admitted
      const page = yield* read(beforeId, limits.exportPageEntries)
      if ("kind" in page) return yield* keyRevoked()
      return page.map((item) => ({ ...item, entryId: item.id }))
    })

  const answerRefunds = <E>(principal: Principal, query: RefundQuery, admitted: Effect.Effect<void, E>) => {
    const filters = { status: query.status, transactionId: query.transaction_id, ...windowOf(query) }
    const readAfter = reader(
      (beforeId, limit) => refunds.list(principal, { ...filters, beforeId, limit }),
      admitted,
    )
    return fileOf(principal, query, {
      table: refundTable,
      names: { "pt-BR": "devolucoes", en: "refunds" },
      readAfter,
      rows: (page) =>
        Effect.map(chargesOf(new Set(page.map(({ transactionId }) => transactionId))), (charges) =>
          page.map(({ document, transactionId }) => ({
            refund: parseRefund(document),
            charge: charges.get(transactionId),
          })),
        ),
    })
  }

  const answerWithdrawals = <E>(
    principal: Principal,
    query: WithdrawalQuery,
    admitted: Effect.Effect<void, E>,
  ) => {
    const filters = { status: query.status, ...windowOf(query) }
    const readAfter = reader(
      (beforeId, limit) => withdrawals.list(principal, { ...filters, beforeId, limit }),
      admitted,
    )
    return fileOf(principal, query, {
      table: withdrawalTable,
      names: { "pt-BR": "saques", en: "withdrawals" },
      readAfter,
      rows: (page) => Effect.sync(() => page.map(({ document }) => parseWithdrawal(document))),
    })
  }

  return { answerRefunds, answerWithdrawals }
})

/** Routes of files of refunds and withdrawals (`docs/contract/exports.md`). */
export const makeListExportHandlers = Effect.fnUntraced(function* (open: OpenFile) {
  const { answerRefunds, answerWithdrawals } = yield* makeListFiles(open)
  const sessions = yield* SessionAuthenticator

  const handlers: ExportHandlers = {
    exportRefunds: ({ principal, query }) => answerRefunds(principal, query, Effect.void),
    exportMyRefunds: ({ principal, query, session }) =>
      withoutKey(answerRefunds(principal, query, whileLive(sessions, session))),
    exportWithdrawals: ({ principal, query }) => answerWithdrawals(principal, query, Effect.void),
    exportMyWithdrawals: ({ principal, query, session }) =>
      withoutKey(answerWithdrawals(principal, query, whileLive(sessions, session))),
  }
  return handlers
})
