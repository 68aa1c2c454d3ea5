import { Context, Schema, SchemaAST } from "effect"
import { HttpApi, type HttpApiEndpoint } from "effect/http-api"
import { describe, expect, it } from "vitest"
import { OptionalBody } from "../../schema/api/common.ts"
import { api } from "../../schema/api/index.ts"
import { openApiDocument } from "../../schema/api/openapi.ts"
import type { JsonSchema, Operation, ResponseObject } from "../../schema/api/openapiTypes.ts"
import {
  ApiKeyAuth,
  FeedAuth,
  KeyScope,
  OperatorAuth,
  SellerAuth,
  StepUp,
  UserAuth,
} from "../../schema/api/security.ts"
import { errorCodes } from "../../schema/errorCodes.ts"
import { ErrorEnvelope } from "../../schema/errors.ts"
import { eventCatalog } from "../../schema/events.ts"
import { xlsxContentType } from "../../schema/exportFormats.ts"
import { catalogEvents, eventSchemaName } from "../../schema/resources/catalogEvent.ts"
import { problemOfAnswer } from "../support/documentedAnswers.ts"

const server = "http://localhost:3000"
const document = openApiDocument(server)
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
  it("the OpenAPI document has every endpoint of the contract under its own name, path and method", () => {
    const declared = endpoints.map(
      ({ identifier, method, path }) =>
        `${identifier} ${method.toLowerCase()} ${path.replace(/:(\w+)/g, "{$1}")}`,
    )
    const documented = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, { operationId }]) => `${operationId} ${method} ${path}`),
    )
    expect(documented.sort()).toEqual(declared.sort())
  })

  it("the OpenAPI document has one schema of errors, and every reference leads somewhere", () => {
    expect(Object.keys(document.components.schemas).filter((name) => name.startsWith("Error"))).toEqual([
      "Error",
    ])
    for (const [, kind = "", name = ""] of text.matchAll(/"\$ref":"#\/components\/(\w+)\/(\w+)"/g)) {
      expect(document.components[kind as "schemas"][name], `${kind}/${name}`).toBeDefined()
    }
    expect(text).toContain('"$ref":"#/components/schemas/Error"')
  })

  it("the OpenAPI document leaves objects open, and shows no bounds of safe integers", () => {
    expect(text).not.toContain('"additionalProperties":false')
    expect(text).not.toContain(String(Number.MAX_SAFE_INTEGER))
    expect(fieldAt("CreateTransaction.customer.name")).toEqual({
      type: "string",
      minLength: 2,
      maxLength: 120,
      description: "The payer's name.",
    })
  })

  it("the OpenAPI document describes parameters as they are sent", () => {
    const { parameters } = operationOf("listTransactions")
    expect(parameters.find(({ name }) => name === "limit")).toMatchObject({
      in: "query",
      required: false,
      schema: { type: "integer", minimum: 1, maximum: 100, default: 50 },
    })
    expect(parameters.find(({ name }) => name === "from")?.schema).toMatchObject({ format: "date-time" })
    expect(operationOf("createTransaction").parameters).toEqual([
      expect.objectContaining({ name: "Idempotency-Key", in: "header", required: true }),
      expect.objectContaining({ name: "Traceparent", in: "header", required: false }),
    ])
    for (const { parameters: all } of operations) {
      for (const { name, description } of all) expect(description, name).toBeDefined()
    }
  })

  it("the OpenAPI document says which headers the answers to a new charge have", () => {
    const { responses } = operationOf("createTransaction")
    expect(Object.keys(responses[201]?.headers ?? {})).toEqual(["X-Request-Id", "Idempotent-Replayed"])
    expect(Object.keys(responses[411]?.headers ?? {})).toEqual(["X-Request-Id"])
    expect(Object.keys(responses[409]?.headers ?? {})).toEqual(["X-Request-Id", "Retry-After"])
    expect(Object.keys(responses[503]?.headers ?? {})).toEqual(["X-Request-Id", "Retry-After"])
    expect(Object.keys(responses[400]?.headers ?? {})).toEqual(["X-Request-Id"])
  })

  it("the OpenAPI document describes what the event stream sends, and gives it no 5xx", () => {
    const { responses } = operationOf("streamEvents")
    expect(Object.keys(responses)).toEqual(["200", "400", "401", "403", "411", "429"])
    expect(responses[200]?.description).toContain("replay_gap")
    expect(responses[200]?.content?.["text/event-stream"]?.example).toContain("event: transaction.paid")
    expect(headersOf("streamEvents", 429)).toEqual(["X-Request-Id", "Retry-After"])
  })

  it("the OpenAPI document has a limit's headers on the routes with that limit, and on no answer of another", () => {
    const limit = ["RateLimit", "RateLimit-Policy"]
    expect(headersOf("signIn", 429)).toEqual(["X-Request-Id", "Retry-After", ...limit])
    expect(headersOf("signIn", 200)).toEqual(["X-Request-Id", ...limit])
    expect(headersOf("getSession", 200)).toEqual(["X-Request-Id"])
  })

  it("the OpenAPI document names the session's cookie, and the operations that take it", () => {
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

  it("the OpenAPI document says the scope of every operation that takes an API key, and the refusals of a key", () => {
    for (const endpoint of endpoints) {
      const scope = Context.get(endpoint.annotations, KeyScope)
      const { description = "", responses } = operationOf(endpoint.identifier)
      expect([endpoint.identifier, scope !== undefined]).toEqual([
        endpoint.identifier,
        bears(endpoint, ApiKeyAuth.key, FeedAuth.key),
      ])
      if (scope === undefined) continue
      expect(description, endpoint.identifier).toContain(`the scope \`${scope}\``)
      for (const code of ["permission_denied", "ip_not_allowed"])
        expect(responses[403]?.description, endpoint.identifier).toContain(code)
    }
  })

  it("the OpenAPI document has X-Mode on every route of a seller's session, and on no other", () => {
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

  it("every route of sessions documents a refused X-Mode, a missing session and a refused Origin", () => {
    for (const endpoint of endpoints) {
      if (!bears(endpoint, UserAuth.key, SellerAuth.key, OperatorAuth.key)) continue
      const { responses } = operationOf(endpoint.identifier)
      expect(responses[400]?.description, endpoint.identifier).toContain("validation_failed")
      expect(responses[401]?.description, endpoint.identifier).toContain("session_required")
      if (endpoint.method === "GET") continue
      expect(responses[403]?.description, endpoint.identifier).toContain("origin_not_allowed")
    }
  })

  it("a route documents whether it needs a step-up, and what it answers without one", () => {
    const counts = new Map<string, number>()
    for (const endpoint of endpoints) {
      const isOperators = bears(endpoint, OperatorAuth.key)
      const isRead = endpoint.method === "GET"
      const stepUp = isOperators ? (isRead ? "once" : "always") : Context.get(endpoint.annotations, StepUp)
      const { description = "", responses } = operationOf(endpoint.identifier)
      expect(/Needs a (step-up|second factor)/.test(description), endpoint.identifier).toBe(
        stepUp !== undefined,
      )
      if (stepUp === undefined) continue
      counts.set(stepUp, (counts.get(stepUp) ?? 0) + 1)
      const words = { once: "at some time", always: "always" }[stepUp as string] ?? `\`${stepUp}\` off`
      expect(description, endpoint.identifier).toContain(words)
      expect(responses[403]?.description, endpoint.identifier).toContain("mfa_required")
      expect(headersOf(endpoint.identifier, 403), endpoint.identifier).toContain("X-MFA-Step-Up")
    }
    expect([...counts.keys()].sort()).toEqual(["account", "always", "once", "webhook"])
    expect(headersOf("pingEndpoint", 403)).not.toContain("X-MFA-Step-Up")
  })

  it("the OpenAPI document names the address it is served at", () => {
    expect(document.servers).toMatchObject([{ url: server }])
    expect(openApiDocument("https://pay.example").servers).toMatchObject([{ url: "https://pay.example" }])
  })

  it("every body in the OpenAPI document has an example, which the contract accepts", () => {
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

  it("an event in the OpenAPI document is one of the catalog's, told apart by its type", () => {
    const event = document.components.schemas.Event
    const refs = eventCatalog.map(({ type }) => `#/components/schemas/${eventSchemaName(type)}`)
    expect(event?.oneOf).toEqual(refs.map(($ref) => ({ $ref })))
    expect(event?.discriminator).toEqual({
      propertyName: "type",
      mapping: Object.fromEntries(eventCatalog.map(({ type }, index) => [type, refs[index]])),
    })
    for (const { type } of eventCatalog) {
      expect(fieldAt(`${eventSchemaName(type)}.type`)?.enum, type).toEqual([type])
    }
    expect(fieldAt("TransactionPaidEvent.data.object")?.$ref).toBe("#/components/schemas/Transaction")
  })

  it("an error's code in the OpenAPI document is one of the contract's codes", () => {
    expect(fieldAt("Error.error.code")?.enum).toEqual(Object.keys(errorCodes))
  })

  it("the OpenAPI document says which bodies may be left out", () => {
    for (const endpoint of endpoints) {
      const { requestBody } = operationOf(endpoint.identifier)
      if (requestBody === undefined) continue
      const isOptional = Context.get(endpoint.annotations, OptionalBody)
      expect([endpoint.identifier, requestBody.required]).toEqual([endpoint.identifier, !isOptional])
    }
    expect(operationOf("approveWithdrawal").requestBody?.required).toBe(false)
    expect(operationOf("createRefund").requestBody?.required).toBe(false)
    expect(operationOf("createWithdrawal").requestBody?.required).toBe(true)
  })

  it("a field's description in the contract stands at that field in the OpenAPI document", () => {
    const found = new Map<string, string>()
    /** Collects the descriptions of a component's fields, nested ones too, but not of components within. */
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
    expect(found.get("TransactionPaidEvent.data.object")).toBe("The resource as it was at that moment.")
    expect(found.get("Error.error.param")).toContain("`items.0.quantity`")
    expect(found.size).toBeGreaterThanOrEqual(300)
  })

  /** The examples of an answer, by media type; those of errors are components. */
  const examplesOf = ({ content = {} }: ResponseObject) =>
    Object.entries(content).map(([type, { example, examples = {} }]) => {
      const named = Object.values(examples).map(({ $ref = "" }) => $ref.split("/").at(-1) ?? "")
      const shared = named.map((name) => document.components.examples[name]?.value)
      return { type, examples: named.length > 0 ? shared : [example] }
    })
  const answers = operations.flatMap(({ operationId, responses }) =>
    Object.entries(responses).map(([status, response]) => ({
      operationId,
      status: Number(status),
      response,
    })),
  )

  it("every answer in the OpenAPI document has an example, which its schema accepts to the field", () => {
    for (const { operationId, status, response } of answers) {
      for (const { type, examples } of examplesOf(response)) {
        for (const example of examples) {
          const isJson = type === "application/json"
          const problem = isJson ? problemOfAnswer(operationId, status, example) : undefined
          expect([operationId, status, problem]).toEqual([operationId, status, undefined])
          // Workbooks and PDFs are bytes, of which a document of JSON can show none.
          if (type === xlsxContentType || type === "application/pdf") expect(example).toBeUndefined()
          else if (!isJson) expect(example, `${operationId} ${type}`).toMatch(/\S/)
        }
      }
    }
  })

  it("an answer that lacks a field, or has one that is not declared, is not as documented", () => {
    const response = operationOf("getBalance").responses[200]
    const [example] = response === undefined ? [] : examplesOf(response).flatMap((one) => one.examples)
    const { available, ...less } = example as Readonly<Record<string, unknown>>
    expect(problemOfAnswer("getBalance", 200, { ...less, available })).toBeUndefined()
    expect(problemOfAnswer("getBalance", 200, less)).toContain("available")
    expect(problemOfAnswer("getBalance", 200, { ...less, available, more: 1 })).toContain("more")
  })

  it("an error's answer in the OpenAPI document has an example of each of its codes, with its status", () => {
    for (const { operationId, status, response } of answers) {
      const examples = examplesOf(response).flatMap((one) => one.examples)
      const codes = examples.filter(Schema.is(ErrorEnvelope)).map(({ error }) => error.code)
      if (status < 400 || operationId === "ready") continue
      expect([operationId, response.description]).toEqual([
        operationId,
        codes.map((code) => `\`${code}\``).join(", "),
      ])
      for (const code of codes) expect([operationId, errorCodes[code].status]).toEqual([operationId, status])
    }
  })

  it("every field of every schema in the OpenAPI document is described", () => {
    const without: Array<string> = []
    const visit = (schema: JsonSchema, path: string): void => {
      for (const [name, field] of Object.entries(schema.properties ?? {})) {
        if (field.description === undefined) without.push(`${path}.${name}`)
        visit(field, `${path}.${name}`)
      }
      if (schema.items !== undefined) visit(schema.items, path)
      for (const member of [...(schema.anyOf ?? []), ...(schema.oneOf ?? [])]) visit(member, path)
    }
    for (const [name, schema] of Object.entries(document.components.schemas)) visit(schema, name)
    for (const { operationId, responses, requestBody } of operations) {
      const bodies = [requestBody, ...Object.values(responses)].flatMap((body) =>
        Object.values(body?.content ?? {}),
      )
      for (const { schema } of bodies) visit(schema, operationId)
    }
    expect(without).toEqual([])
  })

  it("the OpenAPI document has a webhook for every event that is delivered, with an example of it", () => {
    const sent = Object.entries(document.webhooks ?? {})
    const delivered = eventCatalog.filter(({ internal }) => !internal).map(({ type }) => type)
    expect(sent.map(([type]) => type)).toEqual(delivered)
    for (const [type, { post }] of sent) {
      const media = post?.requestBody?.content["application/json"]
      expect(media?.schema.$ref).toBe(`#/components/schemas/${eventSchemaName(type)}`)
      const schema = catalogEvents.find((event) => event.type === type)
        ?.schema as unknown as Schema.Schema<unknown>
      expect([type, Schema.is(schema)(media?.example)]).toEqual([type, true])
      expect(media?.example).not.toHaveProperty("internal")
    }
  })

  it("no parameter in the OpenAPI document is described by how its text is decoded", () => {
    expect(text).not.toContain("parameterSchema")
    for (const { parameters } of operations) {
      for (const { schema } of parameters) expect(schema.description).toBeUndefined()
    }
  })
})
