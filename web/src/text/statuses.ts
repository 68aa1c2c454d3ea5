import { textsOf } from "./i18n.ts"

const texts = textsOf<Readonly<Record<string, string>>>({
  "pt-BR": {
    pending: "Pendente",
    paid: "Paga",
    expired: "Expirada",
    failed: "Falhou",
    refunded: "Devolvida",
    chargeback: "Contestada",
    awaiting: "Aguardando aprovação",
    approved: "Aprovado",
    rejected: "Rejeitado",
    processing: "Processando",
    successful: "Concluído",
    cancelled: "Cancelado",
    succeeded: "Concluída",
    success: "Entregue",
    dead: "Esgotada",
    open: "Aberta",
    resolved: "Resolvida",
    active: "Ativo",
    suspended: "Suspenso",
    disabled: "Desativado",
    enabled: "Ativo",
    pending_approval: "Em análise",
    verified: "Verificada",
    refused: "Recusada",
    removed: "Removida",
    used: "Usado",
    revoked: "Revogado",
    not_submitted: "Não enviado",
    none: "Não enviado",
  },
  en: {
    pending: "Pending",
    paid: "Paid",
    expired: "Expired",
    failed: "Failed",
    refunded: "Refunded",
    chargeback: "Charged back",
    awaiting: "Awaiting approval",
    approved: "Approved",
    rejected: "Rejected",
    processing: "Processing",
    successful: "Successful",
    cancelled: "Cancelled",
    succeeded: "Succeeded",
    success: "Delivered",
    dead: "Dead",
    open: "Open",
    resolved: "Resolved",
    active: "Active",
    suspended: "Suspended",
    disabled: "Disabled",
    enabled: "Enabled",
    pending_approval: "In review",
    verified: "Verified",
    refused: "Refused",
    removed: "Removed",
    used: "Used",
    revoked: "Revoked",
    not_submitted: "Not submitted",
    none: "Not submitted",
  },
})

const good = new Set([
  "paid",
  "successful",
  "succeeded",
  "success",
  "approved",
  "resolved",
  "active",
  "enabled",
  "verified",
])
const bad = new Set(["failed", "rejected", "dead", "chargeback", "suspended", "refused", "disabled", "open"])
const waiting = new Set(["pending", "awaiting", "processing", "pending_approval"])

/** A status of the API in the page's language; one that this version does not know is shown as it is. */
export const statusText = (status: string): string => texts.value[status] ?? status

/** How a status is coloured; the words say the same. */
export const statusTone = (status: string): "good" | "bad" | "waiting" | "neutral" => {
  if (good.has(status)) return "good"
  if (bad.has(status)) return "bad"
  return waiting.has(status) ? "waiting" : "neutral"
}
