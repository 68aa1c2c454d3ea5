import { Effect } from "effect"
import { SecretOpener } from "../../../actors/ports/secretOpener.ts"
import { TransactionStore } from "../../../actors/ports/transactionStore.ts"
import type { Principal } from "../../../actors/values/principal.ts"
import { sealedPlaces } from "../../../actors/values/sealedPlaces.ts"
import { parseCharge } from "../../../actors/values/storedDocuments.ts"
import type { api } from "../../../schema/api/index.ts"
import type { CsvLocale } from "../../../schema/csv.ts"
import type { TableFormat } from "../../../schema/exportFormats.ts"
import { limits } from "../../../schema/limits.ts"
import { chargeTable, type ExportedCharge } from "../../exports/chargeTable.ts"
import { tableWriter } from "../../exports/table.ts"
import { SessionAuthenticator, whileLive } from "../contract/sessionGuard.ts"
import type { Handlers } from "../server/request.ts"
import { type ChargeQuery, makeChargePages } from "./chargePages.ts"
import { fileReply, type OpenFile } from "./fileStream.ts"
import { withoutKey } from "./page.ts"

type ExportHandlers = Pick<Handlers<typeof api, never>, "exportTransactions" | "exportMyTransactions">

interface ExportQuery extends ChargeQuery {
  readonly format?: TableFormat
  readonly locale?: CsvLocale
}

const fileNames: Readonly<Record<CsvLocale, string>> = { "pt-BR": "cobrancas", en: "charges" }

/** A charge in a file of charges, by its id. */
interface FoundCharge {
  readonly entryId: string
  readonly document: string
}

/** Routes of files of charges (`docs/contract/transactions.md#export`). */
export const makeChargeExportHandlers = Effect.fnUntraced(function* (open: OpenFile) {
  const store = yield* TransactionStore
  const opener = yield* SecretOpener
  const sessions = yield* SessionAuthenticator
  const pages = makeChargePages(store, opener)

  const rowOf = ({ document: stored }: FoundCharge): ExportedCharge => {
    const charge = parseCharge(stored)
    const sealed = charge.customer.document
    return { charge, document: opener.open(sealed, sealedPlaces.customerDocument(charge.id)) ?? sealed }
  }

  /** `admitted` is asked before each page, beside the key's own check. */
  const answer = Effect.fnUntraced(function* <E>(
    principal: Principal,
    query: ExportQuery,
    admitted: Effect.Effect<void, E>,
  ) {
    const { format = "csv", locale = "pt-BR", ...filters } = query
    const size = limits.exportPageEntries
    /** Pages that filters left short are put together: a short one would end the file. */
    const readAfter = Effect.fnUntraced(function* (chargeId: string | undefined) {
      const charges: Array<FoundCharge> = []
      let position = chargeId
      do {
        yield* admitted
        const page = yield* pages.page(principal, filters, position, size - charges.length)
        charges.push(...page.found.map(({ id, document }) => ({ entryId: id, document })))
        position = page.next
      } while (position !== undefined && charges.length < size)
      return charges
    })
    const writer = tableWriter(chargeTable, format, locale)
    const stream = yield* open({
      sellerId: principal.sellerId,
      header: writer.header,
      pageEntries: size,
      readAfter,
      render: (page: ReadonlyArray<FoundCharge>) => Effect.sync(() => writer.rows(page.map(rowOf))),
      footer: Effect.sync(writer.footer),
    })
    return fileReply(stream, writer, `${fileNames[locale]}-${principal.mode}`)
  })

  const handlers: ExportHandlers = {
    exportTransactions: ({ principal, query }) => answer(principal, query, Effect.void),
    exportMyTransactions: ({ principal, query, session }) =>
      withoutKey(answer(principal, query, whileLive(sessions, session))),
  }
  return handlers
})
