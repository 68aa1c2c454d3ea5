import type { WithdrawalToPay } from "../../../../schema/api/manualPayouts.ts"
import { formLimits } from "../../../../schema/formLimits.ts"
import { call, download } from "../../api/http.ts"
import { failureOf, useList, useRead } from "../../api/resource.ts"
import { user } from "../../api/session.ts"
import { explained, failureText } from "../../text/failures.ts"
import { formatMoney } from "../../text/format.ts"
import { textsOf } from "../../text/i18n.ts"
import { pixKeyTypeText } from "../../text/pixKeyTypes.ts"
import { Button } from "../../ui/button.tsx"
import { Empty } from "../../ui/feedback.tsx"
import { Field, textOf } from "../../ui/form.tsx"
import { notify } from "../../ui/notice.tsx"
import { Card, isReady, More, Page, Shown } from "../../ui/page.tsx"
import { saveFile } from "../../ui/saveFile.ts"
import { Code, Copy, Foreign, Moment, Money } from "../../ui/values.tsx"
import { type Act, useAct } from "./acts.tsx"
import { SellerLink } from "./parts.tsx"
import { useRefreshing } from "./refreshing.ts"
import { askedBy } from "./secondOperator.ts"

const texts = textsOf({
  "pt-BR": {
    title: "Saques a pagar",
    intro:
      "O banco não tem pagamentos por API: pague cada saque no aplicativo do banco e registre aqui, na hora, o end-to-end do Pix. Os mais antigos primeiro.",
    empty: "Nenhum saque a pagar",
    emptyWhy: "Os saques aprovados aparecem aqui quando o banco não tem pagamentos por API.",
    csv: "Baixar CSV",
    csvHint: `Os ${formLimits.pageSizeMax} mais antigos.`,
    approved: "Aprovado em",
    key: "Chave Pix",
    closedKey: "A chave não pode ser aberta: a ENCRYPTION_KEY mudou?",
    holder: "Titular",
    holderHint: "O banco precisa mostrar o mesmo titular antes de confirmar.",
    note: "Descrição do vendedor",
    id: "Saque",
    seller: "Vendedor",
    settle: "Registrar pagamento",
    settleTitle: "Registrar o pagamento",
    settleText: (amount: string) => `Você pagou ${amount} no aplicativo do banco. O saque fica concluído.`,
    e2e: "End-to-end do Pix",
    e2eHint: "Está no comprovante do banco: E e mais 31 letras e números.",
    badE2e: "Isso não é um end-to-end: E, 8 dígitos do banco, data e hora, e 11 letras ou números.",
    settled: "Pagamento registrado.",
    fail: "Não foi pago",
    failTitle: "Registrar que não foi pago",
    failText: (total: string) => `Nada foi pago no banco. ${total} voltam ao saldo do vendedor.`,
    failHint: "O vendedor vê este motivo.",
    failed: "Saque registrado como não pago. O valor voltou ao saldo do vendedor.",
    secondYou: "Você já pediu um registro deste saque. Falta outro operador pedir o mesmo.",
    secondOther: "Outro operador já pediu um registro deste saque: pedir o mesmo o efetiva.",
  },
  en: {
    title: "Withdrawals to pay",
    intro:
      "The bank has no payouts by API: pay each withdrawal in the bank's application, and enter the Pix's end-to-end id here at once. Oldest first.",
    empty: "No withdrawal to pay",
    emptyWhy: "Approved withdrawals appear here where the bank has no payouts by API.",
    csv: "Download CSV",
    csvHint: `The ${formLimits.pageSizeMax} oldest.`,
    approved: "Approved",
    key: "Pix key",
    closedKey: "The key cannot be opened: was ENCRYPTION_KEY changed?",
    holder: "Holder",
    holderHint: "The bank must show the same holder before you confirm.",
    note: "Seller's description",
    id: "Withdrawal",
    seller: "Seller",
    settle: "Enter the payment",
    settleTitle: "Enter the payment",
    settleText: (amount: string) =>
      `You have paid ${amount} in the bank's application. The withdrawal becomes successful.`,
    e2e: "The Pix's end-to-end id",
    e2eHint: "On the bank's receipt: E and 31 more letters and digits.",
    badE2e: "This is no end-to-end id: E, 8 digits of the bank, the date and time, and 11 letters or digits.",
    settled: "Payment entered.",
    fail: "Not paid",
    failTitle: "Enter that it was not paid",
    failText: (total: string) => `Nothing was paid at the bank. ${total} return to the seller's balance.`,
    failHint: "The seller sees this reason.",
    failed: "Withdrawal entered as not paid. The money is back in the seller's balance.",
    secondYou: "You have asked for an entry about this withdrawal. Another operator must ask for the same.",
    secondOther:
      "Another operator has asked for an entry about this withdrawal: asking for the same carries it out.",
  },
})

