import { OpenApi } from "effect/http-api"
import { api } from "./index.ts"
import { foldAllOf, isPlain } from "./jsonSchema.ts"
import { componentHeaders, finishOperation, guardsOf } from "./openapiOperation.ts"
import type { OpenApiDocument } from "./openapiTypes.ts"
import { sessionCookieName } from "./security.ts"

const errorRef = /^#\/components\/schemas\/Error_\d+$/

/** Every integer is a safe integer, so bounds that only say so are noise. */
const isSafeIntegerBound = (key: string, value: unknown): boolean =>
  (key === "minimum" && value === Number.MIN_SAFE_INTEGER) ||
  (key === "maximum" && value === Number.MAX_SAFE_INTEGER)

/**
 * Turns `anyOf: [object, null]` into one schema with two types, so that its fields stand where readers look for them.
 */
const foldNullableObject = (schema: Record<string, unknown>): Record<string, unknown> => {
  const { anyOf, ...rest } = schema
  if (!Array.isArray(anyOf) || anyOf.length !== 2) return schema
  const [object, none] = anyOf
  const isNullable = isPlain(none) && none.type === "null" && isPlain(object) && isPlain(object.properties)
  return isNullable ? { ...object, ...rest, type: [object.type, "null"] } : schema
}

/**
 * Tidies what the generator produces. Each route has its own copy of the error schema. Objects are closed, although
 * answers may gain fields at any time and unknown fields of bodies are ignored
 * (`docs/contract/README.md#versioning`).
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

/** Copies this annotation into the generated schemas; see `pageQuery`. */
const includeAnnotationKey = (key: string): boolean => key === "parameterSchema"

/** The contract as an OpenAPI 3.1 document. `publicUrl` is where callers reach the service (PUBLIC_URL). */
export const openApiDocument = (publicUrl?: string): OpenApiDocument => {
  const guards = guardsOf(api)
  const generated = clean(OpenApi.fromApi(api, { includeAnnotationKey })) as OpenApiDocument
  const { schemas: generatedSchemas } = generated.components
  const schemas = Object.entries(generatedSchemas)
    .filter(([name]) => !/^Error_\d+$/.test(name))
    .sort(([one], [other]) => (one < other ? -1 : 1))
    // The example is shown with the request body instead.
    .map(([name, { examples: _, ...schema }]) => [name, schema])
  const paths = Object.entries(generated.paths).map(([path, operations]) => [
    path,
    Object.fromEntries(
      Object.entries(operations).map(([method, operation]) => [
        method,
        finishOperation(operation, guards, generatedSchemas),
      ]),
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
            "`Authorization: Bearer sk_live_…` or `sk_test_…`. The key determines the seller and the mode.",
        },
        session: {
          type: "apiKey",
          in: "cookie",
          name: sessionCookieName,
          description:
            "The cookie set by sign-up and sign-in: HttpOnly, SameSite=Lax. `X-Mode` selects the mode. Pages of other sites cannot change anything with it (403 `origin_not_allowed`).",
        },
      },
      headers: componentHeaders,
    },
  }
}
