import type { CsvLocale } from "../../schema/csv.ts"
import type { Mode } from "../../schema/ids.ts"

/** Modes in names of files, as the dashboard calls them. */
export const fileModes: Readonly<Record<CsvLocale, Readonly<Record<Mode, string>>>> = {
  "pt-BR": { live: "producao", test: "teste" },
  en: { live: "live", test: "test" },
}
