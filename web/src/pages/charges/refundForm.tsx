import { useRef, useState } from "preact/hooks"
import { parseAmount } from "../../../../schema/amountText.ts"
import { formLimits } from "../../../../schema/formLimits.ts"
import type { Transaction } from "../../../../schema/resources/transaction.ts"
import { refusal, useCreation } from "../../api/creation.ts"
import { useRead } from "../../api/resource.ts"
import { user } from "../../api/session.ts"
import { formatAmountInput } from "../../text/amount.ts"
import { formatDayInSentence, formatMoney } from "../../text/format.ts"
import { textsOf } from "../../text/i18n.ts"
import { today } from "../../text/today.ts"
import { Chip, Chips } from "../../ui/chips.tsx"
import { Dialog } from "../../ui/dialog.tsx"
import { AmountField, Field, Form, Select, textOf } from "../../ui/form.tsx"
import { Foreign, Money } from "../../ui/values.tsx"
import { balanceAfterRefund } from "./rules.ts"
import "../../styles/charges.css"

const texts = textsOf({
  "pt-BR": {
    title: "Devolver ao pagador",
    paid: (money: string, day: string) => `pagou ${money} ${day}`,
    howMuch: "Quanto devolver",
    all: "Tudo",
    rest: "O que resta",
    half: "Metade",
    other: "Outro valor",
    amount: "Valor a devolver",
    left: (money: string) => `No máximo ${money}. A tarifa da cobrança não volta.`,
    reason: "Motivo",
    reasonHint: "Só para você: quem pagou não vê.",
    reasons: ["Produto com defeito", "Desistência", "Cobrança duplicada"],
    noReason: "Não informar",
    otherReason: "Outro motivo",
    which: "Qual motivo",
    balance: "Saldo depois",
    submit: "Devolver",
    bad: "Informe um valor como 12,90.",
    tooMuch: (money: string) => `Só é possível devolver até ${money}.`,
    limited: (money: string) =>
      `No máximo ${money}, o seu limite por devolução. A tarifa da cobrança não volta.`,
    aboveLimit: (money: string) =>
      `O seu limite por devolução é ${money}. Peça o restante a quem cuida do financeiro.`,
  },
  en: {
    title: "Refund the payer",
    paid: (money: string, day: string) => `paid ${money} ${day}`,
    howMuch: "How much to refund",
    all: "All",
    rest: "What is left",
    half: "Half",
    other: "Another amount",
    amount: "Amount to refund",
    left: (money: string) => `At most ${money}. The charge's fee is not returned.`,
    reason: "Reason",
    reasonHint: "For yourself: the payer does not see it.",
    reasons: ["Defective product", "Changed their mind", "Duplicate charge"],
    noReason: "None given",
    otherReason: "Another reason",
    which: "Which reason",
    balance: "Balance after",
    submit: "Refund",
    bad: "Enter an amount such as 12,90.",
    tooMuch: (money: string) => `Only up to ${money} can be refunded.`,
    limited: (money: string) => `At most ${money}, your limit per refund. The charge's fee is not returned.`,
    aboveLimit: (money: string) => `Your limit per refund is ${money}. Ask the owner or finance for more.`,
  },
})

interface AmountPartProps {
  /** Whether something of the charge went back before. */
  readonly isRest: boolean
  readonly left: number
  /** The most that the user may give back by one refund: `left`, or less. */
  readonly most: number
  readonly text: string
  readonly onText: (text: string) => void
}

/** All, half or another amount. */
const AmountPart = ({ isRest, left, most, text, onText }: AmountPartProps) => {
  const [isOther, setOther] = useState(false)
  const root = useRef<HTMLDivElement>(null)
  const { value } = texts
  const amount = parseAmount(text)
  const half = Math.floor(left / 2)
  const choose = (centavos: number) => () => {
    setOther(false)
    onText(formatAmountInput(centavos))
  }
  const type = () => {
    setOther(true)
    root.current?.querySelector("input")?.select()
  }
  const isAll = !isOther && amount === left
  const isHalf = !isOther && amount === half
  return (
    <div ref={root} class="form">
      {/* Only what is allowed is offered: where neither is, the field alone says it. */}
      {half <= most && (
        <Chips label={value.howMuch}>
          {left === most && (
            <Chip isPressed={isAll} onClick={choose(left)}>
              {isRest ? value.rest : value.all}
            </Chip>
          )}
          {half > 0 && (
            <Chip isPressed={isHalf} onClick={choose(half)}>
              {value.half}
            </Chip>
          )}
          <Chip isPressed={!isAll && !isHalf} onClick={type}>
            {value.other}
          </Chip>
        </Chips>
      )}
      <AmountField
        label={value.amount}
        hint={(most < left ? value.limited : value.left)(formatMoney(most))}
        name="amount"
        value={text}
        onText={onText}
        isBig
        autofocus
        required
      />
    </div>
  )
}

