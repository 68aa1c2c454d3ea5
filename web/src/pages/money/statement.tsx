import { statementFormats } from "../../../../schema/exportFormats.ts"
import { download } from "../../api/http.ts"
import { language } from "../../text/i18n.ts"
import { ExportMenu } from "../../ui/exportMenu.tsx"
import type { Period } from "./rules.ts"

/** Saves the statement of a period as a file, in the page's language (`docs/contract/statement.md#export`). */
export const StatementDownloads = ({ period }: { readonly period: Period }) => (
  <ExportMenu
    report="statement"
    formats={statementFormats}
    read={(format) =>
      download("GET /v1/me/statement/export", { query: { ...period, format, locale: language.value } })
    }
  />
)
