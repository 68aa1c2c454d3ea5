import { OpenApi } from "effect/http-api"
import { api } from "./index.ts"
import { componentHeaders, finishOperation, guardsOf } from "./openapiOperation.ts"
import { fieldTexts } from "./openapiText.ts"
import type { JsonSchema, OpenApiDocument } from "./openapiTypes.ts"
import { sessionCookieName } from "./security.ts"

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

/** An object that may be null becomes one schema of two types, so that its fields stand where readers look for them. */
const foldNullableObject = (schema: Record<string, unknown>): Record<string, unknown> => {
  const { anyOf, ...rest } = schema
  if (!Array.isArray(anyOf) || anyOf.length !== 2) return schema
  const [object, none] = anyOf
  const isNullable = isPlain(none) && none.type === "null" && isPlain(object) && isPlain(object.properties)
  return isNullable ? { ...object, ...rest, type: [object.type, "null"] } : schema
}

/**
 * Cleans what the generator leaves: every route has its own copy of the error schema; objects are closed, though new
 * fields may appear in answers at any time and unknown ones in bodies are ignored (decisions 1).
 */
const clean = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(clean)
  if (!isPlain(value)) return value
  const cleaned: Record<string, unknown> = {}
  for (const [key, member] of Object.entries(foldNullableObject(foldAllOf(value)))) {
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

/** The contract as an OpenAPI 3.1 document. `publicUrl` is where callers reach the service (PUBLIC_URL). */
export const openApiDocument = (publicUrl?: string): OpenApiDocument => {
  const guards = guardsOf(api)
  const generated = clean(OpenApi.fromApi(api)) as OpenApiDocument
  const schemas = Object.entries(generated.components.schemas)
    .filter(([name]) => !/^Error_\d+$/.test(name))
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, schema]) => [name, describeFields(schema, name)])
  const paths = Object.entries(generated.paths).map(([path, operations]) => [
    path,
    Object.fromEntries(
      Object.entries(operations).map(([method, operation]) => [method, finishOperation(operation, guards)]),
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
        session: {
          type: "apiKey",
          in: "cookie",
          name: sessionCookieName,
          description:
            "The cookie that sign-up and sign-in set: HttpOnly, SameSite=Lax. `X-Mode` names the mode. Pages of other sites may not change anything with it (403 `origin_not_allowed`).",
        },
      },
      headers: componentHeaders,
    },
  }
}
