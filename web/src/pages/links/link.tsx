import { useEffect, useState } from "preact/hooks"
import type { PaymentLink } from "../../../../schema/resources/paymentLink.ts"
import { call } from "../../api/http.ts"
import { useRead } from "../../api/resource.ts"
import { Link, type PageParams } from "../../app/router.tsx"
import { formatCount, formatMoney } from "../../text/format.ts"
import { textsOf } from "../../text/i18n.ts"
import { Button } from "../../ui/button.tsx"
import { Icon } from "../../ui/icons.tsx"
import { notify } from "../../ui/notice.tsx"
import { Card, Facts, isReady, Page, Shown } from "../../ui/page.tsx"
import { saveFile } from "../../ui/saveFile.ts"
import { Code, CopiedCode, Copy, Foreign, Moment, Money } from "../../ui/values.tsx"
import { useTotals } from "../charges/totals.tsx"
import { LinkForm } from "./linkForm.tsx"
import { LinkStatus, linkAmount } from "./linkParts.tsx"
import { qrFileName, qrPicture } from "./qrPicture.ts"
import { countsInLink } from "./rules.ts"
import "../../styles/links.css"

const texts = textsOf({
  "pt-BR": {
    title: "Link de pagamento",
    links: "Links de pagamento",
    share: "Compartilhe",
    email: "E-mail",
    copy: "Copiar link",
    print: "Imprimir",
    saveQr: "Baixar QR",
    qr: "QR code do link de pagamento",
    scan: "Aponte a câmera do celular e pague com Pix",
    see: "Ver a página",
    message: (what: string, url: string) => `${what}\nPague com Pix: ${url}`,
    results: "Resultado",
    payments: "Pagamentos",
    received: "Recebido",
    refunded: "Devolvido e contestado",
    pending: "Pix pendentes",
    charges: "Ver as cobranças",
    of: (count: string, most: string) => `${count} de ${most}`,
    facts: "Detalhes",
    amount: "Valor",
    description: "Descrição",
    until: "Aceita pagamentos até",
    reference: "Referência",
    returns: "Volta para a loja em",
    created: "Criado em",
    id: "Id",
    edit: "Editar",
    off: "Desativar",
    on: "Ativar",
    saved: "Link alterado.",
    isOff: "Link desativado. Quem já tem um código Pix ainda pode pagar.",
    isOn: "Link ativado.",
    failed: "O link não foi alterado. Tente novamente.",
  },
  en: {
    title: "Payment link",
    links: "Payment links",
    share: "Share it",
    email: "E-mail",
    copy: "Copy link",
    print: "Print",
    saveQr: "Download QR",
    qr: "QR code of the payment link",
    scan: "Point your phone's camera here and pay with Pix",
    see: "See the page",
    message: (what: string, url: string) => `${what}\nPay with Pix: ${url}`,
    results: "Results",
    payments: "Payments",
    received: "Received",
    refunded: "Refunded and disputed",
    pending: "Pending Pix",
    charges: "See the charges",
    of: (count: string, most: string) => `${count} of ${most}`,
    facts: "Details",
    amount: "Amount",
    description: "Description",
    until: "Takes payments until",
    reference: "Reference",
    returns: "Back to the shop at",
    created: "Created",
    id: "Id",
    edit: "Edit",
    off: "Switch off",
    on: "Switch on",
    saved: "Link changed.",
    isOff: "Link switched off. Whoever has a Pix code already can still pay.",
    isOn: "Link switched on.",
    failed: "The link was not changed. Try again.",
  },
})

/** The picture of an address, as SVG; undefined while what draws it is being loaded. */
const useQr = (text: string): string | undefined => {
  const [svg, setSvg] = useState<string>()
  useEffect(() => {
    let isWanted = true
    import("qr").then(
      ({ encodeQR }) => isWanted && setSvg(encodeQR(text, "svg", { border: 4 })),
      // The address stands beside it.
      () => undefined,
    )
    return () => {
      isWanted = false
    }
  }, [text])
  return svg
}

