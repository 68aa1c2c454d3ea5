import type { InboxRecord } from "../../../../schema/resources/inbox.ts"
import { useList } from "../../api/resource.ts"
import { Link, query, queryChoice } from "../../app/router.tsx"
import { textsOf } from "../../text/i18n.ts"
import { Empty } from "../../ui/feedback.tsx"
import { isReady, Page } from "../../ui/page.tsx"
import { Cell, ListTable, TableRow } from "../../ui/table.tsx"
import { Foreign, When } from "../../ui/values.tsx"
import { NoticePage, NoticeState } from "./notice.tsx"
import { ChargeLink, Filter } from "./parts.tsx"
import { useRefreshing } from "./refreshing.ts"

const texts = textsOf({
  "pt-BR": {
    title: "Notificações do parceiro",
    empty: "Nenhuma notificação",
    emptyOpen: "Nenhuma notificação por processar",
    emptyWhy: "O que o parceiro bancário avisa por webhook aparece aqui.",
    shown: "Mostrar",
    all: "Todas",
    unprocessed: "Não processadas",
    received: "Recebida",
    acquirer: "Parceiro",
    type: "Tipo",
    untyped: "Sem tipo",
    about: "Sobre",
    state: "Situação",
    attempts: "Tentativas",
    error: "Erro",
  },
  en: {
    title: "Acquirer notices",
    empty: "No notices",
    emptyOpen: "No notice waits",
    emptyWhy: "What the acquirer reports by webhook appears here.",
    shown: "Show",
    all: "All",
    unprocessed: "Unprocessed",
    received: "Received",
    acquirer: "Acquirer",
    type: "Kind",
    untyped: "Of no kind",
    about: "About",
    state: "State",
    attempts: "Attempts",
    error: "Error",
  },
})

const pageSize = 25

const Row = ({ of: notice }: { readonly of: InboxRecord }) => {
  const { value } = texts
  const about = notice.transaction_id ?? notice.withdrawal_id ?? notice.end_to_end_id
  return (
    <TableRow data-testid="notice-row" data-id={notice.id} opens>
      <Cell place="title" label={value.type}>
        <Link to={`/admin/inbox?id=${notice.id}`}>
          {notice.event_type === null ? value.untyped : <Foreign>{notice.event_type}</Foreign>}
        </Link>
      </Cell>
      <Cell place="note" label={value.acquirer}>
        {notice.acquirer.slug}
      </Cell>
      <Cell place="when" label={value.received}>
        <When at={notice.received_at} />
      </Cell>
      <Cell place="extra" label={value.about}>
        {about === null ? "—" : <ChargeLink id={about} />}
      </Cell>
      <Cell place="state" label={value.state}>
        <NoticeState of={notice} />
      </Cell>
      <Cell place="extra" label={value.attempts} isRight>
        {notice.attempts}
      </Cell>
      <Cell place="extra" label={value.error}>
        {notice.error === null ? "—" : <Foreign>{notice.error}</Foreign>}
      </Cell>
    </TableRow>
  )
}

const Inbox = () => {
  const state = queryChoice("state", ["unprocessed"])
  const list = useList("GET /v1/admin/inbox", { query: { state, limit: pageSize } })
  useRefreshing(list)
  const { value } = texts
  return (
    <Page title={value.title} ready={isReady(list)}>
      <div class="filters">
        <Filter
          name="state"
          label={value.shown}
          choices={[
            ["", value.all],
            ["unprocessed", value.unprocessed],
          ]}
        />
      </div>
      <ListTable
        of={list}
        label={value.title}
        columns={[
          value.type,
          value.acquirer,
          value.received,
          value.about,
          value.state,
          { right: value.attempts },
          value.error,
        ]}
        empty={<Empty title={state === undefined ? value.empty : value.emptyOpen}>{value.emptyWhy}</Empty>}
      >
        {(notice) => <Row key={notice.id} of={notice} />}
      </ListTable>
    </Page>
  )
}

/** What acquirers reported: the list, or the notice that the address names. */
export default () => {
  const id = query.value.get("id")
  return id === null ? <Inbox /> : <NoticePage key={id} id={id} />
}
