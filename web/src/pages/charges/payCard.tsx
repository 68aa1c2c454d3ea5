import type { Transaction } from "../../../../schema/resources/transaction.ts"
import { textsOf } from "../../text/i18n.ts"
import { Card } from "../../ui/page.tsx"
import { Code, Copy, Moment } from "../../ui/values.tsx"
import { Share } from "./share.tsx"
import "../../styles/charges.css"

const texts = textsOf({
  "pt-BR": {
    title: "Mande a quem paga",
    qr: "QR code para pagar esta cobrança",
    payload: "Pix copia e cola",
    copyPayload: "Copiar código",
    page: "Ver a página de pagamento",
    until: "Pode ser pago até",
  },
  en: {
    title: "Send it to the payer",
    qr: "QR code to pay this charge",
    payload: "Pix copy-and-paste code",
    copyPayload: "Copy code",
    page: "See the payment page",
    until: "Can be paid until",
  },
})

/** The QR code of a charge that waits for its payment, its copy-and-paste code, and what sends them to the payer. */
export const Pay = ({ charge }: { readonly charge: Transaction }) => (
  <div class="pay">
    <img
      class="pay-qr"
      data-testid="charge-qr"
      src={`data:image/png;base64,${charge.pix.qr_base64}`}
      alt={texts.value.qr}
    />
    <div class="pay-parts">
      <p class="muted">
        {texts.value.until} <Moment at={charge.expires_at} />
      </p>
      <Share charge={charge} />
      <div class="pay-part">
        <strong>{texts.value.payload}</strong>
        <Code testId="pix-payload">{charge.pix.payload}</Code>
        <Copy text={charge.pix.payload} label={texts.value.copyPayload} />
      </div>
      <a href={charge.payment_url} target="_blank" rel="noreferrer">
        {texts.value.page}
      </a>
    </div>
  </div>
)

/** How a charge is paid. */
export const PayCard = ({ charge }: { readonly charge: Transaction }) => (
  <Card title={texts.value.title}>
    <Pay charge={charge} />
  </Card>
)
