import { CorrenteError } from "../../../../client/src/errors.ts"
import { parseAmount } from "../../../../schema/amountText.ts"
import type { OperatorTransaction } from "../../../../schema/api/operatorTransactions.ts"
import { formLimits } from "../../../../schema/formLimits.ts"
import { call, newIdempotencyKey } from "../../api/http.ts"
import { formatAmountInput } from "../../text/amount.ts"
import { formatMoney } from "../../text/format.ts"
import { textsOf } from "../../text/i18n.ts"
import { statusText } from "../../text/statuses.ts"
import { AmountField, Field, Form, textOf } from "../../ui/form.tsx"
import { Card, Facts } from "../../ui/page.tsx"
import { Code, Foreign, Moment, Money } from "../../ui/values.tsx"
import { leftOf } from "../charges/rules.ts"
import type { Act } from "./acts.tsx"

const texts = textsOf({
  "pt-BR": {
    title: "Devolver uma cobrança",
    id: "Id da cobrança",
    amount: "Valor",
    all: "Vazio: tudo o que ainda não foi devolvido.",
    review: "Revisar devolução",
    confirm: "Devolver",
    wrongAmount: "Informe um valor como 12,90.",
    part: (amount: string) => `${amount} desta cobrança voltam ao pagador`,
    whole: "O valor abaixo volta ao pagador desta cobrança",
    seller: "Vendedor",
    mode: "Modo",
    live: "Produção",
    test: "Teste",
    charged: "Valor da cobrança",
    paidBy: "Quem pagou",
    paid: "Paga em",
    left: "Ainda não devolvido",
    otherSeller: "Atenção: esta cobrança é de outro vendedor, não do desta página.",
    notPaid: (status: string) => `Esta cobrança não pode ser devolvida: ${status}.`,
    nothingLeft: "Não resta nada desta cobrança para devolver.",
    tooMuch: (left: string) => `Desta cobrança só restam ${left}.`,
    from: "O valor sai do saldo do vendedor da cobrança na hora. A tarifa cobrada não volta.",
    reasonHint: "Fica na devolução e na auditoria; o pagador não vê.",
    done: "Devolução pedida.",
  },
  en: {
    title: "Refund a charge",
    id: "Charge id",
    amount: "Amount",
    all: "Empty: all that has not been refunded yet.",
    review: "Review the refund",
    confirm: "Refund",
    wrongAmount: "Enter an amount such as 12.90.",
    part: (amount: string) => `${amount} of this charge go back to its payer`,
    whole: "The amount below goes back to the payer of this charge",
    seller: "Seller",
    mode: "Mode",
    live: "Live",
    test: "Test",
    charged: "Amount of the charge",
    paidBy: "Paid by",
    paid: "Paid",
    left: "Not refunded yet",
    otherSeller: "Mind: this charge is another seller's, not that of this page.",
    notPaid: (status: string) => `This charge cannot be refunded: ${status}.`,
    nothingLeft: "Nothing of this charge is left to refund.",
    tooMuch: (left: string) => `Only ${left} of this charge are left.`,
    from: "It leaves the balance of the charge's seller at once. The fee is not given back.",
    reasonHint: "Kept with the refund and in the audit log; the payer does not see it.",
    done: "Refund requested.",
  },
})

const wrongInput = (message: string) => new CorrenteError({ code: "validation_failed", message })

/** The amount that a text asks for. Throws where it is none, or more than is left. */
const amountOf = (text: string, left: number): number => {
  const amount = parseAmount(text)
  if (amount === undefined || amount === 0) throw wrongInput(texts.value.wrongAmount)
  if (amount > left) throw wrongInput(texts.value.tooMuch(formatMoney(left)))
  return amount
}

