import type { BulkAct } from "../../../../schema/names.ts"
import type { SellerAuditEntry } from "../../../../schema/resources/sellerAudit.ts"
import { mode } from "../../api/session.ts"
import { pathOfResource } from "../../app/resourceLinks.ts"
import { formatMoment, formatMoney } from "../../text/format.ts"
import { textIn, textsOf } from "../../text/i18n.ts"
import { pixKeyTypeText } from "../../text/pixKeyTypes.ts"
import { roleNames } from "../../text/roles.ts"
import { statusText } from "../../text/statuses.ts"
import { formatTexts } from "../../ui/exportMenu.tsx"
import { settingChange } from "../admin/settingTexts.ts"
import { reportKindTexts, reportPeriodTexts } from "./reportTexts.ts"

const bulkTexts = textsOf<Readonly<Record<BulkAct, (rows: string) => string>>>({
  "pt-BR": {
    refund: (rows) => `devolver: ${rows}`,
    resend: (rows) => `reenviar: ${rows}`,
    cancel_withdrawal: (rows) => `cancelar saques: ${rows}`,
  },
  en: {
    refund: (rows) => `refund: ${rows}`,
    resend: (rows) => `resend: ${rows}`,
    cancel_withdrawal: (rows) => `cancel withdrawals: ${rows}`,
  },
})

const texts = textsOf({
  "pt-BR": {
    whole: "todo o valor",
    test: "modo de teste",
    limited: "só de certos endereços IP",
    on: "ativado",
    off: "desativado",
    upTo: (amount: string) => `até ${amount}`,
    until: (moment: string) => `até ${moment}`,
    formerOwner: (role: string) => `quem era titular agora é ${role}`,
    steps: { totp: "com código", backup: "com código de reserva", passkey: "com passkey" },
  },
  en: {
    whole: "full amount",
    test: "test mode",
    limited: "limited to certain IP addresses",
    on: "turned on",
    off: "turned off",
    upTo: (amount: string) => `up to ${amount}`,
    until: (moment: string) => `until ${moment}`,
    formerOwner: (role: string) => `the former owner is now ${role}`,
    steps: { totp: "with a code", backup: "with a backup code", passkey: "with a passkey" },
  },
})

type Details = SellerAuditEntry["details"]

const roleText = (role: string): string => textIn(roleNames.value, role).toLocaleLowerCase()

const texted: Readonly<Record<string, (text: string) => string>> = {
  name: (name) => name,
  title: (title) => title,
  payer_name: (name) => name,
  color: (color) => color,
  url: (url) => url,
  email: (email) => email,
  type: pixKeyTypeText,
  kind: (kind) => textIn(reportKindTexts.value, kind),
  format: (format) => textIn(formatTexts.value, format),
  every: (every) => textIn(reportPeriodTexts.value, every).toLocaleLowerCase(),
  role: roleText,
  former_owner: (role) => texts.value.formerOwner(roleText(role)),
  status: statusText,
  until: (until) => texts.value.until(formatMoment(until)),
  second_step: (step) => textIn(texts.value.steps, step),
}

const amounts = ({ amount, refund_limit: limit }: Details): ReadonlyArray<string> => [
  ...(typeof amount === "number" ? [formatMoney(amount)] : amount === null ? [texts.value.whole] : []),
  ...(typeof limit === "number" ? [texts.value.upTo(formatMoney(limit))] : []),
]

const bulks = ({ act, rows }: Details): ReadonlyArray<string> => {
  const known: Readonly<Partial<Record<string, (rows: string) => string>>> = bulkTexts.value
  const text = typeof act === "string" ? known[act] : undefined
  return text === undefined || typeof rows !== "number" ? [] : [text(String(rows))]
}

/** The unit is in the value, not in its name. */
const changedSettings = (details: Details): ReadonlyArray<string> =>
  Object.keys(details).flatMap((name) => {
    const [title, value] = settingChange(name, details) ?? []
    return title === undefined ? [] : [`${title.replace(" (R$)", "")}: ${value}`]
  })

/** What people want to know of an act, in few words each. The rest is in the file. */
export const factsOf = ({ details }: SellerAuditEntry): ReadonlyArray<string> => {
  const { value } = texts
  const { emails, enabled } = details
  const words = Object.entries(texted).flatMap(([name, inWords]) => {
    const text = details[name]
    return typeof text === "string" && text !== "" ? [inWords(text)] : []
  })
  return [
    ...amounts(details),
    ...words,
    ...(Array.isArray(emails) ? [emails.join(", ")] : []),
    ...bulks(details),
    ...changedSettings(details),
    ...(enabled === true ? [value.on] : enabled === false ? [value.off] : []),
    ...(details.limited_addresses === true ? [value.limited] : []),
    ...(details.mode === "test" ? [value.test] : []),
  ]
}

/** Pages on which a kind of resource is looked after. */
const keptAt: Readonly<Record<string, string>> = {
  api_key: "/developers",
  member: "/settings/team",
  pix_key: "/withdrawals",
  report: "/settings/reports",
  tracker: "/webhooks",
}

/** The page of what an act was done to: none of what is gone, nor of the other mode, which the pages do not show. */
export const pathOfAct = ({ action, resource_type, resource_id, details }: SellerAuditEntry) => {
  if (details.mode !== undefined && details.mode !== mode.value) return undefined
  const isGone = action === "webhook_endpoint.deleted" || action === "customer.erased"
  return isGone ? undefined : (keptAt[resource_type] ?? pathOfResource(resource_type, resource_id))
}
