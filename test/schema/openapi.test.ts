import { Context, Schema, SchemaAST } from "effect"
import { HttpApi, type HttpApiEndpoint } from "effect/http-api"
import { describe, expect, it } from "vitest"
import { OptionalBody } from "../../schema/api/common.ts"
import { api } from "../../schema/api/index.ts"
import { openApiDocument } from "../../schema/api/openapi.ts"
import type { JsonSchema, Operation } from "../../schema/api/openapiTypes.ts"
import { OperatorAuth, SellerAuth, StepUp, UserAuth } from "../../schema/api/security.ts"

const document = openApiDocument()
const text = JSON.stringify(document)

const operations: ReadonlyArray<Operation> = Object.values(document.paths).flatMap((path) =>
  Object.values(path),
)
const operationOf = (id: string): Operation => {
  const found = operations.find(({ operationId }) => operationId === id)
  if (found === undefined) throw new Error(`no operation ${id}`)
  return found
}

const endpoints: Array<HttpApiEndpoint.Top> = []
HttpApi.reflect(api, { onGroup: () => {}, onEndpoint: ({ endpoint }) => endpoints.push(endpoint) })
const bears = ({ middlewares }: HttpApiEndpoint.Top, ...keys: ReadonlyArray<string>) =>
  [...middlewares].some(({ key }) => keys.includes(key))
const headersOf = (id: string, status: number) =>
  Object.keys(operationOf(id).responses[status]?.headers ?? {})

/** The field at a path such as `Event.data.object`; array items are passed through. */
const fieldAt = (path: string): JsonSchema | undefined => {
  const [component = "", ...names] = path.split(".")
  let schema: JsonSchema | undefined = document.components.schemas[component]
  for (const name of names) schema = (schema?.items ?? schema)?.properties?.[name]
  return schema
}

