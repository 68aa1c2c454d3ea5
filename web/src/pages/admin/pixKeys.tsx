import type { OperatorPixKey } from "../../../../schema/api/pixKeys.ts"
import { api } from "../../api/http.ts"
import { useList } from "../../api/resource.ts"
import { queryChoice } from "../../app/router.tsx"
import { textsOf } from "../../text/i18n.ts"
import { pixKeyTypeText } from "../../text/pixKeyTypes.ts"
import { Button } from "../../ui/button.tsx"
import { Empty } from "../../ui/feedback.tsx"
import { isReady, ListCard, Page } from "../../ui/page.tsx"
import { Foreign, Moment, Status } from "../../ui/values.tsx"
import { type Act, useAct } from "./acts.tsx"
import { ModeFilter, SellerLink, StatusFilter, shownMode } from "./parts.tsx"
import { useRefreshing } from "./refreshing.ts"

const texts = textsOf({
  "pt-BR": {
    title: "Chaves PIX",
    empty: "Nenhuma chave em análise",
    emptyOther: "Nenhuma chave com este status",
    emptyWhy: "Chaves de produção que os vendedores registram aparecem aqui.",
    type: "Tipo",
    value: "Chave",
    seller: "Vendedor",
    status: "Status",
    registered: "Registrada",
    verified: "Verificada",
    acts: "Ações",
    approve: "Aprovar",
    refuse: "Recusar",
    approveTitle: "Aprovar chave PIX",
    approveText: "O vendedor poderá sacar para esta chave na hora.",
    approved: "Chave aprovada. O vendedor já pode sacar para ela.",
    refuseTitle: "Recusar chave PIX",
    refuseText: "O vendedor não poderá sacar para esta chave. Ele pode registrá-la de novo.",
    refused: "Chave recusada.",
  },
  en: {
    title: "PIX keys",
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
    approve: "Approve",
    refuse: "Refuse",
    approveTitle: "Approve the PIX key",
    approveText: "The seller can withdraw to this key at once.",
    approved: "Key approved. The seller can withdraw to it now.",
    refuseTitle: "Refuse the PIX key",
    refuseText: "The seller cannot withdraw to this key. It may be registered again.",
    refused: "Key refused.",
  },
})

const statuses = ["pending_approval", "verified", "refused", "removed"]
const pageSize = 25

const Named = ({ of: { type, value } }: { readonly of: OperatorPixKey }) => (
  <p>
    {pixKeyTypeText(type)}{" "}
    <strong>
      <Foreign>{value}</Foreign>
    </strong>
  </p>
)

const decision = (pixKey: OperatorPixKey, act: "approve" | "refuse"): Act => {
  const { value } = texts
  const isApproval = act === "approve"
  return {
    title: isApproval ? value.approveTitle : value.refuseTitle,
    explanation: (
      <>
        <Named of={pixKey} />
        <p>{isApproval ? value.approveText : value.refuseText}</p>
      </>
    ),
    submit: value[act],
    isDanger: !isApproval,
    perform: (body) => api.post(`/v1/admin/pix-keys/${pixKey.id}/${act}`, body),
    isDecision: true,
    done: isApproval ? value.approved : value.refused,
  }
}

const Row = ({ of: pixKey, ask }: { readonly of: OperatorPixKey; readonly ask: (act: Act) => void }) => (
  <tr data-testid="pix-key-row" data-id={pixKey.id} data-status={pixKey.status}>
    <td data-label={texts.value.type} class="whole">
      {pixKeyTypeText(pixKey.type)}
    </td>
    <td data-label={texts.value.value}>
      <Foreign>{pixKey.value}</Foreign>
    </td>
    <td data-label={texts.value.seller}>
      <SellerLink id={pixKey.seller_id} />
    </td>
    <td data-label={texts.value.status}>
      <Status status={pixKey.status} />
    </td>
    <td data-label={texts.value.registered}>
      <Moment at={pixKey.created_at} />
    </td>
    <td data-label={texts.value.verified}>
      <Moment at={pixKey.verified_at} />
    </td>
    <td data-label={texts.value.acts}>
      {pixKey.status === "pending_approval" && (
        <span class="row-acts">
          <Button data-testid="refuse" kind="danger" onClick={() => ask(decision(pixKey, "refuse"))}>
            {texts.value.refuse}
          </Button>
          <Button data-testid="approve" kind="primary" onClick={() => ask(decision(pixKey, "approve"))}>
            {texts.value.approve}
          </Button>
        </span>
      )}
    </td>
  </tr>
)

/** PIX keys of all sellers; those in review wait for a decision. */
export default () => {
  const status = queryChoice("status", statuses) ?? "pending_approval"
  const list = useList<OperatorPixKey>("/v1/admin/pix-keys", { mode: shownMode(), status, limit: pageSize })
  useRefreshing(list)
  const { ask, dialog } = useAct(list.reload)
  const { value } = texts
  return (
    <Page title={value.title} ready={isReady(list)}>
      <div class="filters">
        <StatusFilter statuses={statuses} first="pending_approval" />
        <ModeFilter />
      </div>
      <ListCard
        of={list}
        label={value.title}
        columns={[
          ...[value.type, value.value, value.seller, value.status],
          ...[value.registered, value.verified, value.acts],
        ]}
        empty={
          <Empty title={status === "pending_approval" ? value.empty : value.emptyOther}>
            {value.emptyWhy}
          </Empty>
        }
      >
        {(pixKey) => <Row key={pixKey.id} of={pixKey} ask={ask} />}
      </ListCard>
      {dialog}
    </Page>
  )
}
