import type { Transaction } from "../../../../schema/resources/transaction.ts"
import { textsOf } from "../../text/i18n.ts"
import { Card } from "../../ui/page.tsx"
import { Code, Copy, Moment } from "../../ui/values.tsx"

const texts = textsOf({
  "pt-BR": {
    title: "PIX",
    qr: "QR code para pagar esta cobrança",
    payload: "PIX copia e cola",
    copyPayload: "Copiar código",
    link: "Link de pagamento",
    copyLink: "Copiar link",
    linkHint: "Mande a quem paga: a página mostra o QR code e avisa quando o pagamento cai.",
    until: "Pode ser pago até",
    over: "Este código não está mais à espera de pagamento.",
  },
  en: {
    title: "PIX",
    qr: "QR code to pay this charge",
    payload: "PIX copy-and-paste code",
    copyPayload: "Copy code",
    link: "Payment link",
    copyLink: "Copy link",
    linkHint: "Send it to the payer: the page shows the QR code, and says when the payment has arrived.",
    until: "Can be paid until",
    over: "This code does not wait for a payment any more.",
  },
})

const PaymentLink = ({ url }: { readonly url: string }) => (
  <div class="pay-part">
    <strong>{texts.value.link}</strong>
    <a class="code" href={url} target="_blank" rel="noreferrer">
      {url}
    </a>
    <small class="muted">{texts.value.linkHint}</small>
    <Copy text={url} label={texts.value.copyLink} />
  </div>
)

/** How a charge is paid: QR code, copy-and-paste code and the link to its payment page. */
export const PayCard = ({ charge }: { readonly charge: Transaction }) => (
  <Card title={texts.value.title}>
    <div class="pay">
      <p class="muted">
        {charge.status === "pending" ? (
          <>
            {texts.value.until} <Moment at={charge.expires_at} />
          </>
        ) : (
          texts.value.over
        )}
      </p>
      <img
        class="pay-qr"
        data-testid="charge-qr"
        src={`data:image/png;base64,${charge.pix.qr_base64}`}
        alt={texts.value.qr}
      />
      <div class="pay-part">
        <strong>{texts.value.payload}</strong>
        <Code testId="pix-payload">{charge.pix.payload}</Code>
        <Copy text={charge.pix.payload} label={texts.value.copyPayload} />
      </div>
      {charge.payment_url !== undefined && <PaymentLink url={charge.payment_url} />}
    </div>
  </Card>
)