describe("the OpenAPI document", () => {
  it("has every endpoint of the contract under its own name, path and method", () => {
    const declared = endpoints.map(
      ({ identifier, method, path }) =>
        `${identifier} ${method.toLowerCase()} ${path.replace(/:(\w+)/g, "{$1}")}`,
    )
    const documented = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, { operationId }]) => `${operationId} ${method} ${path}`),
    )
    expect(documented.sort()).toEqual(declared.sort())
  })

  it("has one schema of errors, and every reference leads somewhere", () => {
    expect(Object.keys(document.components.schemas).filter((name) => name.startsWith("Error"))).toEqual([
      "Error",
    ])
    for (const [, kind = "", name = ""] of text.matchAll(/"\$ref":"#\/components\/(\w+)\/(\w+)"/g)) {
      expect(document.components[kind as "schemas"][name], `${kind}/${name}`).toBeDefined()
    }
    expect(text).toContain('"$ref":"#/components/schemas/Error"')
  })

  it("leaves objects open, and says nothing of safe integers", () => {
    expect(text).not.toContain('"additionalProperties":false')
    expect(text).not.toContain(String(Number.MAX_SAFE_INTEGER))
    expect(fieldAt("CreateTransaction.customer.name")).toEqual({
      type: "string",
      minLength: 2,
      maxLength: 120,
    })
  })

  it("describes parameters as they are sent", () => {
    const { parameters } = operationOf("listTransactions")
    expect(parameters.find(({ name }) => name === "limit")).toMatchObject({
      in: "query",
      required: false,
      schema: { type: "integer", minimum: 1, maximum: 100, default: 50 },
    })
    expect(parameters.find(({ name }) => name === "from")?.schema).toMatchObject({ format: "date-time" })
    expect(operationOf("createTransaction").parameters).toEqual([
      expect.objectContaining({ name: "Idempotency-Key", in: "header", required: true }),
    ])
    for (const { parameters: all } of operations) {
      for (const { name, description } of all) expect(description, name).toBeDefined()
    }
  })

  it("says which answers bear which headers", () => {
    const { responses } = operationOf("createTransaction")
    expect(Object.keys(responses[201]?.headers ?? {})).toEqual(["X-Request-Id", "Idempotent-Replayed"])
    expect(Object.keys(responses[409]?.headers ?? {})).toEqual(["X-Request-Id", "Retry-After"])
    expect(Object.keys(responses[503]?.headers ?? {})).toEqual(["X-Request-Id", "Retry-After"])
    expect(Object.keys(responses[400]?.headers ?? {})).toEqual(["X-Request-Id"])
  })

  it("tells what the stream sends, and that it answers no 5xx", () => {
    const { responses } = operationOf("streamEvents")
    expect(Object.keys(responses)).toEqual(["200", "400", "401", "403", "429"])
    expect(responses[200]?.description).toContain("replay_gap")
    expect(responses[200]?.content?.["text/event-stream"]?.example).toContain("event: transaction.paid")
    expect(headersOf("streamEvents", 429)).toEqual(["X-Request-Id", "Retry-After"])
  })

  it("says where a limit's headers stand", () => {
    const limit = ["RateLimit", "RateLimit-Policy"]
    expect(headersOf("signIn", 429)).toEqual(["X-Request-Id", "Retry-After", ...limit])
    expect(headersOf("signIn", 200)).toEqual(["X-Request-Id", ...limit])
    expect(headersOf("getSession", 200)).toEqual(["X-Request-Id"])
  })

  it("names the session's cookie, and which operations take it", () => {
    expect(document.components.securitySchemes.session).toMatchObject({
      type: "apiKey",
      in: "cookie",
      name: "lm.session",
      description: expect.stringContaining("X-Mode"),
    })
    for (const endpoint of endpoints) {
      const { security } = operationOf(endpoint.identifier)
      const isSession = bears(endpoint, UserAuth.key, SellerAuth.key, OperatorAuth.key)
      if (isSession) expect([endpoint.identifier, security]).toEqual([endpoint.identifier, [{ session: [] }]])
    }
    expect(operationOf("streamEvents").security).toEqual([{ apiKey: [] }, { session: [] }])
    expect(operationOf("signIn").security).toEqual([])
  })

  it("has X-Mode on every route of a seller's session, and on no other", () => {
    const header = {
      name: "X-Mode",
      in: "header",
      required: false,
      schema: { type: "string", enum: ["live", "test"], default: "live" },
    }
    for (const endpoint of endpoints) {
      const found = operationOf(endpoint.identifier).parameters.filter(({ name }) => name === "X-Mode")
      const wanted = bears(endpoint, SellerAuth.key) ? [expect.objectContaining(header)] : []
      expect([endpoint.identifier, found]).toEqual([endpoint.identifier, wanted])
    }
  })

  it("tells of a refused X-Mode and of a missing session on every route of sessions", () => {
    for (const endpoint of endpoints) {
      if (!bears(endpoint, UserAuth.key, SellerAuth.key, OperatorAuth.key)) continue
      const { responses } = operationOf(endpoint.identifier)
      expect(responses[400]?.description, endpoint.identifier).toContain("validation_failed")
      expect(responses[401]?.description, endpoint.identifier).toContain("session_required")
      if (endpoint.method === "GET") continue
      expect(responses[403]?.description, endpoint.identifier).toContain("origin_not_allowed")
    }
  })

  it("tells which routes need a step-up, and what they answer without one", () => {
    const told = new Map<string, number>()
    for (const endpoint of endpoints) {
      const isOperators = bears(endpoint, OperatorAuth.key)
      const stepUp = isOperators ? "always" : Context.get(endpoint.annotations, StepUp)
      const { description = "", responses } = operationOf(endpoint.identifier)
      expect(description.includes("Needs a step-up"), endpoint.identifier).toBe(stepUp !== undefined)
      if (stepUp === undefined) continue
      told.set(stepUp, (told.get(stepUp) ?? 0) + 1)
      expect(description).toContain(stepUp === "always" ? "always" : `\`${stepUp}\` off`)
      expect(responses[403]?.description, endpoint.identifier).toContain("mfa_required")
      expect(headersOf(endpoint.identifier, 403), endpoint.identifier).toContain("X-MFA-Step-Up")
    }
    expect([...told.keys()].sort()).toEqual(["account", "always", "webhook"])
    expect(headersOf("pingEndpoint", 403)).not.toContain("X-MFA-Step-Up")
  })

  it("names the public address where there is one", () => {
    expect(document.servers).toBeUndefined()
    expect(openApiDocument("https://pay.example").servers).toEqual([{ url: "https://pay.example" }])
  })

  it("has an example of every body, which the contract takes", () => {
    for (const endpoint of endpoints) {
      const [payload] = [...endpoint.payload.values()].flatMap(({ schemas }) => [...schemas])
      if (payload === undefined) continue
      const media = operationOf(endpoint.identifier).requestBody?.content["application/json"]
      const examples = SchemaAST.resolve(payload.ast)?.examples as ReadonlyArray<unknown> | undefined
      expect(media?.example, endpoint.identifier).toEqual(examples?.[0])
      expect(Schema.is(payload)(media?.example), endpoint.identifier).toBe(true)
    }
    for (const { examples } of Object.values(document.components.schemas)) expect(examples).toBeUndefined()
  })

  it("says which bodies may be left out", () => {
    for (const endpoint of endpoints) {
      const { requestBody } = operationOf(endpoint.identifier)
      if (requestBody === undefined) continue
      const isOptional = Context.get(endpoint.annotations, OptionalBody)
      expect([endpoint.identifier, requestBody.required]).toEqual([endpoint.identifier, !isOptional])
    }
    expect(operationOf("approveWithdrawal").requestBody?.required).toBe(false)
    expect(operationOf("createWithdrawal").requestBody?.required).toBe(true)
  })

  it("has the text of every field that is annotated with one, at that field", () => {
    const found = new Map<string, string>()
    /** The texts of the fields of a component and of what it nests, but for components within. */
    const collect = (ast: SchemaAST.AST, path: string): void => {
      const identifier = SchemaAST.resolveIdentifier(ast)
      const here = identifier ?? path
      if (SchemaAST.isArrays(ast)) for (const item of ast.rest) collect(item, here)
      if (SchemaAST.isUnion(ast)) for (const member of ast.types) collect(member, here)
      if (!SchemaAST.isObjects(ast)) return
      for (const { name, type } of ast.propertySignatures) {
        const field = `${here}.${String(name)}`
        const description = type.context?.annotations?.description
        if (here !== "" && typeof description === "string") found.set(field, description)
        collect(type, here === "" ? "" : field)
      }
    }
    for (const endpoint of endpoints) {
      const payloads = [...endpoint.payload.values()].flatMap(({ schemas }) => [...schemas])
      for (const { ast } of [...payloads, ...endpoint.success, ...endpoint.error]) collect(ast, "")
    }
    for (const [path, description] of found) expect(fieldAt(path)?.description, path).toBe(description)
    expect(found.get("CreateTransaction.pix.expires_in_seconds")).toContain("86400")
    expect(found.get("Event.data.object")).toBe("The resource as it was at that moment.")
    expect(found.get("Error.error.param")).toContain("`items.0.quantity`")
    expect(found.size).toBeGreaterThanOrEqual(66)
  })

  it("describes parameters by their meaning, and none by how their text is decoded", () => {
    expect(text).not.toContain("parameterSchema")
    for (const { parameters } of operations) {
      for (const { schema } of parameters) expect(schema.description).toBeUndefined()
    }
  })
})
