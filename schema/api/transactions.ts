import { Schema } from "effect"
import { HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { csvLocales } from "../csv.ts"
import { tableFormats } from "../exportFormats.ts"
import { limits } from "../limits.ts"
import {
  CreateTransaction,
  Transaction,
  TransactionSummary,
  transactionStatuses,
} from "../resources/transaction.ts"
import { TransactionTotals } from "../resources/transactionTotals.ts"
import {
  centavosFilter,
  creationHeaders,
  flagFilter,
  idParams,
  pageOf,
  pageQuery,
  statusFilter,
  windowQuery,
} from "./common.ts"
import { exportedFiles, exportQuery } from "./exports.ts"
import { SearchText } from "./insights.ts"
import { route } from "./route.ts"
import { ApiKeyAuth } from "./security.ts"

const SearchWords = SearchText.check(
  Schema.makeFilter(
    (text: string) =>
      text.trim().split(/\s+/).length <= limits.searchWordsMax || `at most ${limits.searchWordsMax} words`,
  ),
)

/** A filter by words; `what` says which rows it leaves. */
export const wordsFilter = (what: string) =>
  Schema.optionalKey(SearchWords).annotateKey({ description: `1 to ${limits.searchWordsMax} words: ${what}` })

/** Which charges a list, or its totals, are of (`docs/contract/transactions.md#list`). */
export const transactionFilters = {
  ...windowQuery,
  q: wordsFilter(
    "only charges that have each as the beginning of a word of the payer's name, of the e-mail, of a word of `reference` or of the order in `metadata`, of the first six digits or more of the document, or as an id or the six digits in the middle of a CPF.",
  ),
  customer_id: Schema.optionalKey(Schema.String.check(Schema.isMinLength(1))).annotateKey({
    description: "Only charges of this customer, and of those that were merged into it.",
  }),
  status: statusFilter(transactionStatuses),
  amount_min: centavosFilter("Only charges of this amount or more, in centavos."),
  amount_max: centavosFilter("Only charges of this amount or less, in centavos."),
  has_refund: flagFilter(
    "`true`: only charges of which something went back to the payer. `false`: only others.",
  ),
  payment_link_id: Schema.optionalKey(
    Schema.String.check(Schema.isBetweenCodePoints(1, limits.idLengthMax)),
  ).annotateKey({
    description: "Only charges made through this payment link.",
    examples: ["plk_01KA0000000700000000000000"],
  }),
}

/** A page of a list of charges. */
export const transactionsQuery = {
  ...pageQuery,
  ...transactionFilters,
  view: Schema.optionalKey(Schema.Literals(["full", "summary"])).annotateKey({
    description: "`summary` leaves out `items`, `pix.payload` and `pix.qr_base64`: a quarter of the bytes.",
    parameterSchema: { type: "string", enum: ["full", "summary"], default: "full" },
  }),
}

/** A charge of a list, as its `view` asks. */
export const listedTransaction = Schema.Union([Transaction, TransactionSummary])

/** Errors of a request for a charge, with either credential (`docs/contract/transactions.md#create`). */
export const creationErrors = [
  "validation_failed",
  "missing_idempotency_key",
  "invalid_url",
  "seller_not_allowed",
  "kyc_required",
  "idempotency_in_progress",
  "length_required",
  "payload_too_large",
  "unsupported_media_type",
  "idempotency_key_reused",
  "acquirer_error",
] as const

/** What every route that creates a charge takes and answers; only its credential differs. */
export const creation = {
  summary: "Create a Pix charge",
  asksAcquirer: true,
  headers: creationHeaders,
  payload: CreateTransaction,
  success: Transaction.pipe(HttpApiSchema.status(201)),
} as const

/** What the route of totals takes and answers, with either credential. */
export const transactionTotals = {
  summary: "What charges add up to",
  query: transactionFilters,
  success: TransactionTotals,
} as const

const exampleCsv = [
  "Cobrança;Situação;Criada em;Paga em;Pagador;Documento;E-mail;Pedido;txid;end_to_end_id;Valor;Bruto;Tarifa;Devolvido e contestado;Líquido",
  "txn_01KA0000000700000000000000;Paga;21/11/2026 09:00:00;21/11/2026 09:00:12;Ana Souza;529.982.247-25;ana@example.com;A-1001;01KA0000000700000000000000ABCDEF;E1234567820261121120012345678901;129,90;129,90;1,30;0,00;128,60",
]
const exampleNdjson =
  '{"id":"txn_01KA0000000700000000000000","status":"paid","created_at":"2026-11-21T12:00:00.000Z","paid_at":"2026-11-21T12:00:12.000Z","payer":"Ana Souza","document":"52998224725","email":"ana@example.com","reference":"A-1001","txid":"01KA0000000700000000000000ABCDEF","end_to_end_id":"E1234567820261121120012345678901","amount":12990,"gross":12990,"fee":130,"refunded":0,"net":12860}\n'

/** What the route of files of charges takes and answers, with either credential. */
export const transactionExport = {
  summary: "A file of charges, newest first, of any length",
  query: { ...transactionFilters, ...exportQuery },
  success: exportedFiles({
    lines: "one line for each charge, newest first",
    csv: exampleCsv,
    ndjson: exampleNdjson,
  }),
} as const

/** Which charges a file is of, and how it is written. */
export const ExportCharges = Schema.Struct({
  ids: Schema.Array(Schema.String.check(Schema.isBetweenCodePoints(1, limits.idLengthMax)))
    .check(Schema.isMinLength(1), Schema.isMaxLength(limits.bulkRowsMax))
    .annotateKey({
      description: `1 to ${limits.bulkRowsMax} ids of charges. Those that are none of yours are left out, and one that comes twice counts once.`,
    }),
  format: Schema.optionalKey(Schema.Literals(tableFormats)).annotateKey({
    description: "The kind of file; `csv` by default.",
  }),
  locale: Schema.optionalKey(Schema.Literals(csvLocales)).annotateKey({
    description: "The language of the file; `pt-BR` by default.",
  }),
}).annotate({
  identifier: "ExportCharges",
  examples: [{ ids: ["txn_01KA0000000700000000000000"], format: "xlsx", locale: "pt-BR" }],
})

/** Charges. */
export const transactionsGroup = HttpApiGroup.make("transactions")
  .add(
    route.post("createTransaction", "/v1/transactions", {
      scope: "charges:write",
      ...creation,
      errors: ["invalid_api_key", ...creationErrors],
    }),
    route.get("getTransaction", "/v1/transactions/:id", {
      scope: "charges:read",
      summary: "A charge as it is now",
      params: idParams,
      success: Transaction,
      errors: ["invalid_api_key", "resource_not_found"],
    }),
    route.get("listTransactions", "/v1/transactions", {
      scope: "charges:read",
      summary: "Charges, newest first",
      query: transactionsQuery,
      success: pageOf(listedTransaction),
      errors: ["validation_failed", "invalid_cursor", "invalid_api_key"],
    }),
    route.get("exportTransactions", "/v1/transactions/export", {
      scope: "charges:read",
      ...transactionExport,
      errors: ["validation_failed", "invalid_api_key", "rate_limited"],
    }),
    route.get("summarizeTransactions", "/v1/transactions/summary", {
      scope: "charges:read",
      ...transactionTotals,
      errors: ["validation_failed", "invalid_api_key"],
    }),
  )
  .middleware(ApiKeyAuth)
  .annotate(OpenApi.Description, "Pix charges. Amounts are integers in centavos.")
