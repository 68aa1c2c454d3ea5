import { OpenApi } from "effect/http-api"
import { api } from "./index.ts"
import {
  fieldTexts,
  parameterTexts,
  requestExamples,
  streamDescription,
  streamExample,
} from "./openapiText.ts"

/** JSON Schema as it stands in the document; the keywords that readers of it here look at. */
export interface JsonSchema {
  readonly [keyword: string]: unknown
  readonly $ref?: string
  readonly type?: string
  readonly description?: string
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly required?: ReadonlyArray<string>
  readonly items?: JsonSchema
  readonly anyOf?: ReadonlyArray<JsonSchema>
  readonly enum?: ReadonlyArray<unknown>
}

export interface Parameter {
  readonly name: string
  readonly in: "path" | "query" | "header"
  readonly required: boolean
  readonly description?: string
  readonly schema: JsonSchema
}

export interface MediaType {
  readonly schema: JsonSchema
  readonly example?: unknown
}

export interface ResponseObject {
  readonly description: string
  readonly headers?: Readonly<Record<string, JsonSchema>>
  readonly content?: Readonly<Record<string, MediaType>>
}

export interface Operation {
  readonly operationId: string
  readonly summary?: string
  readonly tags: ReadonlyArray<string>
  readonly security: ReadonlyArray<Readonly<Record<string, ReadonlyArray<string>>>>
  readonly parameters: ReadonlyArray<Parameter>
  readonly requestBody?: { readonly required: boolean; readonly content: Readonly<Record<string, MediaType>> }
  readonly responses: Readonly<Record<string, ResponseObject>>
}

/** OpenAPI 3.1, as far as this contract needs it. */
export interface OpenApiDocument {
  readonly openapi: string
  readonly info: { readonly title: string; readonly version: string; readonly description: string }
  readonly servers?: ReadonlyArray<{ readonly url: string }>
  readonly tags: ReadonlyArray<{ readonly name: string; readonly description: string }>
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: {
    readonly schemas: Readonly<Record<string, JsonSchema>>
    readonly securitySchemes: Readonly<Record<string, unknown>>
    readonly headers: Readonly<Record<string, unknown>>
  }
}

const eventStream = "text/event-stream"
const errorRef = /^#\/components\/schemas\/Error_\d+$/

/** Integers are safe integers everywhere; the bounds of that say nothing. */
const isSafeIntegerBound = (key: string, value: unknown): boolean =>
  (key === "minimum" && value === Number.MIN_SAFE_INTEGER) ||
  (key === "maximum" && value === Number.MAX_SAFE_INTEGER)

const isPlain = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** `allOf` of single bounds becomes the bounds themselves, where they are of different keywords. */
const foldAllOf = (schema: Record<string, unknown>): Record<string, unknown> => {
  const { allOf, ...rest } = schema
  if (!Array.isArray(allOf)) return schema
  const keys = allOf.flatMap((part) => (isPlain(part) ? Object.keys(part) : ["$ref"]))
  const clash = keys.some((key, index) => key === "$ref" || key in rest || keys.indexOf(key) !== index)
  return clash ? schema : Object.assign(rest, ...allOf)
}

/**
 * Cleans what the generator leaves: every route has its own copy of the error schema; objects are closed, though new
 * fields may appear in answers at any time and unknown ones in bodies are ignored (decisions 1).
 */
const clean = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(clean)
  if (!isPlain(value)) return value
  const cleaned: Record<string, unknown> = {}
  for (const [key, member] of Object.entries(foldAllOf(value))) {
    if (key === "additionalProperties" && member === false) continue
    if (isSafeIntegerBound(key, member)) continue
    const isCopy = key === "$ref" && typeof member === "string" && errorRef.test(member)
    cleaned[key] = isCopy ? "#/components/schemas/Error" : clean(member)
  }
  return cleaned
}

/** Adds what fields mean, from the table. */
const describeFields = (schema: JsonSchema, path: string): JsonSchema => {
  if (schema.items !== undefined) return { ...schema, items: describeFields(schema.items, path) }
  if (schema.properties === undefined) return schema
  const properties = Object.entries(schema.properties).map(([name, field]) => {
    const text = fieldTexts[`${path}.${name}`]
    const described = describeFields(field, `${path}.${name}`)
    return [name, text === undefined ? described : { ...described, description: text }]
  })
  return { ...schema, properties: Object.fromEntries(properties) }
}

