import type { ComponentChildren } from "preact"
import { chooseLanguage, type Language, language } from "../../text/i18n.ts"
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

/** A page of somebody who need not be signed in: one card, with the choice of the language below. */
export const Frame = ({ title, ready = true, children }: FrameProps) => (
  <Page title={title} ready={ready}>
    <div class="card entrance">{children}</div>
    <footer class="entrance-foot">
      <strong>Corrente</strong>
      <span>
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
      </span>
    </footer>
  </Page>
)

/** A sentence that matters more than those around it. */
export const Note = ({
  tone = "neutral",
  children,
}: {
  readonly tone?: "neutral" | "good" | "waiting"
  readonly children: ComponentChildren
}) => <div class={`account-note ${tone}`}>{children}</div>
