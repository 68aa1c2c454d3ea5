import { Effect } from "effect"
import { CustomerStore } from "../../../actors/ports/customerStore.ts"
import { SecretOpener } from "../../../actors/ports/secretOpener.ts"
import { TransactionStore } from "../../../actors/ports/transactionStore.ts"
import type { Principal } from "../../../actors/values/principal.ts"
import { sealedPlaces } from "../../../actors/values/sealedPlaces.ts"
import { parseCharge } from "../../../actors/values/storedDocuments.ts"
import type { api } from "../../../schema/api/index.ts"
import type { ExportCharges } from "../../../schema/api/transactions.ts"
import { isId } from "../../../schema/ids.ts"
import { limits } from "../../../schema/limits.ts"
import { chargeTable, type ExportedCharge } from "../../exports/chargeTable.ts"
import { SessionAuthenticator, whileLive } from "../contract/sessionGuard.ts"
import type { Handlers } from "../server/request.ts"
import { type ChargeQuery, makeChargePages } from "./chargePages.ts"
import type { OpenFile } from "./fileStream.ts"
import { withoutKey } from "./page.ts"
import { makeTableFile, type TableQuery } from "./tableFile.ts"

type ExportHandlers = Pick<
  Handlers<typeof api, never>,
  "exportTransactions" | "exportMyTransactions" | "exportChosenTransactions"
>

type ExportQuery = ChargeQuery & TableQuery

const names = { "pt-BR": "cobrancas", en: "charges" } as const

/** A charge in a file of charges, by its id. */
interface FoundCharge {
  readonly entryId: string
  readonly document: string
}

/** Makes the functions that answer files of charges: those that filters choose, and those of chosen ids. */
export const makeChargeFiles = Effect.fnUntraced(function* (open: OpenFile) {
  const store = yield* TransactionStore
  const opener = yield* SecretOpener
  const pages = makeChargePages(store, yield* CustomerStore, opener)
  const fileOf = makeTableFile(open)

  const rowOf = ({ document: stored }: FoundCharge): ExportedCharge => {
    const charge = parseCharge(stored)
    const sealed = charge.customer.document
    return { charge, document: opener.open(sealed, sealedPlaces.customerDocument(charge.id)) ?? sealed }
  }

  /** `admitted` is asked before each page, beside the key's own check. */
  const answer = <E>(principal: Principal, query: ExportQuery, admitted: Effect.Effect<void, E>) => {
    const { format, locale, ...filters } = query
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
    const rows = (page: ReadonlyArray<FoundCharge>) => Effect.sync(() => page.map(rowOf))
    return fileOf(principal, query, { table: chargeTable, names, readAfter, rows })
  }

  /** Charges of a principal by their ids, newest first. They are read page by page, as those of a list are. */
  const answerChosen = <E>(
    principal: Principal,
    { ids, ...query }: typeof ExportCharges.Type,
    admitted: Effect.Effect<void, E>,
  ) => {
    const newestFirst = [...new Set(ids.filter((id) => isId("txn_", id)))].sort().reverse()
    const readAfter = Effect.fnUntraced(function* (chargeId: string | undefined) {
      const charges: Array<FoundCharge> = []
      let next = chargeId === undefined ? 0 : newestFirst.indexOf(chargeId) + 1
      while (next < newestFirst.length && charges.length < limits.exportPageEntries) {
        yield* admitted
        const some = newestFirst.slice(next, next + limits.exportPageEntries - charges.length)
        const found = yield* store.loadMany(some)
        const own = found.filter(
          ({ sellerId, mode }) => sellerId === principal.sellerId && mode === principal.mode,
        )
        charges.push(...own.map(({ id, document }) => ({ entryId: id, document })))
        next += some.length
      }
      return charges
    })
    const rows = (page: ReadonlyArray<FoundCharge>) => Effect.sync(() => page.map(rowOf))
    return fileOf(principal, query, { table: chargeTable, names, readAfter, rows })
  }

  return { answer, answerChosen }
})

/** Routes of files of charges (`docs/contract/transactions.md#export`). */
export const makeChargeExportHandlers = Effect.fnUntraced(function* (open: OpenFile) {
  const { answer, answerChosen } = yield* makeChargeFiles(open)
  const sessions = yield* SessionAuthenticator

  const handlers: ExportHandlers = {
    exportTransactions: ({ principal, query }) => answer(principal, query, Effect.void),
    exportMyTransactions: ({ principal, query, session }) =>
      withoutKey(answer(principal, query, whileLive(sessions, session))),
    exportChosenTransactions: ({ principal, payload, session }) =>
      answerChosen(principal, payload, whileLive(sessions, session)),
  }
  return handlers
})
