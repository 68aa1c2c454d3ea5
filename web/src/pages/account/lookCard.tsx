import { chooseTheme, type Theme, theme } from "../../app/theme.ts"
import { chooseLanguage, type Language, language, textsOf } from "../../text/i18n.ts"
import { Select } from "../../ui/form.tsx"
import { Card } from "../../ui/page.tsx"

const texts = textsOf({
  "pt-BR": {
    title: "Aparência",
    language: "Idioma",
    theme: "Cores",
    system: "Como no dispositivo",
    light: "Claras",
    dark: "Escuras",
    where: "Vale para este navegador.",
  },
  en: {
    title: "Appearance",
    language: "Language",
    theme: "Colours",
    system: "As on the device",
    light: "Light",
    dark: "Dark",
    where: "For this browser.",
  },
})

const themes: ReadonlyArray<Theme> = ["system", "light", "dark"]

/** Language and colours of all pages, kept in this browser. */
export const LookCard = () => {
  const { value } = texts
  return (
    <Card title={value.title}>
      <div class="form">
        <Select
          label={value.language}
          value={language.value}
          data-testid="language-select"
          onChange={(event) => chooseLanguage(event.currentTarget.value as Language)}
        >
          <option value="pt-BR" lang="pt-BR">
            Português (Brasil)
          </option>
          <option value="en" lang="en">
            English
          </option>
        </Select>
        <Select
          label={value.theme}
          value={theme.value}
          data-testid="theme-select"
          onChange={(event) => chooseTheme(event.currentTarget.value as Theme)}
        >
          {themes.map((one) => (
            <option key={one} value={one}>
              {value[one]}
            </option>
          ))}
        </Select>
        <small class="muted">{value.where}</small>
      </div>
    </Card>
  )
}
