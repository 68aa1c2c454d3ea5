import type { Delivery } from "../../../../schema/resources/delivery.ts"
import { formatCount } from "../../text/format.ts"
import { textsOf } from "../../text/i18n.ts"

const texts = textsOf({
  "pt-BR": {
    answered: (code: number) => `Respondeu ${code}`,
    http: (code: number) => `Respondeu ${code}, e só 2xx conta como recebido`,
    millis: (millis: string) => `em ${millis} ms`,
  },
  en: {
    answered: (code: number) => `Answered ${code}`,
    http: (code: number) => `Answered ${code}, and only 2xx counts as received`,
    millis: (millis: string) => `in ${millis} ms`,
  },
})

const errors = textsOf<Readonly<Record<string, string>>>({
  "pt-BR": {
    redirect_not_followed: "Respondeu com um redirecionamento, que não seguimos",
    timeout: "Não respondeu em 10 s",
    connection_error: "Conexão recusada, nome não encontrado ou certificado inválido",
    response_head_too_large: "Respondeu com cabeçalhos de mais de 16 KiB",
    response_bare_line_feed: "Respondeu fora do padrão HTTP: uma linha do cabeçalho termina em LF sem CR",
    response_two_lengths: "Respondeu fora do padrão HTTP: o tamanho do corpo é informado duas vezes",
    response_switches_protocols: "Respondeu 101 e trocou de protocolo, o que não pedimos",
    response_not_http: "Respondeu fora do padrão HTTP/1.1",
    endpoint_disabled: "Não foi enviada: o destino estava desativado ou foi excluído",
    blocked_destination: "Não foi enviada: o endereço não é público",
    missing_secret: "Não foi enviada: falta a chave dos postbacks",
    event_expired: "Não foi enviada: o evento não está mais guardado",
  },
  en: {
    redirect_not_followed: "Answered with a redirect, which we do not follow",
    timeout: "Did not answer within 10 s",
    connection_error: "Connection refused, name not found or invalid certificate",
    response_head_too_large: "Answered with headers of more than 16 KiB",
    response_bare_line_feed: "Answered with something other than HTTP: a header line ends in LF without CR",
    response_two_lengths: "Answered with something other than HTTP: the body has two lengths",
    response_switches_protocols: "Answered 101 and switched protocols, which we did not ask for",
    response_not_http: "Answered with something other than HTTP/1.1",
    endpoint_disabled: "Not sent: the destination was disabled or deleted",
    blocked_destination: "Not sent: the address is not public",
    missing_secret: "Not sent: there is no postback secret",
    event_expired: "Not sent: the event is no longer kept",
  },
})

/** How an attempt ended, in words (`docs/contract/deliveries.md#outcomes`). */
export const outcomeText = ({ status_code, response_ms, error }: Delivery): string => {
  const known = error === null ? undefined : errors.value[error]
  const { value } = texts
  const words =
    status_code === null
      ? (known ?? error ?? "")
      : (known ?? (error === null ? value.answered(status_code) : value.http(status_code)))
  return response_ms === null ? words : `${words} · ${value.millis(formatCount(response_ms))}`
}
