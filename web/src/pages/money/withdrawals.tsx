import "../../styles/money.css"

import { useState } from "preact/hooks"
import { tableFormats } from "../../../../schema/exportFormats.ts"
import { withdrawalStatuses } from "../../../../schema/names.ts"
import type { SellerProfile } from "../../../../schema/resources/seller.ts"
import type { Withdrawal } from "../../../../schema/resources/withdrawal.ts"
import { download } from "../../api/http.ts"
import { type List, useList, useRead } from "../../api/resource.ts"
import { mode } from "../../api/session.ts"
import { Link, query, queryChoice, setQuery } from "../../app/router.tsx"
import { formatMoment } from "../../text/format.ts"
import { language, textsOf } from "../../text/i18n.ts"
import { pixKeyTypeText } from "../../text/pixKeyTypes.ts"
import { mayDo } from "../../text/roles.ts"
import { statusText } from "../../text/statuses.ts"
import { today } from "../../text/today.ts"
import { Button } from "../../ui/button.tsx"
import { datedFile, ExportMenu } from "../../ui/exportMenu.tsx"
import { Empty } from "../../ui/feedback.tsx"
import { Select } from "../../ui/form.tsx"
import { notify } from "../../ui/notice.tsx"
import { Card, isReady, More, Page, Shown } from "../../ui/page.tsx"
import { Cell, Table, TableRow } from "../../ui/table.tsx"
import { Foreign, Money, Status, When } from "../../ui/values.tsx"
import { WithdrawalFee } from "./fee.tsx"
import { PixKeyDialog, PixKeys } from "./pixKeys.tsx"
import { isOfWithdrawals, movesMoney } from "./rules.ts"
import { WithdrawalDialog } from "./withdrawalForm.tsx"

const texts = textsOf({
  "pt-BR": {
    title: "Saques",
    create: "Novo saque",
    available: "Disponível para saque",
    balance: "Ver saldo e extrato",
    status: "Situação",
    all: "Todas",
    when: "Solicitado em",
    amount: "Valor",
    fee: "Tarifa",
    key: "Chave Pix",
    description: "Descrição",
    requested: "Saque solicitado. Acompanhe aqui.",
    none: "Nenhum saque ainda",
    noneFiltered: "Nenhum saque nesta situação",
    noneHint: "O dinheiro das cobranças pagas fica no saldo até você sacar para a sua chave Pix.",
    locked: (until: string) => `Saques estão bloqueados até ${until}.`,
    suspended: "Esta conta está suspensa: saques não podem ser pedidos.",
    kyc: "Para sacar em produção, conclua a verificação do seu cadastro.",
    settings: "Abrir configurações",
  },
  en: {
    title: "Withdrawals",
    create: "New withdrawal",
    available: "Available to withdraw",
    balance: "See balance and statement",
    status: "Status",
    all: "All",
    when: "Requested on",
    amount: "Amount",
    fee: "Fee",
    key: "Pix key",
    description: "Description",
    requested: "Withdrawal requested. Follow it here.",
    none: "No withdrawals yet",
    noneFiltered: "No withdrawals with this status",
    noneHint: "The money of paid charges stays in the balance until you withdraw it to your Pix key.",
    locked: (until: string) => `Withdrawals are locked until ${until}.`,
    suspended: "This account is suspended: withdrawals cannot be requested.",
    kyc: "To withdraw in live mode, complete your identification.",
    settings: "Open settings",
  },
})

/** The status that the address asks for; undefined: all. */
const shownStatus = () => queryChoice("status", withdrawalStatuses)

/** Why a seller cannot withdraw now, before it tries. */
const Obstacle = ({ of }: { readonly of: SellerProfile }) => {
  const { value } = texts
  if (of.status === "suspended") return <p class="money-warning">{value.suspended}</p>
  if (of.payout_locked_until !== null && Date.parse(of.payout_locked_until) > Date.now())
    return <p class="money-warning">{value.locked(formatMoment(of.payout_locked_until))}</p>
  if (mode.value === "test" || of.kyc_status === "approved") return null
  return (
    <p class="money-warning">
      {value.kyc} <Link to="/settings">{value.settings}</Link>
    </p>
  )
}

