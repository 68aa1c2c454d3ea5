import { CorrenteError } from "../../../../client/src/errors.ts"
import { api, newIdempotencyKey } from "../../api/http.ts"
import { parseAmount } from "../../text/amount.ts"
import { formatMoney } from "../../text/format.ts"
import { textsOf } from "../../text/i18n.ts"
import { Field, Form, textOf } from "../../ui/form.tsx"
import { Card } from "../../ui/page.tsx"
import { Code } from "../../ui/values.tsx"
import type { Act } from "./acts.tsx"

const texts = textsOf({
  "pt-BR": {
    title: "Devolver uma cobrança",
    id: "Id da cobrança",
    amount: "Valor (R$)",
    all: "Vazio: tudo o que ainda não foi devolvido.",
    review: "Revisar devolução",
    confirm: "Devolver",
    wrongAmount: "Informe um valor como 12,90.",
    part: (amount: string) => `${amount} desta cobrança voltam ao pagador`,
    whole: "Tudo o que resta desta cobrança volta ao pagador",
    from: "O valor sai do saldo do vendedor da cobrança na hora. A taxa cobrada não volta.",
    reasonHint: "Fica na devolução e na auditoria; o pagador não vê.",
    done: "Devolução pedida.",
  },
  en: {
    title: "Refund a charge",
    id: "Charge id",
    amount: "Amount (R$)",
    all: "Empty: all that has not been refunded yet.",
    review: "Review the refund",
    confirm: "Refund",
    wrongAmount: "Enter an amount such as 12.90.",
    part: (amount: string) => `${amount} of this charge go back to its payer`,
    whole: "All that is left of this charge goes back to its payer",
    from: "It leaves the balance of the charge's seller at once. The fee is not given back.",
    reasonHint: "Kept with the refund and in the audit log; the payer does not see it.",
    done: "Refund requested.",
  },
})

const reasonLengthMax = 140

const refundAct = (id: string, amount: number | undefined): Act => {
  // An answer is kept under its key: what is sent again after one has another key, and what got no answer has the same.
  let key = newIdempotencyKey()
  return {
    title: texts.value.title,
    explanation: (
      <>
        <p>
          {amount === undefined ? texts.value.whole : texts.value.part(formatMoney(amount))}:{" "}
          <Code>{id}</Code>
        </p>
        <p>{texts.value.from}</p>
      </>
    ),
    submit: texts.value.confirm,
    isDanger: true,
    reason: "required",
    reasonHint: texts.value.reasonHint,
    reasonLengthMax,
    perform: async (body) => {
      try {
        return await api.post(
          `/v1/admin/transactions/${encodeURIComponent(id)}/refunds`,
          { ...body, ...(amount === undefined ? {} : { amount }) },
          { idempotencyKey: key },
        )
      } catch (error) {
        const isAnswered = error instanceof CorrenteError && error.status !== undefined && error.status < 500
        if (isAnswered) key = newIdempotencyKey()
        throw error
      }
    },
    done: texts.value.done,
  }
}

/** Refunds a charge by its id, out of its seller's balance. */
export const RefundCard = ({ ask }: { readonly ask: (act: Act) => void }) => (
  <Card title={texts.value.title}>
    <div data-testid="operator-refund">
      <Form
        submit={texts.value.review}
        onSubmit={async (values) => {
          const text = textOf(values, "amount")
          const amount = text === "" ? undefined : parseAmount(text)
          if (text !== "" && (amount === undefined || amount === 0))
            throw new CorrenteError({ code: "validation_failed", message: texts.value.wrongAmount })
          ask(refundAct(textOf(values, "transaction"), amount))
        }}
      >
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
          <Field
            label={texts.value.amount}
            name="amount"
            hint={texts.value.all}
            inputMode="decimal"
            autocomplete="off"
            data-testid="amount-input"
          />
        </div>
      </Form>
    </div>
  </Card>
)
