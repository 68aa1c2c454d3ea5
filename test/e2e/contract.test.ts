import { readFileSync } from "node:fs"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { signInAsOperator, signInAsSeller } from "../support/dashboard.ts"
import { until } from "../support/until.ts"
import { makeCharge } from "./support/charges.ts"
import { type Client, type ErrorBody, makeClient } from "./support/client.ts"
import { openStage, type Seller, type Stage } from "./support/stage.ts"

let stage: Stage
let seller: Seller
let anonymous: Client

const publicUrl = "https://api.corrente.example/base"
const charges = "/v1/transactions"

beforeAll(async () => {
  stage = await openStage({ SIMULATOR_DELAY_MS: "3600000", PUBLIC_URL: publicUrl })
  seller = await stage.newSeller()
  anonymous = makeClient(stage.service.url)
})
afterAll(() => stage?.close())

type Json = Readonly<Record<string, unknown>>
interface Parameter {
  readonly name: string
  readonly in: string
  readonly required?: boolean
  readonly description?: string
  readonly schema: Json
}
interface Operation {
  readonly operationId: string
  readonly summary?: string
  readonly tags: ReadonlyArray<string>
  readonly security?: ReadonlyArray<Readonly<Record<string, ReadonlyArray<string>>>>
  readonly parameters: ReadonlyArray<Parameter>
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly example?: unknown }>> }
  readonly responses: Readonly<Record<string, { readonly description: string; readonly content?: Json }>>
}
interface OpenApi {
  readonly openapi: string
  readonly info: Json
  readonly servers?: ReadonlyArray<{ readonly url: string }>
  readonly tags: ReadonlyArray<{ readonly name: string }>
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: Readonly<Record<string, Readonly<Record<string, unknown>>>>
}

const openApi = async (): Promise<OpenApi> => (await anonymous.get<OpenApi>("/openapi.json")).body
const operationsOf = ({ paths }: OpenApi) =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  )

/** Every `$ref` in a value, at any depth. */
const refsOf = (value: unknown): ReadonlyArray<string> => {
  if (Array.isArray(value)) return value.flatMap(refsOf)
  if (typeof value !== "object" || value === null) return []
  return Object.entries(value).flatMap(([key, member]) =>
    key === "$ref" && typeof member === "string" ? [member] : refsOf(member),
  )
}

const resolve = (document: unknown, ref: string): unknown =>
  ref
    .slice(2)
    .split("/")
    .reduce<unknown>((found, name) => (found as Json | undefined)?.[name], document)

describe("/health", () => {
  it("GET /health says that the process is alive, its version and its uptime", async () => {
    const { version } = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8"))
    const { status, headers, body } = await anonymous.get<Json>("/health")
    expect(status).toBe(200)
    expect(headers.get("content-type")).toBe("application/json")
    expect(body).toEqual({ status: "ok", version, uptime_s: expect.any(Number) })
    expect(Number.isInteger(body.uptime_s)).toBe(true)
  })
})

describe("/ready", () => {
  it("GET /ready is ok when Redis is reachable, durable and loaded, and the scheduler runs", async () => {
    const { status, body } = await anonymous.get<Json>("/ready")
    expect(status).toBe(200)
    expect(body).toEqual({
      status: "ok",
      checks: {
        redis: "ok",
        durability: "ok",
        replicas: "skipped",
        functions: "ok",
        streams: "ok",
        scheduler: "ok",
        load: "ok",
      },
    })
  })

  it("GET /ready is degraded while Redis might lose answered writes", async () => {
    const ready = () => anonymous.get<{ status: string; checks: Json }>("/ready")
    await stage.redis("CONFIG", "SET", "appendfsync", "everysec")
    // What Redis says may be 100 ms old.
    await until("the check to fail", async () => (await ready()).status === 503)
    const { body } = await ready()
    expect(body.status).toBe("degraded")
    expect(body.checks).toEqual({
      redis: "ok",
      durability: { error: expect.stringMatching(/appendfsync/) },
      replicas: "skipped",
      functions: "ok",
      streams: "ok",
      scheduler: "ok",
      load: "ok",
    })
    await stage.redis("CONFIG", "SET", "appendfsync", "always")
    await until("the check to pass", async () => (await ready()).status === 200)
  })
})

