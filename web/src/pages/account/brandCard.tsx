import { useState } from "preact/hooks"
import { formLimits } from "../../../../schema/formLimits.ts"
import type { Brand } from "../../../../schema/resources/brand.ts"
import { refusal } from "../../api/creation.ts"
import { call } from "../../api/http.ts"
import type { Resource } from "../../api/resource.ts"
import { textsOf } from "../../text/i18n.ts"
import { Button } from "../../ui/button.tsx"
import { Dialog } from "../../ui/dialog.tsx"
import { notify } from "../../ui/feedback.tsx"
import { Checkbox, Form } from "../../ui/form.tsx"
import { Card, Facts, Shown } from "../../ui/page.tsx"
import { Code } from "../../ui/values.tsx"

const kilobytes = formLimits.logoBytesMax / 1024

const texts = textsOf({
  "pt-BR": {
    title: "Página de pagamento",
    why: "Seu logotipo e a cor dos botões na página em que seus clientes pagam.",
    logo: "Logotipo",
    logoHint: `PNG de até ${kilobytes} KB e ${formLimits.logoPixelsMax} pixels de lado; aparece com 40 pixels de altura.`,
    noLogo: "Sem logotipo",
    color: "Cor dos botões",
    ownColor: "Usar uma cor da loja",
    ours: "A da Corrente",
    change: "Mudar a aparência",
    remove: "Tirar o logotipo",
    save: "Salvar",
    saved: "A página de pagamento tem a nova aparência.",
    badLogo: `Escolha um PNG de até ${kilobytes} KB e ${formLimits.logoPixelsMax} pixels de lado.`,
  },
  en: {
    title: "Payment page",
    why: "Your logo and the colour of the buttons on the page where your customers pay.",
    logo: "Logo",
    logoHint: `A PNG of at most ${kilobytes} KB and ${formLimits.logoPixelsMax} pixels a side; it is shown 40 pixels high.`,
    noLogo: "No logo",
    color: "Colour of the buttons",
    ownColor: "Use a colour of the store",
    ours: "Corrente's",
    change: "Change the looks",
    remove: "Remove the logo",
    save: "Save",
    saved: "The payment page has its new looks.",
    badLogo: `Choose a PNG of at most ${kilobytes} KB and ${formLimits.logoPixelsMax} pixels a side.`,
  },
})

const ourColor = "#0b6b58"

/** A file as base64, or why it is no logo. */
const readLogo = async (file: File): Promise<string> => {
  if (file.type !== "image/png" || file.size > formLimits.logoBytesMax) throw refusal(texts.value.badLogo)
  const bytes = new Uint8Array(await file.arrayBuffer())
  return btoa(String.fromCharCode(...bytes))
}

const LogoPicture = ({ logo }: { readonly logo: string }) => (
  <img class="brand-logo" src={`data:image/png;base64,${logo}`} alt={texts.value.logo} height={40} />
)

const Swatch = ({ color }: { readonly color: string }) => (
  <svg class="brand-swatch" viewBox="0 0 16 16" aria-hidden="true" focusable="false">
    <rect width="16" height="16" rx="4" fill={color} />
  </svg>
)

interface BrandDialogProps {
  readonly brand: Brand
  readonly onClose: () => void
  readonly onDone: (brand: Brand) => void
}

const BrandDialog = ({ brand, onClose, onDone }: BrandDialogProps) => {
  const [logo, setLogo] = useState(brand.logo)
  const [isOwn, setOwn] = useState(brand.color !== null)
  const { value } = texts
  const send = async (values: FormData) => {
    const file = values.get("logo")
    const chosen = file instanceof File && file.size > 0 ? await readLogo(file) : logo
    const color = isOwn ? String(values.get("color")) : null
    onDone(await call("PUT /v1/me/brand", { body: { logo: chosen, color }, isRepeatable: true }))
  }
  return (
    <Dialog title={value.title} onClose={onClose}>
      <Form submit={value.save} onCancel={onClose} onSubmit={send}>
        <p>{value.why}</p>
        {logo !== null && (
          <p class="with-copy">
            <LogoPicture logo={logo} /> <Button onClick={() => setLogo(null)}>{value.remove}</Button>
          </p>
        )}
        <div class="field">
          <label for="brand-logo">{value.logo}</label>
          <input
            id="brand-logo"
            type="file"
            name="logo"
            accept="image/png"
            aria-describedby="brand-logo-hint"
            data-testid="brand-logo"
          />
          <small id="brand-logo-hint">{value.logoHint}</small>
        </div>
        <Checkbox
          label={value.ownColor}
          checked={isOwn}
          onChange={(event) => setOwn(event.currentTarget.checked)}
          data-testid="brand-own-color"
        />
        {isOwn && (
          <div class="field">
            <label for="brand-color">{value.color}</label>
            <input
              id="brand-color"
              type="color"
              name="color"
              defaultValue={brand.color ?? ourColor}
              data-testid="brand-color"
            />
          </div>
        )}
      </Form>
    </Dialog>
  )
}

/** How the seller's payment pages look. */
export const BrandCard = ({ brand }: { readonly brand: Resource<Brand> }) => {
  const [isOpen, setOpen] = useState(false)
  const { value } = texts
  const done = (changed: Brand) => {
    setOpen(false)
    brand.set(changed)
    notify(value.saved)
  }
  return (
    <Card title={value.title}>
      <Shown of={brand}>
        {(shown) => (
          <div class="form">
            <p class="muted">{value.why}</p>
            <Facts
              of={[
                [
                  value.logo,
                  shown.logo === null ? (
                    <span key="logo" class="muted">
                      {value.noLogo}
                    </span>
                  ) : (
                    <LogoPicture key="logo" logo={shown.logo} />
                  ),
                ],
                [
                  value.color,
                  shown.color === null ? (
                    value.ours
                  ) : (
                    <span key="color" class="with-copy">
                      <Swatch color={shown.color} /> <Code>{shown.color}</Code>
                    </span>
                  ),
                ],
              ]}
            />
            <div class="settings-buttons">
              <Button data-testid="brand-change" onClick={() => setOpen(true)}>
                {value.change}
              </Button>
            </div>
            {isOpen && <BrandDialog brand={shown} onClose={() => setOpen(false)} onDone={done} />}
          </div>
        )}
      </Shown>
    </Card>
  )
}
