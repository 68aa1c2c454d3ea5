import { localTimeOf } from "../../actors/values/saoPauloDays.ts"
import type { CsvLocale } from "../../schema/csv.ts"
import { statusWords } from "../../schema/statusWords.ts"

/** A moment as clocks in São Paulo show it: `2026-11-21`, `09:00:00`, or one of the two. */
export interface LocalMoment {
  readonly day?: string
  readonly time?: string
}

/** What a cell of a sheet holds; numbers are centavos, null is nothing. */
export type Cell = string | number | LocalMoment | null

/** A moment of a resource in a sheet; nothing where it has not come. */
export const momentCell = (at: string | null): Cell => (at === null ? null : localTimeOf(Date.parse(at)))

/** A state of a charge, a refund or a withdrawal in a sheet: as pages call it in Portuguese, in English by the API's name. */
export const statusCell = (status: keyof (typeof statusWords)["en"], locale: CsvLocale): Cell =>
  locale === "pt-BR" ? statusWords[locale][status] : status
