import { useState } from "preact/hooks"
import { parseAmount } from "../../../../schema/amountText.ts"
import { formLimits } from "../../../../schema/formLimits.ts"
import type { PaymentLink } from "../../../../schema/resources/paymentLink.ts"
import { refusal, useCreation } from "../../api/creation.ts"
import { call } from "../../api/http.ts"
import { formatAmountInput } from "../../text/amount.ts"
import { textsOf } from "../../text/i18n.ts"
import { Dialog } from "../../ui/dialog.tsx"
import { AmountField, Checkbox, Field, Form, textOf } from "../../ui/form.tsx"
import { bodyOf, changesOf, type LinkDraft, lastDayOf, problemOf } from "./rules.ts"
import "../../styles/charges.css"

const texts = textsOf({
  "pt-BR": {
    create: "Novo link de pagamento",
    change: "Editar link",
    submitNew: "Criar link",
    submitChange: "Salvar",
    name: "O que está sendo pago",
    nameHint: "Quem paga vê este título.",
    description: "Descrição",
    amount: "Valor",
    isOpen: "Quem paga escolhe o valor",
    least: "Valor mínimo",
    most: "Valor máximo",
    until: "Aceita pagamentos até o fim de",
    paymentsMax: "Número máximo de pagamentos",
    paymentsHint: "Um Pix pendente guarda a vaga por até 30 minutos.",
    reference: "Referência",
    referenceHint: "Para você encontrar as cobranças deste link. Quem paga também a vê.",
    returnUrl: "Página para voltar depois de pagar",
    more: "Mais opções",
    problems: {
      title: "Informe o que está sendo pago.",
      amount: "Informe um valor como 12,90, ou deixe quem paga escolher.",
      bounds: "O valor máximo não pode ser menor que o mínimo.",
      payments: "Informe um número de pagamentos de 1 a 1.000.000.",
    },
  },
  en: {
    create: "New payment link",
    change: "Edit link",
    submitNew: "Create link",
    submitChange: "Save",
    name: "What is paid for",
    nameHint: "Payers see this title.",
    description: "Description",
    amount: "Amount",
    isOpen: "Payers choose the amount",
    least: "Minimum amount",
    most: "Maximum amount",
    until: "Takes payments until the end of",
    paymentsMax: "Maximum number of payments",
    paymentsHint: "A pending Pix keeps its place for up to 30 minutes.",
    reference: "Reference",
    referenceHint: "For you to find this link's charges by. Payers see it too.",
    returnUrl: "Page to go back to after paying",
    more: "More options",
    problems: {
      title: "Enter what is paid for.",
      amount: "Enter an amount such as 12,90, or let payers choose.",
      bounds: "The maximum must not be below the minimum.",
      payments: "Enter a number of payments from 1 to 1,000,000.",
    },
  },
})

const draftOf = (values: FormData): LinkDraft => ({
  title: textOf(values, "title"),
  description: textOf(values, "description"),
  isOpen: values.has("isOpen"),
  amount: parseAmount(textOf(values, "amount")),
  least: parseAmount(textOf(values, "least")),
  most: parseAmount(textOf(values, "most")),
  until: textOf(values, "until"),
  paymentsMax: textOf(values, "paymentsMax"),
  reference: textOf(values, "reference"),
  returnUrl: textOf(values, "returnUrl"),
})

const amountText = (centavos: number | null | undefined): string =>
  centavos === null || centavos === undefined ? "" : formatAmountInput(centavos)

/** One amount, or the bounds of what payers choose. */
const AmountFields = ({ link }: { readonly link: PaymentLink | undefined }) => {
  const { value } = texts
  const [isOpen, setOpen] = useState(link !== undefined && link.amount === null)
  const [amount, setAmount] = useState(amountText(link?.amount))
  const [least, setLeast] = useState(amountText(link?.amount_min))
  const [most, setMost] = useState(amountText(link?.amount_max))
  return (
    <>
      {isOpen ? (
        <>
          <AmountField label={value.least} name="least" value={least} onText={setLeast} />
          <AmountField label={value.most} name="most" value={most} onText={setMost} />
        </>
      ) : (
        <AmountField label={value.amount} name="amount" value={amount} onText={setAmount} required />
      )}
      <Checkbox
        label={value.isOpen}
        name="isOpen"
        checked={isOpen}
        onChange={(event) => setOpen(event.currentTarget.checked)}
      />
    </>
  )
}

const MoreFields = ({ link }: { readonly link: PaymentLink | undefined }) => {
  const { value } = texts
  return (
    <details class="fold-fields">
      <summary>{value.more}</summary>
      <div class="form">
        <Field
          label={value.description}
          name="description"
          defaultValue={link?.description ?? ""}
          maxLength={formLimits.chargeDescriptionLengthMax}
        />
        <Field
          label={value.until}
          name="until"
          type="date"
          defaultValue={link === undefined ? "" : lastDayOf(link)}
        />
        <Field
          label={value.paymentsMax}
          hint={value.paymentsHint}
          name="paymentsMax"
          inputMode="numeric"
          defaultValue={link?.payments_max === null ? "" : String(link?.payments_max ?? "")}
          maxLength={7}
        />
        <Field
          label={value.reference}
          hint={value.referenceHint}
          name="reference"
          defaultValue={link?.reference ?? ""}
          maxLength={formLimits.chargeReferenceLengthMax}
        />
        <Field
          label={value.returnUrl}
          name="returnUrl"
          type="url"
          placeholder="https://"
          defaultValue={link?.return_url ?? ""}
          maxLength={formLimits.destinationUrlLengthMax}
        />
      </div>
    </details>
  )
}

interface LinkFormProps {
  /** The link to change; undefined: a new one is made. */
  readonly link?: PaymentLink
  readonly onClose: () => void
  readonly onDone: (link: PaymentLink) => void
}

/** The dialog that makes or changes a payment link. */
export const LinkForm = ({ link, onClose, onDone }: LinkFormProps) => {
  const create = useCreation("POST /v1/me/payment-links")
  const { value } = texts
  const send = async (values: FormData) => {
    const draft = draftOf(values)
    const problem = problemOf(draft)
    if (problem !== undefined) throw refusal(value.problems[problem])
    if (link === undefined) return onDone(await create({ body: bodyOf(draft) }))
    const body = changesOf(link, draft)
    onDone(await call("PATCH /v1/me/payment-links/:id", { params: { id: link.id }, body }))
  }
  return (
    <Dialog title={link === undefined ? value.create : value.change} onClose={onClose}>
      <Form
        submit={link === undefined ? value.submitNew : value.submitChange}
        onCancel={onClose}
        onSubmit={send}
      >
        <Field
          label={value.name}
          hint={value.nameHint}
          name="title"
          defaultValue={link?.title ?? ""}
          maxLength={formLimits.paymentLinkTitleLengthMax}
          autocomplete="off"
          autofocus
          required
        />
        <AmountFields link={link} />
        <MoreFields link={link} />
      </Form>
    </Dialog>
  )
}
