// Every error code, with its words in the languages of the pages. Pages load it, so this file loads no package.
import type { Words } from "./words.ts"

/** Values of `error.type` (`docs/contract/errors.md#types`). */
export const errorTypes = [
  "invalid_request_error",
  "authentication_error",
  "permission_error",
  "not_found_error",
  "idempotency_error",
  "rate_limit_error",
  "acquirer_error",
  "internal_error",
] as const
export type ErrorType = (typeof errorTypes)[number]

interface Facts {
  readonly status: number
  readonly type: ErrorType
  /** A message that it comes with. */
  readonly example: string
}

/** Every code, in one table, so that no route can invent a pair of code and status (`docs/contract/errors.md#codes`). */
export const errorCodes = {
  validation_failed: {
    status: 400,
    type: "invalid_request_error",
    example: "amount is required.",
  },
  invalid_url: {
    status: 400,
    type: "invalid_request_error",
    example: "Use an address that starts with https://.",
  },
  invalid_event_type: {
    status: 400,
    type: "invalid_request_error",
    example:
      "'transaction.payed' is not an event type you can subscribe to. Use types from GET /v1/event-types, or \"*\" for all.",
  },
  invalid_cursor: {
    status: 400,
    type: "invalid_request_error",
    example:
      "The cursor does not belong to this list with these filters. Use next_cursor of the previous page with the same filters, or omit it to start over.",
  },
  missing_idempotency_key: {
    status: 400,
    type: "invalid_request_error",
    example:
      "Send an Idempotency-Key header: a text of your choice that names this operation, the same on retries.",
  },
  invalid_api_key: {
    status: 401,
    type: "authentication_error",
    example:
      "This API key is no longer valid: it was revoked or rotated. Use a valid key of the same seller.",
  },
  session_required: {
    status: 401,
    type: "authentication_error",
    example: "Sign in first: this route needs a dashboard session, and yours is missing or has ended.",
  },
  invalid_mfa_code: {
    status: 401,
    type: "authentication_error",
    example:
      "This code is wrong, too old or used already. Send the newest code of the authenticator, or a backup code that was never used.",
  },
  invalid_credentials: {
    status: 401,
    type: "authentication_error",
    example: "The e-mail address or the password is wrong.",
  },
  invalid_signature: {
    status: 401,
    type: "authentication_error",
    example: "X-Webhook-Signature is not the HMAC-SHA256 of this body in hex. It was not processed.",
  },
  mfa_required: {
    status: 403,
    type: "permission_error",
    example: "Confirm this with POST /v1/me/auth/step-up first (turn 2FA on, if it is off), then repeat it.",
  },
  mail_code_required: {
    status: 403,
    type: "permission_error",
    example:
      "A code was mailed to your address, unless one was in the last minute. Send the newest one as mail_code within 10 minutes, with the password.",
  },
  kyc_required: {
    status: 403,
    type: "permission_error",
    example: "Live mode requires an approved identification. Submit it with POST /v1/me/kyc.",
  },
  seller_not_allowed: {
    status: 403,
    type: "permission_error",
    example: "This account is not allowed to operate. Contact support.",
  },
  user_disabled: {
    status: 403,
    type: "permission_error",
    example: "This account was disabled, so nobody can sign in to it. Contact support.",
  },
  payout_locked: {
    status: 403,
    type: "permission_error",
    example: "Withdrawals of this account are locked until 2026-11-22T12:00:00.000Z.",
  },
  permission_denied: {
    status: 403,
    type: "permission_error",
    example: "This route is for sellers, and this user has no seller.",
  },
  ip_not_allowed: {
    status: 403,
    type: "permission_error",
    example: "This API key does not work from your address. Call from one of its allowed_ips.",
  },
  origin_not_allowed: {
    status: 403,
    type: "permission_error",
    example:
      "This request comes from a page of another site. Serve the dashboard from this service's origin, or name its origin in DASHBOARD_ORIGINS.",
  },
  resource_not_found: {
    status: 404,
    type: "not_found_error",
    example:
      "No such resource. Check the id, and that the key or session belongs to the same seller and mode.",
  },
  method_not_allowed: {
    status: 405,
    type: "invalid_request_error",
    example: "This path does not support that method. Use GET, HEAD.",
  },
  invalid_state: {
    status: 409,
    type: "invalid_request_error",
    example: "Transaction 'txn_01KA0000000700000000000000' is paid and cannot become expired.",
  },
  pix_key_not_verified: {
    status: 409,
    type: "invalid_request_error",
    example: "This is none of your verified and active Pix keys. Use an id of GET /v1/pix-keys.",
  },
  insufficient_balance: {
    status: 409,
    type: "invalid_request_error",
    example: "10100 centavos are needed, and 5000 are available.",
  },
  daily_limit_exceeded: {
    status: 409,
    type: "invalid_request_error",
    example:
      "This withdrawal would exceed the limit of 20 withdrawals a day; 20 of it are used. Days are America/Sao_Paulo's.",
  },
  idempotency_in_progress: {
    status: 409,
    type: "idempotency_error",
    example: "A request with this Idempotency-Key is still running. Ask again in a second for its answer.",
  },
  length_required: {
    status: 411,
    type: "invalid_request_error",
    example: "A request of this method has no body in chunks (Transfer-Encoding). Leave the body out.",
  },
  payload_too_large: {
    status: 413,
    type: "invalid_request_error",
    example: "The body is larger than 262144 bytes. Send a smaller one.",
  },
  unsupported_media_type: {
    status: 415,
    type: "invalid_request_error",
    example: "Send the body as JSON in UTF-8, with the header Content-Type: application/json.",
  },
  idempotency_key_reused: {
    status: 422,
    type: "idempotency_error",
    example:
      "This Idempotency-Key was used with another body or path. Repeat the request with exactly the same bytes, or use a new key.",
  },
  rate_limited: {
    status: 429,
    type: "rate_limit_error",
    example: "Too many attempts from this address: 10 a minute are allowed. Try again after Retry-After.",
  },
  internal_error: {
    status: 500,
    type: "internal_error",
    example: "Something went wrong on our side. Try again; if it keeps failing, send us the request_id.",
  },
  acquirer_error: {
    status: 502,
    type: "acquirer_error",
    example:
      "The acquirer did not create the charge in time. To try again, send it with a new Idempotency-Key.",
  },
  service_unavailable: {
    status: 503,
    type: "internal_error",
    example: "The service is overloaded right now. Try again after Retry-After.",
  },
} as const satisfies Readonly<Record<string, Facts>>
export type ErrorCode = keyof typeof errorCodes

