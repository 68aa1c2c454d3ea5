import { Schema } from "effect"
import { HttpApi } from "effect/http-api"
import { describe, expect, it } from "vitest"
import { api } from "../../schema/api/index.ts"
import { type JsonSchema, type Operation, openApiDocument } from "../../schema/api/openapi.ts"
import { fieldTexts, parameterTexts, requestExamples } from "../../schema/api/openapiText.ts"
import { CreateTransaction } from "../../schema/resources/transaction.ts"

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

/** The field at a path like those of `fieldTexts`. */
const fieldAt = (path: string): JsonSchema | undefined => {
  const [component = "", ...names] = path.split(".")
  let schema: JsonSchema | undefined = document.components.schemas[component]
  for (const name of names) schema = (schema?.items ?? schema)?.properties?.[name]
  return schema
}

describe("the OpenAPI document", () => {
  it("has every endpoint of the contract under its own name, path and method", () => {
    const endpoints: Array<string> = []
    HttpApi.reflect(api, {
      onGroup: () => {},
      onEndpoint: ({ endpoint }) => {
        const path = endpoint.path.replace(/:(\w+)/g, "{$1}")
        endpoints.push(`${endpoint.identifier} ${endpoint.method.toLowerCase()} ${path}`)
      },
    })
    const documented = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, { operationId }]) => `${operationId} ${method} ${path}`),
    )
    expect(documented.sort()).toEqual(endpoints.sort())
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
    expect(Object.keys(responses)).toEqual(["200", "400", "401", "429"])
    expect(responses[200]?.description).toContain("replay_gap")
    expect(responses[200]?.content?.["text/event-stream"]?.example).toContain("event: transaction.paid")
    expect(responses[429]?.headers).toHaveProperty("Retry-After")
  })

  it("names the public address where there is one", () => {
    expect(document.servers).toBeUndefined()
    expect(openApiDocument("https://pay.example").servers).toEqual([{ url: "https://pay.example" }])
  })

  it("has examples that the contract takes, and texts for fields and parameters that are there", () => {
    expect(Object.keys(requestExamples)).toEqual(["CreateTransaction"])
    expect(Schema.is(CreateTransaction)(requestExamples.CreateTransaction)).toBe(true)
    expect(operationOf("createTransaction").requestBody?.content["application/json"]?.example).toEqual(
      requestExamples.CreateTransaction,
    )
    for (const [path, description] of Object.entries(fieldTexts)) {
      expect(fieldAt(path)?.description, path).toBe(description)
    }
    const names = new Set(
      operations.flatMap(({ parameters }) => parameters.map(({ name }) => name.toLowerCase())),
    )
    for (const name of Object.keys(parameterTexts)) expect(names).toContain(name)
  })
})
