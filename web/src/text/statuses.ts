import type {
  AttemptStatus,
  ExceptionState,
  InviteStatus,
  KycStatus,
  PixKeyStatus,
  RefundStatus,
  SellerStatus,
  TransactionStatus,
  UserStatus,
  WithdrawalStatus,
} from "../../../schema/names.ts"
import { statusWords } from "../../../schema/statusWords.ts"
import { textIn, textsOf } from "./i18n.ts"

/** Every status that a resource can have; `enabled` is an endpoint's. */
type Status =
  | TransactionStatus
  | RefundStatus
  | WithdrawalStatus
  | AttemptStatus
  | ExceptionState
  | PixKeyStatus
  | SellerStatus
  | KycStatus
  | UserStatus
  | InviteStatus
  | "enabled"

const texts = textsOf<Readonly<Record<Status, string>>>({
  "pt-BR": {
    ...statusWords["pt-BR"],
    success: "Entregue",
    dead: "Falhou de vez",
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
    none: "Não enviado",
  },
  en: {
    ...statusWords.en,
    success: "Delivered",
    dead: "Failed for good",
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
    none: "Not submitted",
  },
})

const good: ReadonlySet<string> = new Set<Status>([
  "paid",
  "successful",
  "success",
  "approved",
  "resolved",
  "active",
  "enabled",
  "verified",
])
const bad: ReadonlySet<string> = new Set<Status>([
  "failed",
  "rejected",
  "dead",
  "chargeback",
  "suspended",
  "refused",
  "disabled",
  "open",
])
const waiting: ReadonlySet<string> = new Set<Status>([
  "pending",
  "awaiting",
  "processing",
  "pending_approval",
])

/** A status of the API in the page's language; one that this version does not know is shown as it is. */
export const statusText = (status: string): string => textIn(texts.value, status)

/** How a status is coloured; the words say the same. */
export const statusTone = (status: string): "good" | "bad" | "waiting" | "neutral" => {
  if (good.has(status)) return "good"
  if (bad.has(status)) return "bad"
  return waiting.has(status) ? "waiting" : "neutral"
}
