import type { SellerProfile } from "../../../../schema/resources/seller.ts"
import { useList, useRead } from "../../api/resource.ts"
import { Link, type PageParams } from "../../app/router.tsx"
import { failureReasonText } from "../../text/bankReasons.ts"
import { textsOf } from "../../text/i18n.ts"
import { pixKeyTypeText } from "../../text/pixKeyTypes.ts"
import { Button } from "../../ui/button.tsx"
import { lazily } from "../../ui/lazily.tsx"
import { Card, Facts, FirstRead, isReady, More, Page, Shown } from "../../ui/page.tsx"
import { Cell, Table, TableRow } from "../../ui/table.tsx"
import { Code, Foreign, Moment, Money, Status, When } from "../../ui/values.tsx"
import { type Act, useAct } from "./acts.tsx"
import { RefundCard } from "./operatorRefund.tsx"
import { useRefreshing } from "./refreshing.ts"
import { kycAct, lockAct, sellerActNames, statusAct, unlockAct } from "./sellerActs.tsx"
import { SettingsCard } from "./sellerSettings.tsx"
import { UserCard } from "./sellerUser.tsx"

const SellerAudit = lazily(() => import("./sellerAudit.tsx").then((part) => part.SellerAudit), FirstRead)

const texts = textsOf({
  "pt-BR": {
    title: "Vendedor",
    back: "Todos os vendedores",
    status: "Situação",
    kyc: "Cadastro",
    legalName: "Razão social",
    payerName: "Nome que os clientes veem",
    document: "Documento",
    noDocument: "Não informado: o cadastro não pode ser aprovado.",
    lock: "Saques",
    lockedUntil: "Bloqueados até",
    free: "Liberados",
    since: "Desde",
    id: "Id",
    withdrawals: "Saques de produção",
    noWithdrawals: "Nenhum saque ainda.",
    pixKeys: "Chaves Pix de produção",
    noPixKeys: "Nenhuma chave registrada.",
    amount: "Valor",
    key: "Chave",
    when: "Quando",
    why: "Motivo",
    type: "Tipo",
    verified: "Verificada",
  },
  en: {
    title: "Seller",
    back: "All sellers",
    status: "Status",
    kyc: "Identification",
    legalName: "Legal name",
    payerName: "Name that customers see",
    document: "Document",
    noDocument: "Not given: the identification cannot be approved.",
    lock: "Withdrawals",
    lockedUntil: "Locked until",
    free: "Not locked",
    since: "Since",
    id: "Id",
    withdrawals: "Live withdrawals",
    noWithdrawals: "No withdrawals yet.",
    pixKeys: "Live Pix keys",
    noPixKeys: "No keys registered.",
    amount: "Amount",
    key: "Key",
    when: "When",
    why: "Reason",
    type: "Kind",
    verified: "Verified",
  },
})

interface Asks {
  readonly seller: SellerProfile
  readonly ask: (act: Act) => void
}

const Acts = ({ seller, ask }: Asks) => {
  const { value } = sellerActNames
  return (
    <div class="row-acts">
      {seller.kyc_status !== "approved" && (
        <Button
          kind="primary"
          data-testid="kyc-approve"
          disabled={seller.document === null}
          onClick={() => ask(kycAct(seller, "approved"))}
        >
          {value.kycApprove}
        </Button>
      )}
      {seller.kyc_status !== "rejected" && (
        <Button kind="danger" data-testid="kyc-reject" onClick={() => ask(kycAct(seller, "rejected"))}>
          {value.kycReject}
        </Button>
      )}
      <Button data-testid="seller-status-change" onClick={() => ask(statusAct(seller))}>
        {seller.status === "active" ? value.suspend : value.reactivate}
      </Button>
      <Button data-testid="payout-lock" onClick={() => ask(lockAct(seller))}>
        {value.lock}
      </Button>
      {seller.payout_locked_until !== null && (
        <Button data-testid="payout-unlock" onClick={() => ask(unlockAct(seller))}>
          {value.unlock}
        </Button>
      )}
    </div>
  )
}