describe("/docs/plain", () => {
  it("GET /docs/plain is a page that names every route and loads nothing", async () => {
    const { status, headers, text } = await anonymous.get("/docs/plain")
    expect(status).toBe(200)
    expect(headers.get("content-type")).toBe("text/html; charset=utf-8")
    expect(headers.get("content-security-policy")).toContain("default-src 'none'")
    expect(text).toMatch(/^<!doctype html>/i)
    expect(
      text.match(/<script|<link(?![^>]*href="data:)|<iframe|@import|<[^>]*\son\w+=|<[^>]*\ssrc="(?!data:)/i),
    ).toBeNull()
    for (const { path } of operationsOf(await openApi())) {
      expect(text).toContain(path)
    }
    for (const word of ["Idempotency-Key", "Last-Event-ID", "application/json", "sk_test_"]) {
      expect(text).toContain(word)
    }
  })
})

/** Acquirers have no credential: they sign what they send, or show the proxy their certificate (`docs/contract/notices.md#signature`). */
const isSigned = (path: string): boolean => path.startsWith("/v1/webhooks/")

/** The credential of each route (`docs/contract/README.md#credentials`): only the first steps of a sign-in need none. */
const credentialsOf = (path: string) => {
  const session = { session: [] }
  const apiKey = { apiKey: [] }
  const own = [
    ...["enable", "disable", "generate-backup-codes"].map((name) => `/v1/me/auth/two-factor/${name}`),
    ...["step-up", "update-user", "change-password", "revoke-other-sessions", "team-invites/accept"].map(
      (name) => `/v1/me/auth/${name}`,
    ),
    ...["generate-register-options", "verify-registration", "list-user-passkeys"].map(
      (name) => `/v1/me/auth/passkey/${name}`,
    ),
    ...["update-passkey", "delete-passkey"].map((name) => `/v1/me/auth/passkey/${name}`),
  ]
  if (path === "/events") return [apiKey, session]
  if (own.includes(path)) return [session]
  if (path.startsWith("/v1/me/auth/") || !path.startsWith("/v1/")) return []
  if (isSigned(path)) return []
  return path.startsWith("/v1/me/") || path.startsWith("/v1/admin/") ? [session] : [apiKey]
}

describe("/openapi.json", () => {
  it("GET /openapi.json is an OpenAPI 3.1 document whose references all resolve, with no unused schema", async () => {
    const answer = await anonymous.get<OpenApi>("/openapi.json")
    expect(answer.headers.get("content-type")).toBe("application/json")
    const document = answer.body
    expect(document.openapi).toMatch(/^3\.1\.\d+$/)
    expect(document.info).toMatchObject({ title: expect.any(String), version: expect.any(String) })
    expect(document.servers).toMatchObject([{ url: publicUrl }])
    const refs = refsOf(document)
    expect(refs.length).toBeGreaterThan(20)
    for (const ref of refs) {
      expect(ref).toMatch(/^#\//)
      expect([ref, typeof resolve(document, ref)]).toEqual([ref, "object"])
    }
    const used = new Set(refs)
    for (const name of Object.keys(document.components.schemas ?? {})) {
      expect(used).toContain(`#/components/schemas/${name}`)
    }
  })

  it("the OpenAPI document describes each operation's id, summary, parameters, answers and credentials", async () => {
    const document = await openApi()
    const operations = operationsOf(document)
    const ids = operations.map(({ operation }) => operation.operationId)
    expect(new Set(ids).size).toBe(ids.length)
    const tags = document.tags.map(({ name }) => name)
    for (const { path, operation } of operations) {
      expect(operation.summary).toMatch(/\S/)
      expect(operation.tags.filter((tag) => !tags.includes(tag))).toEqual([])
      const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)
      const declared = operation.parameters.filter((parameter) => parameter.in === "path")
      expect(declared.map(({ name }) => name)).toEqual(inPath)
      expect(declared.every(({ required }) => required === true)).toBe(true)
      for (const { name, description, schema } of operation.parameters) {
        expect([name, description]).toEqual([name, expect.stringMatching(/\S/)])
        expect(schema).toBeTypeOf("object")
      }
      expect(Object.keys(operation.responses).some((status) => status.startsWith("2"))).toBe(true)
      for (const [status, response] of Object.entries(operation.responses)) {
        expect([status, response.description]).toEqual([status, expect.stringMatching(/\S/)])
      }
      expect([path, operation.security ?? []]).toEqual([path, credentialsOf(path)])
      if (credentialsOf(path).length > 0) expect(Object.keys(operation.responses)).toContain("401")
      if (!isSigned(path)) continue
      expect(operation.responses["401"]?.description).toBe("`invalid_signature`")
      const inHeader = operation.parameters.filter((parameter) => parameter.in === "header")
      expect(inHeader.map(({ name, required }) => [name, required])).toEqual([["X-Webhook-Signature", false]])
    }
  })

  it("the OpenAPI document has the routes of the contract", async () => {
    const routes = operationsOf(await openApi()).map(({ method, path }) => `${method.toUpperCase()} ${path}`)
    expect(routes).toEqual(
      expect.arrayContaining([
        "POST /v1/transactions",
        "GET /v1/transactions",
        "GET /v1/transactions/{id}",
        "POST /v1/transactions/{id}/refunds",
        "GET /v1/refunds",
        "GET /v1/refunds/{id}",
        "POST /v1/me/transactions/{id}/refunds",
        "GET /v1/me/refunds",
        "GET /v1/me/refunds/{id}",
        "POST /v1/admin/transactions/{id}/refunds",
        "POST /v1/test/refunds/{id}/succeed",
        "POST /v1/test/refunds/{id}/fail",
        "GET /v1/events",
        "GET /v1/events/{id}",
        "GET /v1/event-types",
        "GET /events",
        "GET /v1/webhook-deliveries",
        "GET /v1/webhook-deliveries/{id}",
        "POST /v1/webhook-deliveries/{id}/retry",
        "GET /v1/me/events",
        "GET /v1/me/events/{id}",
        "GET /v1/me/webhook-endpoints",
        "POST /v1/me/webhook-endpoints",
        "PATCH /v1/me/webhook-endpoints/{id}",
        "DELETE /v1/me/webhook-endpoints/{id}",
        "POST /v1/me/webhook-endpoints/{id}/rotate-secret",
        "GET /v1/me/webhook-endpoints/{id}/stats",
        "POST /v1/me/webhook-endpoints/{id}/ping",
        "GET /v1/me/webhook-endpoints/{id}/waiting",
        "POST /v1/me/postback-secret/rotate",
        "GET /v1/me/postback-secret",
        "GET /v1/me/webhook-deliveries",
        "GET /v1/me/webhook-deliveries/{id}",
        "POST /v1/me/webhook-deliveries/{id}/retry",
        "GET /v1/me/api-keys",
        "POST /v1/me/api-keys",
        "POST /v1/me/api-keys/{id}/rotate",
        "DELETE /v1/me/api-keys/{id}",
        "POST /v1/me/auth/sign-up/email",
        "POST /v1/me/auth/sign-in/email",
        "POST /v1/me/auth/sign-out",
        "GET /v1/me/auth/verify-email",
        "POST /v1/me/auth/request-password-reset",
        "POST /v1/me/auth/reset-password",
        "POST /v1/me/auth/two-factor/enable",
        "POST /v1/me/auth/two-factor/verify-totp",
        "POST /v1/me/auth/two-factor/disable",
        "POST /v1/me/auth/two-factor/generate-backup-codes",
        "POST /v1/me/auth/step-up",
        "POST /v1/me/auth/two-factor/recovery/request",
        "POST /v1/me/auth/two-factor/recovery/confirm",
        "GET /v1/me/security/step-up-prefs",
        "PUT /v1/me/security/step-up-prefs",
        "GET /v1/me/auth/invites/{token}",
        "GET /v1/me/auth/terms",
        "GET /v1/me/terms",
        "POST /v1/me/terms/accept",
        "POST /v1/me/auth/send-verification-email",
        "POST /v1/me/auth/update-user",
        "GET /v1/me/sessions",
        "DELETE /v1/me/sessions/{id}",
        "GET /v1/me/counters",
        "GET /v1/me/views",
        "PUT /v1/me/views",
        "GET /v1/me/notifications",
        "PUT /v1/me/notifications",
        "POST /v1/me/notifications/test",
        "GET /v1/me/audit",
        "GET /v1/me/transactions",
        "GET /v1/me/auth/get-session",
        "POST /v1/me/auth/two-factor/verify-backup-code",
        "POST /v1/me/auth/passkey/verify-authentication",
        "GET /v1/me/auth/passkey/list-user-passkeys",
        "POST /v1/me/auth/change-password",
        "POST /v1/me/auth/revoke-other-sessions",
        "GET /v1/me/seller",
        "PATCH /v1/me/seller",
        "POST /v1/me/kyc",
        "GET /v1/me/tracker",
        "PUT /v1/me/tracker",
        "DELETE /v1/me/tracker",
        "POST /v1/me/webhook-endpoints/{id}/recover",
        "POST /v1/admin/invites",
        "GET /v1/admin/invites",
        "DELETE /v1/admin/invites/{id}",
        "GET /v1/admin/sellers",
        "GET /v1/admin/sellers/{id}",
        "POST /v1/admin/sellers/{id}/kyc",
        "POST /v1/admin/sellers/{id}/status",
        "POST /v1/admin/sellers/{id}/payout-lock",
        "PATCH /v1/admin/sellers/{id}/settings",
        "GET /v1/admin/audit",
        "POST /v1/withdrawals",
        "GET /v1/withdrawals",
        "GET /v1/withdrawals/{id}",
        "POST /v1/withdrawals/{id}/cancel",
        "GET /v1/balance",
        "GET /v1/balance/releases",
        "GET /v1/ledger",
        "GET /v1/pix-keys",
        "POST /v1/me/withdrawals",
        "GET /v1/me/withdrawals",
        "GET /v1/me/withdrawals/{id}",
        "POST /v1/me/withdrawals/{id}/cancel",
        "GET /v1/me/balance",
        "GET /v1/me/balance/releases",
        "GET /v1/me/ledger",
        "POST /v1/me/pix-keys",
        "GET /v1/me/pix-keys",
        "DELETE /v1/me/pix-keys/{id}",
        "POST /v1/test/transactions/{id}/pay",
        "POST /v1/test/transactions/{id}/expire",
        "POST /v1/test/transactions/{id}/fail",
        "POST /v1/test/transactions/{id}/refund",
        "POST /v1/test/transactions/{id}/chargeback",
        "POST /v1/test/withdrawals/{id}/approve",
        "POST /v1/test/withdrawals/{id}/reject",
        "POST /v1/test/withdrawals/{id}/succeed",
        "POST /v1/test/withdrawals/{id}/fail",
        "POST /v1/test/clock/advance",
        "GET /v1/admin/withdrawals",
        "POST /v1/admin/withdrawals/{id}/approve",
        "POST /v1/admin/withdrawals/{id}/reject",
        "GET /v1/admin/pix-keys",
        "POST /v1/admin/pix-keys/{id}/approve",
        "POST /v1/admin/pix-keys/{id}/refuse",
        "GET /v1/admin/inbox",
        "GET /v1/admin/inbox/{id}",
        "POST /v1/admin/inbox/{id}/reprocess",
        "POST /v1/webhooks/{slug}",
        "POST /v1/webhooks/{slug}/pix",
        "GET /health",
        "GET /ready",
      ]),
    )
  })

  it("the OpenAPI document has only routes that exist, and the status that each one answers with", async () => {
    const { id } = await makeCharge(seller.test)
    const { body: events } = await seller.test.get<{ data: ReadonlyArray<{ id: string }> }>("/v1/events")
    const idFor = (path: string) => (/^\/v1\/(me\/)?events\//.test(path) ? events.data[0]?.id : id) ?? ""
    const { cookie } = await signInAsSeller(stage.service, seller.id)
    const operator = await signInAsOperator(stage.service)
    for (const { method, path, operation } of operationsOf(await openApi())) {
      const url = stage.service.url + path.replace(/\{(id|token)\}/, idFor(path))
      const response = await fetch(url, {
        method: method.toUpperCase(),
        headers: {
          // Signing out would end the session that the other requests use.
          ...(path.endsWith("/sign-out")
            ? {}
            : path.startsWith("/v1/me/") || path.startsWith("/v1/admin/")
              ? { Cookie: path.startsWith("/v1/admin/") ? operator.cookie : cookie, "X-Mode": "test" }
              : { Authorization: `Bearer ${seller.keys.test}` }),
        },
      })
      const isStream = response.headers.get("content-type") === "text/event-stream"
      const text = isStream ? "" : await response.text()
      if (isStream) await response.body?.cancel()
      expect([method, path, response.status, Object.keys(operation.responses)]).toEqual([
        method,
        path,
        response.status,
        expect.arrayContaining([String(response.status)]),
      ])
      if (credentialsOf(path).length > 0) expect([path, response.status]).not.toEqual([path, 401])
      const message = response.status === 404 ? (JSON.parse(text) as ErrorBody).error.message : ""
      expect([path, message]).not.toEqual([path, expect.stringContaining("nothing at this path")])
    }
  })

  it("the OpenAPI document's example of a charge is accepted as it is", async () => {
    const document = await openApi()
    const example = document.paths[charges]?.post?.requestBody?.content["application/json"]?.example
    await makeCharge(seller.test, example as Json)
  })

  it("the OpenAPI document states the bounds of a charge's fields", async () => {
    const { components } = await openApi()
    const schema = components.schemas?.CreateTransaction as {
      readonly properties: Readonly<Record<string, Json>>
    }
    expect(schema.properties.amount).toMatchObject({ type: "integer", minimum: 1, maximum: 999_999_999_999 })
    expect(schema.properties.items).toMatchObject({ type: "array", minItems: 1, maxItems: 100 })
    expect(JSON.stringify(schema.properties.pix)).toContain('"minimum":10')
  })
})

describe("X-Request-Id", () => {
  const all: ReadonlyArray<readonly [method: string, path: string]> = [
    ["GET", "/health"],
    ["GET", "/ready"],
    ["GET", "/docs"],
    ["GET", "/openapi.json"],
    ["GET", charges],
    ["HEAD", charges],
    ["GET", "/v1/events"],
    ["GET", "/v1/event-types"],
    ["GET", "/v1/webhook-deliveries"],
    ["GET", "/nowhere"],
    ["DELETE", charges],
    ["OPTIONS", charges],
    ["POST", charges],
  ]

  it.each(all)("%s %s answers with a new X-Request-Id, or with the caller's", async (method, path) => {
    const own = await seller.test.request(method, path)
    expect(own.headers.get("x-request-id")).toMatch(/^req_[0-7][0-9A-HJKMNP-TV-Z]{25}$/)
    const again = await seller.test.request(method, path)
    expect(again.headers.get("x-request-id")).not.toBe(own.headers.get("x-request-id"))
    const named = await seller.test.request(method, path, { headers: { "X-Request-Id": "caller_id-1234" } })
    expect(named.headers.get("x-request-id")).toBe("caller_id-1234")
  })

  it("a caller's X-Request-Id of 8 to 64 allowed characters is kept, and any other replaced", async () => {
    const ask = async (id: string) =>
      (await anonymous.request("GET", "/health", { headers: { "X-Request-Id": id } })).headers.get(
        "x-request-id",
      )
    for (const id of ["12345678", "x".repeat(64), "AZaz09_-"]) expect(await ask(id)).toBe(id)
    for (const id of ["1234567", "x".repeat(65), "12345678.", "1234 5678", ""]) {
      expect(await ask(id)).toMatch(/^req_/)
    }
  })

  it("an error's request_id is the X-Request-Id of its request", async () => {
    const answer = await anonymous.request<ErrorBody>("GET", charges, {
      headers: { "X-Request-Id": "my-request-1" },
    })
    expect(answer.body.error.request_id).toBe("my-request-1")
  })
})

describe("HEAD", () => {
  it.each(["/health", "/ready", "/docs", "/openapi.json", charges, "/v1/events", "/v1/event-types"])(
    "HEAD %s answers as GET does, without a body",
    async (path) => {
      const got = await seller.test.get(path)
      const head = await seller.test.request("HEAD", path)
      expect([head.status, head.text]).toEqual([200, ""])
      expect(head.headers.get("content-type")).toBe(got.headers.get("content-type"))
    },
  )

  it("HEAD /events is refused with 405", async () => {
    const head = await seller.test.request("HEAD", "/events")
    expect([head.status, head.headers.get("allow")]).toEqual([405, "GET"])
  })
})
