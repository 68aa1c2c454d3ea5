import { Effect } from "effect"
import { SecretOpener } from "../../../actors/ports/secretOpener.ts"
import { TransactionStore } from "../../../actors/ports/transactionStore.ts"
import type { Principal } from "../../../actors/values/principal.ts"
import { sealedPlaces } from "../../../actors/values/sealedPlaces.ts"
import { parseCharge } from "../../../actors/values/storedDocuments.ts"
import type { api } from "../../../schema/api/index.ts"
import type { CsvLocale } from "../../../schema/csv.ts"
import { limits } from "../../../schema/limits.ts"
import { chargeCsvHeader, chargeCsvLine } from "../../payments/chargeCsv.ts"
import { SessionAuthenticator, whileLive } from "../contract/sessionGuard.ts"
import type { Handlers } from "../server/request.ts"
import { type ChargeQuery, makeChargePages } from "./chargePages.ts"
import { csvContentType } from "./csvReply.ts"
import { fileReply, type OpenFile } from "./fileStream.ts"
import { withoutKey } from "./page.ts"

type ExportHandlers = Pick<Handlers<typeof api, never>, "exportTransactions" | "exportMyTransactions">

interface ExportQuery extends ChargeQuery {
  readonly format?: "csv"
  readonly locale?: CsvLocale
}

const fileNames: Readonly<Record<CsvLocale, string>> = { "pt-BR": "cobrancas", en: "charges" }

/** A charge in a file of charges, by its id. */
interface ExportedCharge {
  readonly entryId: string
  readonly document: string
}

/** Routes of files of charges (`docs/contract/transactions.md#export`). */
export const makeChargeExportHandlers = Effect.fnUntraced(function* (open: OpenFile) {
  const store = yield* TransactionStore
  const opener = yield* SecretOpener
  const sessions = yield* SessionAuthenticator
  const pages = makeChargePages(store, opener)

  const lineOf = ({ document: stored }: ExportedCharge, locale: CsvLocale): string => {
    const charge = parseCharge(stored)
    const sealed = charge.customer.document
    const document = opener.open(sealed, sealedPlaces.customerDocument(charge.id)) ?? sealed
    return chargeCsvLine(charge, document, locale)
  }

  /** `admitted` is asked before each page, beside the key's own check. */
  const answer = Effect.fnUntraced(function* <E>(
    principal: Principal,
    query: ExportQuery,
    admitted: Effect.Effect<void, E>,
  ) {
    const { format: _format, locale = "pt-BR", ...filters } = query
    const size = limits.exportPageEntries
    /** Pages that filters left short are put together: a short one would end the file. */
    const readAfter = Effect.fnUntraced(function* (chargeId: string | undefined) {
      const charges: Array<ExportedCharge> = []
      let position = chargeId
      do {
        yield* admitted
        const page = yield* pages.page(principal, filters, position, size - charges.length)
        charges.push(...page.found.map(({ id, document }) => ({ entryId: id, document })))
        position = page.next
      } while (position !== undefined && charges.length < size)
      return charges
    })
    const stream = yield* open({
      sellerId: principal.sellerId,
      header: chargeCsvHeader(locale),
      pageEntries: size,
      readAfter,
      render: (page: ReadonlyArray<ExportedCharge>) =>
        Effect.sync(() => page.map((charge) => lineOf(charge, locale)).join("")),
    })
    return fileReply(stream, csvContentType, `${fileNames[locale]}-${principal.mode}.csv`)
  })

  const handlers: ExportHandlers = {
    exportTransactions: ({ principal, query }) => answer(principal, query, Effect.void),
    exportMyTransactions: ({ principal, query, session }) =>
      withoutKey(answer(principal, query, whileLive(sessions, session))),
  }
  return handlers
})
