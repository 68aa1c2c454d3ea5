import { useState } from "preact/hooks"
import type { Transaction } from "../../../../schema/resources/transaction.ts"
import { refusal, useCreation } from "../../api/creation.ts"
import { mode } from "../../api/session.ts"
import { parseAmount } from "../../text/amount.ts"
import { formatAmountInput } from "../../text/format.ts"
import { textsOf } from "../../text/i18n.ts"
import { Dialog } from "../../ui/dialog.tsx"
import { Field, Form, Select, textOf } from "../../ui/form.tsx"
import { endingTexts } from "./endingTexts.ts"
import { bodyOf, type ChargeDraft, endingOf, problemOf } from "./rules.ts"

const texts = textsOf({
  "pt-BR": {
    title: "Nova cobrança",
    create: "Criar cobrança",
    amount: "Valor (R$)",
    customer: "Quem paga",
    name: "Nome",
    email: "E-mail",
    document: "CPF ou CNPJ",
    description: "Descrição",
    descriptionHint: "O que está sendo pago.",
    reference: "Referência",
    referenceHint: "Para você encontrar a cobrança, como o número do pedido.",
    item: "Cobrança PIX",
    expiry: "Vale por",
    hour: "1 hora",
    day: "1 dia",
    week: "7 dias",
    month: "30 dias",
    problems: {
      amount: "Informe um valor como 12,90.",
      name: "Informe o nome de quem paga, com pelo menos 2 letras.",
      email: "Informe um e-mail válido de quem paga.",
      document: "Informe um CPF (11 dígitos) ou um CNPJ (14 caracteres).",
    },
  },
  en: {
    title: "New charge",
    create: "Create charge",
    amount: "Amount (R$)",
    customer: "Who pays",
    name: "Name",
    email: "E-mail address",
    document: "CPF or CNPJ",
    description: "Description",
    descriptionHint: "What is paid for.",
    reference: "Reference",
    referenceHint: "For you to find the charge by, such as an order's number.",
    item: "PIX charge",
    expiry: "Valid for",
    hour: "1 hour",
    day: "1 day",
    week: "7 days",
    month: "30 days",
    problems: {
      amount: "Enter an amount such as 12,90.",
      name: "Enter the payer's name, of at least 2 letters.",
      email: "Enter a valid e-mail address of the payer.",
      document: "Enter a CPF (11 digits) or a CNPJ (14 characters).",
    },
  },
})

/** A payer for test charges, so that the first one takes a single field. */
const testCustomer = { name: "Ana Souza", email: "ana@example.com", document: "529.982.247-25" }

const expiries = [
  ["hour", 3_600],
  ["day", 86_400],
  ["week", 604_800],
  ["month", 2_592_000],
] as const

const draftOf = (values: FormData): ChargeDraft => ({
  amount: parseAmount(textOf(values, "amount")),
  name: textOf(values, "name"),
  email: textOf(values, "email"),
  document: textOf(values, "document"),
  description: textOf(values, "description"),
  reference: textOf(values, "reference"),
  expiresInSeconds: Number(textOf(values, "expiry")),
})

interface NewChargeProps {
  /** Centavos that the form begins with. */
  readonly amount?: number | undefined
  readonly onClose: () => void
  readonly onCreated: (charge: Transaction) => void
}

/** The amount; in test mode the hint says what its last two digits will do. */
const AmountField = ({ amount }: { readonly amount: number | undefined }) => {
  const [text, setText] = useState(amount === undefined ? "" : formatAmountInput(amount))
  const centavos = parseAmount(text)
  const hint =
    mode.value === "test" && centavos !== undefined ? endingTexts.value[endingOf(centavos)] : undefined
  return (
    <Field
      label={texts.value.amount}
      name="amount"
      data-testid="amount-input"
      inputMode="decimal"
      placeholder="12,90"
      value={text}
      onInput={(event) => setText(event.currentTarget.value)}
      hint={hint}
      autofocus
      required
    />
  )
}

/** Who pays. */
const CustomerFields = () => {
  const given = mode.value === "test" ? testCustomer : { name: "", email: "", document: "" }
  return (
    <fieldset class="form">
      <legend class="visually-hidden">{texts.value.customer}</legend>
      <Field
        label={texts.value.name}
        name="name"
        data-testid="customer-name"
        defaultValue={given.name}
        maxLength={120}
        autocomplete="off"
        required
      />
      <Field
        label={texts.value.email}
        name="email"
        data-testid="customer-email"
        inputMode="email"
        defaultValue={given.email}
        maxLength={254}
        autocomplete="off"
        required
      />
      <Field
        label={texts.value.document}
        name="document"
        data-testid="customer-document"
        defaultValue={given.document}
        maxLength={20}
        autocomplete="off"
        required
      />
    </fieldset>
  )
}

/** The dialog that creates a charge, in test and live alike. */
export const NewCharge = ({ amount, onClose, onCreated }: NewChargeProps) => {
  const create = useCreation<Transaction>("/v1/me/transactions")
  const send = async (values: FormData) => {
    const draft = draftOf(values)
    const problem = problemOf(draft)
    if (problem !== undefined) throw refusal(texts.value.problems[problem])
    onCreated(await create(bodyOf(draft, texts.value.item)))
  }
  return (
    <Dialog title={texts.value.title} onClose={onClose}>
      <Form submit={texts.value.create} onCancel={onClose} onSubmit={send}>
        <AmountField amount={amount} />
        <CustomerFields />
        <Field
          label={texts.value.description}
          hint={texts.value.descriptionHint}
          name="description"
          placeholder={texts.value.item}
          maxLength={200}
        />
        <Field
          label={texts.value.reference}
          hint={texts.value.referenceHint}
          name="reference"
          maxLength={200}
        />
        <Select label={texts.value.expiry} name="expiry">
          {expiries.map(([name, seconds]) => (
            <option key={name} value={String(seconds)} selected={name === "day"}>
              {texts.value[name]}
            </option>
          ))}
        </Select>
      </Form>
    </Dialog>
  )
}
