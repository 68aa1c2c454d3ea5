import type { OperatorWithdrawal } from "../../../../schema/api/operatorWithdrawals.ts"
import type { OperatorPixKey } from "../../../../schema/api/pixKeys.ts"
import { formLimits } from "../../../../schema/formLimits.ts"
import type { SellerProfile } from "../../../../schema/resources/seller.ts"
import { call } from "../../api/http.ts"
import { useResource } from "../../api/resource.ts"
import { language, textsOf } from "../../text/i18n.ts"
import { pixKeyTypeText } from "../../text/pixKeyTypes.ts"
import { Facts, Shown } from "../../ui/page.tsx"
import { Foreign, Moment, Money, Status } from "../../ui/values.tsx"
import { ageDays, type History, historyOf, makeQueue } from "./history.ts"
import { SellerLink } from "./parts.tsx"

const texts = textsOf({
  "pt-BR": {
    seller: "Vendedor",
    name: "Nome",
    legalName: "Razão social",
    payerName: "Nome que os clientes veem",
    document: "Documento",
    status: "Situação",
    kyc: "Cadastro",
    since: "Vendedor desde",
    lock: "Saques bloqueados até",
    noLock: "Não bloqueados",
    locked: "Bloqueio de saques",
    key: "Chave Pix",
    type: "Tipo",
    value: "Valor",
    registered: "Registrada",
    verified: "Verificada",
    firstTime: "Primeiro saque para esta chave.",
    removed: "O vendedor removeu esta chave depois de pedir o saque. Ele ainda seria pago nela.",
    history: "Histórico",
    none: "Este é o primeiro saque do vendedor.",
    paid: "Concluídos",
    largest: "Maior",
    failed: "Falharam",
    rejected: "Rejeitados",
    returned: "Voltaram do banco",
    last: "Últimos",
    cut: `Só os ${formLimits.pageSizeMax} mais recentes.`,
    days: (count: number) => (count === 1 ? "há 1 dia" : `há ${count} dias`),
    today: "há menos de um dia",
  },
  en: {
    seller: "Seller",
    name: "Name",
    legalName: "Legal name",
    payerName: "Name that customers see",
    document: "Document",
    status: "Status",
    kyc: "Identification",
    since: "Seller since",
    lock: "Withdrawals locked until",
    noLock: "Not locked",
    locked: "Withdrawal lock",
    key: "Pix key",
    type: "Type",
    value: "Value",
    registered: "Registered",
    verified: "Verified",
    firstTime: "First withdrawal to this key.",
    removed: "The seller removed this key after requesting the withdrawal. It would still be paid to it.",
    history: "History",
    none: "This is the seller's first withdrawal.",
    paid: "Successful",
    largest: "Largest",
    failed: "Failed",
    rejected: "Rejected",
    returned: "Given back by the bank",
    last: "Latest",
    cut: `Only the newest ${formLimits.pageSizeMax}.`,
    days: (count: number) => (count === 1 ? "1 day ago" : `${count} days ago`),
    today: "less than a day ago",
  },
})

const Age = ({ at }: { readonly at: string | null }) => {
  if (at === null) return <span class="muted">—</span>
  const days = ageDays(at, Date.now())
  return (
    <>
      <Moment at={at} />{" "}
      <span class="muted" lang={language.value}>
        ({days === 0 ? texts.value.today : texts.value.days(days)})
      </span>
    </>
  )
}

interface Dossier {
  readonly seller: SellerProfile
  readonly pixKey: OperatorPixKey | undefined
  readonly history: History
}

/** A page of withdrawals needs three readings for each; more at once would crowd out other requests. */
const inOrder = makeQueue(2)

const readDossier = (withdrawal: OperatorWithdrawal, signal: AbortSignal): Promise<Dossier> =>
  inOrder(async () => {
    const { seller_id, mode, pix_key_id } = withdrawal
    const query = { seller_id, mode, limit: formLimits.pageSizeMax }
    const [seller, pixKeys, withdrawals] = await Promise.all([
      call("GET /v1/admin/sellers/:id", { params: { id: seller_id }, signal }),
      call("GET /v1/admin/pix-keys", { query, signal }),
      call("GET /v1/admin/withdrawals", { query, signal }),
    ])
    const pixKey = pixKeys.data.find(({ id }) => id === pix_key_id)
    return { seller, pixKey, history: historyOf(withdrawal, withdrawals) }
  })

