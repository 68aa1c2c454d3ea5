import type { Mail } from "./mailer.ts"

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

/** Invites someone to sign up. */
export const inviteMail = (link: string): MailText =>
  written("invite", "Convite para a Corrente", [
    "Você foi convidado a abrir uma conta. Use este link, válido por 7 dias:",
    link,
  ])
