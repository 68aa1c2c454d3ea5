import { Schema } from "effect"
import { HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { ofxContentType, statementFormats } from "../exportFormats.ts"
import { limits } from "../limits.ts"
import { rolesFor } from "../memberRoles.ts"
import { StatementSummary } from "../resources/ledger.ts"
import { DayText, kindsFilter } from "./common.ts"
import { exportedFiles, localeQuery } from "./exports.ts"
import { route } from "./route.ts"
import { ApiKeyAuth, SellerAuth } from "./security.ts"

const daySchema = { type: "string", format: "date" }

/** The days of a statement, both included (`docs/contract/statement.md#request`). */
const statementQuery = {
  from: DayText.annotateKey({
    description: "The first day, in America/Sao_Paulo.",
    parameterSchema: daySchema,
  }),
  to: DayText.annotateKey({
    description: `The last day, in America/Sao_Paulo: at most ${limits.statementDaysMax} days with both included.`,
    parameterSchema: daySchema,
  }),
}

const statementHeaders = {
  accept: Schema.optionalKey(Schema.String).annotateKey({
    description: "`application/x-ndjson` asks for JSON lines; anything else for CSV.",
  }),
}

const exampleCsv = [
  "date,time,entry_id,kind,resource_id,description,credit,debit,balance",
  "2026-11-21,09:03:00,le_01KA0000000700000000000000,charge_paid,txn_01KA0000000700000000000000,Charge paid,129.90,,129.90",
  "",
].join("\r\n")
const exampleJsonLine =
  '{"date":"2026-11-21","time":"09:03:00","entry_id":"le_01KA0000000700000000000000","kind":"charge_paid","resource_id":"txn_01KA0000000700000000000000","description":"Charge paid","credit":12990,"debit":0,"balance":12990}\n'

const Csv = Schema.String.annotate({
  examples: [exampleCsv],
  description:
    "CSV (RFC 4180): a header and one line for each ledger entry that moves `available`, oldest first.",
}).pipe(HttpApiSchema.asText({ contentType: "text/csv" }))

const JsonLines = Schema.String.annotate({
  examples: [exampleJsonLine],
  description: "The same, each line a JSON object with the CSV's fields; amounts are integers in centavos.",
}).pipe(HttpApiSchema.asText({ contentType: "application/x-ndjson" }))

const shape = {
  summary: "A statement of the balance as CSV or JSON lines, of any length",
  query: statementQuery,
  headers: statementHeaders,
  success: [Csv, JsonLines],
} as const

const exampleExport = [
  "Data;Hora;O que houve;Pagador;CPF/CNPJ;Pedido;txid;end_to_end_id;Bruto;Tarifa;Líquido;Entrada;Saída;Saldo",
  "21/11/2026;09:03:00;Venda;Ana Souza;529.982.247-25;A-1001;01KA0000000700000000000000ABCDEF;E000000002026112112031234567890A;129,90;1,00;128,90;128,90;;128,90",
]
const exampleExportLine =
  '{"date":"2026-11-21","time":"09:03:00","entry_id":"le_01KA0000000700000000000000","kind":"charge_paid","resource_id":"txn_01KA0000000700000000000000","description":"Venda","payer":"Ana Souza","document":"52998224725","reference":"A-1001","txid":"01KA0000000700000000000000ABCDEF","end_to_end_id":"E000000002026112112031234567890A","gross":12990,"fee":100,"net":12890,"credit":12890,"debit":0,"balance":12890}\n'

const exampleOfx = [
  "<STMTTRN>",
  "<TRNTYPE>CREDIT</TRNTYPE>",
  "<DTPOSTED>20261121090300[-3:BRT]</DTPOSTED>",
  "<TRNAMT>128.90</TRNAMT>",
  "<FITID>le_01KA0000000700000000000000</FITID>",
  "<MEMO>Venda - Ana Souza - A-1001</MEMO>",
  "</STMTTRN>",
  "",
].join("\r\n")

const Ofx = Schema.String.annotate({
  examples: [exampleOfx],
  description:
    "OFX 1.0.2 for accounting programs: a transaction for each of these entries, and the balance after them.",
}).pipe(HttpApiSchema.asText({ contentType: ofxContentType }))

const exportShape = {
  summary: "A statement as spreadsheets open it, with payers and orders",
  query: {
    ...statementQuery,
    format: Schema.Literals(statementFormats).annotateKey({ description: "The kind of file." }),
    ...localeQuery,
  },
  success: [
    ...exportedFiles({
      lines: "one line for each ledger entry that moves `available`, oldest first",
      csv: exampleExport,
      ndjson: exampleExportLine,
    }),
    Ofx,
  ],
} as const

/** The statement, under an API key. */
export const statementGroup = HttpApiGroup.make("statement")
  .add(
    route.get("getStatement", "/v1/statement", {
      scope: "ledger:read",
      ...shape,
      errors: ["validation_failed", "invalid_api_key", "rate_limited"],
    }),
    route.get("exportStatement", "/v1/statement/export", {
      scope: "ledger:read",
      ...exportShape,
      errors: ["validation_failed", "invalid_api_key", "rate_limited"],
    }),
  )
  .middleware(ApiKeyAuth)
  .annotate(OpenApi.Description, "What moved the available balance, day by day, for accountants.")

/** The same for a session with `X-Mode`. */
export const sessionStatementGroup = HttpApiGroup.make("sessionStatement")
  .add(
    route.get("getMyStatement", "/v1/me/statement", {
      roles: rolesFor.reading,
      ...shape,
      errors: ["validation_failed", "session_required", "permission_denied", "rate_limited"],
    }),
    route.get("getMyStatementSummary", "/v1/me/statement/summary", {
      roles: rolesFor.reading,
      summary: "What a statement comes to: its balances, what came in and what went out",
      query: { ...statementQuery, kinds: kindsFilter },
      success: StatementSummary,
      errors: ["validation_failed", "session_required", "permission_denied"],
    }),
    route.get("exportMyStatement", "/v1/me/statement/export", {
      roles: rolesFor.reading,
      ...exportShape,
      errors: ["validation_failed", "session_required", "permission_denied", "rate_limited"],
    }),
  )
  .middleware(SellerAuth)
  .annotate(OpenApi.Description, "A seller's statement, for a dashboard.")
