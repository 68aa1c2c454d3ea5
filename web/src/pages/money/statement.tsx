import { useState } from "preact/hooks"
import type { CorrenteError } from "../../../../client/src/errors.ts"
import { api } from "../../api/http.ts"
import { failureOf } from "../../api/resource.ts"
import { mode } from "../../api/session.ts"
import { textsOf } from "../../text/i18n.ts"
import { Button } from "../../ui/button.tsx"
import { FormError, notify } from "../../ui/feedback.tsx"
import { saveFile } from "../../ui/saveFile.ts"
import { type Period, statementFile } from "./period.ts"

const texts = textsOf({
  "pt-BR": { csv: "Baixar CSV", ndjson: "Baixar NDJSON", saved: "Extrato baixado" },
  en: { csv: "Download CSV", ndjson: "Download NDJSON", saved: "Statement downloaded" },
})

/** The statement's forms, by the ending of their file (`docs/contract/statement.md#formats`). */
const forms = { csv: "text/csv", ndjson: "application/x-ndjson" } as const

/** Buttons that save the statement of a period as a file; one that could not be had says why. */
export const StatementDownloads = ({ period }: { readonly period: Period }) => {
  const [error, setError] = useState<CorrenteError>()
  const download = async (form: keyof typeof forms) => {
    setError(undefined)
    try {
      const bytes = await api.download("/v1/me/statement", { ...period }, forms[form])
      const name = statementFile(mode.value, period, form)
      saveFile(bytes, name)
      notify(`${texts.value.saved}: ${name}`)
    } catch (cause) {
      setError(failureOf(cause))
    }
  }
  return (
    <div class="statement-downloads">
      <Button data-testid="statement-download" onClick={() => download("csv")}>
        {texts.value.csv}
      </Button>
      <Button data-testid="statement-download-ndjson" onClick={() => download("ndjson")}>
        {texts.value.ndjson}
      </Button>
      <FormError error={error} />
    </div>
  )
}
