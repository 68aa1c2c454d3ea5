import { openApiDocument } from "../../schema/api/openapi.ts"
import { openApiPart } from "../../schema/api/openapiPart.ts"
import type { Operation, Parameter } from "../../schema/api/openapiTypes.ts"

/** One request that a merchant can make, as the collections in examples/ show it. */
export interface MerchantRequest {
  readonly name: string
  readonly operationId: string
  readonly section: string
  /** Upper case. */
  readonly method: string
  /** With `{id}`. */
  readonly path: string
  /** The variable that stands for `{id}`: `transactionId`. */
  readonly idName: string | undefined
  /** The variable that the answer's id is kept in, and where it stands there. */
  readonly keeps: { readonly name: string; readonly at: string } | undefined
  readonly takesIdempotencyKey: boolean
  readonly query: ReadonlyArray<{
    readonly name: string
    readonly value: string
    readonly required: boolean
  }>
  /** JSON with variables. */
  readonly body: string | undefined
}

/** Variables that stand for ids, with the prefix of those. */
export const idVariables: Readonly<Record<string, string>> = {
  transactionId: "txn",
  refundId: "rfd",
  withdrawalId: "wd",
  eventId: "evt",
  deliveryId: "whd",
  pixKeyId: "pk",
}

const variableOfCollection: Readonly<Record<string, string>> = {
  transactions: "transactionId",
  refunds: "refundId",
  withdrawals: "withdrawalId",
  events: "eventId",
  "webhook-deliveries": "deliveryId",
  "pix-keys": "pixKeyId",
}

/** Lists whose first item other requests need. */
const keptOfLists: ReadonlyArray<string> = ["listEvents", "listDeliveries", "listPixKeys"]

const idNameOf = (path: string): string | undefined => {
  const segments = path.split("/")
  const before = segments[segments.indexOf("{id}") - 1]
  return segments.includes("{id}") ? variableOfCollection[before ?? ""] : undefined
}

const keptOf = (path: string, { operationId }: Operation): MerchantRequest["keeps"] => {
  const name = variableOfCollection[path.split("/").at(-1) ?? ""]
  if (name === undefined) return undefined
  if (operationId.startsWith("create")) return { name, at: "res.body.id" }
  return keptOfLists.includes(operationId) ? { name, at: "res.body.data[0].id" } : undefined
}

/** Days of a statement. */
const sampleDays: Readonly<Record<string, string>> = { from: "2026-11-01", to: "2026-11-30" }

const queryOf = ({ name, required, schema }: Parameter) => ({
  name,
  required,
  value: String(schema.default ?? schema.enum?.[0] ?? sampleDays[name] ?? ""),
})

const bodyOf = ({ requestBody }: Operation): string | undefined => {
  const example = requestBody?.content["application/json"]?.example
  if (example === undefined) return undefined
  return JSON.stringify(example, null, 2).replace(/"pk_[0-9A-Z]{26}"/g, '"{{pixKeyId}}"')
}

const streams = ({ responses }: Operation): boolean =>
  responses["200"]?.content?.["text/event-stream"] !== undefined

/** The requests that an API key opens, in the contract's order; streams are left out, as they have no end. */
export const merchantRequests = (): ReadonlyArray<MerchantRequest> =>
  Object.entries(openApiPart(openApiDocument(), "merchant").paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, operation]) => !streams(operation))
      .map(([method, operation]) => ({
        name: operation.summary ?? operation.operationId,
        operationId: operation.operationId,
        section: operation["x-section"] ?? "other",
        method: method.toUpperCase(),
        path,
        idName: idNameOf(path),
        keeps: keptOf(path, operation),
        takesIdempotencyKey: operation.parameters.some(({ name }) => name === "Idempotency-Key"),
        query: operation.parameters.filter((parameter) => parameter.in === "query").map(queryOf),
        body: bodyOf(operation),
      })),
  )
