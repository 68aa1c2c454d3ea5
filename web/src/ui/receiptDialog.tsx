import { useState } from "preact/hooks"
import type { CorrenteError } from "../../../client/src/errors.ts"
import { formLimits } from "../../../schema/formLimits.ts"
import { call, download } from "../api/http.ts"
import { failureOf } from "../api/resource.ts"
import { language, textsOf } from "../text/i18n.ts"
import { Button } from "./button.tsx"
import { Dialog } from "./dialog.tsx"
import { FormError } from "./feedback.tsx"
import { Field, Form, textOf } from "./form.tsx"
import { Icon } from "./icons.tsx"
import { notify } from "./notice.tsx"
import { OfRole } from "./ofRole.tsx"
import type { ReceiptOf } from "./receiptOf.ts"
import { saveFile } from "./saveFile.ts"

const texts = textsOf({
  "pt-BR": {
    title: "Comprovante",
    see: "Ver comprovante",
    save: "Baixar PDF",
    saved: "Arquivo baixado",
    email: "Enviar por e-mail para",
    hints: {
      transactions:
        "O PDF vai em anexo, com um link para a página. O comprovante não mostra tarifas nem notas.",
      refunds: "O PDF vai em anexo. O comprovante não mostra tarifas nem notas.",
      withdrawals: "O PDF vai em anexo. O comprovante mostra o valor, a tarifa e a chave Pix do saque.",
    },
    send: "Enviar",
    sent: (email: string) => `Comprovante enviado para ${email}.`,
  },
  en: {
    title: "Receipt",
    see: "See the receipt",
    save: "Download PDF",
    saved: "File downloaded",
    email: "E-mail it to",
    hints: {
      transactions: "The PDF is attached, with a link to its page. The receipt shows no fees and no notes.",
      refunds: "The PDF is attached. The receipt shows no fees and no notes.",
      withdrawals: "The PDF is attached. The receipt shows the withdrawal's amount, fee and Pix key.",
    },
    send: "Send",
    sent: (email: string) => `Receipt sent to ${email}.`,
  },
})

type File = ReceiptOf & { readonly kind: "refunds" | "withdrawals" }

/** Saves the PDF of a refund or a withdrawal. */
const SavePdf = ({ kind, id }: File) => {
  const [error, setError] = useState<CorrenteError>()
  const save = async () => {
    setError(undefined)
    try {
      const query = { locale: language.value }
      const { bytes, name } = await download(`GET /v1/me/${kind}/:id/receipt.pdf`, { params: { id }, query })
      saveFile(bytes, name)
      notify(`${texts.value.saved}: ${name}`)
    } catch (cause) {
      setError(failureOf(cause))
    }
  }
  return (
    <>
      <Button data-testid="receipt-save" onClick={save}>
        <Icon name="download" /> {texts.value.save}
      </Button>
      <FormError error={error} />
    </>
  )
}

const Links = ({ url }: { readonly url: string }) => (
  <>
    <a class="button" href={url} target="_blank" rel="noreferrer" data-testid="receipt-see">
      <Icon name="link" /> {texts.value.see}
    </a>
    <a class="button plain" href={`${url}.pdf`} target="_blank" rel="noreferrer" data-testid="receipt-save">
      <Icon name="download" /> {texts.value.save}
    </a>
  </>
)

const isFile = (of: ReceiptOf): of is File => of.kind !== "transactions"

/** Shows, saves or mails a receipt. */
export const ReceiptDialog = ({ onClose, ...of }: ReceiptOf & { readonly onClose: () => void }) => {
  const { value } = texts
  const send = async (values: FormData) => {
    const email = textOf(values, "email")
    const body = { email, locale: language.value }
    await call(`POST /v1/me/${of.kind}/:id/receipt/send`, { params: { id: of.id }, body })
    notify(value.sent(email))
    onClose()
  }
  return (
    <Dialog title={value.title} onClose={onClose}>
      <div class="receipt-acts">
        {of.url !== undefined && <Links url={of.url} />}
        {isFile(of) && <SavePdf {...of} />}
      </div>
      <OfRole act="serving">
        <Form onSubmit={send} submit={value.send} onCancel={onClose}>
          <Field
            label={value.email}
            hint={value.hints[of.kind]}
            name="email"
            type="email"
            required
            autocomplete="off"
            defaultValue={of.email ?? ""}
            maxLength={formLimits.customerEmailLengthMax}
            data-testid="receipt-email"
          />
        </Form>
      </OfRole>
    </Dialog>
  )
}
