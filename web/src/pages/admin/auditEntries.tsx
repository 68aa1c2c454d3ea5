import type { AuditEntry } from "../../../../schema/resources/operator.ts"
import { user } from "../../api/session.ts"
import { Link } from "../../app/router.tsx"
import { textsOf } from "../../text/i18n.ts"
import { Cell, Table, TableRow } from "../../ui/table.tsx"
import { Code, Foreign, When } from "../../ui/values.tsx"
import { auditDetails } from "./auditDetails.ts"
import { auditText } from "./auditTexts.ts"

const texts = textsOf({
  "pt-BR": {
    when: "Quando",
    act: "Ato",
    about: "Sobre",
    who: "Quem",
    details: "Detalhes",
    you: "Você",
    cli: "Linha de comando",
    log: "Auditoria",
  },
  en: {
    when: "When",
    act: "Act",
    about: "About",
    who: "Who",
    details: "Details",
    you: "You",
    cli: "Command line",
    log: "Audit log",
  },
})

/** Pages of what acts are about, by the log's type. */
const pages: Readonly<Record<string, (id: string) => string>> = {
  seller: (id) => `/admin/sellers/${id}`,
  exception: (id) => `/admin/exceptions?id=${id}`,
  transaction: (id) => `/admin/charges/${id}`,
  inbox_record: (id) => `/admin/inbox?id=${id}`,
}

const About = ({ of: { resource_type, resource_id } }: { readonly of: AuditEntry }) => {
  const page = pages[resource_type]?.(encodeURIComponent(resource_id))
  return page === undefined ? <Code>{resource_id}</Code> : <Link to={page}>{<Code>{resource_id}</Code>}</Link>
}

const Row = ({ of: entry }: { readonly of: AuditEntry }) => {
  const { id, action, operator_id, created_at } = entry
  const details = auditDetails(entry.details)
  const { value } = texts
  const who = operator_id === null ? value.cli : operator_id === user.value?.id ? value.you : undefined
  return (
    <TableRow data-testid="audit-row" data-id={id} data-action={action}>
      <Cell place="when" label={value.when}>
        <When at={created_at} />
      </Cell>
      <Cell place="title" label={value.act}>
        {auditText(action)}
      </Cell>
      <Cell place="extra" label={value.about}>
        <About of={entry} />
      </Cell>
      <Cell place="note" label={value.who}>
        {who ?? <Code>{operator_id ?? ""}</Code>}
      </Cell>
      <Cell place="extra" label={value.details}>
        {details.length === 0 ? (
          "—"
        ) : (
          <ul class="details">
            {details.map(([name, detail]) => (
              <li key={name}>
                <span class="muted">{name}:</span> <Foreign>{detail}</Foreign>
              </li>
            ))}
          </ul>
        )}
      </Cell>
    </TableRow>
  )
}

/** Entries of the operators' log as a table. */
export const AuditEntries = ({ of: entries }: { readonly of: ReadonlyArray<AuditEntry> }) => {
  const { value } = texts
  return (
    <Table label={value.log} columns={[value.when, value.act, value.about, value.who, value.details]}>
      {entries.map((entry) => (
        <Row key={entry.id} of={entry} />
      ))}
    </Table>
  )
}
