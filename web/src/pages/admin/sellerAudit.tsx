import { signal } from "@preact/signals"
import { useEffect, useMemo } from "preact/hooks"
import type { CorrenteError } from "../../../../client/src/errors.ts"
import { formLimits } from "../../../../schema/formLimits.ts"
import type { AuditEntry } from "../../../../schema/resources/operator.ts"
import { call } from "../../api/http.ts"
import { failureOf } from "../../api/resource.ts"
import { formatDate } from "../../text/format.ts"
import { textsOf } from "../../text/i18n.ts"
import { Button } from "../../ui/button.tsx"
import { FormError } from "../../ui/feedback.tsx"
import { Card } from "../../ui/page.tsx"
import { AuditEntries } from "./auditEntries.tsx"

const texts = textsOf({
  "pt-BR": {
    title: "Auditoria deste vendedor",
    none: "Nenhum ato sobre este vendedor no que foi lido.",
    all: "Toda a auditoria foi lida.",
    until: (day: string) => `Auditoria lida até ${day}.`,
    older: "Procurar mais antigos",
  },
  en: {
    title: "Audit log of this seller",
    none: "No act on this seller in what was read.",
    all: "All of the log was read.",
    until: (day: string) => `Log read back to ${day}.`,
    older: "Look for older ones",
  },
})

const pagesAtOnce = 5

/** Whether an act was on a seller: the log names what it was about, or the seller in its details. */
const isAboutSeller = (
  { resource_id, details }: Pick<AuditEntry, "resource_id" | "details">,
  sellerId: string,
): boolean => resource_id === sellerId || details.seller_id === sellerId

interface State {
  readonly found: ReadonlyArray<AuditEntry>
  readonly cursor: string | null | undefined
  readonly readUntil: string | undefined
}

const nothingRead: State = { found: [], cursor: undefined, readUntil: undefined }

const makeLog = (sellerId: string) => {
  const state = signal<State>(nothingRead)
  const error = signal<CorrenteError | undefined>(undefined)
  const older = async () => {
    error.value = undefined
    try {
      for (let pages = 0; pages < pagesAtOnce; pages++) {
        const { found, cursor } = state.peek()
        if (cursor === null) return
        const query = { limit: formLimits.pageSizeMax, cursor }
        const { data, next_cursor } = await call("GET /v1/admin/audit", { query })
        const more = data.filter((entry) => isAboutSeller(entry, sellerId))
        state.value = {
          found: [...found, ...more],
          cursor: next_cursor,
          readUntil: data.at(-1)?.created_at ?? state.peek().readUntil,
        }
      }
    } catch (cause) {
      error.value = failureOf(cause)
    }
  }
  const again = () => {
    state.value = nothingRead
    return older()
  }
  return { state, error, older, again }
}

/** What operators did to a seller. `version` changes with the seller, after which the log is read again. */
export const SellerAudit = ({
  sellerId,
  version,
}: {
  readonly sellerId: string
  readonly version: string
}) => {
  const log = useMemo(() => makeLog(sellerId), [sellerId])
  useEffect(() => void log.again(), [log, version])
  const { found, cursor, readUntil } = log.state.value
  return (
    <Card title={texts.value.title}>
      <FormError error={log.error.value} />
      {found.length === 0 ? <p class="muted">{texts.value.none}</p> : <AuditEntries of={found} />}
      <p class="muted">
        {cursor === null
          ? texts.value.all
          : readUntil === undefined
            ? null
            : texts.value.until(formatDate(readUntil))}
      </p>
      {cursor !== null && <Button onClick={log.older}>{texts.value.older}</Button>}
    </Card>
  )
}
