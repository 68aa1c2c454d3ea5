import type { Transaction } from "../../../../schema/resources/transaction.ts"
import { formatMoney } from "../../text/format.ts"
import { textsOf } from "../../text/i18n.ts"
import { Button } from "../../ui/button.tsx"
import { Icon } from "../../ui/icons.tsx"
import { saveFile } from "../../ui/saveFile.ts"
import { Copy } from "../../ui/values.tsx"
import "../../styles/charges.css"

const texts = textsOf({
  "pt-BR": {
    email: "E-mail",
    copyLink: "Copiar link",
    saveQr: "Baixar QR",
    subject: (money: string) => `Pix de ${money}`,
    message: (money: string, url: string) => `Olá! Para pagar ${money} por Pix, abra: ${url}`,
  },
  en: {
    email: "E-mail",
    copyLink: "Copy link",
    saveQr: "Download QR",
    subject: (money: string) => `Pix of ${money}`,
    message: (money: string, url: string) => `Hello! To pay ${money} by Pix, open: ${url}`,
  },
})

const pngOf = (base64: string): Blob =>
  new Blob([Uint8Array.from(atob(base64), (byte) => byte.charCodeAt(0))], { type: "image/png" })

/** How a charge's payment link reaches its payer: by WhatsApp, by mail, copied, or as the picture of its QR code. */
export const Share = ({
  charge: { amount, customer, id, payment_url, pix },
}: {
  readonly charge: Transaction
}) => {
  const { value } = texts
  const money = formatMoney(amount)
  const message = encodeURIComponent(value.message(money, payment_url))
  const mail = `mailto:${encodeURIComponent(customer.email)}?subject=${encodeURIComponent(value.subject(money))}&body=${message}`
  return (
    <div class="share" data-testid="share">
      <a class="button primary" href={`https://wa.me/?text=${message}`} target="_blank" rel="noreferrer">
        <Icon name="phone" /> WhatsApp
      </a>
      <a class="button plain" href={mail}>
        <Icon name="mail" /> {value.email}
      </a>
      <Copy text={payment_url} label={value.copyLink} />
      <Button onClick={() => saveFile(pngOf(pix.qr_base64), `pix-${id}.png`)}>
        <Icon name="download" /> {value.saveQr}
      </Button>
    </div>
  )
}
