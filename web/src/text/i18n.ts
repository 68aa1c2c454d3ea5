import { computed, signal } from "@preact/signals"

export type Language = "pt-BR" | "en"

const languageKey = "corrente.language"

const firstLanguage = (): Language => {
  const stored = localStorage.getItem(languageKey)
  if (stored === "pt-BR" || stored === "en") return stored
  return navigator.language.toLowerCase().startsWith("en") ? "en" : "pt-BR"
}

/** The language of all pages. */
export const language = signal<Language>(firstLanguage())

/** Shows all pages in a language from now on, also after a reload. */
export const chooseLanguage = (next: Language): void => {
  localStorage.setItem(languageKey, next)
  language.value = next
}

/** Keeps `<html lang>` true, for screen readers. */
export const followLanguage = (): (() => void) =>
  language.subscribe((value) => {
    document.documentElement.lang = value
  })

/**
 * The texts of a page in both languages: `const texts = textsOf({ "pt-BR": {…}, en: {…} })`. Read them as
 * `texts.value.title` while rendering, so that the page follows the language.
 */
export const textsOf = <Texts extends object>(both: { readonly "pt-BR": Texts; readonly en: Texts }) =>
  computed<Texts>(() => both[language.value])

/** The text under a name that the service gave; one that this version does not know is shown as it is. */
export const textIn = <Name extends string>(texts: Readonly<Record<Name, string>>, name: string): string =>
  (texts as Readonly<Partial<Record<string, string>>>)[name] ?? name
