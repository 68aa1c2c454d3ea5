import type { InboxRecord } from "../../../../schema/resources/inbox.ts"
import { useList } from "../../api/resource.ts"
import { Link, query, queryChoice } from "../../app/router.tsx"
import { textsOf } from "../../text/i18n.ts"
import { Empty } from "../../ui/feedback.tsx"
import { isReady, ListCard, Page } from "../../ui/page.tsx"
import { Foreign, Moment } from "../../ui/values.tsx"
import { NoticePage } from "./notice.tsx"
import { NoticeState } from "./noticeState.tsx"
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
    <tr data-testid="notice-row" data-id={notice.id}>
      <td data-label={value.received}>
        <Link to={`/admin/inbox?id=${notice.id}`}>
          <Moment at={notice.received_at} />
        </Link>
      </td>
      <td data-label={value.acquirer}>{notice.acquirer.slug}</td>
      <td data-label={value.type}>
        {notice.event_type === null ? "—" : <Foreign>{notice.event_type}</Foreign>}
      </td>
      <td data-label={value.about}>{about === null ? "—" : <ChargeLink id={about} />}</td>
      <td data-label={value.state}>
        <NoticeState of={notice} />
      </td>
      <td data-label={value.attempts}>{notice.attempts}</td>
      <td data-label={value.error}>{notice.error === null ? "—" : <Foreign>{notice.error}</Foreign>}</td>
    </tr>
  )
}

const Inbox = () => {
  const state = queryChoice("state", ["unprocessed"])
  const list = useList<InboxRecord>("/v1/admin/inbox", { state, limit: pageSize })
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
      <ListCard
        of={list}
        label={value.title}
        columns={[
          ...[value.received, value.acquirer, value.type, value.about],
          ...[value.state, value.attempts, value.error],
        ]}
        empty={<Empty title={state === undefined ? value.empty : value.emptyOpen}>{value.emptyWhy}</Empty>}
      >
        {(notice) => <Row key={notice.id} of={notice} />}
      </ListCard>
    </Page>
  )
}

/** What acquirers reported: the list, or the notice that the address names. */
export default () => {
  const id = query.value.get("id")
  return id === null ? <Inbox /> : <NoticePage key={id} id={id} />
}
