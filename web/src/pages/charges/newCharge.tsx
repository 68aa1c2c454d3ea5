import { useEffect, useRef, useState } from "preact/hooks"
import { parseAmount } from "../../../../schema/amountText.ts"
import { formLimits } from "../../../../schema/formLimits.ts"
import type { Transaction } from "../../../../schema/resources/transaction.ts"
import { refusal, useCreation } from "../../api/creation.ts"
import { chargeOf, onEvent } from "../../api/live.ts"
import { mode } from "../../api/session.ts"
import { formatAmountInput } from "../../text/amount.ts"
import { textsOf } from "../../text/i18n.ts"
import { Button } from "../../ui/button.tsx"
import { Dialog } from "../../ui/dialog.tsx"
import { AmountField, Checkbox, Field, Form, Select, textOf } from "../../ui/form.tsx"
import { uiTexts } from "../../ui/texts.ts"
import { Foreign, Money, Status } from "../../ui/values.tsx"
import { Pay } from "./payCard.tsx"
import type { AmountEnding } from "./rules.ts"
import { bodyOf, type ChargeDraft, endingOf, problemOf } from "./rules.ts"
import "../../styles/charges.css"

/** What the endings of amounts do in test mode, in words. */
const endingTexts = textsOf<Readonly<Record<AmountEnding, string>>>({
  "pt-BR": {
    paid: "No teste, é paga sozinha em poucos segundos.",
    never_paid: "Termina em 01: no teste, nunca é paga e expira.",
    fails: "Termina em 02: no teste, falha poucos segundos depois.",
    refused: "Termina em 03: no teste, a criação é recusada.",
    refunded: "Termina em 04: no teste, é paga e depois devolvida.",
    charged_back: "Termina em 05: no teste, é paga e depois contestada.",
  },
  en: {
    paid: "In test mode it is paid by itself within a few seconds.",
    never_paid: "Ends in 01: in test mode it is never paid, and expires.",
    fails: "Ends in 02: in test mode it fails a few seconds later.",
    refused: "Ends in 03: in test mode its creation is refused.",
    refunded: "Ends in 04: in test mode it is paid, then refunded.",
    charged_back: "Ends in 05: in test mode it is paid, then charged back.",
  },
})

