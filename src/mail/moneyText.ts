type MailLanguage = "pt-BR" | "en"

const inCurrency = (language: MailLanguage) =>
  new Intl.NumberFormat(language, { style: "currency", currency: "BRL" })

const formats: Readonly<Record<MailLanguage, Intl.NumberFormat>> = {
  "pt-BR": inCurrency("pt-BR"),
  en: inCurrency("en"),
}

/** Centavos as mails write them, with a plain space: `R$ 1.234,50`. */
export const moneyText = (centavos: number, language: MailLanguage = "pt-BR"): string =>
  formats[language].format(centavos / 100).replaceAll("\u00a0", " ")
