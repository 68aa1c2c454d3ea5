import type { StoredSeller } from "../../actors/ports/sellerStore.ts"
import { shownSettings } from "../../actors/seller/decisions/newSeller.ts"
import { auditDetailsLines } from "../../schema/auditDetails.ts"
import { type SettingName, settings } from "../../schema/settings.ts"
import { timeText } from "./dateText.ts"
import type { Mail } from "./mailer.ts"

type MailText = Omit<Mail, "to">

const written = (purpose: string, subject: string, lines: ReadonlyArray<string>): MailText => ({
  purpose,
  subject,
  text: [...lines, "", "Se tiver alguma dúvida, fale conosco.", "", "Corrente"].join("\n"),
})

const identified = (): MailText =>
  written("kyc_approved", "A identificação da sua conta foi aprovada", [
    "A sua conta já pode receber e sacar em produção.",
    "Para cobrar pela API, crie no painel uma chave de produção. Sem programar, crie no painel uma cobrança ou um link de pagamento.",
  ])

const notIdentified = (): MailText =>
  written("kyc_rejected", "A identificação da sua conta não foi aprovada", [
    "Confira no painel, em Configurações, o documento e o nome que você enviou, corrija o que estiver errado e envie de novo.",
  ])

const suspended = (): MailText =>
  written("seller_suspended", "A sua conta foi suspensa", [
    "Enquanto a conta estiver suspensa, ela não cria cobranças, saques nem devoluções. Você continua entrando no painel e vendo tudo o que já existe.",
  ])

const reactivated = (): MailText =>
  written("seller_reactivated", "A sua conta está ativa de novo", [
    "A suspensão da sua conta terminou. Cobranças, saques e devoluções voltaram a funcionar.",
  ])

const locked = (untilMillis: number): MailText =>
  written("payouts_locked", "Os saques da sua conta foram bloqueados", [
    `Os saques ficam bloqueados até ${timeText(untilMillis)}. Cobranças continuam funcionando, e o saldo continua seu.`,
  ])

const unlocked = (): MailText =>
  written("payouts_unlocked", "Os saques da sua conta foram liberados", [
    "O bloqueio dos saques da sua conta terminou.",
  ])

/** Of settings that changed, a line each with the value before and after. */
const changedSettings = (before: StoredSeller, after: StoredSeller): ReadonlyArray<string> => {
  const [was, is] = [shownSettings(before.settings), shownSettings(after.settings)]
  const changed = (Object.keys(settings) as ReadonlyArray<SettingName>).filter(
    (name) => was[name] !== is[name],
  )
  const valuesIn = (values: typeof was) => Object.fromEntries(changed.map((name) => [name, values[name]]))
  return auditDetailsLines({ ...valuesIn(is), previous: valuesIn(was) }, "pt-BR")
}

/**
 * The mail about what an operator decided on a seller, by what changed; undefined where its owner need not know. It has no link and no
 * text that anybody typed.
 */
export const sellerDecisionMail = (
  before: StoredSeller,
  after: StoredSeller,
  nowMillis: number,
): MailText | undefined => {
  if (after.kycStatus !== before.kycStatus) {
    if (after.kycStatus === "approved") return identified()
    return after.kycStatus === "rejected" ? notIdentified() : undefined
  }
  if (after.status !== before.status) return after.status === "suspended" ? suspended() : reactivated()
  if (after.payoutLockedUntilMillis !== before.payoutLockedUntilMillis) {
    const { payoutLockedUntilMillis: untilMillis = 0 } = after
    return untilMillis > nowMillis ? locked(untilMillis) : unlocked()
  }
  const lines = changedSettings(before, after)
  if (lines.length === 0) return undefined
  return written("settings_changed", "As tarifas ou os limites da sua conta mudaram", [
    "Mudou na sua conta, de agora em diante:",
    "",
    ...lines,
  ])
}

/** The mail about an operator's decision on a Pix key for withdrawals; `maskedValue` as the dashboard shows it. */
export const pixKeyDecisionMail = (isApproved: boolean, maskedValue: string): MailText =>
  isApproved
    ? written("pix_key_approved", "A sua chave Pix foi aprovada", [
        `A chave Pix ${maskedValue} foi aprovada. Você já pode sacar para ela.`,
      ])
    : written("pix_key_refused", "A sua chave Pix não foi aprovada", [
        `A chave Pix ${maskedValue} não foi aprovada, e não recebe saques. Cadastre no painel uma chave do mesmo titular da conta.`,
      ])
