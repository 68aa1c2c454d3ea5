import { Schema } from "effect"
import { HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { rolesFor } from "../memberRoles.ts"
import { SellerAuditEntry } from "../resources/sellerAudit.ts"
import { pageOf, pageQuery, windowQuery } from "./common.ts"
import { exportedFiles, exportQuery } from "./exports.ts"
import { route } from "./route.ts"
import { SellerAuth } from "./security.ts"

/** The filters of audit logs; each is compared as a whole. */
const auditFilters = {
  ...windowQuery,
  actor: Schema.optionalKey(Schema.String).annotateKey({
    description: "Only what this actor did: the id of a user or an API key, or a type of actors.",
  }),
  action: Schema.optionalKey(Schema.String).annotateKey({
    description:
      "Only this action, or those of a family such as `api_key.*`. Several are separated by commas.",
  }),
}

/** How a page of an audit log is asked for. */
export const auditQuery = { ...pageQuery, ...auditFilters }

/** `Accept` of audit logs. */
export const auditHeaders = {
  accept: Schema.optionalKey(Schema.String).annotateKey({
    description: "`text/csv` asks for CSV; anything else for JSON.",
  }),
}

/** A page of an audit log as CSV. */
export const auditCsvOf = (...lines: ReadonlyArray<string>) =>
  Schema.String.annotate({
    description:
      "CSV (RFC 4180, fields separated by commas): a header and a line for each entry; `X-Next-Cursor` names the next page. A field that a spreadsheet would run has an apostrophe before it.",
    examples: [[...lines, ""].join("\r\n")],
  }).pipe(HttpApiSchema.asText({ contentType: "text/csv" }))

const Csv = auditCsvOf(
  "id,at,actor_type,actor_id,actor_name,ip_address,action,resource_type,resource_id,details",
  '1795262400000-0,2026-11-21T12:00:00.000Z,user,5f0c7a52-6f5e-4c11-9a39-9f1c5fd2a1b4,Ana Souza,203.0.113.77,api_key.deleted,api_key,key_01KA0000000700000000000000,"{""mode"":""test""}"',
)

const errors = ["validation_failed", "session_required", "permission_denied"] as const

/** A seller's audit log (`docs/contract/audit-log.md`). */
export const sellerAuditGroup = HttpApiGroup.make("sellerAudit")
  .add(
    route.get("listSellerAudit", "/v1/me/audit", {
      roles: rolesFor.reading,
      summary: "The audit log: who did what to this account, newest first, as JSON or CSV",
      query: auditQuery,
      headers: auditHeaders,
      success: [pageOf(SellerAuditEntry), Csv],
      errors: [...errors, "invalid_cursor"],
    }),
    route.get("exportSellerAudit", "/v1/me/audit/export", {
      roles: rolesFor.reading,
      summary: "The audit log as a file of any length: CSV, Excel or JSON lines",
      query: { ...exportQuery, ...auditFilters },
      success: exportedFiles({
        lines: "a line for each entry, newest first",
        csv: [
          "Quando;Tipo de autor;Quem;O que fez;Endereço IP;Detalhes;Ação;Tipo do recurso;Recurso;Id do autor;Registro",
          '21/11/2026 09:00:00;Pessoa;Ana Souza;Revogou uma chave de API;203.0.113.77;"{""mode"":""test""}";api_key.deleted;api_key;key_01KA0000000700000000000000;5f0c7a52-6f5e-4c11-9a39-9f1c5fd2a1b4;1795262400000-0',
        ],
        ndjson:
          '{"id":"1795262400000-0","at":"2026-11-21T12:00:00.000Z","actor":{"type":"user","id":"5f0c7a52-6f5e-4c11-9a39-9f1c5fd2a1b4","name":"Ana Souza"},"ip_address":"203.0.113.77","action":"api_key.deleted","resource_type":"api_key","resource_id":"key_01KA0000000700000000000000","details":{"mode":"test"}}\n',
      }),
      errors: [...errors, "rate_limited"],
    }),
  )
  .middleware(SellerAuth)
  .annotate(OpenApi.Description, "What people, keys and operators did to a seller's account.")