const texts = textsOf({
  "pt-BR": {
    title: "Nova cobrança",
    create: "Criar cobrança",
    amount: "Valor",
    customer: "Quem paga",
    name: "Nome",
    email: "E-mail",
    document: "CPF ou CNPJ",
    description: "Descrição",
    descriptionHint: "O que está sendo pago.",
    reference: "Referência",
    referenceHint: "Para você encontrar a cobrança, como o número do pedido.",
    showOnPage: "Mostrar descrição e referência na página de pagamento",
    details: "Detalhes",
    created: "Cobrança criada",
    open: "Ver cobrança",
    item: "Cobrança Pix",
    expiry: "Vale por",
    hour: "1 hora",
    day: "1 dia",
    week: "7 dias",
    month: "30 dias",
    problems: {
      amount: "Informe um valor como 12,90.",
      name: `Informe o nome de quem paga, com pelo menos ${formLimits.customerNameLengthMin} letras.`,
      email: "Informe um e-mail válido de quem paga.",
      document: "Informe um CPF (11 dígitos) ou um CNPJ (14 caracteres).",
    },
  },
  en: {
    title: "New charge",
    create: "Create charge",
    amount: "Amount",
    customer: "Payer",
    name: "Name",
    email: "E-mail address",
    document: "CPF or CNPJ",
    description: "Description",
    descriptionHint: "What is paid for.",
    reference: "Reference",
    referenceHint: "For you to find the charge by, such as an order's number.",
    showOnPage: "Show description and reference on the payment page",
    details: "Details",
    created: "Charge created",
    open: "See the charge",
    item: "Pix charge",
    expiry: "Valid for",
    hour: "1 hour",
    day: "1 day",
    week: "7 days",
    month: "30 days",
    problems: {
      amount: "Enter an amount such as 12,90.",
      name: `Enter the payer's name, of at least ${formLimits.customerNameLengthMin} letters.`,
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
  isShownOnPage: values.has("showOnPage"),
  expiresInSeconds: Number(textOf(values, "expiry")),
})

interface NewChargeProps {
  /** Centavos that the form begins with. */
  readonly amount?: number | undefined
  readonly onClose: () => void
  /** Told when the user wants to see the charge that was made. */
  readonly onCreated: (charge: Transaction) => void
}

/** The amount; in test mode the hint says what its last two digits will do. */
const ChargeAmount = ({ amount }: { readonly amount: number | undefined }) => {
  const [text, setText] = useState(amount === undefined ? "" : formatAmountInput(amount))
  const centavos = parseAmount(text)
  const hint =
    mode.value === "test" && centavos !== undefined ? endingTexts.value[endingOf(centavos)] : undefined
  return (
    <AmountField
      label={texts.value.amount}
      name="amount"
      value={text}
      onText={setText}
      hint={hint}
      isBig
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
        maxLength={formLimits.customerNameLengthMax}
        autocomplete="off"
        required
      />
      <Field
        label={texts.value.email}
        name="email"
        data-testid="customer-email"
        inputMode="email"
        defaultValue={given.email}
        maxLength={formLimits.customerEmailLengthMax}
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

interface FieldsProps {
  readonly amount: number | undefined
  readonly onClose: () => void
  readonly onCreated: (charge: Transaction) => void
}

const Fields = ({ amount, onClose, onCreated }: FieldsProps) => {
  const create = useCreation("POST /v1/me/transactions")
  const { value } = texts
  const send = async (values: FormData) => {
    const draft = draftOf(values)
    const problem = problemOf(draft)
    if (problem !== undefined) throw refusal(value.problems[problem])
    onCreated(await create({ body: bodyOf(draft, value.item) }))
  }
  return (
    <Form submit={value.create} onCancel={onClose} onSubmit={send}>
      <ChargeAmount amount={amount} />
      <CustomerFields />
      <details class="fold-fields">
        <summary>{value.details}</summary>
        <div class="form">
          <Field
            label={value.description}
            hint={value.descriptionHint}
            name="description"
            placeholder={value.item}
            maxLength={formLimits.chargeDescriptionLengthMax}
          />
          <Field
            label={value.reference}
            hint={value.referenceHint}
            name="reference"
            maxLength={formLimits.chargeReferenceLengthMax}
          />
          <Checkbox label={value.showOnPage} name="showOnPage" />
          <Select label={value.expiry} name="expiry">
            {expiries.map(([name, seconds]) => (
              <option key={name} value={String(seconds)} selected={name === "day"}>
                {value[name]}
              </option>
            ))}
          </Select>
        </div>
      </details>
    </Form>
  )
}

interface CreatedProps {
  readonly charge: Transaction
  readonly onClose: () => void
  readonly onOpen: () => void
}

/** A charge that was just made, with what sends it to its payer; it turns paid while it is shown. */
const Created = ({ charge, onClose, onOpen }: CreatedProps) => {
  const [now, setNow] = useState(charge)
  const { value } = texts
  useEffect(
    () =>
      onEvent((event) => {
        const changed = chargeOf(event)
        if (changed?.id === charge.id) setNow(changed)
      }),
    [charge.id],
  )
  const open = useRef<HTMLDivElement>(null)
  useEffect(() => open.current?.querySelector<HTMLElement>("a, button")?.focus(), [])
  return (
    <div ref={open} class="form" data-testid="charge-created">
      <p class="created-head">
        <strong>
          <Money amount={now.amount} />
        </strong>{" "}
        <Status status={now.status} testId="created-status" /> <Foreign>{now.customer.name}</Foreign>
      </p>
      {now.status === "pending" && <Pay charge={now} />}
      <div class="form-buttons">
        <Button onClick={onClose}>{uiTexts.value.close}</Button>
        <Button kind="primary" data-testid="created-open" onClick={onOpen}>
          {value.open}
        </Button>
      </div>
    </div>
  )
}

/** The dialog that creates a charge, in test and live alike, and then shows what sends it to its payer. */
export const NewCharge = ({ amount, onClose, onCreated }: NewChargeProps) => {
  const [created, setCreated] = useState<Transaction>()
  return (
    <Dialog title={created === undefined ? texts.value.title : texts.value.created} onClose={onClose}>
      {created === undefined ? (
        <Fields amount={amount} onClose={onClose} onCreated={setCreated} />
      ) : (
        <Created charge={created} onClose={onClose} onOpen={() => onCreated(created)} />
      )}
    </Dialog>
  )
}
