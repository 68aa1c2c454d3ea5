import type { CorrenteError } from "../../../client/src/errors.ts"
import { formatCount, formatMoment, formatMoney } from "./format.ts"
import { language, textsOf } from "./i18n.ts"

const texts = textsOf<Readonly<Record<string, string>>>({
  "pt-BR": {
    network_error: "O serviço não respondeu. Verifique sua conexão e tente de novo.",
    timeout: "O serviço demorou demais para responder. Tente de novo.",
    unexpected_answer: "A resposta não veio do serviço, e sim de algo antes dele. Tente de novo.",
    service_unavailable: "O serviço está indisponível no momento. Tente de novo em instantes.",
    internal_error:
      "Algo deu errado do nosso lado. Tente de novo; se continuar, informe o código da requisição.",
    invalid_credentials: "E-mail ou senha incorretos.",
    invalid_mfa_code: "Código inválido, expirado ou já usado.",
    mfa_required: "Confirme sua identidade com um código do aplicativo autenticador.",
    mail_code_required: "Enviamos um código por e-mail. Digite o mais recente.",
    session_required: "Sua sessão terminou. Entre de novo.",
    rate_limited: "Muitas tentativas. Aguarde um pouco e tente de novo.",
    rate_limited_seconds: "Muitas tentativas. Tente de novo em {seconds} segundos.",
    too_many_wrong_codes: "Muitos códigos errados seguidos nesta sessão. Saia e entre de novo.",
    wrong_codes_wait:
      "Muitos códigos errados seguidos. Tente de novo em {wait}. Se não foi você, redefina a sua senha: alguém a conhece.",
    permission_denied: "Você não tem acesso a isto.",
    resource_not_found: "Não encontrado.",
    insufficient_balance: "Saldo insuficiente.",
    daily_limit_exceeded: "O limite diário foi atingido.",
    pix_key_not_verified: "Essa chave PIX não está verificada.",
    payout_locked: "Saques estão bloqueados no momento.",
    kyc_required: "Conclua a verificação do seu cadastro para operar em produção.",
    seller_not_allowed: "Esta conta está suspensa.",
    user_disabled: "Este acesso foi desativado. Fale com o suporte.",
    invalid_url: "O endereço precisa existir, ser público e usar https na porta 443.",
    acquirer_error: "O parceiro bancário recusou ou não respondeu.",
    invalid_state: "O estado atual não permite esta ação.",
    incomplete_download: "O arquivo não chegou inteiro e foi descartado. Baixe de novo.",
    defect: "Esta página encontrou um erro inesperado. Recarregue-a.",
  },
  en: {
    network_error: "The service did not answer. Check your connection and try again.",
    timeout: "The service took too long to answer. Try again.",
    unexpected_answer: "The answer was not the service's, but of something before it. Try again.",
    service_unavailable: "The service is unavailable right now. Try again in a moment.",
    internal_error: "Something went wrong on our side. Try again; if it persists, tell us the request id.",
    invalid_credentials: "Wrong e-mail address or password.",
    invalid_mfa_code: "The code is wrong, expired or already used.",
    mfa_required: "Confirm your identity with a code from your authenticator app.",
    mail_code_required: "We mailed you a code. Enter the newest one.",
    session_required: "Your session has ended. Sign in again.",
    rate_limited: "Too many tries. Wait a moment and try again.",
    rate_limited_seconds: "Too many tries. Try again in {seconds} seconds.",
    too_many_wrong_codes: "Too many wrong codes in a row in this session. Sign out and in again.",
    wrong_codes_wait:
      "Too many wrong codes in a row. Try again in {wait}. If it was not you, reset your password: somebody knows it.",
    permission_denied: "You have no access to this.",
    resource_not_found: "Not found.",
    insufficient_balance: "The balance is not enough.",
    daily_limit_exceeded: "The daily limit is reached.",
    pix_key_not_verified: "This PIX key is not verified.",
    payout_locked: "Withdrawals are locked right now.",
    kyc_required: "Complete your identification to work in live mode.",
    seller_not_allowed: "This account is suspended.",
    user_disabled: "This account was disabled. Contact support.",
    invalid_url: "The address must exist, be public and use https on port 443.",
    acquirer_error: "The acquirer refused or did not answer.",
    invalid_state: "The current state does not allow this.",
    incomplete_download: "The file did not arrive whole and was thrown away. Download it again.",
    defect: "This page ran into an unexpected error. Reload it.",
  },
})

