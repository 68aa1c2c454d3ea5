import type { GivenRole } from "../../schema/memberRoles.ts"
import type { Mail } from "./mailer.ts"
import { moneyText } from "./moneyText.ts"

/** A mail without its recipient. */
type MailText = Omit<Mail, "to">

const written = (purpose: string, subject: string, lines: ReadonlyArray<string>): MailText => ({
  purpose,
  subject,
  text: [...lines, "", "Corrente"].join("\n"),
})

/** Verifies an e-mail address. */
export const verificationMail = (name: string, link: string): MailText =>
  written("verify_email", "Confirme o seu e-mail", [
    `Olá, ${name}.`,
    "",
    "Confirme o seu endereço de e-mail neste link, válido por 24 horas:",
    link,
  ])

/** Resets a password. */
export const resetMail = (link: string): MailText =>
  written("reset_password", "Nova senha", [
    "Para escolher uma nova senha, use este link, válido por 1 hora:",
    link,
    "",
    "Todas as sessões serão encerradas. Se não foi você que pediu, ignore esta mensagem.",
  ])

/** Turns off a lost second factor. */
export const recoveryMail = (link: string): MailText =>
  written("recover_two_factor", "Recuperação da autenticação em duas etapas", [
    "Para desligar a autenticação em duas etapas, use este link, válido por 30 minutos:",
    link,
    "",
    "Todas as sessões serão encerradas e os saques ficam bloqueados por 24 horas.",
    "Se não foi você que pediu, troque a sua senha: alguém a conhece.",
  ])

/** Confirms that the owner of the mailbox turns 2FA on; `code` as it is shown. */
export const enrolmentMail = (code: string): MailText =>
  written("two_factor_code", `${code} é o seu código da Corrente`, [
    "Alguém que conhece a sua senha está ligando a autenticação em duas etapas. Para continuar, digite este código,",
    "válido por 10 minutos. O mais recente substitui os anteriores:",
    code,
    "Ao terminar, os saques ficam bloqueados por 24 horas.",
    "Se não foi você, não passe o código a ninguém e redefina a sua senha agora.",
    "",
    "Somebody who knows your password is turning two-factor authentication on. To continue, enter the code above, which",
    "is valid for 10 minutes; the newest one replaces those before. Once it is on, withdrawals are locked for 24 hours.",
    "If it was not you, give the code to nobody and reset your password now.",
  ])

/** An invitation to a seller's team as its mail tells it. */
export interface TeamInvitation {
  readonly sellerName: string
  readonly inviter: { readonly name: string; readonly email: string }
  readonly role: GivenRole
  /** Centavos that one refund of `support` may give back; undefined for other roles. */
  readonly refundLimit: number | undefined
  readonly link: string
}

const rolesPt: Readonly<Record<GivenRole, string>> = {
  finance: "financeiro",
  developer: "desenvolvimento",
  support: "atendimento",
  viewer: "leitura",
}

/** Invites someone to a seller's team, whose name its people chose: who invites, the role, and its limit. */
export const teamInviteMail = ({
  sellerName,
  inviter,
  role,
  refundLimit,
  link,
}: TeamInvitation): MailText => {
  const who = inviter.name === sellerName ? inviter.email : `${inviter.name} (${inviter.email})`
  const limitPt = refundLimit ? `, com devoluções de até ${moneyText(refundLimit)} cada` : ""
  const limit = refundLimit ? `, with refunds of up to ${moneyText(refundLimit, "en")} each` : ""
  return written("team_invite", "Convite para uma equipe na Corrente", [
    `${who} convida você para a equipe de "${sellerName}".`,
    `Sua função: ${rolesPt[role]}${limitPt}.`,
    "Use este link, válido por 7 dias, com este endereço de e-mail:",
    link,
    "Se você não conhece quem convidou, ignore esta mensagem.",
    "",
    `${who} invites you to join the team of "${sellerName}".`,
    `Your role: ${role}${limit}.`,
    "Open the link above, which works for 7 days, and use this e-mail address.",
    "If you do not know who invited you, you can ignore this message.",
  ])
}

/** Invites someone to sign up. */
export const inviteMail = (link: string): MailText =>
  written("invite", "Convite para a Corrente", [
    "Você foi convidado a abrir uma conta. Use este link, válido por 7 dias:",
    link,
  ])
