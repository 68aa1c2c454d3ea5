import { type CsvLocale, inReais } from "./csv.ts"
import type { SellerAuditEntry } from "./resources/sellerAudit.ts"
import { type SettingName, settings } from "./settings.ts"
import { statusWords } from "./statusWords.ts"

type Details = SellerAuditEntry["details"]

const words: Readonly<Record<CsvLocale, Readonly<Record<string, string>>>> = {
  "pt-BR": {
    act: "Ato",
    amount: "Valor",
    bulk_id: "Ação em lote",
    color: "Cor",
    description: "Descrição",
    email: "E-mail",
    emails: "E-mails",
    enabled: "Ativo",
    events: "Eventos",
    every: "A cada",
    fields: "Campos",
    format: "Formato",
    former_owner: "Quem era titular agora é",
    has_logo: "Tem logo",
    headers: "Cabeçalhos",
    into: "Unido a",
    kind: "Tipo",
    limited_addresses: "Só de certos endereços IP",
    mail: "Por e-mail",
    mode: "Modo",
    name: "Nome",
    note_id: "Anotação",
    passkey_id: "Passkey",
    payer_name: "Nome para quem paga",
    pix_key_id: "Chave Pix",
    refund_limit: "Limite de devolução",
    role: "Função",
    rows: "Linhas",
    scopes: "Permissões",
    second_step: "Segunda etapa",
    session_id: "Sessão",
    status: "Situação",
    title: "Título",
    type: "Tipo",
    until: "Até",
    url: "URL",
  },
  en: {
    act: "Act",
    amount: "Amount",
    bulk_id: "Bulk act",
    color: "Colour",
    description: "Description",
    email: "E-mail",
    emails: "E-mails",
    enabled: "Enabled",
    events: "Events",
    every: "Every",
    fields: "Fields",
    format: "Format",
    former_owner: "The former owner is now",
    has_logo: "Has a logo",
    headers: "Headers",
    into: "Merged into",
    kind: "Kind",
    limited_addresses: "Limited to certain IP addresses",
    mail: "By mail",
    mode: "Mode",
    name: "Name",
    note_id: "Note",
    passkey_id: "Passkey",
    payer_name: "Name for payers",
    pix_key_id: "Pix key",
    refund_limit: "Refund limit",
    role: "Role",
    rows: "Rows",
    scopes: "Scopes",
    second_step: "Second step",
    session_id: "Session",
    status: "Status",
    title: "Title",
    type: "Type",
    until: "Until",
    url: "URL",
  },
}

const valueWords = {
  "pt-BR": { yes: "sim", no: "não", whole: "todo o valor", none: "nenhum", live: "produção", test: "teste" },
  en: { yes: "yes", no: "no", whole: "full amount", none: "none", live: "live", test: "test" },
} as const

const decimals = { "pt-BR": ",", en: "." } as const
const numberText = (hundredths: number, locale: CsvLocale): string => inReais(hundredths, decimals[locale])
const moneyText = (amount: number, locale: CsvLocale): string => `R$ ${numberText(amount, locale)}`
const isMoney = (name: string): boolean => name === "amount" || name === "refund_limit"
const isSetting = (name: string): name is SettingName => Object.hasOwn(settings, name)

const settingValue = (name: SettingName, value: number, locale: CsvLocale): string => {
  const { kind } = settings[name]
  if (kind === "money") return moneyText(value, locale)
  return kind === "percent" ? `${numberText(value, locale)} %` : String(value)
}

const textValue = (name: string, value: string, locale: CsvLocale): string => {
  const statuses: Readonly<Partial<Record<string, string>>> = statusWords[locale]
  if (name === "mode" && (value === "live" || value === "test")) return valueWords[locale][value]
  return name === "status" ? (statuses[value] ?? value) : value
}

const valueText = (name: string, value: unknown, locale: CsvLocale): string => {
  const { yes, no, whole, none } = valueWords[locale]
  if (value === null) return name === "amount" ? whole : none
  if (typeof value === "boolean") return value ? yes : no
  if (typeof value === "string") return textValue(name, value, locale)
  if (Array.isArray(value)) return value.map((one) => valueText("", one, locale)).join(", ")
  if (typeof value !== "number") return JSON.stringify(value)
  if (isSetting(name)) return settingValue(name, value, locale)
  return isMoney(name) ? moneyText(value, locale) : String(value)
}

/** The unit is in the value, not in its name. */
const nameText = (name: string, locale: CsvLocale): string =>
  isSetting(name) ? settings[name].name[locale].replace(" (R$)", "") : (words[locale][name] ?? name)

const previousOf = ({ previous }: Details): Readonly<Record<string, unknown>> =>
  typeof previous === "object" && previous !== null ? { ...previous } : {}

/** What an entry of an audit log says of the act, a line a fact: `Valor: R$ 50,00`. Unknown names stay as they are. */
export const auditDetailsLines = (details: Details, locale: CsvLocale): ReadonlyArray<string> => {
  const previous = previousOf(details)
  return Object.entries(details)
    .filter(([name]) => name !== "previous")
    .map(([name, value]) => {
      const was = Object.hasOwn(previous, name) ? `${valueText(name, previous[name], locale)} → ` : ""
      return `${nameText(name, locale)}: ${was}${valueText(name, value, locale)}`
    })
}

/** The same in one line: `Valor: R$ 50,00; Modo: teste`. */
export const auditDetailsText = (details: Details, locale: CsvLocale): string =>
  auditDetailsLines(details, locale).join("; ")