/** Who a seller is, and the acts on it. */
export const SellerProfileCard = ({ seller, ask }: Asks) => {
  const { value } = texts
  return (
    <Card>
      <Facts
        of={[
          [value.status, <Status key="status" status={seller.status} testId="seller-status" />],
          [value.kyc, <Status key="kyc" status={seller.kyc_status} testId="seller-kyc" />],
          [value.legalName, seller.legal_name && <Foreign key="legal">{seller.legal_name}</Foreign>],
          [value.payerName, seller.payer_name && <Foreign key="payer">{seller.payer_name}</Foreign>],
          [value.document, seller.document ?? <span class="bad-text">{value.noDocument}</span>],
          [
            value.lock,
            seller.payout_locked_until === null ? (
              value.free
            ) : (
              <strong class="bad-text">
                {value.lockedUntil} <Moment at={seller.payout_locked_until} />
              </strong>
            ),
          ],
          [value.since, <Moment key="since" at={seller.created_at} />],
          [value.id, <Code key="id">{seller.id}</Code>],
        ]}
      />
      <Acts seller={seller} ask={ask} />
    </Card>
  )
}

const Withdrawals = ({ sellerId }: { readonly sellerId: string }) => {
  const list = useList("GET /v1/admin/withdrawals", { query: { seller_id: sellerId, limit: 10 } })
  const { value } = texts
  return (
    <Card title={value.withdrawals}>
      <Shown of={list}>
        {({ data }) =>
          data.length === 0 ? (
            <p class="muted">{value.noWithdrawals}</p>
          ) : (
            <Table
              label={value.withdrawals}
              columns={[value.key, value.status, value.when, value.why, { right: value.amount }]}
            >
              {data.map(({ id, amount, status, pix_key, created_at, failure_reason }) => (
                <TableRow key={id} data-id={id}>
                  <Cell place="title" label={value.key}>
                    <Foreign>{pix_key.value}</Foreign>
                  </Cell>
                  <Cell place="state" label={value.status}>
                    <Status status={status} />
                  </Cell>
                  <Cell place="when" label={value.when}>
                    <When at={created_at} />
                  </Cell>
                  <Cell place="extra" label={value.why}>
                    {failure_reason === null ? (
                      "—"
                    ) : (
                      <Foreign>{failureReasonText(null, failure_reason) ?? failure_reason}</Foreign>
                    )}
                  </Cell>
                  <Cell place="amount" label={value.amount}>
                    <Money amount={amount} />
                  </Cell>
                </TableRow>
              ))}
            </Table>
          )
        }
      </Shown>
      <More of={list} />
    </Card>
  )
}

const PixKeys = ({ sellerId }: { readonly sellerId: string }) => {
  const list = useList("GET /v1/admin/pix-keys", { query: { seller_id: sellerId } })
  const { value } = texts
  return (
    <Card title={value.pixKeys}>
      <Shown of={list}>
        {({ data }) =>
          data.length === 0 ? (
            <p class="muted">{value.noPixKeys}</p>
          ) : (
            <Table label={value.pixKeys} columns={[value.type, value.key, value.status, value.verified]}>
              {data.map((pixKey) => (
                <TableRow key={pixKey.id} data-id={pixKey.id}>
                  <Cell place="note" label={value.type}>
                    {pixKeyTypeText(pixKey.type)}
                  </Cell>
                  <Cell place="title" label={value.key}>
                    <Foreign>{pixKey.value}</Foreign>
                  </Cell>
                  <Cell place="state" label={value.status}>
                    <Status status={pixKey.status} />
                  </Cell>
                  <Cell place="when" label={value.verified}>
                    <When at={pixKey.verified_at} />
                  </Cell>
                </TableRow>
              ))}
            </Table>
          )
        }
      </Shown>
      <More of={list} />
    </Card>
  )
}

/** A seller, for operators: who it is, what may be done to it, its fees and limits, and what was done. */
export default ({ params: { id = "" } }: PageParams) => {
  const seller = useRead("GET /v1/admin/sellers/:id", { params: { id } })
  useRefreshing(seller)
  const { ask, dialog } = useAct(seller.reload)
  return (
    <Page
      title={seller.value.value?.name ?? texts.value.title}
      ready={isReady(seller)}
      actions={<Link to="/admin/sellers">{texts.value.back}</Link>}
    >
      <Shown of={seller}>
        {(found) => (
          <>
            <SellerProfileCard seller={found} ask={ask} />
            <UserCard sellerId={found.id} />
            <SettingsCard seller={found} ask={ask} />
            <Withdrawals sellerId={found.id} />
            <PixKeys sellerId={found.id} />
            <RefundCard sellerId={found.id} ask={ask} />
            <SellerAudit sellerId={found.id} version={JSON.stringify(found)} />
          </>
        )}
      </Shown>
      {dialog}
    </Page>
  )
}
