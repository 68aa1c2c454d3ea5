// Compiles schemas to code on first use, for the whole process; this halves the time to decode a charge.
import "effect/schema/SchemaJITCompiler/enable"
import { Context, Result, type Schema, SchemaAST, type SchemaIssue, SchemaParser } from "effect"
import type { HttpApiEndpoint } from "effect/http-api"
import type { Principal } from "../../../actors/values/principal.ts"
import { RawBody } from "../../../schema/api/common.ts"
import { ApiError, validationFailed } from "../../../schema/errors.ts"
import type { Session } from "../../accounts/sessions/session.ts"
import type { Incoming } from "../server/route.ts"
import { makeBodyDecoder } from "./bodyDecoder.ts"
import type { BrowserRequest } from "./browserRequest.ts"
import { issueToError } from "./validation.ts"

/** Percent-decodes a text; undefined if the encoding is broken. (`+` means a space in query strings only.) */
const percentDecode = (text: string): string | undefined => {
  if (!text.includes("%")) return text
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}

const decodePart = (text: string): string | undefined =>
  percentDecode(text.includes("+") ? text.replaceAll("+", " ") : text)

const brokenEncoding = (param: string | undefined): ApiError<"validation_failed"> =>
  validationFailed(
    param,
    `${param ?? "The query string"} has a broken percent-encoding. Encode it as UTF-8, a percent sign as %25.`,
  )

/**
 * Reads the parameters in `names` from a query string and ignores others. 400 `validation_failed` for broken
 * percent-encoding anywhere and for repeated parameters: we do not guess which of two filters was meant.
 */
const parseQuery = (raw: string, names: ReadonlySet<string>): Record<string, string> | ApiError => {
  const values: Record<string, string> = {}
  for (const part of raw.split("&")) {
    if (part === "") continue
    const equals = part.indexOf("=")
    const name = decodePart(equals < 0 ? part : part.slice(0, equals))
    if (name === undefined) return brokenEncoding(undefined)
    const known = names.has(name)
    const value = equals < 0 ? "" : decodePart(part.slice(equals + 1))
    if (value === undefined) return brokenEncoding(known ? name : undefined)
    if (!known) continue
    if (Object.hasOwn(values, name)) {
      return validationFailed(name, `${name} was given more than once. Send it once.`)
    }
    values[name] = value
  }
  return values
}

/** Decodes a record of texts; the issue names the field. */
type RecordDecode = (texts: Readonly<Record<string, string>>) => Result.Result<unknown, SchemaIssue.Issue>

/** `docs/contract/README.md#idempotency` */
const idempotencyKeyPattern = /^[A-Za-z0-9_\-:.]{1,255}$/

/** The caller, as far as the route identifies it. */
export interface Caller {
  readonly principal: Principal | undefined
  readonly session: Session | undefined
  readonly browser: BrowserRequest | undefined
}

/** A decoded request as handlers receive it; `DecodedRequest` is its typed view. */
class Decoded {
  readonly params: unknown
  readonly query: unknown
  readonly payload: unknown
  readonly principal: Principal | undefined
  readonly session: Session | undefined
  readonly browser: BrowserRequest | undefined
  readonly rawBody: Uint8Array
  readonly requestId: string
  readonly #incoming: Incoming
  readonly #headers: Readonly<Record<string, unknown>>

  constructor(
    incoming: Incoming,
    caller: Caller,
    parts: { params: unknown; query: unknown; headers: Readonly<Record<string, unknown>>; payload: unknown },
  ) {
    this.params = parts.params
    this.query = parts.query
    this.#headers = parts.headers
    this.payload = parts.payload
    this.principal = caller.principal
    this.session = caller.session
    this.browser = caller.browser
    this.rawBody = typeof incoming.body === "string" ? noBytes : incoming.body
    this.requestId = incoming.requestId
    this.#incoming = incoming
  }

  get remoteAddress(): string {
    return this.#incoming.remoteAddress
  }

  header(name: string): unknown {
    return this.#headers[name]
  }

  /** For routes with a raw body, where every header is text. */
  get rawHeaders(): Readonly<Record<string, unknown>> {
    return this.#headers
  }
}

const noBytes = new Uint8Array(0)
const noHeaders: Readonly<Record<string, unknown>> = {}

/** What an endpoint reads from a request, and how; compiled once. */
export interface Decoder {
  readonly paramCount: number
  readonly headerNames: ReadonlyArray<string>
  readonly takesQuery: boolean
  readonly takesBody: boolean
  readonly decode: (incoming: Incoming, caller: Caller) => Decoded | ApiError
}

const unsupported = (endpoint: HttpApiEndpoint.Top, what: string): Error =>
  new Error(`The contract of ${endpoint.identifier} uses something the front end does not support: ${what}`)

const compile = (schema: Schema.Top): RecordDecode =>
  SchemaParser.decodeUnknownResult(schema as Schema.Top & Schema.ConstraintDecoder<unknown>)

