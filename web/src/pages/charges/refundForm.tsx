import type { Refund } from "../../../../schema/resources/refund.ts"
import type { Transaction } from "../../../../schema/resources/transaction.ts"
import { refusal, useCreation } from "../../api/creation.ts"
import { parseAmount } from "../../text/amount.ts"
import { formatAmountInput, formatMoney } from "../../text/format.ts"
import { textsOf } from "../../text/i18n.ts"
import { Dialog } from "../../ui/dialog.tsx"
import { Field, Form, textOf } from "../../ui/form.tsx"

const texts = textsOf({
  "pt-BR": {
    title: "Devolver ao pagador",
    amount: "Valor a devolver (R$)",
    left: (money: string) => `No máximo ${money}. A tarifa da cobrança não volta.`,
    reason: "Motivo",
    reasonHint: "Só para você: quem pagou não vê.",
    submit: "Devolver",
    bad: "Informe um valor como 12,90.",
    tooMuch: (money: string) => `Só é possível devolver até ${money}.`,
  },
  en: {
    title: "Refund the payer",
    amount: "Amount to refund (R$)",
    left: (money: string) => `At most ${money}. The charge's fee is not returned.`,
    reason: "Reason",
    reasonHint: "For yourself: the payer does not see it.",
    submit: "Refund",
    bad: "Enter an amount such as 12,90.",
    tooMuch: (money: string) => `Only up to ${money} can be refunded.`,
  },
})

interface RefundFormProps {
  readonly charge: Transaction
  /** Centavos that can still be refunded. */
  readonly left: number
  readonly onClose: () => void
  readonly onCreated: () => void
}

/** The dialog that refunds a charge, whole or in part. The step-up that it takes asks by itself. */
export const RefundForm = ({ charge, left, onClose, onCreated }: RefundFormProps) => {
  const create = useCreation<Refund>(`/v1/me/transactions/${charge.id}/refunds`)
  const send = async (values: FormData) => {
    const amount = parseAmount(textOf(values, "amount"))
    if (amount === undefined || amount < 1) throw refusal(texts.value.bad)
    if (amount > left) throw refusal(texts.value.tooMuch(formatMoney(left)))
    const reason = textOf(values, "reason")
    await create({ amount, ...(reason === "" ? {} : { reason }) })
    onCreated()
  }
  return (
    <Dialog title={texts.value.title} onClose={onClose}>
      <Form submit={texts.value.submit} danger onCancel={onClose} onSubmit={send}>
        <Field
          label={texts.value.amount}
          hint={texts.value.left(formatMoney(left))}
          name="amount"
          data-testid="amount-input"
          inputMode="decimal"
          defaultValue={formatAmountInput(left)}
          autofocus
          required
        />
        <Field
          label={texts.value.reason}
          hint={texts.value.reasonHint}
          name="reason"
          data-testid="refund-reason"
          maxLength={140}
        />
      </Form>
    </Dialog>
  )
}
