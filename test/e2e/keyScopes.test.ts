import { HttpApi } from "effect/http-api"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { api } from "../../schema/api/index.ts"
import { ApiKeyAuth, FeedAuth } from "../../schema/api/security.ts"
import { type ApiKeyScope, apiKeyScopes } from "../../schema/apiKeyScopes.ts"
import { checkDocumented } from "../support/documentedAnswers.ts"
import { chargeBody, makeCharge, postCharge } from "./support/charges.ts"
import { type Client, type ErrorBody, makeClient } from "./support/client.ts"
import { openStage, type Stage } from "./support/stage.ts"

/** The scope of each route that takes an API key, as docs/contract/api-keys.md#scopes has them. */
const scopes: Readonly<Record<string, ApiKeyScope>> = {
  createTransaction: "charges:write",
  getTransaction: "charges:read",
  listTransactions: "charges:read",
  exportTransactions: "charges:read",
  summarizeTransactions: "charges:read",
  createRefund: "refunds:write",
  getRefund: "charges:read",
  listRefunds: "charges:read",
  exportRefunds: "charges:read",
  createPaymentLink: "charges:write",
  listPaymentLinks: "charges:read",
  getPaymentLink: "charges:read",
  changePaymentLink: "charges:write",
  listCustomers: "charges:read",
  getCustomer: "charges:read",
  getTransactionCustomer: "charges:read",
  createWithdrawal: "withdrawals:write",
  getWithdrawal: "withdrawals:read",
  listWithdrawals: "withdrawals:read",
  exportWithdrawals: "withdrawals:read",
  cancelWithdrawal: "withdrawals:write",
  listPixKeys: "withdrawals:read",
  getBalance: "balance:read",
  getBalanceReleases: "balance:read",
  listLedger: "ledger:read",
  getStatement: "ledger:read",
  exportStatement: "ledger:read",
  listEvents: "events:read",
  getEvent: "events:read",
  listEventTypes: "events:read",
  streamEvents: "events:read",
  listDeliveries: "deliveries:read",
  getDelivery: "deliveries:read",
  retryDelivery: "deliveries:write",
  sendTransactionReceipt: "charges:write",
  getRefundReceipt: "charges:read",
  sendRefundReceipt: "refunds:write",
  getWithdrawalReceipt: "withdrawals:read",
  sendWithdrawalReceipt: "withdrawals:write",
  payTestTransaction: "charges:write",
  expireTestTransaction: "charges:write",
  failTestTransaction: "charges:write",
  refundTestTransaction: "charges:write",
  chargebackTestTransaction: "charges:write",
  approveTestWithdrawal: "withdrawals:write",
  rejectTestWithdrawal: "withdrawals:write",
  succeedTestWithdrawal: "withdrawals:write",
  failTestWithdrawal: "withdrawals:write",
  succeedTestRefund: "refunds:write",
  failTestRefund: "refunds:write",
  advanceTestClock: "charges:write",
  getTestClock: "charges:read",
}

interface KeyRoute {
  readonly name: string
  readonly method: string
  readonly path: string
}
const routes: Array<KeyRoute> = []
HttpApi.reflect(api, {
  onGroup: () => {},
  onEndpoint: ({ endpoint: { identifier, method, path, middlewares } }) => {
    const takesKey = [...middlewares].some(({ key }) => key === ApiKeyAuth.key || key === FeedAuth.key)
    if (takesKey) routes.push({ name: identifier, method, path })
  },
})

let stage: Stage
/** Test keys, each of a seller of its own, by what they may do. */
const keys = {
  only: new Map<ApiKeyScope, string>(),
  without: new Map<ApiKeyScope, string>(),
}
beforeAll(async () => {
  stage = await openStage()
  const keyOf = async (its: ReadonlyArray<ApiKeyScope>) =>
    (await stage.newSeller({ access: { scopes: its, allowedIps: [] } })).keys.test
  for (const scope of apiKeyScopes) {
    keys.only.set(scope, await keyOf([scope]))
    keys.without.set(scope, await keyOf(apiKeyScopes.filter((other) => other !== scope)))
  }
})
afterAll(() => stage?.close())

/** Sends a request that is wrong in all but its credential; closes a stream as soon as it begins. */
const send = async ({ method, path }: KeyRoute, key: string | undefined) => {
  const named = path.replace(/:\w+/, "nope")
  const response = await fetch(stage.service.url + named, {
    method,
    headers: { Authorization: `Bearer ${key}` },
    ...(method === "GET" ? {} : { body: "{" }),
  })
  const contentType = response.headers.get("content-type") ?? ""
  const isStream = contentType.startsWith("text/event-stream")
  if (isStream) await response.body?.cancel()
  const text = isStream ? "" : await response.text()
  checkDocumented(method, named, { status: response.status, contentType, text })
  const error = text.startsWith('{"error"') ? (JSON.parse(text) as ErrorBody).error : undefined
  return { status: response.status, error }
}