/** The field names of a struct schema. */
const fieldNames = (endpoint: HttpApiEndpoint.Top, schema: Schema.Top): ReadonlyArray<string> => {
  const ast = SchemaAST.toEncoded(schema.ast)
  if (!SchemaAST.isObjects(ast)) throw unsupported(endpoint, "parameters that are not a struct")
  return ast.propertySignatures.map(({ name }) => String(name))
}

type PartDecode = (incoming: Incoming) => unknown | ApiError

const makeParamsDecode = (endpoint: HttpApiEndpoint.Top, names: ReadonlyArray<string>): PartDecode => {
  if (endpoint.params === undefined) return () => undefined
  const decode = compile(endpoint.params)
  return (incoming) => {
    const texts: Record<string, string> = {}
    for (const [index, name] of names.entries()) {
      const text = percentDecode(incoming.params[index] ?? "")
      if (text === undefined) return validationFailed(name, `${name} has a broken percent-encoding.`)
      texts[name] = text
    }
    const result = decode(texts)
    return Result.isSuccess(result) ? result.success : issueToError(result.failure)
  }
}

const makeQueryDecode = (endpoint: HttpApiEndpoint.Top): PartDecode => {
  if (endpoint.query === undefined) return () => undefined
  const names = new Set(fieldNames(endpoint, endpoint.query))
  const decode = compile(endpoint.query)
  return (incoming) => {
    const texts = parseQuery(incoming.query, names)
    if (texts instanceof ApiError) return texts
    const result = decode(texts)
    return Result.isSuccess(result) ? result.success : issueToError(result.failure)
  }
}

const checkIdempotencyKey = (
  key: string,
): ApiError<"missing_idempotency_key" | "validation_failed"> | undefined => {
  if (key === "") {
    return new ApiError({
      code: "missing_idempotency_key",
      message:
        "Send an Idempotency-Key header: a text of your choice that names this operation, the same on retries.",
    })
  }
  if (idempotencyKeyPattern.test(key)) return undefined
  return validationFailed(
    "Idempotency-Key",
    "Idempotency-Key must be 1 to 255 characters, only A-Z, a-z, 0-9, _, -, : and .",
  )
}

/** Turns alternating names and values into a record. */
const pairsOf = (headers: ReadonlyArray<string>): Readonly<Record<string, string>> => {
  const record: Record<string, string> = {}
  for (let i = 0; i + 1 < headers.length; i += 2) record[headers[i] ?? ""] = headers[i + 1] ?? ""
  return record
}

type HeadersDecode = (incoming: Incoming) => Readonly<Record<string, unknown>> | ApiError

const makeHeadersDecode = (endpoint: HttpApiEndpoint.Top, names: ReadonlyArray<string>): HeadersDecode => {
  if (Context.get(endpoint.annotations, RawBody)) return ({ headers }) => pairsOf(headers)
  if (endpoint.headers === undefined) return () => noHeaders
  const decode = compile(endpoint.headers)
  const keyIndex = names.indexOf("idempotency-key")
  return (incoming) => {
    const refused = keyIndex < 0 ? undefined : checkIdempotencyKey(incoming.headers[keyIndex] ?? "")
    if (refused !== undefined) return refused
    const texts: Record<string, string> = {}
    for (const [index, name] of names.entries()) {
      const text = incoming.headers[index]
      if (text) texts[name] = text
    }
    const result = decode(texts)
    return Result.isSuccess(result)
      ? (result.success as Readonly<Record<string, unknown>>)
      : issueToError(result.failure, headerTitle)
  }
}

/** Turns `last-event-id` into `Last-Event-Id`. */
const headerTitle = (name: string): string => name.replace(/(^|-)[a-z]/g, (letter) => letter.toUpperCase())

/** Compiles an endpoint's schemas. Throws if the contract uses something unsupported. */
export const makeDecoder = (endpoint: HttpApiEndpoint.Top): Decoder => {
  const paramNames = [...endpoint.path.matchAll(/:([^/]+)/g)].map(([, name]) => name ?? "")
  const headerNames = endpoint.headers === undefined ? [] : fieldNames(endpoint, endpoint.headers)
  const decodeParams = makeParamsDecode(endpoint, paramNames)
  const decodeQuery = makeQueryDecode(endpoint)
  const decodeHeaders = makeHeadersDecode(endpoint, headerNames)
  const decodeBody = makeBodyDecoder(endpoint)
  return {
    paramCount: paramNames.length,
    headerNames,
    takesQuery: endpoint.query !== undefined,
    takesBody: decodeBody !== undefined,
    decode: (incoming, caller) => {
      const params = decodeParams(incoming)
      if (params instanceof ApiError) return params
      const query = decodeQuery(incoming)
      if (query instanceof ApiError) return query
      const headers = decodeHeaders(incoming)
      if (headers instanceof ApiError) return headers
      const payload = decodeBody?.(incoming)
      if (payload instanceof ApiError) return payload
      return new Decoded(incoming, caller, { params, query, headers, payload })
    },
  }
}
