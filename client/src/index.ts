export { Corrente } from "./corrente.ts"
export {
  type ClientErrorCode,
  CorrenteError,
  type CorrenteErrorCode,
  type CorrenteErrorFields,
  type WebhookErrorCode,
  WebhookVerificationError,
} from "./errors.ts"
export type { ExportedFile, ExportedRows, ExportOf } from "./exportedFile.ts"
export type { List, Page } from "./list.ts"
export type { ConnectionState, SubscribeOptions } from "./subscribe.ts"
export type { CallOptions, CorrenteOptions, CreateOptions } from "./transport.ts"
export type * from "./types.ts"
export { type RawBody, type VerifyWebhookOptions, verifyWebhook, type WebhookHeaders } from "./webhooks.ts"
