import { useState } from "preact/hooks"
import type { CorrenteError } from "../../../../client/src/errors.ts"
import { download } from "../../api/http.ts"
import { failureOf } from "../../api/resource.ts"
import { mode } from "../../api/session.ts"
import { language, textsOf } from "../../text/i18n.ts"
import { Button } from "../../ui/button.tsx"
import { FormError, notify } from "../../ui/feedback.tsx"
import { saveFile } from "../../ui/saveFile.ts"
import { type Period, statementFile } from "./rules.ts"

const texts = textsOf({
  "pt-BR": { csv: "Baixar para Excel", ndjson: "Baixar NDJSON", saved: "Extrato baixado" },
  en: { csv: "Download CSV", ndjson: "Download NDJSON", saved: "Statement downloaded" },
})

/** A statement for spreadsheets, in the page's language (`docs/contract/statement.md#export`). */
const readExport = (period: Period) =>
  download("GET /v1/me/statement/export", { query: { ...period, format: "csv", locale: language.value } })

/** A statement for programs, named after the mode. */
const readLines = async (period: Period) => {
  const accept = "application/x-ndjson"
  const { bytes } = await download("GET /v1/me/statement", { query: { ...period }, accept })
  return { bytes, name: statementFile(mode.value, period, "ndjson") }
}

/** Buttons that save the statement of a period as a file; one that could not be had says why. */
export const StatementDownloads = ({ period }: { readonly period: Period }) => {
  const [error, setError] = useState<CorrenteError>()
  const save = async (read: typeof readExport) => {
    setError(undefined)
    try {
      const { bytes, name } = await read(period)
      saveFile(bytes, name)
      notify(`${texts.value.saved}: ${name}`)
    } catch (cause) {
      setError(failureOf(cause))
    }
  }
  return (
    <div class="statement-downloads">
      <Button data-testid="statement-download" onClick={() => save(readExport)}>
        {texts.value.csv}
      </Button>
      <Button class="quiet" data-testid="statement-download-ndjson" onClick={() => save(readLines)}>
        {texts.value.ndjson}
      </Button>
      <FormError error={error} />
    </div>
  )
}
