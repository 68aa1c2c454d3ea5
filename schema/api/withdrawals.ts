import { Schema } from "effect"
import { HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { formLimits } from "../formLimits.ts"
import { rolesFor } from "../memberRoles.ts"
import { Balance, BalanceReleases, LedgerEntry } from "../resources/ledger.ts"
import { CreateWithdrawal, Withdrawal, withdrawalStatuses } from "../resources/withdrawal.ts"
import {
  creationHeaders,
  idParams,
  integerText,
  kindsFilter,
  pageOf,
  pageQuery,
  statusFilter,
  windowQuery,
} from "./common.ts"
import { exportedFiles, exportQuery } from "./exports.ts"
import { route } from "./route.ts"
import { ApiKeyAuth, SellerAuth } from "./security.ts"

/** Which withdrawals a list, or a file, is of. */
const withdrawalFilters = { ...windowQuery, status: statusFilter(withdrawalStatuses) }
const withdrawalsQuery = { ...pageQuery, ...withdrawalFilters }

const exampleCsv = [
  "Saque;Situação;Pedido em;Concluído em;Valor;Tarifa;Total;Chave Pix;Descrição;end_to_end_id;Devolvido pelo banco;Debitado depois;Falha",
  "wd_01KA0000000700000000000000;Concluído;21/11/2026 09:00:00;21/11/2026 09:00:12;100,00;1,00;101,00;***.982.247-**;November;E1234567820261121120012345678901;0,00;0,00;",
]
const exampleNdjson =
  '{"id":"wd_01KA0000000700000000000000","status":"successful","created_at":"2026-11-21T12:00:00.000Z","completed_at":"2026-11-21T12:00:12.000Z","amount":10000,"fee":100,"total":10100,"pix_key_id":"pk_01KA0000000700000000000000","pix_key_type":"cpf","pix_key":"***.982.247-**","description":"November","end_to_end_id":"E1234567820261121120012345678901","returned_amount":0,"debited_amount":0,"failure_reason":null}\n'

/** What the route of files of withdrawals takes and answers, with either credential. */
const withdrawalExport = {
  summary: "A file of withdrawals, newest first, of any length",
  query: { ...withdrawalFilters, ...exportQuery },
  success: exportedFiles({
    lines: "one line for each withdrawal, newest first",
    csv: exampleCsv,
    ndjson: exampleNdjson,
  }),
} as const

/** What the route of the calendar of releases takes and answers, with either credential. */
const releases = {
  summary: "What the reserve makes available on which day, soonest first",
  query: {
    days: Schema.optionalKey(integerText(1, formLimits.releaseDaysMax)).annotateKey({
      description: "How many days to look ahead, today included.",
      parameterSchema: {
        type: "integer",
        minimum: 1,
        maximum: formLimits.releaseDaysMax,
        default: formLimits.releaseDaysMax,
      },
    }),
  },
  success: BalanceReleases,
} as const

const ledgerQuery = {
  ...pageQuery,
  ...windowQuery,
  transaction_id: Schema.optionalKey(Schema.String.check(Schema.isMinLength(1))).annotateKey({
    description: "Only entries of this charge and of its refunds.",
  }),
  resource_id: Schema.optionalKey(Schema.String.check(Schema.isMinLength(1))).annotateKey({
    description: "Only entries of this charge, refund or withdrawal.",
  }),
  kinds: kindsFilter,
  view: Schema.optionalKey(Schema.Literals(["full", "statement"])).annotateKey({
    description:
      "`statement` adds the `charge` or `withdrawal` of each entry. Default `full`, which is without.",
  }),
}

/** Errors of a withdrawal request, with either credential (`docs/contract/withdrawals.md#preconditions`). */
const creation = [
  "validation_failed",
  "missing_idempotency_key",
  "seller_not_allowed",
  "kyc_required",
  "payout_locked",
  "pix_key_not_verified",
  "insufficient_balance",
  "daily_limit_exceeded",
  "invalid_state",
  "idempotency_in_progress",
  "length_required",
  "payload_too_large",
  "unsupported_media_type",
  "idempotency_key_reused",
] as const

/** Withdrawals. */
export const withdrawalsGroup = HttpApiGroup.make("withdrawals")
  .add(
    route.post("createWithdrawal", "/v1/withdrawals", {
      scope: "withdrawals:write",
      summary: "Request a withdrawal to a verified Pix key",
      audited: true,
      headers: creationHeaders,
      payload: CreateWithdrawal,
      success: Withdrawal.pipe(HttpApiSchema.status(201)),
      errors: ["invalid_api_key", ...creation],
    }),
    route.get("getWithdrawal", "/v1/withdrawals/:id", {
      scope: "withdrawals:read",
      summary: "A withdrawal as it is now",
      params: idParams,
      success: Withdrawal,
      errors: ["invalid_api_key", "resource_not_found"],
    }),
    route.get("listWithdrawals", "/v1/withdrawals", {
      scope: "withdrawals:read",
      summary: "Withdrawals, newest first",
      query: withdrawalsQuery,
      success: pageOf(Withdrawal),
      errors: ["validation_failed", "invalid_cursor", "invalid_api_key"],
    }),
    route.get("exportWithdrawals", "/v1/withdrawals/export", {
      scope: "withdrawals:read",
      ...withdrawalExport,
      errors: ["validation_failed", "invalid_api_key", "rate_limited"],
    }),
    route.post("cancelWithdrawal", "/v1/withdrawals/:id/cancel", {
      scope: "withdrawals:write",
      summary: "Cancel a withdrawal that awaits approval",
      audited: true,
      params: idParams,
      success: Withdrawal,
      errors: ["invalid_api_key", "resource_not_found", "invalid_state"],
    }),
  )
  .middleware(ApiKeyAuth)
  .annotate(
    OpenApi.Description,
    "Withdrawals to Pix keys, one at a time. Amounts are integers in centavos; the fee comes on top.",
  )

/** Balance and ledger. */
export const balanceGroup = HttpApiGroup.make("balance")
  .add(
    route.get("getBalance", "/v1/balance", {
      scope: "balance:read",
      summary: "Available, reserved and pending funds",
      success: Balance,
      errors: ["invalid_api_key"],
    }),
    route.get("getBalanceReleases", "/v1/balance/releases", {
      scope: "balance:read",
      ...releases,
      errors: ["validation_failed", "invalid_api_key"],
    }),
    route.get("listLedger", "/v1/ledger", {
      scope: "ledger:read",
      summary: "Ledger entries, newest first",
      query: ledgerQuery,
      success: pageOf(LedgerEntry),
      errors: ["validation_failed", "invalid_cursor", "invalid_api_key"],
    }),
  )
  .middleware(ApiKeyAuth)
  .annotate(OpenApi.Description, "A double-entry ledger: the postings of every entry sum to zero.")

const seller = ["validation_failed", "session_required", "permission_denied"] as const
const unsafe = ["origin_not_allowed", "mfa_required"] as const

/** The same for a session with `X-Mode`. Moving money always needs a step-up (`docs/contract/accounts.md#step-up`). */
export const sessionMoneyGroup = HttpApiGroup.make("sessionMoney")
  .add(
    route.post("createMyWithdrawal", "/v1/me/withdrawals", {
      roles: rolesFor.payingOut,
      summary: "Request a withdrawal to a verified Pix key",
      stepUp: "always",
      headers: creationHeaders,
      payload: CreateWithdrawal,
      success: Withdrawal.pipe(HttpApiSchema.status(201)),
      errors: ["session_required", "permission_denied", ...unsafe, ...creation],
    }),
    route.get("getMyWithdrawal", "/v1/me/withdrawals/:id", {
      roles: rolesFor.reading,
      summary: "A withdrawal as it is now",
      params: idParams,
      success: Withdrawal,
      errors: [...seller, "resource_not_found"],
    }),
    route.get("listMyWithdrawals", "/v1/me/withdrawals", {
      roles: rolesFor.reading,
      summary: "Withdrawals, newest first",
      query: withdrawalsQuery,
      success: pageOf(Withdrawal),
      errors: [...seller, "invalid_cursor"],
    }),
    route.get("exportMyWithdrawals", "/v1/me/withdrawals/export", {
      roles: rolesFor.reading,
      ...withdrawalExport,
      errors: [...seller, "rate_limited"],
    }),
    route.post("cancelMyWithdrawal", "/v1/me/withdrawals/:id/cancel", {
      roles: rolesFor.payingOut,
      summary: "Cancel a withdrawal that awaits approval",
      stepUp: "always",
      params: idParams,
      success: Withdrawal,
      errors: [...seller, ...unsafe, "resource_not_found", "invalid_state"],
    }),
    route.get("getMyBalance", "/v1/me/balance", {
      roles: rolesFor.reading,
      summary: "Available, reserved and pending funds",
      success: Balance,
      errors: [...seller],
    }),
    route.get("getMyBalanceReleases", "/v1/me/balance/releases", {
      roles: rolesFor.reading,
      ...releases,
      errors: [...seller],
    }),
    route.get("listMyLedger", "/v1/me/ledger", {
      roles: rolesFor.reading,
      summary: "Ledger entries, newest first",
      query: ledgerQuery,
      success: pageOf(LedgerEntry),
      errors: [...seller, "invalid_cursor"],
    }),
  )
  .middleware(SellerAuth)
  .annotate(OpenApi.Description, "A seller's money, for a dashboard.")
