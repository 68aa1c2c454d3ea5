import { type ClientErrorCode, CorrenteError } from "../../../client/src/errors.ts"
import { wordsOf } from "../../../schema/errorCodes.ts"
import { formatCount, formatMoment, formatMoney } from "./format.ts"
import { language, textsOf } from "./i18n.ts"
import { namesOf } from "./roles.ts"

/** Codes of failures that the service did not name: the client's, and those of pages. */
type PageCode = ClientErrorCode | "incomplete_download" | "defect"

const pageTexts = textsOf<Readonly<Record<PageCode, string>>>({
  "pt-BR": {
    network_error: "O serviço não respondeu. Verifique sua conexão e tente de novo.",
    timeout: "O serviço demorou demais para responder. Tente de novo.",
    aborted: "A requisição foi interrompida. Tente de novo.",
    unexpected_answer: "Algo na frente do serviço respondeu no lugar dele. Tente de novo.",
    invalid_call: "Esta página fez uma requisição inválida. Recarregue-a.",
    incomplete_download: "O arquivo não chegou inteiro e foi descartado. Baixe de novo.",
    defect: "Esta página encontrou um erro inesperado. Recarregue-a.",
  },
  en: {
    network_error: "The service did not answer. Check your connection and try again.",
    timeout: "The service took too long to answer. Try again.",
    aborted: "The request was interrupted. Try again.",
    unexpected_answer: "Something in front of the service answered instead of it. Try again.",
    invalid_call: "This page made an invalid request. Reload it.",
    incomplete_download: "The file did not arrive whole and was thrown away. Download it again.",
    defect: "This page ran into an unexpected error. Reload it.",
  },
})

/** The words of a code; undefined where the message of its error says more. */
const textOfCode = (code: string): string | undefined =>
  (pageTexts.value as Readonly<Partial<Record<string, string>>>)[code] ?? wordsOf(code)?.[language.value]

const ownWords = new WeakMap<CorrenteError, string>()

/** Gives a failure the words of the page that met it, where those of its code say too little; returns it. */
export const explain = (error: CorrenteError, words: string): CorrenteError => {
  ownWords.set(error, words)
  return error
}

const sentences = textsOf({
  "pt-BR": {
    below: (minimum: string) => `O valor mínimo é ${minimum}.`,
    short: (available: string, needed: string) =>
      `Saldo insuficiente: há ${available} disponíveis, e são necessários ${needed}.`,
    value: (used: string, limit: string) =>
      `O limite diário de saques é ${limit}, e ${used} já foram pedidos hoje.`,
    count: (used: string, limit: string) =>
      `São no máximo ${limit} saques por dia, e hoje já houve ${used}. O limite renova amanhã.`,
    locked: (until: string) => `Saques estão bloqueados até ${until}.`,
    tooMany: (seconds: number) => `Muitas tentativas. Tente de novo em ${seconds} segundos.`,
    wrongCodes: "Muitos códigos errados seguidos nesta sessão. Saia e entre de novo.",
    wrongCodesWait: (wait: string) =>
      `Muitos códigos errados seguidos. Tente de novo em ${wait}. Se não foi você, redefina a sua senha: alguém a conhece.`,
    inProgress: "Já há um saque em andamento. Espere ele terminar, ou cancele-o.",
    roles: (roles: string) => `A sua função na equipe não permite isto. Quem pode: ${roles}.`,
    refundLimit: (limit: string) =>
      `Você pode devolver até ${limit} de uma vez. Peça ao titular ou ao financeiro.`,
    noPayment: "A cobrança foi dada como paga por um operador: não se conhece o Pix a devolver.",
  },
  en: {
    below: (minimum: string) => `The minimum is ${minimum}.`,
    short: (available: string, needed: string) =>
      `The balance is not enough: ${available} are available, and ${needed} are needed.`,
    value: (used: string, limit: string) =>
      `The daily limit of withdrawals is ${limit}, and ${used} were requested today.`,
    count: (used: string, limit: string) =>
      `There are ${limit} withdrawals a day at most, and today there were ${used}. The limit resets tomorrow.`,
    locked: (until: string) => `Withdrawals are locked until ${until}.`,
    tooMany: (seconds: number) => `Too many tries. Try again in ${seconds} seconds.`,
    wrongCodes: "Too many wrong codes in a row in this session. Sign out and in again.",
    wrongCodesWait: (wait: string) =>
      `Too many wrong codes in a row. Try again in ${wait}. If it was not you, reset your password: somebody knows it.`,
    inProgress: "A withdrawal is in progress. Wait until it ends, or cancel it.",
    roles: (roles: string) => `Your role does not allow this. Roles that do: ${roles}.`,
    refundLimit: (limit: string) =>
      `You can refund up to ${limit} at a time. Ask the owner or someone in finance.`,
    noPayment: "An operator settled this charge: no payment is known that could be returned.",
  },
})

/** A wait as people say it, rounded up: `5 min`, `3 h`. */
const waitText = (seconds: number): string => {
  const minutes = Math.ceil(seconds / 60)
  return minutes <= 120 ? `${minutes} min` : `${Math.ceil(minutes / 60)} h`
}

/** Where the wait decides the words: after too many tries, and after wrong codes. */
const waitSentence = ({ code, details, retryAfterSeconds }: CorrenteError): string | undefined => {
  const { value } = sentences
  const isWrongCodes = details?.reason === "too_many_wrong_codes"
  if (code === "rate_limited" && retryAfterSeconds !== undefined)
    return isWrongCodes
      ? value.wrongCodesWait(waitText(retryAfterSeconds))
      : value.tooMany(Math.ceil(retryAfterSeconds))
  return isWrongCodes ? value.wrongCodes : undefined
}

/** What an error's details say in words; undefined where they say no more than the code. */
const sentenceOf = ({ code, details }: CorrenteError): string | undefined => {
  const {
    available,
    amount,
    total = amount,
    minimum,
    limit,
    used,
    reason,
    locked_until,
    roles,
    refund_limit,
  } = details ?? {}
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
  if (code === "permission_denied" && typeof refund_limit === "number")
    return value.refundLimit(formatMoney(refund_limit))
  if (code === "permission_denied" && Array.isArray(roles)) return value.roles(namesOf(roles))
  if (reason === "end_to_end_id_unknown") return value.noPayment
  return reason === "withdrawal_in_progress" ? value.inProgress : undefined
}

/**
 * A failure in words of the page's language. The service's own sentence follows where it says more than the code: which field is
 * wrong, which state forbids it.
 */
export const failureText = (error: CorrenteError): string => {
  const special = ownWords.get(error) ?? waitSentence(error)
  if (special !== undefined) return special
  const known = textOfCode(error.code)
  if (known === undefined) return error.message
  const sentence = sentenceOf(error)
  if (sentence !== undefined) return sentence
  return error.code === "invalid_state" && language.value === "en" ? error.message : known
}

/**
 * Carries out an act of a form. Where the service refuses one of its fields (`validation_failed`), the failure has this page's words
 * for the field instead of the service's, which are English; in English pages the service's say more, and stay.
 */
export const explained = async <A>(
  words: Readonly<Record<string, string>>,
  act: () => Promise<A>,
): Promise<A> => {
  try {
    return await act()
  } catch (error) {
    if (!(error instanceof CorrenteError) || error.code !== "validation_failed") throw error
    const own = words[(error.param ?? "").split(".")[0] ?? ""]
    throw own === undefined || language.value === "en" ? error : explain(error, own)
  }
}