/** Which charge it is, so that a mistyped id is noticed before money moves. */
const ChargeFacts = ({ of: charge, left }: { readonly of: OperatorTransaction; readonly left: number }) => {
  const { value } = texts
  return (
    <div data-testid="refund-facts">
      <Facts
        of={[
          [value.seller, <Foreign key="seller">{charge.seller?.name ?? charge.seller_id}</Foreign>],
          [value.charged, <Money key="charged" amount={charge.amount} />],
          [value.left, <Money key="left" amount={left} />],
          [value.paidBy, <Foreign key="payer">{charge.customer.name}</Foreign>],
          [value.paid, <Moment key="paid" at={charge.paid_at} />],
          [value.mode, value[charge.mode]],
          [value.id, <Code key="id">{charge.id}</Code>],
        ]}
      />
    </div>
  )
}

/** The refund of a charge that was read. Without an amount, its dialog asks for one. */
export const refundAct = (
  charge: OperatorTransaction,
  { amount, sellerId = charge.seller_id }: { readonly amount?: number; readonly sellerId?: string } = {},
): Act => {
  // An answer is kept under its key: what is sent again after one has another key, and what got no answer has the same.
  let key = newIdempotencyKey()
  let sent = ""
  const left = leftOf(charge, charge.all_refunds)
  return {
    title: texts.value.title,
    explanation: (
      <>
        {sellerId !== charge.seller_id && <p class="warning">{texts.value.otherSeller}</p>}
        <p>{amount === undefined ? texts.value.whole : texts.value.part(formatMoney(amount))}.</p>
        <ChargeFacts of={charge} left={left} />
        <p>{texts.value.from}</p>
      </>
    ),
    fields:
      amount === undefined ? (
        <AmountField
          label={texts.value.amount}
          name="amount"
          defaultValue={formatAmountInput(left)}
          required
        />
      ) : undefined,
    submit: texts.value.confirm,
    isDanger: true,
    reason: "required",
    reasonHint: texts.value.reasonHint,
    reasonLengthMax: formLimits.refundReasonLengthMax,
    perform: async ({ reason = "" }, values) => {
      const asked = { reason, amount: amount ?? amountOf(textOf(values, "amount"), left) }
      // Another body is another request.
      if (sent !== "" && sent !== JSON.stringify(asked)) key = newIdempotencyKey()
      sent = JSON.stringify(asked)
      try {
        return await call("POST /v1/admin/transactions/:id/refunds", {
          params: { id: charge.id },
          body: asked,
          idempotencyKey: key,
        })
      } catch (error) {
        const isAnswered = error instanceof CorrenteError && error.status !== undefined && error.status < 500
        if (isAnswered) key = newIdempotencyKey()
        throw error
      }
    },
    done: texts.value.done,
  }
}

/** Reads the charge that is to be refunded, and refuses what cannot be. */
const review = async (values: FormData, sellerId: string): Promise<Act> => {
  const text = textOf(values, "amount")
  const id = textOf(values, "transaction")
  const charge = await call("GET /v1/admin/transactions/:id", { params: { id } })
  if (charge.status !== "paid") throw wrongInput(texts.value.notPaid(statusText(charge.status)))
  const left = leftOf(charge, charge.all_refunds)
  if (left === 0) throw wrongInput(texts.value.nothingLeft)
  return refundAct(charge, { sellerId, amount: text === "" ? left : amountOf(text, left) })
}

/** Refunds a charge by its id, out of its seller's balance. `sellerId`: whose page it is on. */
export const RefundCard = ({
  sellerId,
  ask,
}: {
  readonly sellerId: string
  readonly ask: (act: Act) => void
}) => (
  <Card title={texts.value.title}>
    <div data-testid="operator-refund">
      <Form submit={texts.value.review} onSubmit={async (values) => ask(await review(values, sellerId))}>
        <div class="settings-fields">
          <Field
            label={texts.value.id}
            name="transaction"
            required
            placeholder="txn_…"
            pattern="txn_[0-9A-Z]+"
            autocomplete="off"
            data-testid="transaction-input"
          />
          <AmountField label={texts.value.amount} name="amount" hint={texts.value.all} />
        </div>
      </Form>
    </div>
  </Card>
)