const SellerSide = ({ seller }: Pick<Dossier, "seller">) => (
  <section>
    <h3>{texts.value.seller}</h3>
    <Facts
      of={[
        [
          texts.value.name,
          <SellerLink key="name" id={seller.id}>
            <Foreign>{seller.name}</Foreign>
          </SellerLink>,
        ],
        [texts.value.legalName, seller.legal_name && <Foreign key="legal">{seller.legal_name}</Foreign>],
        [texts.value.payerName, seller.payer_name && <Foreign key="payer">{seller.payer_name}</Foreign>],
        [texts.value.document, seller.document],
        [texts.value.status, <Status key="status" status={seller.status} />],
        [texts.value.kyc, <Status key="kyc" status={seller.kyc_status} />],
        [texts.value.since, <Age key="since" at={seller.created_at} />],
        [
          texts.value.locked,
          seller.payout_locked_until === null ? (
            texts.value.noLock
          ) : (
            <strong class="bad-text">
              {texts.value.lock} <Moment at={seller.payout_locked_until} />
            </strong>
          ),
        ],
      ]}
    />
  </section>
)

const KeySide = ({
  withdrawal,
  pixKey,
  history,
}: Pick<Dossier, "pixKey" | "history"> & { readonly withdrawal: OperatorWithdrawal }) => (
  <section>
    <h3>{texts.value.key}</h3>
    <Facts
      of={[
        [texts.value.type, pixKeyTypeText(withdrawal.pix_key.type)],
        [texts.value.value, <Foreign key="value">{withdrawal.pix_key.value}</Foreign>],
        [texts.value.status, pixKey && <Status status={pixKey.status} />],
        [texts.value.registered, pixKey && <Age at={pixKey.created_at} />],
        [texts.value.verified, pixKey && <Age at={pixKey.verified_at} />],
      ]}
    />
    {pixKey === undefined && <p class="warning">{texts.value.removed}</p>}
    {!history.paidThisKey && <p class="warning">{texts.value.firstTime}</p>}
  </section>
)

const HistorySide = ({ history }: Pick<Dossier, "history">) => (
  <section>
    <h3>{texts.value.history}</h3>
    {history.count === 0 ? (
      <p>{texts.value.none}</p>
    ) : (
      <>
        <Facts
          of={[
            [
              texts.value.paid,
              <span key="paid">
                {history.successful} · <Money amount={history.successfulAmount} />
              </span>,
            ],
            [texts.value.largest, <Money key="largest" amount={history.largest} />],
            [texts.value.failed, String(history.failed)],
            [texts.value.rejected, String(history.rejected)],
            [texts.value.returned, String(history.returned)],
          ]}
        />
        <h4>{texts.value.last}</h4>
        <ul class="latest">
          {history.newest.map(({ id, amount, status, created_at }) => (
            <li key={id}>
              <Money amount={amount} /> <Status status={status} /> <Moment at={created_at} />
            </li>
          ))}
        </ul>
        {history.isCut && <p class="muted">{texts.value.cut}</p>}
      </>
    )}
  </section>
)

/** What decides a withdrawal, side by side: its seller, the Pix key it goes to, and what was withdrawn before. */
export const WithdrawalDossier = ({ of: withdrawal }: { readonly of: OperatorWithdrawal }) => {
  const { id, status, seller_status, payout_locked_until } = withdrawal
  const key = JSON.stringify(["dossier", id, status, seller_status, payout_locked_until])
  const dossier = useResource(key, (signal) => readDossier(withdrawal, signal))
  return (
    <Shown of={dossier}>
      {({ seller, pixKey, history }) => (
        <div class="sides three" data-testid="dossier">
          <SellerSide seller={seller} />
          <KeySide withdrawal={withdrawal} pixKey={pixKey} history={history} />
          <HistorySide history={history} />
        </div>
      )}
    </Shown>
  )
}
