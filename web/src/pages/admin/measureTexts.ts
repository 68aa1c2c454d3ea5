import { textsOf } from "../../text/i18n.ts"

const texts = textsOf<Readonly<Record<string, string>>>({
  "pt-BR": {},
  en: {},
})

/** A measure's name in words; one that this version does not know is shown as the service names it. */
export const measureText = (name: string): string => texts.value[name] ?? name.replaceAll("_", " ")
