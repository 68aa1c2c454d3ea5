import { Effect } from "effect"
import { RefundStore, type StoredRefund } from "../../../actors/ports/refundStore.ts"
import { type StoredWithdrawal, WithdrawalStore } from "../../../actors/ports/withdrawalStore.ts"
import type { Principal } from "../../../actors/values/principal.ts"
import { parseRefund, parseWithdrawal } from "../../../actors/values/storedDocuments.ts"
import type { StoreUnavailable } from "../../../actors/values/storeUnavailable.ts"
import type { api } from "../../../schema/api/index.ts"
import type { CsvLocale } from "../../../schema/csv.ts"
import type { TableFormat } from "../../../schema/exportFormats.ts"
import { limits } from "../../../schema/limits.ts"
import type { RefundStatus } from "../../../schema/resources/refund.ts"
import type { Withdrawal, WithdrawalStatus } from "../../../schema/resources/withdrawal.ts"
import { type ExportedRefund, refundTable } from "../../exports/refundTable.ts"
import { type ExportTable, tableWriter } from "../../exports/table.ts"
import { withdrawalTable } from "../../exports/withdrawalTable.ts"
import { SessionAuthenticator, whileLive } from "../contract/sessionGuard.ts"
import type { Handlers } from "../server/request.ts"
import { makeShownCharges } from "./entryCharges.ts"
import { fileReply, type OpenFile } from "./fileStream.ts"
import { keyRevoked, windowOf, withoutKey } from "./page.ts"

type ExportHandlers = Pick<
  Handlers<typeof api, never>,
  "exportRefunds" | "exportMyRefunds" | "exportWithdrawals" | "exportMyWithdrawals"
>

interface ExportQuery {
  readonly from?: string
  readonly to?: string
  readonly format?: TableFormat
  readonly locale?: CsvLocale
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

/** A list that is exported: how its pages are read, and what the rows of one are. */
interface Listed<Item extends Stored, Row> {
  readonly table: ExportTable<Row>
  readonly names: Readonly<Record<CsvLocale, string>>
  readonly read: (beforeId: string | undefined, limit: number) => Effect.Effect<Page<Item>, StoreUnavailable>
  readonly rows: (items: ReadonlyArray<Item>) => Effect.Effect<ReadonlyArray<Row>, StoreUnavailable>
}

/** Routes of files of refunds and withdrawals (`docs/contract/exports.md`). */
export const makeListExportHandlers = Effect.fnUntraced(function* (open: OpenFile) {
  const refunds = yield* RefundStore
  const withdrawals = yield* WithdrawalStore
  const chargesOf = yield* makeShownCharges
  const sessions = yield* SessionAuthenticator

  /** `admitted` is asked before each page, beside the key's own check. */
  const answer = Effect.fnUntraced(function* <Item extends Stored, Row, E>(
    principal: Principal,
    { format = "csv", locale = "pt-BR" }: ExportQuery,
    { table, names, read, rows }: Listed<Item, Row>,
    admitted: Effect.Effect<void, E>,
  ) {
    const size = limits.exportPageEntries
    const readAfter = Effect.fnUntraced(function* (beforeId: string | undefined) {
      yield* admitted
      const page = yield* read(beforeId, size)
      if ("kind" in page) return yield* keyRevoked()
      return page.map((item) => ({ ...item, entryId: item.id }))
    })
    const writer = tableWriter(table, format, locale)
    const stream = yield* open({
      sellerId: principal.sellerId,
      header: writer.header,
      pageEntries: size,
      readAfter,
      render: (page: ReadonlyArray<Item & { readonly entryId: string }>) =>
        Effect.map(rows(page), writer.rows),
      footer: Effect.sync(writer.footer),
    })
    return fileReply(stream, writer, `${names[locale]}-${principal.mode}`)
  })

  const answerRefunds = <E>(principal: Principal, query: RefundQuery, admitted: Effect.Effect<void, E>) => {
    const filters = { status: query.status, transactionId: query.transaction_id, ...windowOf(query) }
    const list: Listed<StoredRefund, ExportedRefund> = {
      table: refundTable,
      names: { "pt-BR": "devolucoes", en: "refunds" },
      read: (beforeId, limit) => refunds.list(principal, { ...filters, beforeId, limit }),
      rows: (page) =>
        Effect.map(chargesOf(new Set(page.map(({ transactionId }) => transactionId))), (charges) =>
          page.map(({ document, transactionId }) => ({
            refund: parseRefund(document),
            charge: charges.get(transactionId),
          })),
        ),
    }
    return answer(principal, query, list, admitted)
  }

  const answerWithdrawals = <E>(
    principal: Principal,
    query: WithdrawalQuery,
    admitted: Effect.Effect<void, E>,
  ) => {
    const filters = { status: query.status, ...windowOf(query) }
    const list: Listed<StoredWithdrawal, Withdrawal> = {
      table: withdrawalTable,
      names: { "pt-BR": "saques", en: "withdrawals" },
      read: (beforeId, limit) => withdrawals.list(principal, { ...filters, beforeId, limit }),
      rows: (page) => Effect.sync(() => page.map(({ document }) => parseWithdrawal(document))),
    }
    return answer(principal, query, list, admitted)
  }

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
