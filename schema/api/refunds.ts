import { Schema } from "effect"
import { HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { rolesFor } from "../memberRoles.ts"
import { EntryCharge } from "../resources/ledger.ts"
import { CreateRefund, exampleRefund, Refund, refundStatuses } from "../resources/refund.ts"
import { creationHeaders, idParams, pageOf, pageQuery, statusFilter, windowQuery } from "./common.ts"
import { exportedFiles, exportQuery } from "./exports.ts"
import { AwaitingSecondOperator, operatorErrors } from "./operatorDecision.ts"
import { route } from "./route.ts"
import { ApiKeyAuth, OperatorAuth, SellerAuth } from "./security.ts"

const chargeParams = { id: Schema.String.annotateKey({ description: "The charge's id." }) }

/** Which refunds a list, or a file, is of. */
const refundFilters = {
  ...windowQuery,
  status: statusFilter(refundStatuses),
  transaction_id: Schema.optionalKey(Schema.String.check(Schema.isMinLength(1))).annotateKey({
    description: "Only refunds of this charge.",
  }),
}

const refundsQuery = {
  ...pageQuery,
  ...refundFilters,
  view: Schema.optionalKey(Schema.Literals(["full", "statement"])).annotateKey({
    description: "`statement` adds the `charge` of each refund. Default `full`, which is without.",
  }),
}

/** A refund of a list, as its `view` asks. */
const ListedRefund = Schema.Struct({
  ...Refund.fields,
  charge: Schema.optionalKey(Schema.NullOr(EntryCharge)).annotateKey({
    description:
      "With `view=statement`: what the charge was and who paid it; null for charges that test mode has forgotten.",
  }),
}).annotate({ identifier: "ListedRefund", examples: [exampleRefund] })

const exampleCsv = [
  "Devolução;Situação;Pedida em;Concluída em;Valor;Motivo;Cobrança;Pagador;CPF/CNPJ;Pedido;end_to_end_id;Id da devolução;Falha",
  "rfd_01KA0000000700000000000000;Devolvida;21/11/2026 09:00:00;21/11/2026 09:00:12;5,00;Troca;txn_01KA0000000700000000000000;Ana Souza;529.982.247-25;A-1001;E1234567820261121120012345678901;D1234567820261121120012345678901;",
]
const exampleNdjson =
  '{"id":"rfd_01KA0000000700000000000000","status":"succeeded","created_at":"2026-11-21T12:00:00.000Z","completed_at":"2026-11-21T12:00:12.000Z","amount":500,"reason":"Troca","origin":"seller","transaction_id":"txn_01KA0000000700000000000000","payer":"Ana Souza","document":"52998224725","reference":"A-1001","end_to_end_id":"E1234567820261121120012345678901","return_id":"D1234567820261121120012345678901","failure_code":null,"failure_reason":null}\n'

/** What the route of files of refunds takes and answers, with either credential. */
const refundExport = {
  summary: "A file of refunds, newest first, of any length",
  query: { ...refundFilters, ...exportQuery },
  success: exportedFiles({
    lines: "one line for each refund, newest first",
    csv: exampleCsv,
    ndjson: exampleNdjson,
  }),
} as const

/** Errors of a request for a refund, whoever makes it (`docs/contract/refunds.md#preconditions`). */
const creation = [
  "validation_failed",
  "missing_idempotency_key",
  "seller_not_allowed",
  "kyc_required",
  "resource_not_found",
  "invalid_state",
  "insufficient_balance",
  "idempotency_in_progress",
  "length_required",
  "payload_too_large",
  "unsupported_media_type",
  "idempotency_key_reused",
] as const

/** What every route that requests a refund takes and answers; only its credential differs. */
const request = {
  summary: "Give money of a paid charge back to its payer",
  body: "optional",
  params: chargeParams,
  headers: creationHeaders,
  payload: CreateRefund,
  success: Refund.pipe(HttpApiSchema.status(201)),
} as const

/** Refunds. */
export const refundsGroup = HttpApiGroup.make("refunds")
  .add(
    route.post("createRefund", "/v1/transactions/:id/refunds", {
      scope: "refunds:write",
      ...request,
      errors: ["invalid_api_key", "permission_denied", ...creation],
    }),
    route.get("getRefund", "/v1/refunds/:id", {
      scope: "charges:read",
      summary: "A refund as it is now",
      params: idParams,
      success: Refund,
      errors: ["invalid_api_key", "resource_not_found"],
    }),
    route.get("listRefunds", "/v1/refunds", {
      scope: "charges:read",
      summary: "Refunds, newest first",
      query: refundsQuery,
      success: pageOf(ListedRefund),
      errors: ["validation_failed", "invalid_cursor", "invalid_api_key"],
    }),
    route.get("exportRefunds", "/v1/refunds/export", {
      scope: "charges:read",
      ...refundExport,
      errors: ["validation_failed", "invalid_api_key", "rate_limited"],
    }),
  )
  .middleware(ApiKeyAuth)
  .annotate(
    OpenApi.Description,
    "Money of paid charges that goes back to their payers: the whole amount, or parts of it. Amounts are integers in centavos.",
  )

const reads = ["validation_failed", "session_required", "permission_denied"] as const

/** The same for a session with `X-Mode`. Moving money always needs a step-up (`docs/contract/accounts.md#step-up`). */
export const sessionRefundsGroup = HttpApiGroup.make("sessionRefunds")
  .add(
    route.post("createMyRefund", "/v1/me/transactions/:id/refunds", {
      roles: rolesFor.refunding,
      ...request,
      stepUp: "always",
      errors: ["session_required", "permission_denied", "origin_not_allowed", "mfa_required", ...creation],
    }),
    route.get("getMyRefund", "/v1/me/refunds/:id", {
      roles: rolesFor.reading,
      summary: "A refund as it is now",
      params: idParams,
      success: Refund,
      errors: [...reads, "resource_not_found"],
    }),
    route.get("listMyRefunds", "/v1/me/refunds", {
      roles: rolesFor.reading,
      summary: "Refunds, newest first",
      query: refundsQuery,
      success: pageOf(ListedRefund),
      errors: [...reads, "invalid_cursor"],
    }),
    route.get("exportMyRefunds", "/v1/me/refunds/export", {
      roles: rolesFor.reading,
      ...refundExport,
      errors: [...reads, "rate_limited"],
    }),
  )
  .middleware(SellerAuth)
  .annotate(OpenApi.Description, "A seller's refunds, for a dashboard.")

/** Operators refund charges of any seller. */
export const operatorRefundsGroup = HttpApiGroup.make("operatorRefunds")
  .add(
    route.post("createRefundAsOperator", "/v1/admin/transactions/:id/refunds", {
      ...request,
      success: [request.success, AwaitingSecondOperator],
      summary: "Give money of a seller's paid charge back to its payer",
      errors: [...operatorErrors, ...creation],
    }),
  )
  .middleware(OperatorAuth)
  .annotate(OpenApi.Description, "Operators refund charges, out of their sellers' balances.")
