import { useState } from "preact/hooks"
import type { Customer } from "../../../../schema/resources/customer.ts"
import { refusal } from "../../api/creation.ts"
import { call } from "../../api/http.ts"
import { formatCount, formatMoney, maskDocument } from "../../text/format.ts"
import { textsOf } from "../../text/i18n.ts"
import { Dialog } from "../../ui/dialog.tsx"
import { Field, Form, textOf } from "../../ui/form.tsx"
import { Foreign } from "../../ui/values.tsx"
import { wordsIn } from "../../ui/words.ts"

const texts = textsOf({
  "pt-BR": {
    title: "Unir a outro cliente",
    why: "Para um CPF que foi digitado errado: cobranças e totais de um cliente passam a ser do que fica, e as próximas cobranças com o documento dele também. Não há como desfazer.",
    find: "Buscar o outro cliente",
    hint: "Nome, e-mail, ou CPF ou CNPJ",
    search: "Buscar",
    none: "Nenhum outro cliente encontrado.",
    choose: "O outro cliente",
    stays: "Qual fica",
    other: "O outro",
    opened: "Este",
    submit: "Unir",
    missing: "Escolha o outro cliente.",
    charges: (count: number, text: string, paid: string) =>
      `${text} ${count === 1 ? "cobrança" : "cobranças"}, ${paid} pagos`,
  },
  en: {
    title: "Merge into another customer",
    why: "For a CPF that was mistyped: one customer's charges and totals become those of the one that stays, and so do later charges with its document. This cannot be undone.",
    find: "Find the other customer",
    hint: "Name, e-mail address, or CPF or CNPJ",
    search: "Search",
    none: "No other customer was found.",
    choose: "The other customer",
    stays: "Which one stays",
    other: "The other one",
    opened: "This one",
    submit: "Merge",
    missing: "Choose the other customer.",
    charges: (count: number, text: string, paid: string) =>
      `${text} ${count === 1 ? "charge" : "charges"}, ${paid} paid`,
  },
})

const foundMax = 8

interface MergeDialogProps {
  readonly customer: Customer
  readonly onClose: () => void
  readonly onDone: (into: Customer) => void
}

interface ChoiceProps {
  readonly of: Customer
  readonly isOnly: boolean
}

const Choice = ({ of: customer, isOnly }: ChoiceProps) => (
  <label class="checkbox" data-testid="merge-choice" data-id={customer.id}>
    <input type="radio" name="other" value={customer.id} defaultChecked={isOnly} />
    <span>
      <Foreign>{customer.name}</Foreign> · <Foreign>{maskDocument(customer.document)}</Foreign>
      <small class="second-line">
        <Foreign>{customer.email}</Foreign> ·{" "}
        {texts.value.charges(
          customer.charges,
          formatCount(customer.charges),
          formatMoney(customer.paid_amount),
        )}
      </small>
    </span>
  </label>
)

/** Makes a customer a part of another, which is looked for by words (`docs/contract/customers.md#merge`). */
export const MergeDialog = ({ customer, onClose, onDone }: MergeDialogProps) => {
  const [found, setFound] = useState<ReadonlyArray<Customer>>()
  const { value } = texts
  const search = async (values: FormData) => {
    const q = wordsIn(textOf(values, "q"))
    if (q === undefined) return
    const { data } = await call("GET /v1/me/customers", { query: { q, limit: foundMax } })
    const others = data.filter(({ id }) => id !== customer.id)
    if (others.length === 0) throw refusal(value.none)
    setFound(others)
  }
  const merge = async (values: FormData) => {
    const other = textOf(values, "other")
    if (other === "") throw refusal(value.missing)
    const [id, into] = textOf(values, "stays") === "this" ? [other, customer.id] : [customer.id, other]
    onDone(await call("POST /v1/me/customers/:id/merge", { params: { id }, body: { into } }))
  }
  return (
    <Dialog title={value.title} onClose={onClose}>
      <p class="muted">{value.why}</p>
      {found === undefined ? (
        <Form onSubmit={search} submit={value.search} onCancel={onClose}>
          <Field
            label={value.find}
            name="q"
            hint={value.hint}
            required
            autofocus
            autocomplete="off"
            data-testid="merge-search"
          />
        </Form>
      ) : (
        <Form onSubmit={merge} submit={value.submit} danger onCancel={onClose}>
          <fieldset>
            <legend>{value.choose}</legend>
            {found.map((one) => (
              <Choice key={one.id} of={one} isOnly={found.length === 1} />
            ))}
          </fieldset>
          <fieldset>
            <legend>{value.stays}</legend>
            <label class="checkbox">
              <input type="radio" name="stays" value="other" defaultChecked />
              <span>{value.other}</span>
            </label>
            <label class="checkbox" data-testid="merge-stays-this">
              <input type="radio" name="stays" value="this" />
              <span>
                {value.opened}: <Foreign>{customer.name}</Foreign> ·{" "}
                <Foreign>{maskDocument(customer.document)}</Foreign>
              </span>
            </label>
          </fieldset>
        </Form>
      )}
    </Dialog>
  )
}
