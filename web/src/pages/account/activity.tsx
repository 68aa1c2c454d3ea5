import { useMemo } from "preact/hooks"
import { tableFormats } from "../../../../schema/exportFormats.ts"
import type { SellerAuditEntry } from "../../../../schema/resources/sellerAudit.ts"
import { sellerActionWords } from "../../../../schema/sellerActionWords.ts"
import { download } from "../../api/http.ts"
import { useList } from "../../api/resource.ts"
import { user } from "../../api/session.ts"
import { Link } from "../../app/router.tsx"
import { language, textIn, textsOf } from "../../text/i18n.ts"
import { trueToday } from "../../text/today.ts"
import { Button } from "../../ui/button.tsx"
import { datedFile, ExportMenu } from "../../ui/exportMenu.tsx"
import { Empty } from "../../ui/feedback.tsx"
import { isReady, Page } from "../../ui/page.tsx"
import { Cell, ListTable, TableRow } from "../../ui/table.tsx"
import { Foreign, Moment } from "../../ui/values.tsx"
import { factsOf, pathOfAct } from "./activityFacts.ts"
import { ActivityFilters, readActivityFilters } from "./activityFilters.tsx"
import "../../styles/account.css"

const texts = textsOf({
  "pt-BR": {
    title: "Atividade da conta",
    lead: "Quem fez o quê nesta conta, nos dois modos. Os horários são os reais, não os do relógio de teste.",
    settings: "Configurações",
    refresh: "Atualizar",
    when: "Quando",
    who: "Quem",
    what: "O que fez",
    details: "Detalhes",
    address: "Endereço IP",
    you: "você",
    key: "chave de API",
    unnamedKey: "Chave de API",
    unnamed: "Pessoa sem nome",
    operator: "Corrente",
    recipient: "Quem recebe o e-mail",
    none: "Nada registrado ainda",
    noneWhy: "Entradas, chaves, saques, devoluções e mudanças na equipe e na conta aparecem aqui.",
    noneFiltered: "Nada com estes filtros",
    widen: "Mude ou limpe os filtros para ver o resto.",
  },
  en: {
    title: "Account activity",
    lead: "Who did what in this account, in both modes. Times are real, not those of the test clock.",
    settings: "Settings",
    refresh: "Refresh",
    when: "When",
    who: "Who",
    what: "What they did",
    details: "Details",
    address: "IP address",
    you: "you",
    key: "API key",
    unnamedKey: "API key",
    unnamed: "Unnamed person",
    operator: "Corrente",
    recipient: "E-mail recipient",
    none: "Nothing recorded yet",
    noneWhy: "Sign-ins, keys, withdrawals, refunds and changes to the team and the account appear here.",
    noneFiltered: "Nothing matches these filters",
    widen: "Change or clear the filters to see the rest.",
  },
})

const pageSize = 50

const Who = ({ of: { type, id, name } }: { readonly of: SellerAuditEntry["actor"] }) => {
  const { value } = texts
  if (type === "operator") return <span>{value.operator}</span>
  if (type === "recipient") return <span>{value.recipient}</span>
  const note = type === "api_key" ? value.key : id === user.value?.id ? value.you : undefined
  if (name === null) return <span>{type === "api_key" ? value.unnamedKey : value.unnamed}</span>
  return (
    <span>
      <Foreign>{name}</Foreign>
      {note !== undefined && <span class="muted"> ({note})</span>}
    </span>
  )
}

/** As long as an address of IPv4; those of IPv6 break. */
const wholeLengthMax = 15

const Address = ({ of: address }: { readonly of: string | null }) => {
  if (address === null) return <span class="muted never">—</span>
  return address.length > wholeLengthMax ? <Foreign>{address}</Foreign> : <span class="whole">{address}</span>
}

const Row = ({ of: entry }: { readonly of: SellerAuditEntry }) => {
  const { value } = texts
  const words = textIn(sellerActionWords[language.value], entry.action)
  const to = pathOfAct(entry)
  const facts = factsOf(entry)
  return (
    <TableRow data-testid="activity-row" data-id={entry.id} data-action={entry.action}>
      <Cell place="when" label={value.when}>
        <Moment at={entry.at} />
      </Cell>
      <Cell place="note" label={value.who}>
        <Who of={entry.actor} />
      </Cell>
      <Cell place="title" label={value.what}>
        {to === undefined ? words : <Link to={to}>{words}</Link>}
      </Cell>
      <Cell place="extra" label={value.details}>
        {facts.length === 0 ? <span class="muted never">—</span> : <Foreign>{facts.join(" · ")}</Foreign>}
      </Cell>
      <Cell place="extra" label={value.address}>
        <Address of={entry.ip_address} />
      </Cell>
    </TableRow>
  )
}

/** People and keys by id, from all that was shown while the page was open: a filter by one must not take the others away. */
const useActors = (entries: ReadonlyArray<SellerAuditEntry>): ReadonlyMap<string, string> => {
  const known = useMemo(() => new Map<string, string>(), [])
  for (const { actor } of entries) {
    if (actor.id !== null && actor.name !== null && !known.has(actor.id)) known.set(actor.id, actor.name)
  }
  // A new one each time: who is given the same again does not look into it.
  return new Map(known)
}

/** What was done in a seller's account, and by whom, newest first. */
export default () => {
  const { value } = texts
  const filters = readActivityFilters()
  const list = useList("GET /v1/me/audit", { query: { ...filters, limit: pageSize } })
  const actors = useActors(list.value.value?.data ?? [])
  const isFiltered = Object.values(filters).some((one) => one !== undefined)
  const today = trueToday.value
  return (
    <Page
      title={value.title}
      ready={isReady(list)}
      back={{ to: "/settings", name: value.settings }}
      lead={value.lead}
      actions={
        <>
          <Button data-testid="activity-refresh" onClick={list.reload}>
            {value.refresh}
          </Button>
          <ExportMenu
            formats={tableFormats}
            read={async (format) =>
              datedFile(
                await download("GET /v1/me/audit/export", {
                  query: { ...filters, format, locale: language.value },
                }),
                today,
              )
            }
          />
        </>
      }
    >
      <ActivityFilters actors={actors} today={today} />
      <div class="activity">
        <ListTable
          of={list}
          label={value.title}
          columns={[value.when, value.who, value.what, value.details, value.address]}
          empty={
            isFiltered ? (
              <Empty title={value.noneFiltered}>{value.widen}</Empty>
            ) : (
              <Empty title={value.none}>{value.noneWhy}</Empty>
            )
          }
        >
          {(entry) => <Row key={entry.id} of={entry} />}
        </ListTable>
      </div>
    </Page>
  )
}