const other = "other"

/** A reason of the list, or one in the seller's own words. */
export const ReasonPart = () => {
  const [chosen, setChosen] = useState("")
  const { value } = texts
  return (
    <>
      <Select
        label={value.reason}
        name="reason"
        data-testid="refund-reason"
        value={chosen}
        onChange={(event) => setChosen(event.currentTarget.value)}
      >
        <option value="">{value.noReason}</option>
        {value.reasons.map((reason) => (
          <option key={reason} value={reason}>
            {reason}
          </option>
        ))}
        <option value={other}>{value.otherReason}</option>
      </Select>
      {chosen === other && (
        <Field
          label={value.which}
          hint={value.reasonHint}
          name="ownReason"
          data-testid="refund-own-reason"
          maxLength={formLimits.refundReasonLengthMax}
          autocomplete="off"
          required
        />
      )}
    </>
  )
}

/** The chosen reason; empty without one. */
export const reasonIn = (values: FormData): string => {
  const chosen = textOf(values, "reason")
  return chosen === other ? textOf(values, "ownReason") : chosen
}

/** What the balance will be, once it is known. */
const BalanceAfter = ({ charge, amount }: { readonly charge: Transaction; readonly amount: number }) => {
  const balance = useRead("GET /v1/me/balance", {}).value.value
  const after = balance && balanceAfterRefund(amount, charge, balance)
  return (
    <dl class="sum balance-after">
      <div>
        <dt>{texts.value.balance}</dt>
        <dd class={after !== undefined && after < 0 ? "bad" : undefined} aria-live="polite">
          {after === undefined ? "…" : <Money amount={after} testId="balance-after" />}
        </dd>
      </div>
    </dl>
  )
}

interface RefundFormProps {
  readonly charge: Transaction
  /** Centavos that can still be refunded. */
  readonly left: number
  readonly onClose: () => void
  readonly onCreated: () => Promise<void>
}

/** The dialog that refunds a charge, whole or in part: to whom, how much, and what that leaves. It asks for the step-up's code itself. */
export const RefundForm = ({ charge, left, onClose, onCreated }: RefundFormProps) => {
  const limit = user.value?.refund_limit ?? null
  const most = limit === null ? left : Math.min(left, limit)
  const [text, setText] = useState(formatAmountInput(most))
  const create = useCreation("POST /v1/me/transactions/:id/refunds")
  const { value } = texts
  const amount = parseAmount(text)
  const send = async (values: FormData) => {
    if (amount === undefined || amount < formLimits.amountMin) throw refusal(value.bad)
    if (amount > left) throw refusal(value.tooMuch(formatMoney(left)))
    if (limit !== null && amount > limit) throw refusal(value.aboveLimit(formatMoney(limit)))
    const reason = reasonIn(values)
    await create({ params: { id: charge.id }, body: { amount, ...(reason === "" ? {} : { reason }) } })
    await onCreated()
  }
  return (
    <Dialog title={value.title} onClose={onClose}>
      <Form
        submit={amount === undefined ? value.submit : `${value.submit} ${formatMoney(amount)}`}
        danger
        onCancel={onClose}
        onSubmit={send}
      >
        <p>
          <strong>
            <Foreign>{charge.customer.name}</Foreign>
          </strong>
          {charge.paid_at !== null &&
            ` · ${value.paid(formatMoney(charge.amount), formatDayInSentence(charge.paid_at, today.value))}`}
        </p>
        <AmountPart isRest={left < charge.amount} left={left} most={most} text={text} onText={setText} />
        <ReasonPart />
        <BalanceAfter charge={charge} amount={amount ?? 0} />
      </Form>
    </Dialog>
  )
}
