import { useState } from "preact/hooks"
import type { Brand } from "../../../../schema/resources/brand.ts"
import type { SellerProfile } from "../../../../schema/resources/seller.ts"
import type { Resource } from "../../api/resource.ts"
import { textsOf } from "../../text/i18n.ts"
import { Button } from "../../ui/button.tsx"
import { lazily } from "../../ui/lazily.tsx"
import { notify } from "../../ui/notice.tsx"
import { Card, Facts, Shown } from "../../ui/page.tsx"
import { Code, Foreign } from "../../ui/values.tsx"
import { LogoPicture } from "./brandPreview.tsx"

const BrandDialog = lazily(() => import("./brandDialog.tsx").then((part) => part.BrandDialog))

const texts = textsOf({
  "pt-BR": {
    title: "Marca",
    why: "O nome, o logotipo e a cor que seus clientes veem na página de pagamento, nos links e nos comprovantes.",
    name: "Nome que os clientes veem",
    logo: "Logotipo",
    noLogo: "Sem logotipo",
    color: "Cor dos botões",
    ours: "A da Corrente",
    change: "Mudar a marca",
    saved: "Marca salva. Seus clientes já a veem.",
  },
  en: {
    title: "Brand",
    why: "The name, logo and colour that your customers see on the payment page, on links and on receipts.",
    name: "Name that customers see",
    logo: "Logo",
    noLogo: "No logo",
    color: "Colour of the buttons",
    ours: "Corrente's",
    change: "Change the brand",
    saved: "The brand has been saved. Your customers see it from now on.",
  },
})

const Swatch = ({ color }: { readonly color: string }) => (
  <svg class="brand-swatch" viewBox="0 0 16 16" aria-hidden="true" focusable="false">
    <rect width="16" height="16" rx="4" fill={color} />
  </svg>
)

interface BrandPartsProps {
  readonly brand: Brand
  readonly seller: SellerProfile
  readonly onDone: (brand: Brand) => void
}

const BrandFacts = ({ brand: { logo, color, payer_name }, seller }: Omit<BrandPartsProps, "onDone">) => {
  const { value } = texts
  const noLogo = (
    <span key="logo" class="muted">
      {value.noLogo}
    </span>
  )
  const ownColor = (shown: string) => (
    <span key="color" class="with-copy">
      <Swatch color={shown} /> <Code>{shown}</Code>
    </span>
  )
  return (
    <Facts
      of={[
        [value.name, <Foreign key="name">{payer_name ?? seller.name}</Foreign>],
        [value.logo, logo === null ? noLogo : <LogoPicture key="logo" logo={logo} />],
        [value.color, color === null ? value.ours : ownColor(color)],
      ]}
    />
  )
}

const BrandParts = ({ brand, seller, onDone }: BrandPartsProps) => {
  const [isOpen, setOpen] = useState(false)
  const { value } = texts
  const close = () => setOpen(false)
  const done = (changed: Brand) => {
    close()
    onDone(changed)
  }
  return (
    <>
      <BrandFacts brand={brand} seller={seller} />
      <div class="settings-buttons">
        <Button needs="owning" data-testid="brand-change" onClick={() => setOpen(true)}>
          {value.change}
        </Button>
      </div>
      {isOpen && (
        <BrandDialog
          brand={brand}
          storeName={seller.name}
          legalName={seller.kyc_status === "approved" ? (seller.legal_name ?? seller.name) : undefined}
          onClose={close}
          onDone={done}
        />
      )}
    </>
  )
}

interface BrandCardProps {
  readonly brand: Resource<Brand>
  readonly seller: Resource<SellerProfile | null>
}

/** What payers see of the seller. */
export const BrandCard = ({ brand, seller }: BrandCardProps) => {
  const { value } = texts
  const done = (changed: Brand) => {
    brand.set(changed)
    notify(value.saved)
  }
  return (
    <Card title={value.title}>
      <div class="form">
        <p class="muted">{value.why}</p>
        <Shown of={brand}>
          {(shown) => (
            <Shown of={seller}>
              {(profile) => profile && <BrandParts brand={shown} seller={profile} onDone={done} />}
            </Shown>
          )}
        </Shown>
      </div>
    </Card>
  )
}