const ownWords = new WeakMap<CorrenteError, string>()

/** Gives a failure the words of the page that met it, where those of its code say too little; returns it. */
export const explain = (error: CorrenteError, words: string): CorrenteError => {
  ownWords.set(error, words)
  return error
}

/** A wait as people say it, rounded up: `5 min`, `3 h`. */
const waitText = (seconds: number): string => {
  const minutes = Math.ceil(seconds / 60)
  return minutes <= 120 ? `${minutes} min` : `${Math.ceil(minutes / 60)} h`
}

/** Where more than the code decides the words: the wait after too many tries, and after wrong codes. */
const specialText = ({ code, details, retryAfterSeconds }: CorrenteError): string | undefined => {
  const { value } = texts
  const isWrongCodes = details?.reason === "too_many_wrong_codes"
  if (isWrongCodes && code === "rate_limited" && retryAfterSeconds !== undefined)
    return value.wrong_codes_wait?.replace("{wait}", waitText(retryAfterSeconds))
  if (code === "rate_limited" && retryAfterSeconds !== undefined)
    return value.rate_limited_seconds?.replace("{seconds}", String(Math.ceil(retryAfterSeconds)))
  if (isWrongCodes) return value.too_many_wrong_codes
  return undefined
}

const sentences = textsOf({
  "pt-BR": {
    below: (minimum: string) => `O valor mínimo é ${minimum}.`,
    short: (available: string, needed: string) =>
      `Saldo insuficiente: há ${available} disponíveis, e são necessários ${needed}.`,
    value: (used: string, limit: string) =>
      `O limite diário de saques é ${limit}, e ${used} já foram pedidos hoje.`,
    count: (used: string, limit: string) =>
      `São no máximo ${limit} saques por dia, e hoje já houve ${used}. Amanhã há outros.`,
    locked: (until: string) => `Saques estão bloqueados até ${until}.`,
    inProgress: "Já há um saque em andamento. Espere ele terminar, ou cancele-o.",
    noPayment: "A cobrança foi dada como paga por um operador: não se conhece o Pix a devolver.",
  },
  en: {
    below: (minimum: string) => `The least amount is ${minimum}.`,
    short: (available: string, needed: string) =>
      `The balance is not enough: ${available} are available, and ${needed} are needed.`,
    value: (used: string, limit: string) =>
      `The daily limit of withdrawals is ${limit}, and ${used} were requested today.`,
    count: (used: string, limit: string) =>
      `There are ${limit} withdrawals a day at most, and today there were ${used}. Tomorrow has its own.`,
    locked: (until: string) => `Withdrawals are locked until ${until}.`,
    inProgress: "A withdrawal is in progress. Wait until it ends, or cancel it.",
    noPayment: "An operator settled this charge: no payment is known that could be returned.",
  },
})

/** What an error's details say in words; undefined where they say no more than the code. */
const sentenceOf = ({ code, details }: CorrenteError): string | undefined => {
  const { available, amount, total = amount, minimum, limit, used, reason, locked_until } = details ?? {}
  const { value } = sentences
  if (code === "insufficient_balance" && typeof amount === "number" && typeof minimum === "number")
    if (amount < minimum) return value.below(formatMoney(minimum))
  if (code === "insufficient_balance" && typeof available === "number" && typeof total === "number")
    return value.short(formatMoney(available), formatMoney(total))
  if (code === "daily_limit_exceeded" && typeof limit === "number" && typeof used === "number")
    return reason === "daily_value_limit"
      ? value.value(formatMoney(used), formatMoney(limit))
      : value.count(formatCount(used), formatCount(limit))
  if (code === "payout_locked" && typeof locked_until === "string")
    return value.locked(formatMoment(locked_until))
  if (reason === "end_to_end_id_unknown") return value.noPayment
  return reason === "withdrawal_in_progress" ? value.inProgress : undefined
}

/**
 * A failure in words of the page's language. The service's own sentence follows where it says more than the code: which field is
 * wrong, which state forbids it.
 */
export const failureText = (error: CorrenteError): string => {
  const special = ownWords.get(error) ?? specialText(error)
  if (special !== undefined) return special
  const known = texts.value[error.code]
  if (known === undefined) return error.message
  const sentence = sentenceOf(error)
  if (sentence !== undefined) return sentence
  return error.code === "invalid_state" && language.value === "en" ? error.message : known
}