const Rows = ({ of }: { readonly of: List<Withdrawal> }) => {
  const { value } = texts
  const columns = [
    value.key,
    value.description,
    value.status,
    value.when,
    { right: value.fee },
    { right: value.amount },
  ]
  return (
    <Shown of={of}>
      {({ data }) =>
        data.length === 0 ? (
          <Empty title={shownStatus() === undefined ? value.none : value.noneFiltered}>
            {value.noneHint}
          </Empty>
        ) : (
          <>
            <Table label={value.title} columns={columns}>
              {data.map((withdrawal) => (
                <TableRow
                  key={withdrawal.id}
                  data-testid="withdrawal-row"
                  data-id={withdrawal.id}
                  data-status={withdrawal.status}
                  opens
                >
                  <Cell place="title" label={value.key}>
                    <Link to={`/withdrawals/${withdrawal.id}`}>
                      {pixKeyTypeText(withdrawal.pix_key.type)} <Foreign>{withdrawal.pix_key.value}</Foreign>
                    </Link>
                  </Cell>
                  <Cell place="note" label={value.description}>
                    {withdrawal.description !== null && <Foreign>{withdrawal.description}</Foreign>}
                  </Cell>
                  <Cell place="state" label={value.status}>
                    <Status status={withdrawal.status} />
                  </Cell>
                  <Cell place="when" label={value.when}>
                    <When at={withdrawal.created_at} />
                  </Cell>
                  <Cell place="wide" label={value.fee} isRight>
                    <WithdrawalFee of={withdrawal} />
                  </Cell>
                  <Cell place="amount" label={value.amount}>
                    <Money amount={withdrawal.amount} />
                  </Cell>
                </TableRow>
              ))}
            </Table>
            <More of={of} />
          </>
        )
      }
    </Shown>
  )
}

const StatusFilter = () => (
  <Select
    label={texts.value.status}
    value={shownStatus() ?? ""}
    onChange={(event) => setQuery({ status: event.currentTarget.value })}
  >
    <option value="">{texts.value.all}</option>
    {withdrawalStatuses.map((status) => (
      <option key={status} value={status}>
        {statusText(status)}
      </option>
    ))}
  </Select>
)

const WithdrawalDownloads = () => (
  <ExportMenu
    report="withdrawals"
    formats={tableFormats}
    read={async (format) =>
      datedFile(
        await download("GET /v1/me/withdrawals/export", {
          query: { status: shownStatus(), format, locale: language.value },
        }),
        today.value,
      )
    }
  />
)

const useAccount = () => ({
  balance: useRead(
    "GET /v1/me/balance",
    {},
    {
      reloadsOn: movesMoney,
    },
  ),
  seller: useRead(
    "GET /v1/me/seller",
    {},
    {
      reloadsOn: ({ type }) => type.startsWith("seller."),
    },
  ),
  keys: useRead("GET /v1/me/pix-keys", {}),
})

/** Withdrawals, what they can take, and the Pix keys that they go to. An address with `create` opens the form. */
export default () => {
  const [dialog, setDialog] = useState<"withdrawal" | "key">()
  const { balance, seller, keys } = useAccount()
  const list = useList(
    "GET /v1/me/withdrawals",
    { query: { status: shownStatus() } },
    { reloadsOn: isOfWithdrawals },
  )
  const isAsked = query.value.get("create") !== null && mayDo("payingOut")
  const shown = dialog ?? (isAsked ? "withdrawal" : undefined)
  const close = () => {
    setDialog(undefined)
    setQuery({ create: undefined })
  }
  return (
    <Page
      title={texts.value.title}
      ready={isReady(balance, list, keys)}
      actions={
        <Button
          kind="primary"
          needs="payingOut"
          data-testid="withdrawal-create"
          onClick={() => setDialog("withdrawal")}
        >
          {texts.value.create}
        </Button>
      }
    >
      {seller.value.value !== undefined && <Obstacle of={seller.value.value} />}
      <Card title={texts.value.available} actions={<Link to="/balance">{texts.value.balance}</Link>}>
        <Shown of={balance}>
          {({ available }) => (
            <div class="available">
              <Money amount={available} testId="balance-available" />
            </div>
          )}
        </Shown>
      </Card>
      <Card
        title={texts.value.title}
        actions={
          <div class="withdrawal-tools">
            <StatusFilter />
            <WithdrawalDownloads />
          </div>
        }
      >
        <Rows of={list} />
      </Card>
      <PixKeys of={keys} onAdd={() => setDialog("key")} />
      {shown === "key" && (
        <PixKeyDialog
          onClose={close}
          onAdded={() => {
            close()
            void keys.reload()
          }}
        />
      )}
      {shown === "withdrawal" && (
        <WithdrawalDialog
          onClose={close}
          onAddKey={() => setDialog("key")}
          onCreated={() => {
            close()
            notify(texts.value.requested)
            void Promise.all([list.reload(), balance.reload()])
          }}
        />
      )}
    </Page>
  )
}
