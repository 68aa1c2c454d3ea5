import { useState } from "preact/hooks"
import type { User } from "../../../../schema/resources/account.ts"
import type { KycStatus, SellerProfile } from "../../../../schema/resources/seller.ts"
import type { Resource } from "../../api/resource.ts"
import { formatMoment } from "../../text/format.ts"
import { textsOf } from "../../text/i18n.ts"
import { Button } from "../../ui/button.tsx"
import { notify } from "../../ui/notice.tsx"
import { Card, Facts, Shown } from "../../ui/page.tsx"
import { Code, Copy, Foreign, Status } from "../../ui/values.tsx"
import { Note } from "./frame.tsx"
import { EmailFact, OwnNameFact, TermsFact } from "./personFacts.tsx"
import { DocumentDialog, IdentificationDialog, NameDialog } from "./profileDialogs.tsx"

const texts = textsOf({
  "pt-BR": {
    title: "Perfil",
    email: "E-mail",
    ownName: "Seu nome",
    storeName: "Nome da loja",
    legalName: "Razão social",
    document: "CPF ou CNPJ",
    none: "Não informado",
    id: "Id da loja",
    status: "Cadastro",
    terms: "Termos de uso",
    kyc: "Identificação",
    kycText: {
      none: "Envie a identificação para operar em produção. No modo de teste ela não é necessária.",
      pending: "Estamos analisando os dados enviados. Você pode corrigi-los enquanto isso.",
      approved:
        "Você pode operar em produção. Quem paga vê a razão social, com o nome da loja ao lado na página de pagamento.",
      rejected: "Os dados enviados não foram aceitos. Confira-os e envie de novo.",
    },
    kycName: { none: "Não enviada", pending: "Em análise", approved: "Aprovada", rejected: "Recusada" },
    submitKyc: "Enviar identificação",
    correctKyc: "Corrigir identificação",
    change: "Mudar nome da loja",
    setDocument: "Informar CPF ou CNPJ",
    locked: (until: string) => `Saques bloqueados até ${until}.`,
    saved: "Perfil salvo.",
    submitted: "Identificação enviada para análise.",
    operator: "Operação",
  },
  en: {
    title: "Profile",
    email: "E-mail address",
    ownName: "Your name",
    storeName: "Store name",
    legalName: "Legal name",
    document: "CPF or CNPJ",
    none: "Not given",
    id: "Store id",
    status: "Account",
    terms: "Terms of use",
    kyc: "Identification",
    kycText: {
      none: "Submit your identification to work in live mode. Test mode does not need it.",
      pending: "We are reviewing what you submitted. You can correct it meanwhile.",
      approved:
        "You can work in live mode. Payers see the legal name, with the store name beside it on the payment page.",
      rejected: "What you submitted was not accepted. Check it, and submit it again.",
    },
    kycName: { none: "Not submitted", pending: "In review", approved: "Approved", rejected: "Refused" },
    submitKyc: "Submit identification",
    correctKyc: "Correct identification",
    change: "Change the store's name",
    setDocument: "Enter CPF or CNPJ",
    locked: (until: string) => `Withdrawals are locked until ${until}.`,
    saved: "The profile has been saved.",
    submitted: "The identification was submitted for review.",
    operator: "Operator",
  },
})

const kycTone: Readonly<Record<KycStatus, string>> = {
  none: "neutral",
  pending: "waiting",
  approved: "good",
  rejected: "bad",
}

type Opened = "name" | "document" | "identification"

interface SellerProps {
  readonly who: User
  readonly seller: SellerProfile
  readonly onChanged: (seller: SellerProfile) => void
}

const SellerParts = ({ who, seller, onChanged }: SellerProps) => {
  const [opened, setOpened] = useState<Opened>()
  const { value } = texts
  const close = () => setOpened(undefined)
  const done = (text: string) => (changed: SellerProfile) => {
    close()
    onChanged(changed)
    notify(text)
  }
  const { kyc_status: kyc, document, payout_locked_until: lockedUntil } = seller
  const isLocked = lockedUntil !== null && new Date(lockedUntil) > new Date()
  return (
    <>
      {isLocked && <Note tone="waiting">{value.locked(formatMoment(lockedUntil))}</Note>}
      <Facts
        of={[
          [value.storeName, <Foreign key="name">{seller.name}</Foreign>],
          [value.legalName, seller.legal_name && <Foreign key="legal">{seller.legal_name}</Foreign>],
          [value.ownName, <OwnNameFact key="own name" who={who} />],
          [value.email, <EmailFact key="email" who={who} />],
          [value.document, document ?? <span class="muted">{value.none}</span>],
          [value.status, <Status key="status" status={seller.status} />],
          [
            value.id,
            <span key="id" class="with-copy">
              <Code>{seller.id}</Code> <Copy text={seller.id} />
            </span>,
          ],
          [
            value.kyc,
            <span key="kyc" class={`status ${kycTone[kyc]}`} data-testid="kyc-status" data-status={kyc}>
              {value.kycName[kyc]}
            </span>,
          ],
          [value.terms, <TermsFact key="terms" />],
        ]}
      />
      <p class="muted">{value.kycText[kyc]}</p>
      <div class="settings-buttons">
        {kyc !== "approved" && (
          <Button
            kind={kyc === "pending" ? "plain" : "primary"}
            needs="owning"
            data-testid="kyc-open"
            onClick={() => setOpened("identification")}
          >
            {kyc === "pending" ? value.correctKyc : value.submitKyc}
          </Button>
        )}
        {kyc === "approved" && document === null && (
          <Button needs="owning" data-testid="document-open" onClick={() => setOpened("document")}>
            {value.setDocument}
          </Button>
        )}
        <Button needs="owning" data-testid="name-change" onClick={() => setOpened("name")}>
          {value.change}
        </Button>
      </div>
      {opened === "name" && <NameDialog name={seller.name} onClose={close} onDone={done(value.saved)} />}
      {opened === "document" && <DocumentDialog onClose={close} onDone={done(value.saved)} />}
      {opened === "identification" && <IdentificationDialog onClose={close} onDone={done(value.submitted)} />}
    </>
  )
}

interface ProfileCardProps {
  readonly who: User
  /** Null for operators. */
  readonly seller: Resource<SellerProfile | null>
}

/** Who the user is, and for sellers the store and its identification. */
export const ProfileCard = ({ who, seller }: ProfileCardProps) => {
  const { value } = texts
  return (
    <Card title={value.title}>
      <div class="form">
        <Shown of={seller}>
          {(shown) =>
            shown === null ? (
              <Facts
                of={[
                  [value.ownName, <OwnNameFact key="name" who={who} />],
                  [value.email, <EmailFact key="email" who={who} />],
                  [value.status, value.operator],
                ]}
              />
            ) : (
              <SellerParts who={who} seller={shown} onChanged={seller.set} />
            )
          }
        </Shown>
      </div>
    </Card>
  )
}
