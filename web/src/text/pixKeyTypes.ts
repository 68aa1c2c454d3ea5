import { textsOf } from "./i18n.ts"

const texts = textsOf<Readonly<Record<string, string>>>({
  "pt-BR": { cpf: "CPF", cnpj: "CNPJ", email: "E-mail", phone: "Telefone", evp: "Chave aleatória" },
  en: { cpf: "CPF", cnpj: "CNPJ", email: "E-mail", phone: "Phone", evp: "Random key" },
})

/** The kind of a PIX key in words; one that this version does not know is shown as it is. */
export const pixKeyTypeText = (type: string): string => texts.value[type] ?? type