/** What sends a link to its payers, and the QR code to print: nothing else of the page is on paper. */
const ShareCard = ({ link }: { readonly link: PaymentLink }) => {
  const { value } = texts
  const { title, url } = link
  const svg = useQr(url)
  const what = link.amount === null ? title : `${title}: ${formatMoney(link.amount)}`
  const message = encodeURIComponent(value.message(what, url))
  return (
    <Card title={value.share}>
      <div class="link-share">
        <figure class="link-poster">
          <div class="link-qr">
            {svg !== undefined && (
              <img
                src={`data:image/svg+xml,${encodeURIComponent(svg)}`}
                alt={value.qr}
                width={220}
                height={220}
              />
            )}
          </div>
          <figcaption>
            <strong>
              <Foreign>{title}</Foreign>
            </strong>
            <span>{linkAmount(link)}</span>
            <span>{value.scan}</span>
          </figcaption>
        </figure>
        <div class="link-ways">
          <Code testId="link-url">{url}</Code>
          <div class="share-buttons" data-testid="share">
            <a
              class="button primary"
              href={`https://wa.me/?text=${message}`}
              target="_blank"
              rel="noreferrer"
            >
              <Icon name="phone" /> WhatsApp
            </a>
            <a class="button plain" href={`mailto:?subject=${encodeURIComponent(title)}&body=${message}`}>
              <Icon name="mail" /> {value.email}
            </a>
            <Copy text={url} label={value.copy} />
            <Button onClick={() => window.print()}>{value.print}</Button>
            {svg !== undefined && (
              <Button
                data-testid="link-save-qr"
                onClick={async () => saveFile(await qrPicture(url), qrFileName(title))}
              >
                <Icon name="download" /> {value.saveQr}
              </Button>
            )}
          </div>
          <a href={url} target="_blank" rel="noreferrer">
            {value.see}
          </a>
        </div>
      </div>
    </Card>
  )
}

/** What came in through a link, and what of it went back since. */
const Results = ({ link }: { readonly link: PaymentLink }) => {
  const { value } = texts
  const { id, payments, payments_max, paid_amount, pending_payments } = link
  const count = formatCount(payments)
  const totals = useTotals({ payment_link_id: id }).value.value
  // Of more charges than are added up, the sum of the newest would be read as that of all.
  const refunded = totals?.complete ? totals.refunded : 0
  return (
    <Card title={value.results}>
      <Facts
        of={[
          [
            value.payments,
            <span key="payments" data-testid="link-payments">
              {payments_max === null ? count : value.of(count, formatCount(payments_max))}
            </span>,
          ],
          [value.received, <Money key="received" amount={paid_amount} testId="link-received" />],
          [
            value.refunded,
            refunded > 0 && <Money key="refunded" amount={-refunded} testId="link-refunded" />,
          ],
          [value.pending, formatCount(pending_payments)],
        ]}
      />
      <Link to={`/charges?payment_link_id=${id}`} data-testid="link-charges">
        {value.charges}
      </Link>
    </Card>
  )
}

const Content = ({ link }: { readonly link: PaymentLink }) => {
  const { value } = texts
  return (
    <div class="main-columns">
      <ShareCard link={link} />
      <div class="main-column">
        <Results link={link} />
        <Card title={value.facts}>
          <Facts
            of={[
              [value.amount, linkAmount(link)],
              [value.description, link.description && <Foreign key="text">{link.description}</Foreign>],
              [value.until, link.expires_at && <Moment key="until" at={link.expires_at} />],
              [value.reference, link.reference && <Foreign key="reference">{link.reference}</Foreign>],
              [value.returns, link.return_url && <Foreign key="returns">{link.return_url}</Foreign>],
              [value.created, <Moment key="created" at={link.created_at} />],
              [value.id, <CopiedCode key="id">{link.id}</CopiedCode>],
            ]}
          />
        </Card>
      </div>
    </div>
  )
}

/** One payment link, live: what shares it, what came in through it, and what changes it. */
export default ({ params: { id = "" } }: PageParams) => {
  const { value } = texts
  const [isEditing, setEditing] = useState(false)
  const link = useRead("GET /v1/me/payment-links/:id", { params: { id } }, { reloadsOn: countsInLink })
  const shown = link.value.value
  const turn = async (active: boolean) => {
    try {
      link.set(await call("PATCH /v1/me/payment-links/:id", { params: { id }, body: { active } }))
      notify(active ? value.isOn : value.isOff)
    } catch {
      notify(value.failed)
    }
  }
  return (
    <Page
      title={shown?.title ?? value.title}
      heading={shown && <Foreign>{shown.title}</Foreign>}
      back={{ to: "/links", name: value.links }}
      lead={shown && <LinkStatus link={shown} />}
      ready={isReady(link)}
      actions={
        shown && (
          <>
            <Button needs="charging" onClick={() => setEditing(true)}>
              {value.edit}
            </Button>
            <Button needs="charging" data-testid="link-turn" onClick={() => turn(!shown.active)}>
              {shown.active ? value.off : value.on}
            </Button>
          </>
        )
      }
    >
      <Shown of={link}>{(found) => <Content link={found} />}</Shown>
      {isEditing && shown !== undefined && (
        <LinkForm
          link={shown}
          onClose={() => setEditing(false)}
          onDone={(changed) => {
            link.set(changed)
            setEditing(false)
            notify(value.saved)
          }}
        />
      )}
    </Page>
  )
}
