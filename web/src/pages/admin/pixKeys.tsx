import type { OperatorPixKey } from "../../../../schema/api/pixKeys.ts"
import { pixKeyStatuses } from "../../../../schema/names.ts"
import { useList } from "../../api/resource.ts"
import { queryChoice } from "../../app/router.tsx"
import { textsOf } from "../../text/i18n.ts"
import { pixKeyTypeText } from "../../text/pixKeyTypes.ts"
import { Button } from "../../ui/button.tsx"
import { Empty } from "../../ui/feedback.tsx"
import { isReady, Page } from "../../ui/page.tsx"
import { Cell, ListTable, TableRow } from "../../ui/table.tsx"
import { Foreign, Status, When } from "../../ui/values.tsx"
import { type Act, useAct } from "./acts.tsx"
import { ModeFilter, NamedSeller, StatusFilter, shownMode } from "./parts.tsx"
import { pixKeyAct, pixKeyActNames } from "./pixKeyActs.tsx"
import { useRefreshing } from "./refreshing.ts"

const texts = textsOf({
  "pt-BR": {
    title: "Chaves Pix",
    empty: "Nenhuma chave em análise",
    emptyOther: "Nenhuma chave com este status",
    emptyWhy: "Chaves de produção que os vendedores registram aparecem aqui.",
    type: "Tipo",
    value: "Chave",
    seller: "Vendedor",
    status: "Situação",
    registered: "Registrada",
    verified: "Verificada",
    acts: "Ações",
  },
  en: {
    title: "Pix keys",
    empty: "No key in review",
    emptyOther: "No key has this status",
    emptyWhy: "Live keys that sellers register appear here.",
    type: "Kind",
    value: "Key",
    seller: "Seller",
    status: "Status",
    registered: "Registered",
    verified: "Verified",
    acts: "Acts",
  },
})

const pageSize = 25

const Row = ({ of: pixKey, ask }: { readonly of: OperatorPixKey; readonly ask: (act: Act) => void }) => (
  <TableRow data-testid="pix-key-row" data-id={pixKey.id} data-status={pixKey.status}>
    <Cell place="note" label={texts.value.type}>
      {pixKeyTypeText(pixKey.type)}
    </Cell>
    <Cell place="title" label={texts.value.value}>
      <Foreign>{pixKey.value}</Foreign>
    </Cell>
    <Cell place="extra" label={texts.value.seller}>
      <NamedSeller of={pixKey} />
    </Cell>
    <Cell place="state" label={texts.value.status}>
      <Status status={pixKey.status} />
    </Cell>
    <Cell place="when" label={texts.value.registered}>
      <When at={pixKey.created_at} />
    </Cell>
    <Cell place="extra" label={texts.value.verified}>
      <When at={pixKey.verified_at} />
    </Cell>
    <Cell place="buttons" label={texts.value.acts}>
      {pixKey.status === "pending_approval" && (
        <span class="row-acts">
          <Button data-testid="refuse" kind="danger" onClick={() => ask(pixKeyAct(pixKey, "refuse"))}>
            {pixKeyActNames.value.refuse}
          </Button>
          <Button data-testid="approve" kind="primary" onClick={() => ask(pixKeyAct(pixKey, "approve"))}>
            {pixKeyActNames.value.approve}
          </Button>
        </span>
      )}
    </Cell>
  </TableRow>
)

/** Pix keys of all sellers; those in review wait for a decision. */
export default () => {
  const status = queryChoice("status", pixKeyStatuses) ?? "pending_approval"
  const list = useList("GET /v1/admin/pix-keys", { query: { mode: shownMode(), status, limit: pageSize } })
  useRefreshing(list)
  const { ask, dialog } = useAct(list.reload)
  const { value } = texts
  return (
    <Page title={value.title} ready={isReady(list)}>
      <div class="filters">
        <StatusFilter statuses={pixKeyStatuses} first="pending_approval" />
        <ModeFilter />
      </div>
      <ListTable
        of={list}
        label={value.title}
        columns={[
          value.type,
          value.value,
          value.seller,
          value.status,
          value.registered,
          value.verified,
          { right: value.acts },
        ]}
        empty={
          <Empty title={status === "pending_approval" ? value.empty : value.emptyOther}>
            {value.emptyWhy}
          </Empty>
        }
      >
        {(pixKey) => <Row key={pixKey.id} of={pixKey} ask={ask} />}
      </ListTable>
      {dialog}
    </Page>
  )
}