describe("the scopes of API keys", () => {
  it("every route that takes API keys has a scope in the table, and every scope opens some route", () => {
    expect(Object.keys(scopes).sort()).toEqual(routes.map(({ name }) => name).sort())
    expect([...new Set(Object.values(scopes))].sort()).toEqual([...apiKeyScopes].sort())
  })

  for (const route of routes) {
    const scope = scopes[route.name]
    if (scope === undefined) continue
    it(`${route.method} ${route.path} is refused to a key that lacks ${scope} alone, and not to one that has it alone`, async () => {
      const refused = await send(route, keys.without.get(scope))
      expect([refused.status, refused.error?.code, refused.error?.details]).toEqual([
        403,
        "permission_denied",
        { scope },
      ])
      expect(refused.error?.message).toContain(scope)
      expect((await send(route, keys.only.get(scope))).status).not.toBe(403)
    })
  }

  it("a key of one scope does what that scope is for, and nothing else", async () => {
    const { test } = await stage.newSeller({ access: { scopes: ["charges:write"], allowedIps: [] } })
    const { id } = await makeCharge(test)
    expect((await test.post(`/v1/test/transactions/${id}/pay`)).status).toBe(200)
    const refusedFor = async (ask: (client: Client) => Promise<{ status: number; body: unknown }>) => {
      const { status, body } = await ask(test)
      return [status, (body as ErrorBody).error.details]
    }
    expect(await refusedFor((client) => client.get(`/v1/transactions/${id}`))).toEqual([
      403,
      { scope: "charges:read" },
    ])
    const refund = (client: Client) =>
      client.post(`/v1/transactions/${id}/refunds`, { headers: { "Idempotency-Key": "refund" }, body: {} })
    expect(await refusedFor(refund)).toEqual([403, { scope: "refunds:write" }])
    expect(await refusedFor((client) => client.get("/events"))).toEqual([403, { scope: "events:read" }])
  })

  it("a live key on a test route is refused for its mode, whatever its scopes", async () => {
    const { live } = await stage.newSeller({ access: { scopes: ["ledger:read"], allowedIps: [] } })
    const { status, body } = await live.post<ErrorBody>("/v1/test/clock/advance", { body: { seconds: 1 } })
    expect([status, body.error.code, body.error.details]).toEqual([403, "permission_denied", undefined])
  })

  it("a request that is refused for its scope saves nothing under its Idempotency-Key", async () => {
    const { seller, key } = { seller: await stage.newSeller(), key: "order-1" }
    const reader = await stage.newSeller({ access: { scopes: ["charges:read"], allowedIps: [] } })
    expect((await postCharge(reader.test, chargeBody(), key)).status).toBe(403)
    expect(await stage.redis("KEYS", `idem*${reader.id}*`)).toEqual([])
    expect((await postCharge(seller.test, chargeBody(), key)).status).toBe(201)
    expect((await stage.redis("KEYS", `idem*${seller.id}*`)) as ReadonlyArray<string>).toHaveLength(1)
  })

  it("a revoked key is 401, also where it lacked the scope", async () => {
    const {
      id,
      partition,
      test,
      keys: own,
    } = await stage.newSeller({
      access: { scopes: ["charges:read"], allowedIps: ["203.0.113.7"] },
    })
    const fromAnywhere = await stage.newSeller({ access: { scopes: ["charges:read"], allowedIps: [] } })
    const revoke = async (seller: { readonly id: string; readonly partition: number }) => {
      const tag = `{p${String(seller.partition).padStart(2, "0")}}`
      const [hash] = (await stage.redis("HVALS", `apikeys:${tag}:${seller.id}:test`)) as ReadonlyArray<string>
      await stage.redis("DEL", `apikey:${tag}:${hash}`)
    }
    const codeOf = async (key: string) =>
      (await makeClient(stage.service.url, key).get<ErrorBody>("/v1/balance")).body.error.code
    expect(await codeOf(own.test)).toBe("ip_not_allowed")
    expect(await codeOf(fromAnywhere.keys.test)).toBe("permission_denied")
    await revoke({ id, partition })
    await revoke(fromAnywhere)
    expect(await codeOf(own.test)).toBe("invalid_api_key")
    expect(await codeOf(fromAnywhere.keys.test)).toBe("invalid_api_key")
    expect((await test.get("/events")).status).toBe(401)
  })
})
