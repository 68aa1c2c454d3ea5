import { formLimits } from "../../../../schema/formLimits.ts"
import type { SellerProfile } from "../../../../schema/resources/seller.ts"
import { call } from "../../api/http.ts"
import { textsOf } from "../../text/i18n.ts"
import { Dialog } from "../../ui/dialog.tsx"
import { Field, Form, textOf } from "../../ui/form.tsx"
import { inWords } from "./failures.ts"

const texts = textsOf({
  "pt-BR": {
    nameTitle: "Mudar nome da loja",
    name: "Nome da loja",
    nameHint: "Seus clientes o veem na página de pagamento.",
    ownNameTitle: "Mudar seu nome",
    ownName: "Seu nome",
    ownNameHint: "Usamos nos e-mails que enviamos a você. O nome da loja não muda.",
    save: "Salvar",
    documentTitle: "Informar CPF ou CNPJ",
    document: "CPF ou CNPJ",
    documentOnce: "Depois de salvo, ele só muda com uma nova identificação.",
    kycTitle: "Enviar identificação",
    kycWhy: "Nossa equipe confere se o documento pertence ao nome informado. Você verá o resultado aqui.",
    legalName: "Nome completo ou razão social",
    legalNameHint: "Como está no documento.",
    submit: "Enviar para análise",
  },
  en: {
    nameTitle: "Change the store's name",
    name: "Store name",
    nameHint: "Your customers see it on the payment page.",
    ownNameTitle: "Change your name",
    ownName: "Your name",
    ownNameHint: "Used in mails to you. The store keeps its name.",
    save: "Save",
    documentTitle: "Enter CPF or CNPJ",
    document: "CPF or CNPJ",
    documentOnce: "Once saved, only a new identification changes it.",
    kycTitle: "Submit identification",
    kycWhy: "Our team checks that the document belongs to this name. The result is shown here.",
    legalName: "Full name or company name",
    legalNameHint: "As it stands on the document.",
    submit: "Submit for review",
  },
})

interface DialogProps {
  readonly onClose: () => void
  readonly onDone: (seller: SellerProfile) => void
}

const documentLengthMax = 32

const patch = (change: { readonly name?: string; readonly document?: string }) =>
  inWords(call("PATCH /v1/me/seller", { body: change }))

const DocumentField = ({ hint, autofocus }: { readonly hint?: string; readonly autofocus?: boolean }) => (
  <Field
    label={texts.value.document}
    hint={hint}
    name="document"
    required
    maxLength={documentLengthMax}
    autocomplete="off"
    data-testid="document-input"
    {...(autofocus === undefined ? {} : { autofocus })}
  />
)

/** Changes the store's name. */
export const NameDialog = ({ name, onClose, onDone }: DialogProps & { readonly name: string }) => {
  const { value } = texts
  return (
    <Dialog title={value.nameTitle} onClose={onClose}>
      <Form
        submit={value.save}
        onCancel={onClose}
        onSubmit={async (values) => onDone(await patch({ name: textOf(values, "name") }))}
      >
        <Field
          label={value.name}
          hint={value.nameHint}
          name="name"
          required
          autofocus
          maxLength={formLimits.nameLengthMax}
          defaultValue={name}
          autocomplete="organization"
          data-testid="name-input"
        />
      </Form>
    </Dialog>
  )
}

/** Changes the user's own name. */
export const OwnNameDialog = ({
  name,
  onClose,
  onDone,
}: {
  readonly name: string
  readonly onClose: () => void
  readonly onDone: (name: string) => void
}) => {
  const { value } = texts
  const send = async (values: FormData) => {
    const given = textOf(values, "name")
    await inWords(call("POST /v1/me/auth/update-user", { body: { name: given }, isRepeatable: true }))
    onDone(given)
  }
  return (
    <Dialog title={value.ownNameTitle} onClose={onClose}>
      <Form submit={value.save} onCancel={onClose} onSubmit={send}>
        <Field
          label={value.ownName}
          hint={value.ownNameHint}
          name="name"
          required
          autofocus
          maxLength={formLimits.nameLengthMax}
          defaultValue={name}
          autocomplete="name"
          data-testid="own-name-input"
        />
      </Form>
    </Dialog>
  )
}

/** Sets the document of a store that has none. */
export const DocumentDialog = ({ onClose, onDone }: DialogProps) => {
  const { value } = texts
  return (
    <Dialog title={value.documentTitle} onClose={onClose}>
      <Form
        submit={value.save}
        onCancel={onClose}
        onSubmit={async (values) => onDone(await patch({ document: textOf(values, "document") }))}
      >
        <DocumentField hint={value.documentOnce} autofocus />
      </Form>
    </Dialog>
  )
}

/** Submits the store's identification (`docs/contract/sellers.md#kyc`). */
export const IdentificationDialog = ({ onClose, onDone }: DialogProps) => {
  const { value } = texts
  const send = async (values: FormData) => {
    const body = { document: textOf(values, "document"), legal_name: textOf(values, "legal_name") }
    onDone(await inWords(call("POST /v1/me/kyc", { body })))
  }
  return (
    <Dialog title={value.kycTitle} onClose={onClose}>
      <Form submit={value.submit} onCancel={onClose} onSubmit={send}>
        <p>{value.kycWhy}</p>
        <DocumentField autofocus />
        <Field
          label={value.legalName}
          hint={value.legalNameHint}
          name="legal_name"
          required
          maxLength={formLimits.nameLengthMax}
          autocomplete="off"
          data-testid="legal-name-input"
        />
      </Form>
    </Dialog>
  )
}
