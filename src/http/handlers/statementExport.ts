import { Clock, Effect } from "effect"
import { Ledger, type StoredLedgerEntry } from "../../../actors/ports/ledger.ts"
import { SellerStore } from "../../../actors/ports/sellerStore.ts"
import type { Principal } from "../../../actors/values/principal.ts"
import type { StoreUnavailable } from "../../../actors/values/storeUnavailable.ts"
import type { CsvLocale } from "../../../schema/csv.ts"
import type { ApiError } from "../../../schema/errors.ts"
import type { StatementFormat } from "../../../schema/exportFormats.ts"
import { limits } from "../../../schema/limits.ts"
import { ofxWriter } from "../../exports/ofx.ts"
import { exportFile, gainOf, type Movement, statementTable } from "../../exports/statementTable.ts"
import { type Chunk, type ExportWriter, tableWriter } from "../../exports/table.ts"
import { makeClockWindows } from "./clockWindows.ts"
import { makeEntryCharges } from "./entryCharges.ts"
import { makeEntryWithdrawals } from "./entryWithdrawals.ts"
import type { FileSource } from "./fileStream.ts"
import { keyRevoked } from "./page.ts"

/** The days of a statement, both included. */
export interface Days {
  readonly from: string
  readonly to: string
}

/** A stretch of a seller's clock, in ms. */
export interface ShownSpan {
  readonly fromMillis: number
  readonly toMillis: number
}

/** How a statement is written, and as which file. */
export interface StatementForm<E>
  extends Pick<FileSource<E>, "header" | "pageEntries" | "render" | "footer"> {
  readonly type: Pick<ExportWriter<never>, "contentType" | "ending">
  /** Its name without the ending. */
  readonly file: string
}

/** What an export of a statement is asked for. */
export interface AskedExport {
  readonly principal: Principal
  readonly query: Days & { readonly format: StatementFormat; readonly locale?: CsvLocale }
}

/** Why a page of the ledger cannot be read. */
export type Unreadable = StoreUnavailable | ApiError<"invalid_api_key">

/** A file of movements. `footer` takes the last entry that was read. */
interface MovementWriter extends Pick<ExportWriter<Movement>, "contentType" | "ending" | "header" | "rows"> {
  readonly footer: (last: StoredLedgerEntry | undefined) => Effect.Effect<Chunk, Unreadable>
}

/** Makes the function that says how an export of a statement is written (`docs/contract/statement.md#export`). */
export const makeStatementExport = Effect.gen(function* () {
  const ledger = yield* Ledger
  const sellers = yield* SellerStore
  const chargesOf = yield* makeEntryCharges
  const withdrawalsOf = yield* makeEntryWithdrawals
  const { windowIn, shownAt } = yield* makeClockWindows

  /** What was available when a stretch ended in which nothing moved: after the last entry before it. */
  const availableBefore = Effect.fnUntraced(function* (principal: Principal, shown: ShownSpan) {
    const { toMillis } = yield* windowIn(principal, shown)
    const page = { beforeEntryId: undefined, fromMillis: undefined, toMillis, limit: 1 }
    const found = yield* ledger.list(principal, page)
    if ("kind" in found) return yield* keyRevoked()
    return found[0]?.balance.available ?? 0
  })

  const ofxOf = Effect.fnUntraced(function* (principal: Principal, locale: CsvLocale, shown: ShownSpan) {
    const nowMillis = yield* shownAt(principal, yield* Clock.currentTimeMillis)
    const writer = ofxWriter({ feed: principal, locale, ...shown, nowMillis })
    const ofx: MovementWriter = {
      ...writer,
      footer: (last) =>
        Effect.map(
          last === undefined ? availableBefore(principal, shown) : Effect.succeed(last.balance.available),
          writer.footer,
        ),
    }
    return ofx
  })

  return Effect.fnUntraced(function* ({ principal, query }: AskedExport, shown: ShownSpan) {
    const { locale = "pt-BR", format } = query
    const seller = yield* sellers.get(principal.sellerId)
    const table = format === "ofx" ? undefined : tableWriter(statementTable(principal), format, locale)
    const writer: MovementWriter =
      table === undefined
        ? yield* ofxOf(principal, locale, shown)
        : { ...table, footer: () => Effect.sync(table.footer) }
    let last: StoredLedgerEntry | undefined
    const form: StatementForm<Unreadable> = {
      type: writer,
      file: exportFile(locale, seller?.name ?? "", principal.mode, query),
      header: writer.header,
      pageEntries: limits.exportPageEntries,
      render: Effect.fnUntraced(function* (page) {
        last = page.at(-1) ?? last
        const charges = yield* chargesOf(page)
        const moving = page.filter((entry) => gainOf(entry) !== 0)
        const withdrawals = yield* withdrawalsOf(moving)
        return writer.rows(
          moving.map((entry) => ({
            entry,
            charge: charges.get(entry.resourceId),
            withdrawal: withdrawals.get(entry.resourceId),
          })),
        )
      }),
      footer: Effect.suspend(() => writer.footer(last)),
    }
    return form
  })
})
