import { appendFileSync } from "node:fs"
import { Result, type Schema, SchemaIssue, SchemaParser } from "effect"
import { HttpApi, type HttpApiEndpoint } from "effect/http-api"
import { api } from "../../schema/api/index.ts"
import { openApiDocument } from "../../schema/api/openapi.ts"
import type { Operation, ResponseObject } from "../../schema/api/openapiTypes.ts"
import { ErrorEnvelope } from "../../schema/errors.ts"
import { CatalogEvent } from "../../schema/resources/catalogEvent.ts"

const endpoints = new Map<string, HttpApiEndpoint.Top>()
HttpApi.reflect(api, {
  onGroup: () => {},
  onEndpoint: ({ endpoint }) => {
    endpoints.set(endpoint.identifier, endpoint)
  },
})

const format = SchemaIssue.makeFormatterStandardSchemaV1()

const decoder = (schema: Schema.Top): ((value: unknown) => Result.Result<unknown, SchemaIssue.Issue>) =>
  SchemaParser.decodeUnknownResult(schema as Schema.Top & Schema.ConstraintDecoder<unknown>, {
    onExcessProperty: "error",
  })

/**
 * Why a JSON value cannot be an endpoint's answer with this status: a field is missing, is not declared or has another form.
 * Undefined if it can be.
 */
export const problemOfAnswer = (name: string, status: number, value: unknown): string | undefined => {
  // Readiness answers 503 as it does 200.
  const isAnswer = status < 400 || (name === "ready" && status === 503)
  const schemas = isAnswer ? [...(endpoints.get(name)?.success ?? [])] : [ErrorEnvelope]
  const results = schemas.map((schema) => decoder(schema)(value))
  if (results.some(Result.isSuccess)) return undefined
  const [first] = results
  return first === undefined || Result.isSuccess(first)
    ? `no answer with status ${status}`
    : JSON.stringify(format(first.failure).issues)
}

/** An answer as it came. */
export interface WireAnswer {
  readonly status: number
  /** With its parameters, such as a charset; empty without one. */
  readonly contentType: string
  readonly text: string
}

interface Route {
  readonly method: string
  readonly pattern: RegExp
  readonly operation: Operation
}

let routes: ReadonlyArray<Route> | undefined
/** The document's operations, made with the first answer that is looked at; exact paths before those with parameters. */
const documentedRoutes = (): ReadonlyArray<Route> => {
  routes ??= Object.entries(openApiDocument().paths)
    .toSorted(([one], [other]) => one.split("{").length - other.split("{").length)
    .flatMap(([path, operations]) =>
      Object.entries(operations).map(([method, operation]) => ({
        method: method.toUpperCase(),
        pattern: new RegExp(`^${path.replace(/[.]/g, "\\.").replace(/\{\w+\}/g, "[^/]+")}$`),
        operation,
      })),
    )
  return routes
}

const keysOf = (line: string): string => Object.keys(JSON.parse(line)).join(",")

/** Answers that are no JSON document are documented by an example: its first line, or the keys of its lines, must be theirs. */
const problemOfLines = (type: string, text: string, example: string): string | undefined => {
  const lines = text.split("\n").filter((line) => line !== "")
  if (type === "text/csv") {
    return lines[0] === example.split("\n")[0] ? undefined : `another header: ${lines[0]}`
  }
  if (type !== "application/x-ndjson") return undefined
  return lines.every((line) => keysOf(line) === keysOf(example)) ? undefined : "lines with other keys"
}

const problemOfError = (response: ResponseObject, value: unknown): string | undefined => {
  const codes = Object.keys(response.content?.["application/json"]?.examples ?? {})
  const { code } = (value as { readonly error?: { readonly code?: string } }).error ?? {}
  return codes.length === 0 || codes.includes(code ?? "") ? undefined : `${code} is none of ${codes}`
}

const problemOf = (operation: Operation, { status, contentType, text }: WireAnswer): string | undefined => {
  const response = operation.responses[status]
  if (response === undefined) return `has no status ${status}`
  const type = contentType.split(";")[0] ?? ""
  if (text === "" && response.content === undefined) return undefined
  const media = response.content?.[type]
  if (media === undefined) return `has no ${type} with status ${status}`
  if (type !== "application/json") return problemOfLines(type, text, String(media.example ?? ""))
  const value = JSON.parse(text)
  return (
    problemOfAnswer(operation.operationId, status, value) ??
    (status >= 400 ? problemOfError(response, value) : undefined)
  )
}

/** Fails unless a value is an event of the feed as documented, with every field of its type and no other. */
export const checkDocumentedEvent = (value: unknown): void => {
  const result = decoder(CatalogEvent)(value)
  if (Result.isFailure(result)) {
    throw new Error(`an event is not as documented: ${JSON.stringify(format(result.failure).issues)}`)
  }
}

/** Where each operation that answered is noted with its status, one a line; for whoever asks what tests have seen. */
const { SEEN_ANSWERS_FILE } = process.env

/**
 * Fails unless an answer of the service is one that its OpenAPI document has: the status, the type, every field and no other, and of
 * errors the code. Requests that are no operation's say nothing about the document.
 */
export const checkDocumented = (method: string, target: string, answer: WireAnswer): void => {
  const path = target.replace(/[?#].*$/s, "")
  const route = documentedRoutes().find((one) => one.method === method && one.pattern.test(path))
  if (route === undefined) return
  const { operationId } = route.operation
  if (SEEN_ANSWERS_FILE !== undefined) appendFileSync(SEEN_ANSWERS_FILE, `${operationId} ${answer.status}\n`)
  const problem = problemOf(route.operation, answer)
  if (problem === undefined) return
  throw new Error(
    `${method} ${path} is answered otherwise than documented: ${operationId} ${problem}\n${answer.text}`,
  )
}
