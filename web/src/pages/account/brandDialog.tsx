import { useId, useState } from "preact/hooks"
import { contrastWithWhite, darkenedTo } from "../../../../schema/colors.ts"
import { formLimits } from "../../../../schema/formLimits.ts"
import { isPayerName } from "../../../../schema/payerName.ts"
import type { Brand } from "../../../../schema/resources/brand.ts"
import { refusal } from "../../api/creation.ts"
import { call } from "../../api/http.ts"
import { explained } from "../../text/failures.ts"
import { textsOf } from "../../text/i18n.ts"
import { Button } from "../../ui/button.tsx"
import { Dialog } from "../../ui/dialog.tsx"
import { Checkbox, Field, Form } from "../../ui/form.tsx"
import { BrandPreview, LogoPicture } from "./brandPreview.tsx"
import { logoFileTypes, readLogo } from "./logoFile.ts"

const { payerNameLengthMin, payerNameLengthMax } = formLimits

const texts = textsOf({
  "pt-BR": {
    title: "Sua marca",
    name: "Nome que os clientes veem",
    nameHint: (name: string) => `Sem ele, os clientes veem o nome da loja: ${name}.`,
    legalHint: (legal: string) => `A razão social aprovada, ${legal}, aparece ao lado.`,
    badName: `Use de ${payerNameLengthMin} a ${payerNameLengthMax} letras, números, espaços e . , & ' + ! / @ -`,
    logo: "Logotipo",
    logoHint: "PNG, JPG ou WebP; aparece com 40 pixels de altura. Imagens grandes são reduzidas.",
    remove: "Tirar o logotipo",
    badLogo: "Escolha uma imagem PNG, JPG ou WebP.",
    refusedLogo: "Não foi possível usar esta imagem. Exporte a imagem de novo, menor ou com menos cores.",
    color: "Cor dos botões",
    ownColor: "Usar uma cor da loja",
    pale: "Esta cor é clara demais: na página branca os botões quase não apareceriam.",
    darken: "Usar um tom mais escuro",
    save: "Salvar",
  },
  en: {
    title: "Your brand",
    name: "Name that customers see",
    nameHint: (name: string) => `Without one, customers see the store's name: ${name}.`,
    legalHint: (legal: string) => `The approved legal name, ${legal}, stands beside it.`,
    badName: `Use ${payerNameLengthMin} to ${payerNameLengthMax} letters, digits, spaces and . , & ' + ! / @ -`,
    logo: "Logo",
    logoHint: "PNG, JPG or WebP; it is shown 40 pixels high. Large pictures are made smaller.",
    remove: "Remove the logo",
    badLogo: "Choose a PNG, JPG or WebP picture.",
    refusedLogo: "This picture cannot be used. Export the picture again, smaller or with fewer colours.",
    color: "Colour of the buttons",
    ownColor: "Use a colour of the store",
    pale: "This colour is too light: on the white page the buttons would hardly show.",
    darken: "Use a darker shade",
    save: "Save",
  },
})

const ourColor = "#0b6b58"

interface LogoFieldProps {
  readonly logo: string | null
  readonly problem: boolean
  readonly onLogo: (logo: string | null, problem: boolean) => void
}

const LogoField = ({ logo, problem, onLogo }: LogoFieldProps) => {
  const id = useId()
  const { value } = texts
  const choose = async (file: File | undefined) => {
    if (file === undefined) return
    const read = await readLogo(file)
    onLogo(read ?? logo, read === undefined)
  }
  return (
    <>
      <div class="field">
        <label for={id}>{value.logo}</label>
        <input
          id={id}
          type="file"
          accept={logoFileTypes.join(",")}
          aria-describedby={`${id}-hint`}
          aria-invalid={problem}
          data-testid="brand-logo"
          onChange={(event) => choose(event.currentTarget.files?.[0])}
        />
        <small id={`${id}-hint`} role={problem ? "alert" : undefined}>
          {problem ? value.badLogo : value.logoHint}
        </small>
      </div>
      {logo !== null && (
        <p class="with-copy">
          <LogoPicture logo={logo} /> <Button onClick={() => onLogo(null, false)}>{value.remove}</Button>
        </p>
      )}
    </>
  )
}

const isPale = (color: string): boolean => contrastWithWhite(color) < formLimits.brandContrastMin

interface ColorFieldProps {
  readonly color: string
  readonly onColor: (color: string) => void
}

const ColorField = ({ color, onColor }: ColorFieldProps) => {
  const id = useId()
  const { value } = texts
  return (
    <div class="field">
      <label for={id}>{value.color}</label>
      <input
        id={id}
        type="color"
        value={color}
        onInput={(event) => onColor(event.currentTarget.value)}
        data-testid="brand-color"
      />
      {isPale(color) && (
        <p class="with-copy" role="alert" data-testid="brand-pale">
          <small>{value.pale}</small>
          <Button
            data-testid="brand-darken"
            onClick={() => onColor(darkenedTo(formLimits.brandContrastMin, color))}
          >
            {value.darken}
          </Button>
        </p>
      )}
    </div>
  )
}

interface BrandDialogProps {
  readonly brand: Brand
  /** The store's name, and its approved legal name. */
  readonly storeName: string
  readonly legalName: string | undefined
  readonly onClose: () => void
  readonly onDone: (brand: Brand) => void
}

/** Changes what payers see, and shows it meanwhile. */
export const BrandDialog = ({ brand, storeName, legalName, onClose, onDone }: BrandDialogProps) => {
  const [typed, setTyped] = useState(brand.payer_name ?? "")
  const [logo, setLogo] = useState(brand.logo)
  const [problem, setProblem] = useState(false)
  const [isOwn, setOwn] = useState(brand.color !== null)
  const [picked, setPicked] = useState(brand.color ?? ourColor)
  const { value } = texts
  const name = typed.trim().replaceAll(/\s+/g, " ").normalize("NFC")
  const color = isOwn ? picked : null
  const send = async () => {
    if (problem) throw refusal(value.badLogo)
    if (name !== "" && !isPayerName(name)) throw refusal(value.badName, "payer_name")
    if (color !== null && isPale(color)) throw refusal(value.pale)
    const body = { logo, color, payer_name: name === "" ? null : name }
    const put = () => call("PUT /v1/me/brand", { body, isRepeatable: true })
    onDone(await explained({ logo: value.refusedLogo, payer_name: value.badName, color: value.pale }, put))
  }
  const hint = legalName === undefined ? value.nameHint(storeName) : value.legalHint(legalName)
  return (
    <Dialog title={value.title} onClose={onClose}>
      <Form submit={value.save} onCancel={onClose} onSubmit={send}>
        <Field
          label={value.name}
          name="payer_name"
          hint={hint}
          value={typed}
          placeholder={storeName}
          maxLength={payerNameLengthMax}
          autocomplete="off"
          onInput={(event) => setTyped(event.currentTarget.value)}
          data-testid="brand-name"
        />
        <LogoField
          logo={logo}
          problem={problem}
          onLogo={(chosen, isWrong) => {
            setLogo(chosen)
            setProblem(isWrong)
          }}
        />
        <Checkbox
          label={value.ownColor}
          checked={isOwn}
          onChange={(event) => setOwn(event.currentTarget.checked)}
          data-testid="brand-own-color"
        />
        {isOwn && <ColorField color={picked} onColor={setPicked} />}
        <BrandPreview face={{ logo, color, name: name || storeName, legalName }} />
      </Form>
    </Dialog>
  )
}
