import { OpenApi } from "effect/http-api"
import { api } from "./index.ts"
import { foldAllOf, isPlain } from "./jsonSchema.ts"
import { componentExamples } from "./openapiExamples.ts"
import { guardsOf } from "./openapiGuards.ts"
import { componentHeaders } from "./openapiHeaders.ts"
import { finishOperation } from "./openapiOperation.ts"
import { usedComponents } from "./openapiPart.ts"
import type { OpenApiDocument } from "./openapiTypes.ts"
import { webhookParameters, webhooks } from "./openapiWebhooks.ts"
import { readerDescriptions, readers } from "./readers.ts"
import { sessionCookieName } from "./security.ts"

const errorCopy = /^Error_\d+$/
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

/** A union told apart by a discriminator is a `oneOf`, although the generator cannot prove that only one schema fits. */
const asOneOf = (schema: Record<string, unknown>): Record<string, unknown> => {
  const { anyOf, oneOf = anyOf, toldApartBy: discriminator, ...rest } = schema
  return discriminator === undefined ? schema : { ...rest, oneOf, discriminator }
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
  for (const [key, member] of Object.entries(asOneOf(foldNullableObject(foldAllOf(value))))) {
    if (key === "additionalProperties" && member === false) continue
    if (isSafeIntegerBound(key, member)) continue
    const isCopy = key === "$ref" && typeof member === "string" && errorRef.test(member)
    cleaned[key] = isCopy ? "#/components/schemas/Error" : clean(member)
  }
  return cleaned
}

const license = { name: "MIT", identifier: "MIT" }

const securitySchemes = {
  apiKey: {
    type: "http",
    scheme: "bearer",
    description:
      "`Authorization: Bearer sk_live_…` or `sk_test_…`. The key determines the seller and the mode. Each operation names the scope that the key needs.",
  },
  session: {
    type: "apiKey",
    in: "cookie",
    name: sessionCookieName,
    description:
      "The cookie set by sign-up and sign-in: HttpOnly, SameSite=Lax. `X-Mode` selects the mode. Pages of other sites cannot change anything with it (403 `origin_not_allowed`).",
  },
}

/** Copies these annotations into the generated schemas; see `pageQuery` and `CatalogEvent`. */
const includeAnnotationKey = (key: string): boolean => key === "parameterSchema" || key === "toldApartBy"

/**
 * The contract as an OpenAPI 3.1 document (`docs/contract/README.md#openapi`). `server` is where callers reach the
 * service. It takes 0.3 s to make.
 */
export const openApiDocument = (server = "http://127.0.0.1:3000"): OpenApiDocument => {
  const guards = guardsOf(api)
  const generated = clean(OpenApi.fromApi(api, { includeAnnotationKey })) as OpenApiDocument
  const { schemas: annotated } = generated.components
  const schemas = Object.entries(annotated)
    .filter(([name]) => !errorCopy.test(name))
    .sort(([one], [other]) => (one < other ? -1 : 1))
    // Examples are shown with bodies and answers instead.
    .map(([name, { examples: _, ...schema }]) => [name, schema])
  const paths = Object.entries(generated.paths).map(([path, operations]) => [
    path,
    Object.fromEntries(
      Object.entries(operations).map(([method, operation]) => [
        method,
        finishOperation(operation, guards, annotated),
      ]),
    ),
  ])
  const components = Object.fromEntries(schemas)
  const all = {
    schemas: { ...components, Error: { ...components.Error, description: "Every error response." } },
    securitySchemes,
    headers: componentHeaders,
    parameters: webhookParameters,
    examples: componentExamples,
  }
  return {
    openapi: generated.openapi,
    info: { ...generated.info, contact: { name: "Corrente" }, license },
    servers: [{ url: server, description: "This service." }],
    tags: readers.map((name) => ({ name, description: readerDescriptions[name] })),
    "x-sections": generated.tags,
    paths: Object.fromEntries(paths),
    webhooks,
    components: usedComponents(all, paths, webhooks),
  }
}
