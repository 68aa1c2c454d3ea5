import type { PixKeyType } from "../../../schema/names.ts"
import { textIn, textsOf } from "./i18n.ts"

const texts = textsOf<Readonly<Record<PixKeyType, string>>>({
  "pt-BR": { cpf: "CPF", cnpj: "CNPJ", email: "E-mail", phone: "Telefone", evp: "Chave aleatória" },
  en: { cpf: "CPF", cnpj: "CNPJ", email: "E-mail", phone: "Phone", evp: "Random key" },
})

/** The kind of a Pix key in words; one that this version does not know is shown as it is. */
export const pixKeyTypeText = (type: string): string => textIn(texts.value, type)
