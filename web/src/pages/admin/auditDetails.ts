import { formatMoment, formatMoney } from "../../text/format.ts"
import { textsOf } from "../../text/i18n.ts"
import { statusText } from "../../text/statuses.ts"
import { exceptionTexts } from "./exceptionTexts.ts"
import { settingChange } from "./settingTexts.ts"

const texts = textsOf({
  "pt-BR": {
    names: {
      act: "Ato",
      amount: "Valor",
      end_to_end_id: "End-to-end",
      item: "Item",
      legal_name: "Razão social",
      list: "Lista",
      reason: "Motivo",
      seller_id: "Vendedor",
      status: "Situação",
      until: "Até",
      without_bank: "Sem resposta do banco",
    },
    nothing: "nada",
  },
  en: {
    names: {
      act: "Act",
      amount: "Amount",
      end_to_end_id: "End-to-end id",
      item: "Item",
      legal_name: "Legal name",
      list: "List",
      reason: "Reason",
      seller_id: "Seller",
      status: "Status",
      until: "Until",
      without_bank: "Without the bank's answer",
    },
    nothing: "nothing",
  },
})

const plain = (value: unknown): string => {
  if (value === null) return texts.value.nothing
  return typeof value === "string" ? value : JSON.stringify(value)
}

const valueText = (name: string, value: unknown): string => {
  const acts: Readonly<Record<string, { readonly name: string }>> = exceptionTexts.value.acts
  if (name === "amount" && typeof value === "number") return formatMoney(value)
  if (typeof value !== "string") return plain(value)
  if (name === "status") return statusText(value)
  if (name === "act") return acts[value]?.name ?? value
  return name === "until" && !Number.isNaN(Date.parse(value)) ? formatMoment(value) : value
}

/** What an entry of the operators' log says of the request, in words; names that this version does not know stay as they are. */
export const auditDetails = (
  details: Readonly<Record<string, unknown>>,
): ReadonlyArray<readonly [name: string, value: string]> =>
  Object.entries(details).flatMap(([name, value]) => {
    if (name === "previous") return []
    // The act says it: a lock was lifted.
    if (name === "until" && value === null) return []
    const setting = settingChange(name, details)
    if (setting !== undefined) return [setting]
    const names: Readonly<Record<string, string>> = texts.value.names
    return [[names[name] ?? name, valueText(name, value)] as const]
  })