/** What pages say of each code; null where the service's message says more. Apart from `errorCodes`, so that pages load nothing else. */
const words: Readonly<Record<ErrorCode, Words | null>> = {
  validation_failed: null,
  invalid_url: {
    "pt-BR":
      "Use um endereço público que exista, em https e na porta 443. Webhooks aceitam também rediss, com um stream.",
    en: "Use a public address that exists, with https on port 443. Webhooks also take rediss with a stream.",
  },
  invalid_event_type: null,
  invalid_cursor: null,
  missing_idempotency_key: null,
  invalid_api_key: null,
  session_required: {
    "pt-BR": "Sua sessão terminou. Entre de novo.",
    en: "Your session has ended. Sign in again.",
  },
  invalid_mfa_code: {
    "pt-BR": "Código inválido, expirado ou já usado.",
    en: "The code is wrong, expired or already used.",
  },
  invalid_credentials: { "pt-BR": "E-mail ou senha incorretos.", en: "Wrong e-mail address or password." },
  invalid_signature: null,
  mfa_required: {
    "pt-BR": "Confirme sua identidade com um código do aplicativo autenticador.",
    en: "Confirm your identity with a code from your authenticator app.",
  },
  mail_code_required: {
    "pt-BR": "Enviamos um código por e-mail. Digite o mais recente.",
    en: "We mailed you a code. Enter the newest one.",
  },
  kyc_required: {
    "pt-BR": "Conclua a verificação do seu cadastro para operar em produção.",
    en: "Complete your identification to work in live mode.",
  },
  seller_not_allowed: { "pt-BR": "Esta conta está suspensa.", en: "This account is suspended." },
  user_disabled: {
    "pt-BR": "Este acesso foi desativado. Fale com o suporte.",
    en: "This account was disabled. Contact support.",
  },
  payout_locked: { "pt-BR": "Saques estão bloqueados no momento.", en: "Withdrawals are locked right now." },
  permission_denied: { "pt-BR": "Você não tem acesso a isto.", en: "You have no access to this." },
  ip_not_allowed: null,
  origin_not_allowed: null,
  resource_not_found: { "pt-BR": "Não encontrado.", en: "Not found." },
  method_not_allowed: null,
  invalid_state: {
    "pt-BR": "O estado atual não permite esta ação.",
    en: "The current state does not allow this.",
  },
  pix_key_not_verified: {
    "pt-BR": "Essa chave Pix não está verificada.",
    en: "This Pix key is not verified.",
  },
  insufficient_balance: { "pt-BR": "Saldo insuficiente.", en: "The balance is not enough." },
  daily_limit_exceeded: { "pt-BR": "O limite diário foi atingido.", en: "The daily limit is reached." },
  idempotency_in_progress: null,
  length_required: null,
  payload_too_large: null,
  unsupported_media_type: null,
  idempotency_key_reused: null,
  rate_limited: {
    "pt-BR": "Muitas tentativas. Aguarde um pouco e tente de novo.",
    en: "Too many tries. Wait a moment and try again.",
  },
  internal_error: {
    "pt-BR": "Algo deu errado do nosso lado. Tente de novo; se continuar, informe o código da requisição.",
    en: "Something went wrong on our side. Try again; if it persists, tell us the request id.",
  },
  acquirer_error: {
    "pt-BR": "O parceiro bancário recusou ou não respondeu.",
    en: "The acquirer refused or did not answer.",
  },
  service_unavailable: {
    "pt-BR": "O serviço está indisponível no momento. Tente de novo em instantes.",
    en: "The service is unavailable right now. Try again in a moment.",
  },
}

/** What pages say of a code; undefined where the service's message says more, or the code is not one of the service's. */
export const wordsOf = (code: string): Words | undefined =>
  (words as Readonly<Partial<Record<string, Words | null>>>)[code] ?? undefined
