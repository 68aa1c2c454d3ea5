import { useState } from "preact/hooks"
import type { CorrenteError } from "../../../client/src/errors.ts"
import type { StatementFormat } from "../../../schema/exportFormats.ts"
import { type ReportKind, reportPeriods } from "../../../schema/names.ts"
import type { Downloaded } from "../api/http.ts"
import { failureOf } from "../api/resource.ts"
import { navigate } from "../app/router.tsx"
import { textsOf } from "../text/i18n.ts"
import { mayDo } from "../text/roles.ts"
import { Button } from "./button.tsx"
import { FormError } from "./feedback.tsx"
import { Icon } from "./icons.tsx"
import { Menu } from "./menu.tsx"
import { notify } from "./notice.tsx"
import { saveFile } from "./saveFile.ts"

const texts = textsOf({
  "pt-BR": {
    others: "Outros formatos",
    saved: "Arquivo baixado",
    mail: {
      day: "Por e-mail todo dia…",
      week: "Por e-mail toda semana…",
      month: "Por e-mail todo mês…",
    },
  },
  en: {
    others: "Other formats",
    saved: "File downloaded",
    mail: { day: "E-mail it every day…", week: "E-mail it every week…", month: "E-mail it every month…" },
  },
})

/** What formats are called. */
export const formatTexts = textsOf<Readonly<Record<StatementFormat, string>>>({
  "pt-BR": { xlsx: "Excel (.xlsx)", csv: "CSV", ofx: "OFX (contabilidade)", ndjson: "NDJSON (sistemas)" },
  en: { xlsx: "Excel (.xlsx)", csv: "CSV", ofx: "OFX (accounting)", ndjson: "NDJSON (programs)" },
})

/** As people look for them. */
const otherFormats = ["csv", "ofx", "ndjson"] as const

interface ExportMenuProps<Format extends StatementFormat> {
  readonly formats: ReadonlyArray<Format>
  readonly read: (format: Format | "xlsx") => Promise<Downloaded>
  /** The reports by mail that have the same list; left out: none. */
  readonly report?: ReportKind
}

/** A button that saves what a page shows as a workbook, and a menu of other formats. A file that could not be had says why. */
export const ExportMenu = <Format extends StatementFormat>({
  formats,
  read,
  report,
}: ExportMenuProps<Format>) => {
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
  const mailed = (kind: ReportKind) =>
    reportPeriods.map((every) => ({
      name: value.mail[every],
      icon: <Icon name="mail" />,
      testId: `export-mail-${every}`,
      onClick: () => navigate(`/settings/reports?create=${kind}&every=${every}`),
    }))
  return (
    <div class="export-menu">
      <div>
        <Button data-testid="export-xlsx" onClick={() => save("xlsx")}>
          <Icon name="download" /> {formatTexts.value.xlsx}
        </Button>
        <Menu
          label={value.others}
          icon="down"
          testId="export-others"
          entries={[
            ...others.map((format) => ({
              name: formatTexts.value[format],
              testId: `export-${format}`,
              onClick: () => save(format),
            })),
            ...(report === undefined || !mayDo("reporting") ? [] : mailed(report)),
          ]}
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
