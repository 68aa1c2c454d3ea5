import type { ComponentChildren } from "preact"
import { chooseLanguage, type Language, language, textsOf } from "../../text/i18n.ts"
import { Mark, Wordmark } from "../../ui/mark.tsx"
import { Page } from "../../ui/page.tsx"
import "../../styles/account.css"

const languages: ReadonlyArray<readonly [Language, string]> = [
  ["pt-BR", "Português"],
  ["en", "English"],
]

interface FrameProps {
  readonly title: string
  readonly ready?: boolean
  readonly children: ComponentChildren
}

const texts = textsOf({
  "pt-BR": { promise: "Receba por Pix e saiba na hora." },
  en: { promise: "Get paid by Pix, and know at once." },
})

/** Whose pages these are, and what they promise: above the form on a phone, half of the page on a wide screen. */
const Face = () => (
  <header class="face">
    <Wordmark size={28} />
    <p class="face-promise">{texts.value.promise}</p>
    <span class="face-picture">
      <Mark size={520} />
    </span>
  </header>
)

/** A page of somebody who need not be signed in: one form, with the choice of the language below. */
export const Frame = ({ title, ready = true, children }: FrameProps) => (
  <div class="entrance-page">
    <Face />
    <Page title={title} ready={ready}>
      <div class="entrance">{children}</div>
      <footer class="entrance-foot">
        {languages.map(([code, name]) => (
          <button
            key={code}
            type="button"
            class="button quiet"
            lang={code}
            aria-pressed={language.value === code}
            onClick={() => chooseLanguage(code)}
          >
            {name}
          </button>
        ))}
      </footer>
    </Page>
  </div>
)

/** A sentence that matters more than those around it. */
export const Note = ({
  tone = "neutral",
  children,
}: {
  readonly tone?: "neutral" | "good" | "waiting"
  readonly children: ComponentChildren
}) => <div class={`account-note ${tone}`}>{children}</div>
