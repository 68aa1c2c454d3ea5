import { useState } from "preact/hooks"
import type { CorrenteError } from "../../../client/src/errors.ts"
import type { StatementFormat } from "../../../schema/exportFormats.ts"
import type { Downloaded } from "../api/http.ts"
import { failureOf } from "../api/resource.ts"
import { textsOf } from "../text/i18n.ts"
import { Button } from "./button.tsx"
import { FormError, notify } from "./feedback.tsx"
import { Icon } from "./icons.tsx"
import { Menu } from "./menu.tsx"
import { saveFile } from "./saveFile.ts"

const texts = textsOf({
  "pt-BR": {
    others: "Outros formatos",
    saved: "Arquivo baixado",
    xlsx: "Excel (.xlsx)",
    csv: "CSV",
    ofx: "OFX (contabilidade)",
    ndjson: "NDJSON (sistemas)",
  },
  en: {
    others: "Other formats",
    saved: "File downloaded",
    xlsx: "Excel (.xlsx)",
    csv: "CSV",
    ofx: "OFX (accounting)",
    ndjson: "NDJSON (programs)",
  },
})

/** As people look for them. */
const otherFormats = ["csv", "ofx", "ndjson"] as const

interface ExportMenuProps<Format extends StatementFormat> {
  readonly formats: ReadonlyArray<Format>
  readonly read: (format: Format | "xlsx") => Promise<Downloaded>
}

/** A button that saves what a page shows as a workbook, and a menu of other formats. A file that could not be had says why. */
export const ExportMenu = <Format extends StatementFormat>({ formats, read }: ExportMenuProps<Format>) => {
  const { value } = texts
  const [error, setError] = useState<CorrenteError>()
  const save = async (format: Format | "xlsx") => {
    setError(undefined)
    try {
      const { bytes, name } = await read(format)
      saveFile(bytes, name)
      notify(`${value.saved}: ${name}`)
    } catch (cause) {
      setError(failureOf(cause))
    }
  }
  const others = otherFormats.filter((format): format is typeof format & Format =>
    (formats as ReadonlyArray<StatementFormat>).includes(format),
  )
  return (
    <div class="export-menu">
      <div>
        <Button data-testid="export-xlsx" onClick={() => save("xlsx")}>
          <Icon name="download" /> {value.xlsx}
        </Button>
        <Menu
          label={value.others}
          icon="down"
          testId="export-others"
          entries={others.map((format) => ({
            name: value[format],
            testId: `export-${format}`,
            onClick: () => save(format),
          }))}
        />
      </div>
      <FormError error={error} />
    </div>
  )
}

/** A file of a list, whose name the service gives no day: that of the download, so that the next one does not replace it. */
export const datedFile = ({ bytes, name }: Downloaded, day: string): Downloaded => ({
  bytes,
  name: name.replace(/\.\w+$/, (ending) => `-${day}${ending}`),
})