const headerTitle = (name: string): string =>
  name === "last-event-id" ? "Last-Event-ID" : name.replace(/(^|-)[a-z]/g, (letter) => letter.toUpperCase())

const finishParameter = (parameter: Parameter): Parameter => {
  const text = parameterTexts[parameter.name]
  return {
    ...parameter,
    name: parameter.in === "header" ? headerTitle(parameter.name) : parameter.name,
    ...(text === undefined ? {} : { description: text.description }),
    schema: text?.schema ?? parameter.schema,
  }
}

const header = (name: string) => ({ $ref: `#/components/headers/${name}` })

const finishResponse = (status: string, response: ResponseObject, replays: boolean): ResponseObject => {
  const waits =
    status === "429" || status === "503" || response.description.includes("idempotency_in_progress")
  const headers = {
    "X-Request-Id": header("RequestId"),
    ...(waits ? { "Retry-After": header("RetryAfter") } : {}),
    ...(replays && status.startsWith("2") ? { "Idempotent-Replayed": header("IdempotentReplayed") } : {}),
  }
  const { [eventStream]: stream, ...content } = response.content ?? {}
  if (stream === undefined) return { ...response, headers }
  return {
    description: streamDescription,
    headers,
    content: { ...content, [eventStream]: { schema: stream.schema, example: streamExample } },
  }
}

const exampleOf = (media: MediaType): MediaType => {
  const example = requestExamples[media.schema.$ref?.split("/").at(-1) ?? ""]
  return example === undefined ? media : { ...media, example }
}

const finishOperation = (operation: Operation): Operation => {
  const replays = operation.parameters.some(({ name }) => name === "idempotency-key")
  const streams = Object.values(operation.responses).some(
    ({ content }) => content?.[eventStream] !== undefined,
  )
  const responses = Object.entries(operation.responses)
    // Streams answer 200 with `reconnect` instead (decisions 5).
    .filter(([status]) => !streams || !status.startsWith("5"))
    .map(([status, response]) => [status, finishResponse(status, response, replays)])
  const { requestBody } = operation
  return {
    ...operation,
    operationId: operation.operationId.split(".").at(-1) ?? operation.operationId,
    parameters: operation.parameters.map(finishParameter),
    ...(requestBody === undefined
      ? {}
      : {
          requestBody: {
            ...requestBody,
            content: Object.fromEntries(
              Object.entries(requestBody.content).map(([type, media]) => [type, exampleOf(media)]),
            ),
          },
        }),
    responses: Object.fromEntries(responses),
  }
}

const componentHeaders = {
  RequestId: {
    description: "Names the request; yours, where you sent one of 8 to 64 characters `A-Za-z0-9_-`.",
    schema: { type: "string" },
  },
  RetryAfter: { description: "Seconds to wait before the next try.", schema: { type: "integer" } },
  IdempotentReplayed: {
    description: "Present when the response was saved under this `Idempotency-Key` before.",
    schema: { type: "string", enum: ["true"] },
  },
}

/** The contract as an OpenAPI 3.1 document. `publicUrl` is where callers reach the service (PUBLIC_URL). */
export const openApiDocument = (publicUrl?: string): OpenApiDocument => {
  const generated = clean(OpenApi.fromApi(api)) as OpenApiDocument
  const schemas = Object.entries(generated.components.schemas)
    .filter(([name]) => !/^Error_\d+$/.test(name))
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, schema]) => [name, describeFields(schema, name)])
  const paths = Object.entries(generated.paths).map(([path, operations]) => [
    path,
    Object.fromEntries(
      Object.entries(operations).map(([method, operation]) => [method, finishOperation(operation)]),
    ),
  ])
  const components = Object.fromEntries(schemas)
  return {
    openapi: generated.openapi,
    info: generated.info,
    ...(publicUrl === undefined ? {} : { servers: [{ url: publicUrl }] }),
    tags: generated.tags,
    paths: Object.fromEntries(paths),
    components: {
      schemas: { ...components, Error: { ...components.Error, description: "Every error response." } },
      securitySchemes: {
        ...generated.components.securitySchemes,
        apiKey: {
          type: "http",
          scheme: "bearer",
          description:
            "`Authorization: Bearer sk_live_…` or `sk_test_…`. The key names the seller and the mode.",
        },
      },
      headers: componentHeaders,
    },
  }
}
