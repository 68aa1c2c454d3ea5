import type { Mode } from "../../schema/ids.ts"
import type { PixKeyType } from "../../schema/resources/pixKey.ts"
import { timeText } from "./dateText.ts"
import { deviceName } from "./deviceName.ts"
import type { Mail } from "./mailer.ts"

/** Where a sign-in came from. */
export interface NoticedOrigin {
  readonly ipAddress: string | undefined
  readonly userAgent: string | undefined
}

/** A change to an account that its owner must hear of, whoever made it. */
export type SecurityNotice =
  /** 2FA was turned off by a mailed link; withdrawals are locked until then (ms) if the user may make them. */
  | { readonly kind: "two_factor_recovered"; readonly lockedUntilMillis: number | undefined }
  /** 2FA was turned off in a session; withdrawals are locked until then (ms) if the user may make them. */
  | { readonly kind: "two_factor_disabled"; readonly lockedUntilMillis: number | undefined }
  /** 2FA was turned on; withdrawals are locked until then (ms) if that was long after sign-up. */
  | { readonly kind: "two_factor_enabled"; readonly lockedUntilMillis: number | undefined }
  /** An operator was given a new second factor on the server. */
  | { readonly kind: "two_factor_reset" }
  | { readonly kind: "backup_codes_replaced" }
  | { readonly kind: "passkey_added" | "passkey_removed" }
  /** Many wrong codes in a row; `isSignIn`: after the right password, else in a session. */
  | { readonly kind: "wrong_codes"; readonly isSignIn: boolean }
  | { readonly kind: "password_reset" }
  | { readonly kind: "password_changed" }
  /** `prefix` is the visible prefix of the key. */
  | { readonly kind: "api_key_created"; readonly mode: Mode; readonly prefix: string }
  | {
      readonly kind: "pix_key_created"
      readonly mode: Mode
      readonly type: PixKeyType
      readonly maskedValue: string
    }
  /** To the owner: who was invited at `email` is in the team now, or has left it by itself. */
  | { readonly kind: "member_joined" | "member_left"; readonly email: string }
  /** To the one whom the owner has removed from the team of the seller with this name. */
  | { readonly kind: "member_removed"; readonly sellerName: string }
  /** To the owner before, and to the new one. */
  | { readonly kind: "ownership_given" | "ownership_received" }
  | { readonly kind: "new_device"; readonly origin: NoticedOrigin }

const modeNames: Readonly<Record<Mode, string>> = { live: "produção", test: "teste" }

const locked = (untilMillis: number | undefined): ReadonlyArray<string> =>
  untilMillis === undefined ? [] : [`Os saques ficam bloqueados até ${timeText(untilMillis)}.`]

/** Subject and text of a notice. */
const wordsOf = (notice: SecurityNotice): readonly [subject: string, ...lines: ReadonlyArray<string>] => {
  switch (notice.kind) {
    case "two_factor_recovered":
      return [
        "A autenticação em duas etapas foi desligada",
        "A autenticação em duas etapas da sua conta foi desligada pelo link de recuperação, e todas as sessões foram encerradas.",
        ...locked(notice.lockedUntilMillis),
      ]
    case "two_factor_disabled":
      return [
        "A autenticação em duas etapas foi desligada",
        "A autenticação em duas etapas da sua conta foi desligada, e todas as sessões foram encerradas.",
        ...locked(notice.lockedUntilMillis),
      ]
    case "two_factor_enabled":
      return [
        "A autenticação em duas etapas foi ligada",
        "A autenticação em duas etapas da sua conta foi ligada.",
        ...locked(notice.lockedUntilMillis),
      ]
    case "two_factor_reset":
      return [
        "A autenticação em duas etapas foi trocada",
        "A autenticação em duas etapas da sua conta de operador foi trocada no servidor, e todas as sessões foram encerradas.",
      ]
    case "backup_codes_replaced":
      return [
        "Novos códigos de reserva",
        "Novos códigos de reserva foram gerados. Os anteriores não valem mais.",
      ]
    case "passkey_added":
      return [
        "Nova passkey na sua conta",
        "Uma passkey foi adicionada à sua conta. Ela vale como segunda etapa ao entrar e para confirmar ações.",
      ]
    case "passkey_removed":
      return [
        "Uma passkey foi removida",
        "Uma passkey foi removida da sua conta. Ela não vale mais como segunda etapa.",
      ]
    case "wrong_codes":
      return [
        "Códigos incorretos na sua conta",
        notice.isSignIn
          ? "Alguém que conhece a sua senha digitou vários códigos incorretos seguidos ao entrar na sua conta."
          : "Vários códigos incorretos seguidos foram digitados em uma sessão da sua conta.",
        "Entre um código e outro, agora é preciso esperar.",
      ]
    case "password_reset":
      return [
        "A sua senha foi redefinida",
        "A senha da sua conta foi redefinida por um link enviado a este endereço, e todas as sessões foram encerradas.",
      ]
    case "password_changed":
      return ["A sua senha foi alterada", "A senha da sua conta foi alterada."]
    case "api_key_created":
      return [
        "Nova chave de API",
        `Uma chave de API de ${modeNames[notice.mode]} foi criada: ${notice.prefix}…`,
      ]
    case "pix_key_created":
      return [
        "Nova chave Pix",
        `Uma chave Pix de ${modeNames[notice.mode]} foi cadastrada: ${notice.type} ${notice.maskedValue}`,
      ]
    case "member_joined":
      return [
        `${notice.email} entrou na sua equipe`,
        `${notice.email} aceitou o seu convite e agora usa a sua conta.`,
      ]
    case "member_left":
      return [
        `${notice.email} saiu da sua equipe`,
        `${notice.email} saiu da sua equipe por conta própria e não tem mais acesso à sua conta.`,
      ]
    case "member_removed":
      return [
        "Você não está mais na equipe",
        `O seu acesso à conta de "${notice.sellerName}" foi removido por quem é titular dela.`,
      ]
    case "ownership_given":
      return [
        "A sua conta tem outro titular",
        "Você passou a titularidade da conta a outra pessoa da equipe. Só ela pode devolvê-la.",
      ]
    case "ownership_received":
      return [
        "A titularidade da conta agora é sua",
        "Você recebeu a titularidade da conta. Os avisos da conta agora chegam a este endereço.",
      ]
    case "new_device":
      return [
        "Novo acesso à sua conta",
        "Alguém entrou na sua conta de um dispositivo ou endereço que ainda não conhecíamos.",
        `Dispositivo: ${deviceName(notice.origin.userAgent)}`,
        `Endereço IP: ${notice.origin.ipAddress ?? "desconhecido"}`,
      ]
  }
}

const closing = (notice: SecurityNotice): ReadonlyArray<string> =>
  notice.kind === "member_removed"
    ? ["Se isso foi um engano, peça um novo convite a quem cuida da conta."]
    : [
        "Se foi você, não é preciso fazer nada. Se não foi, redefina a sua senha agora, encerre as sessões que não",
        "conhece, revogue as chaves que não criou e fale conosco.",
      ]

/**
 * The mail about a notice. It contains no link and no text that anyone typed, but the address of a member and, to one who was in its
 * team, the name of a seller: an intruder must not get to write in our name.
 */
export const securityMail = (notice: SecurityNotice, atMillis: number): Omit<Mail, "to"> => {
  const [subject, ...lines] = wordsOf(notice)
  return {
    purpose: notice.kind,
    subject,
    text: [...lines, `Quando: ${timeText(atMillis)}`, "", ...closing(notice), "", "Corrente"].join("\n"),
  }
}
