import { useState } from "preact/hooks"
import { formatDocument } from "../../../schema/chargeTexts.ts"
import { maskDocument } from "../text/format.ts"
import { textsOf } from "../text/i18n.ts"
import { Button } from "./button.tsx"
import { Foreign } from "./values.tsx"

const texts = textsOf({
  "pt-BR": { show: "Mostrar", hide: "Ocultar" },
  en: { show: "Show", hide: "Hide" },
})

/** A payer's document, whose outer digits are hidden until they are asked for. */
export const TaxDocument = ({ of }: { readonly of: string }) => {
  const [isShown, setShown] = useState(false)
  const masked = maskDocument(of)
  const whole = formatDocument(of)
  return (
    <>
      <Foreign>{isShown ? whole : masked}</Foreign>{" "}
      {masked !== whole && (
        <Button class="copy" aria-pressed={isShown} onClick={() => setShown(!isShown)}>
          {isShown ? texts.value.hide : texts.value.show}
        </Button>
      )}
    </>
  )
}