const settlement = ({ id, amount }: WithdrawalToPay): Act => ({
  title: texts.value.settleTitle,
  explanation: <p>{texts.value.settleText(formatMoney(amount))}</p>,
  submit: texts.value.settle,
  reason: "none",
  fields: (
    <Field
      label={texts.value.e2e}
      name="end_to_end_id"
      hint={texts.value.e2eHint}
      required
      autocomplete="off"
      autofocus
      maxLength={64}
      data-testid="end-to-end-input"
    />
  ),
  perform: (_, values) =>
    explained({ end_to_end_id: texts.value.badE2e }, () =>
      call("POST /v1/admin/withdrawals/:id/settle", {
        params: { id },
        body: { end_to_end_id: textOf(values, "end_to_end_id").trim() },
      }),
    ),
  isDecision: true,
  done: texts.value.settled,
})

const failure = ({ id, amount }: WithdrawalToPay): Act => ({
  title: texts.value.failTitle,
  explanation: <p>{texts.value.failText(formatMoney(amount))}</p>,
  submit: texts.value.fail,
  isDanger: true,
  reason: "required",
  reasonHint: texts.value.failHint,
  reasonLengthMax: formLimits.payoutFailureReasonLengthMax,
  perform: ({ reason = "" }) =>
    call("POST /v1/admin/withdrawals/:id/fail", { params: { id }, body: { reason } }),
  isDecision: true,
  done: texts.value.failed,
})

interface RowProps {
  readonly of: WithdrawalToPay
  readonly asked: "you" | "other" | undefined
  readonly ask: (act: Act) => void
}

const Row = ({ of: withdrawal, asked, ask }: RowProps) => {
  const { id, amount, pix_key, holder, description } = withdrawal
  const { value } = texts
  return (
    <article class="card case" data-testid="to-pay-row" data-id={id}>
      <header class="case-head">
        <strong class="case-amount">
          <Money amount={amount} />
        </strong>
        <span class="muted">
          {value.approved} <Moment at={withdrawal.approved_at} />
        </span>
        <span class="case-acts">
          <Button data-testid="fail" kind="danger" onClick={() => ask(failure(withdrawal))}>
            {value.fail}
          </Button>
          <Button data-testid="settle" kind="primary" onClick={() => ask(settlement(withdrawal))}>
            {value.settle}
          </Button>
        </span>
      </header>
      <p class="case-line">
        <span data-testid="pix-key">
          {value.key} ({pixKeyTypeText(pix_key.type)}):{" "}
          {pix_key.value === null ? (
            <span class="bad-text">{value.closedKey}</span>
          ) : (
            <>
              <Code>{pix_key.value}</Code> <Copy text={pix_key.value} />
            </>
          )}
        </span>
        <span title={value.holderHint}>
          {value.holder}: <Foreign>{holder.name ?? "—"}</Foreign> {holder.document}
        </span>
      </p>
      <p class="case-line">
        <span>
          {value.seller}:{" "}
          <SellerLink id={withdrawal.seller_id}>
            <Foreign>{withdrawal.seller_name ?? withdrawal.seller_id}</Foreign>
          </SellerLink>
        </span>
        {description !== null && (
          <span>
            {value.note}: <Foreign>{description}</Foreign>
          </span>
        )}
        <span>
          {value.id}: <Code>{id}</Code>
        </span>
      </p>
      {asked !== undefined && (
        <p class="warning" data-testid="second-operator" data-by={asked}>
          {asked === "you" ? value.secondYou : value.secondOther}
        </p>
      )}
    </article>
  )
}

const saveCsv = async (): Promise<void> => {
  try {
    const query = { limit: formLimits.pageSizeMax }
    const { bytes } = await download("GET /v1/admin/withdrawals/to-pay", { query, accept: "text/csv" })
    saveFile(bytes, "withdrawals-to-pay.csv")
  } catch (cause) {
    notify(failureText(failureOf(cause)))
  }
}

const pageSize = 25

/** Approved withdrawals that operators pay in the bank's own application, and how that ended. */
export default () => {
  const list = useList("GET /v1/admin/withdrawals/to-pay", { query: { limit: pageSize } })
  const log = useRead("GET /v1/admin/audit", { query: { limit: formLimits.pageSizeMax } })
  useRefreshing(list, log)
  const { ask, dialog } = useAct(() => Promise.all([list.reload(), log.reload()]))
  const entries = log.value.value?.data ?? []
  const askedFor = (id: string) =>
    askedBy("withdrawal.settlement_asked", id, entries, user.value?.id) ??
    askedBy("withdrawal.failure_asked", id, entries, user.value?.id)
  return (
    <Page
      title={texts.value.title}
      ready={isReady(list)}
      actions={
        <Button data-testid="to-pay-csv" title={texts.value.csvHint} onClick={saveCsv}>
          {texts.value.csv}
        </Button>
      }
    >
      <p class="muted">{texts.value.intro}</p>
      <p class="muted">{texts.value.holderHint}</p>
      <Shown of={list}>
        {({ data }) =>
          data.length === 0 ? (
            <Card>
              <Empty title={texts.value.empty}>{texts.value.emptyWhy}</Empty>
            </Card>
          ) : (
            data.map((withdrawal) => (
              <Row key={withdrawal.id} of={withdrawal} asked={askedFor(withdrawal.id)} ask={ask} />
            ))
          )
        }
      </Shown>
      <More of={list} />
      {dialog}
    </Page>
  )
}
