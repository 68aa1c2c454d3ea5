import { pause } from "../../../../client/src/waiting.ts"
import { formLimits } from "../../../../schema/formLimits.ts"
import type { AttemptFault } from "../../../../schema/names.ts"
import type { Delivery } from "../../../../schema/resources/delivery.ts"
import { call } from "../../api/http.ts"
import { formatCount } from "../../text/format.ts"
import { textsOf } from "../../text/i18n.ts"

const lookMillis = 500
/** An attempt takes 10 s at most, and waits for a place a little while the service is busy. */
const waitMillisMax = 30_000

/**
 * Waits until an attempt that was asked for has been made, and answers it: the list has it only then. Undefined where it is still
 * not made after 30 s, such as while it waits for its turn. `query` narrows the list that is looked at.
 */
export const attemptOf = async (
  id: string,
  query: { readonly event_id?: string; readonly endpoint_id?: string },
): Promise<Delivery | undefined> => {
  for (const deadline = Date.now() + waitMillisMax; ; ) {
    const { data } = await call("GET /v1/me/webhook-deliveries", { query: { ...query, limit: 20 } })
    const found = data.find((attempt) => attempt.id === id)
    if (found !== undefined || Date.now() > deadline) return found
    await pause(lookMillis, undefined)
  }
}

/** Whether two attempts are of the same delivery: one event owed to one destination. */
export const isSameDelivery = (one: Delivery, other: Delivery): boolean =>
  one.event_id === other.event_id &&
  one.target === other.target &&
  one.endpoint_id === other.endpoint_id &&
  one.target_host === other.target_host

/** The share of attempts that succeeded, rounded down to a tenth of a percent so that 99.99 % is not shown as all. */
export const shareText = (share: number, language: string): string =>
  new Intl.NumberFormat(language, { style: "percent", maximumFractionDigits: 1 }).format(
    Math.floor(share * 1_000) / 1_000,
  )

const texts = textsOf({
  "pt-BR": {
    answered: (code: number) => `Respondeu ${code}`,
    appended: "O Redis guardou o evento",
    http: (code: number) => `Respondeu ${code}, e só 2xx conta como recebido`,
    millis: (millis: string) => `em ${millis} ms`,
  },
  en: {
    answered: (code: number) => `Answered ${code}`,
    appended: "Redis has the event",
    http: (code: number) => `Answered ${code}, and only 2xx counts as received`,
    millis: (millis: string) => `in ${millis} ms`,
  },
})

const errors = textsOf<Readonly<Record<AttemptFault, string>>>({
  "pt-BR": {
    redirect_not_followed: "Respondeu com um redirecionamento, que não seguimos",
    timeout: `Não respondeu em ${formLimits.attemptTimeoutMillis / 1000} s`,
    connection_error: "Conexão recusada, nome não encontrado ou certificado inválido",
    response_head_too_large: "Respondeu com cabeçalhos de mais de 16 KiB",
    response_bare_line_feed: "Respondeu fora do padrão HTTP: uma linha do cabeçalho termina em LF sem CR",
    response_two_lengths: "Respondeu fora do padrão HTTP: o tamanho do corpo é informado duas vezes",
    response_switches_protocols: "Respondeu 101 e trocou de protocolo, o que não pedimos",
    response_not_http: "Respondeu fora do padrão HTTP/1.1",
    redis_denied: "O Redis recusou usuário, senha ou permissão",
    redis_wrong_type: "A chave existe no Redis e não é um stream",
    redis_out_of_memory: "O Redis está sem memória",
    redis_read_only: "Este Redis é uma réplica e só aceita leitura",
    redis_moved: "O stream fica em outro nó do cluster, e não seguimos o redirecionamento",
    redis_error: "O Redis respondeu com um erro",
    redis_not_resp: "Quem respondeu não é um Redis",
    endpoint_disabled: "Não foi enviada: o destino estava desativado ou foi excluído",
    blocked_destination: "Não foi enviada: o endereço não é público",
    missing_secret: "Não foi enviada: falta a chave dos postbacks",
    event_expired: "Não foi enviada: o evento não está mais guardado",
  },
  en: {
    redirect_not_followed: "Answered with a redirect, which we do not follow",
    timeout: `Did not answer within ${formLimits.attemptTimeoutMillis / 1000} s`,
    connection_error: "Connection refused, name not found or invalid certificate",
    response_head_too_large: "Answered with headers of more than 16 KiB",
    response_bare_line_feed: "Answered with something other than HTTP: a header line ends in LF without CR",
    response_two_lengths: "Answered with something other than HTTP: the body has two lengths",
    response_switches_protocols: "Answered 101 and switched protocols, which we did not ask for",
    response_not_http: "Answered with something other than HTTP/1.1",
    redis_denied: "Redis refused the user, password or permission",
    redis_wrong_type: "The key exists in Redis and is no stream",
    redis_out_of_memory: "Redis is out of memory",
    redis_read_only: "This Redis is a replica, which only reads",
    redis_moved: "The stream is on another node of the cluster, and we do not follow the redirect",
    redis_error: "Redis answered with an error",
    redis_not_resp: "What answered is no Redis",
    endpoint_disabled: "Not sent: the destination was disabled or deleted",
    blocked_destination: "Not sent: the address is not public",
    missing_secret: "Not sent: there is no postback secret",
    event_expired: "Not sent: the event is no longer kept",
  },
})

/** How an attempt ended, for rows of many: `HTTP 500 · 9 ms`; words where no answer came (`docs/contract/deliveries.md#outcomes`). */
export const shortOutcomeText = (attempt: Delivery): string => {
  const { status_code, response_ms } = attempt
  if (status_code === null) return outcomeText(attempt)
  return response_ms === null ? `HTTP ${status_code}` : `HTTP ${status_code} · ${formatCount(response_ms)} ms`
}

/** How an attempt ended, in words (`docs/contract/deliveries.md#outcomes`). */
export const outcomeText = ({ status_code, response_ms, error }: Delivery): string => {
  const known =
    error === null ? undefined : (errors.value as Readonly<Partial<Record<string, string>>>)[error]
  const { value } = texts
  const words =
    status_code === null
      ? (known ?? error ?? value.appended)
      : (known ?? (error === null ? value.answered(status_code) : value.http(status_code)))
  return response_ms === null ? words : `${words} · ${value.millis(formatCount(response_ms))}`
}
