import { inkOn } from "../../../../schema/colors.ts"
import { textsOf } from "../../text/i18n.ts"
import { Foreign } from "../../ui/values.tsx"

const texts = textsOf({
  "pt-BR": {
    title: "Prévia da página de pagamento",
    logo: "Logotipo",
    light: "Tela clara",
    dark: "Tela escura",
    payTo: "Pagamento para",
    copy: "Copiar código Pix",
  },
  en: {
    title: "Preview of the payment page",
    logo: "Logo",
    light: "Light screen",
    dark: "Dark screen",
    payTo: "Payment to",
    copy: "Copy Pix code",
  },
})

/** Payment pages' own colours of buttons, on light and dark screens. */
const ours = { light: "#0b6b58", dark: "#4cc3a8" } as const

/** A logo, as high as payers see it. */
export const LogoPicture = ({ logo }: { readonly logo: string }) => (
  <img class="brand-logo" src={`data:image/png;base64,${logo}`} alt={texts.value.logo} height={40} />
)

/** What payers are going to see. */
export interface Face {
  readonly logo: string | null
  readonly color: string | null
  readonly name: string
  /** The approved legal name; undefined before. */
  readonly legalName: string | undefined
}

const Screen = ({ face, scheme }: { readonly face: Face; readonly scheme: "light" | "dark" }) => {
  const { logo, color, name, legalName } = face
  const { value } = texts
  const background = color ?? ours[scheme]
  return (
    <figure class="brand-screen">
      <div class="brand-page" data-theme={scheme} data-testid={`brand-preview-${scheme}`}>
        {logo !== null && <LogoPicture logo={logo} />}
        <small>{value.payTo}</small>
        <strong>
          <Foreign>{name}</Foreign>
        </strong>
        {legalName !== undefined && legalName !== name && (
          <small>
            (<Foreign>{legalName}</Foreign>)
          </small>
        )}
        <span class="brand-amount">R$ 150,00</span>
        <span
          class={color === null ? "brand-button" : "brand-button own"}
          style={{ background, color: inkOn(background) }}
        >
          {value.copy}
        </span>
      </div>
      <figcaption class="muted">{value[scheme]}</figcaption>
    </figure>
  )
}

/** Payment pages as they will look, on light and dark screens. */
export const BrandPreview = ({ face }: { readonly face: Face }) => (
  <section class="brand-screens" aria-label={texts.value.title}>
    <Screen face={face} scheme="light" />
    <Screen face={face} scheme="dark" />
  </section>
)
