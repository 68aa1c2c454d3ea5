import { randomBytes } from "node:crypto"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { apiKeyScopes } from "../../schema/apiKeyScopes.ts"
import type { Mode } from "../../schema/ids.ts"
import type { ApiKey, NewApiKey, RotatedApiKey } from "../../schema/resources/apiKey.ts"
import { type DashboardSession, signInAsOperator, signInAsSeller } from "../support/dashboard.ts"
import { startTestRedis, type TestRedis } from "../support/redis.ts"
import { until } from "../support/until.ts"
import { chargeBody, freshKey, makeCharge, postCharge } from "./support/charges.ts"
import { type Client, type ErrorBody, eventually, makeClient } from "./support/client.ts"
import { dashboardClient } from "./support/dashboardClient.ts"
import { postRefund } from "./support/refunds.ts"
import { openStage, type Stage } from "./support/stage.ts"

type Made = typeof NewApiKey.Type
type Rotated = typeof RotatedApiKey.Type

const path = "/v1/me/api-keys"
const addresses = (count: number) => Array.from({ length: count }, (_, i) => `203.0.113.${i}`)
const dayMillis = 24 * 60 * 60 * 1000

let redis: TestRedis
/** Two processes on one Redis. */
let one: Stage
let two: Stage
beforeAll(async () => {
  redis = await startTestRedis()
  const settings = { ENCRYPTION_KEY: randomBytes(32).toString("base64"), SIMULATOR_DELAY_MS: "20" }
  const start = () => openStage(settings, { redisUrl: redis.url })
  ;[one, two] = await Promise.all([start(), start()])
})
afterAll(async () => {
  await Promise.all([one?.close(), two?.close()])
  await redis?.stop()
})

const dashboardOf = (session: DashboardSession, mode?: Mode) =>
  dashboardClient(one.service.url, session, mode)

/** A seller with its dashboard in the first process; it has a key of each mode. */
const openShop = async (kycStatus: "approved" | "none" = "approved") => {
  const seller = await one.newSeller({ kycStatus })
  const session = await signInAsSeller(one.service, seller.id)
  const dashboard = dashboardOf(session, "test")
  const create = async (mode: Mode = "test", name = "Loja") => {
    const answer = await dashboard.send<Made>("POST", path, { name, mode })
    if (answer.status !== 201) throw new Error(answer.text)
    return answer.body
  }
  const listOf = async (mode?: Mode) =>
    (await dashboardOf(session, mode).get<{ readonly data: ReadonlyArray<ApiKey> }>(path)).body.data
  /** The keys of both modes, newest first. */
  const list = async () =>
    [...(await listOf("live")), ...(await listOf("test"))].sort((one, other) => (one.id < other.id ? 1 : -1))
  return { seller, session, dashboard, create, list, listOf }
}

const idsOf = (keys: ReadonlyArray<{ readonly id: string }>) => keys.map(({ id }) => id)
const inOne = (key: string) => makeClient(one.service.url, key)
const inTwo = (key: string) => makeClient(two.service.url, key)

/** The status of a request with the key: 200, or 401. */
const statusOf = async (client: Client) => (await client.get("/v1/transactions")).status

const refusalOf = ({ status, body }: { readonly status: number; readonly body: ErrorBody }) =>
  [status, body.error.code, body.error.param].filter((part) => part !== undefined)

describe("creating an API key", () => {
  it("a new API key is shown once, and works in every process at once", async () => {
    const { dashboard, seller, list } = await openShop()
    for (const mode of ["test", "live"] as const) {
      const before = Date.now()
      const answer = await dashboard.send<Made>("POST", path, { name: "Loja ã", mode })
      expect(answer.status).toBe(201)
      const { key, ...shown } = answer.body
      expect(key).toMatch(new RegExp(`^sk_${mode}_[A-Za-z0-9_-]{43}$`))
      expect(shown).toEqual({
        id: expect.stringMatching(/^key_[0-9A-HJKMNP-TV-Z]{26}$/),
        name: "Loja ã",
        mode,
        key_prefix: key.slice(0, 12),
        scopes: apiKeyScopes,
        allowed_ips: [],
        last_used_at: null,
        last_used_ip: null,
        revoke_at: null,
        created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      })
      expect(Date.parse(shown.created_at)).toBeGreaterThanOrEqual(before)
      expect((await list())[0]).toEqual(shown)
      const charge = await makeCharge(inTwo(key))
      expect(charge.mode).toBe(mode)
      expect((await seller[mode].get(`/v1/transactions/${charge.id}`)).status).toBe(200)
    }
  })

  it("an API key's name may have 1 to 64 characters, whatever their size in bytes", async () => {
    const { create } = await openShop()
    for (const name of ["x", "x".repeat(64), "😀".repeat(64)]) {
      expect((await create("test", name)).name).toBe(name)
    }
  })

  it.each([
    ["name", { mode: "test" }],
    ["name", { mode: "test", name: "" }],
    ["name", { mode: "test", name: "x".repeat(65) }],
    ["name", { mode: "test", name: "😀".repeat(65) }],
    ["name", { mode: "test", name: 7 }],
    ["name", { mode: "test", name: null }],
    ["mode", { name: "x" }],
    ["mode", { name: "x", mode: "prod" }],
    ["mode", { name: "x", mode: ["test"] }],
    ["scopes", { name: "x", mode: "test", scopes: [] }],
    ["scopes", { name: "x", mode: "test", scopes: null }],
    ["scopes", { name: "x", mode: "test", scopes: "charges:read" }],
    ["scopes", { name: "x", mode: "test", scopes: Array(apiKeyScopes.length + 1).fill("charges:read") }],
    ["scopes.1", { name: "x", mode: "test", scopes: ["charges:read", "charges:*"] }],
    ["scopes.0", { name: "x", mode: "test", scopes: ["payouts:write"] }],
    ["allowed_ips", { name: "x", mode: "test", allowed_ips: "203.0.113.7" }],
    ["allowed_ips", { name: "x", mode: "test", allowed_ips: addresses(21) }],
    ["allowed_ips.2", { name: "x", mode: "test", allowed_ips: [...addresses(2), "203.0.113"] }],
    ["allowed_ips.0", { name: "x", mode: "test", allowed_ips: ["203.0.113.0/33", "x"] }],
    ["allowed_ips.0", { name: "x", mode: "test", allowed_ips: [""] }],
    ["allowed_ips.0", { name: "x", mode: "test", allowed_ips: [7] }],
  ])("creating an API key with a wrong %s is refused: %j", async (param, body) => {
    const { dashboard, list } = await openShop()
    expect(refusalOf(await dashboard.send("POST", path, body))).toEqual([400, "validation_failed", param])
    expect(await list()).toHaveLength(2)
  })

  it("a new API key has the scopes and addresses that were asked for, each once, in order and without IPv4 in IPv6", async () => {
    const { dashboard, list } = await openShop()
    const made = async (more: object) => {
      const answer = await dashboard.send<Made>("POST", path, { name: "x", mode: "test", ...more })
      const [newest] = await list()
      const { key: _, ...shown } = answer.body
      expect([answer.status, newest]).toEqual([201, shown])
      return [shown.scopes, shown.allowed_ips]
    }
    expect(await made({ scopes: ["events:read", "charges:read", "events:read"] })).toEqual([
      ["charges:read", "events:read"],
      [],
    ])
    expect(await made({ scopes: apiKeyScopes.toReversed(), allowed_ips: [] })).toEqual([apiKeyScopes, []])
    const twenty = addresses(20)
    expect(await made({ allowed_ips: twenty })).toEqual([apiKeyScopes, twenty])
    const ranges = ["0.0.0.0/0", "203.0.113.7/32", "::/0", "2001:db8::/48", "2001:db8::7/128"]
    expect(await made({ allowed_ips: ranges })).toEqual([apiKeyScopes, ranges])
    const mapped = ["::ffff:203.0.113.7", "203.0.113.7", "::ffff:203.0.113.0/120", "2001:DB8::7"]
    expect(await made({ allowed_ips: mapped })).toEqual([
      apiKeyScopes,
      ["203.0.113.7", "203.0.113.0/24", "2001:db8::7"],
    ])
  })

  it("a live API key needs approved KYC, and a test key does not", async () => {
    const { dashboard, create } = await openShop("none")
    const answer = await dashboard.send("POST", path, { name: "x", mode: "live" })
    expect(refusalOf(answer)).toEqual([403, "kyc_required"])
    await create("test")
  })

  it("an eleventh API key of a mode is refused until one is deleted, but a rotation is not", async () => {
    const { dashboard, create } = await openShop()
    const made = []
    for (let i = 1; i < 10; i++) made.push(await create("test"))
    const eleventh = await dashboard.send("POST", path, { name: "x", mode: "test" })
    expect(refusalOf(eleventh)).toEqual([409, "invalid_state"])
    expect(eleventh.body.error.details).toEqual({ limit: 10 })
    await create("live")
    const rotated = await dashboard.send<Rotated>("POST", `${path}/${made[0]?.id}/rotate`)
    expect(rotated.status).toBe(201)
    expect((await dashboard.send("POST", path, { name: "x", mode: "test" })).status).toBe(409)
    expect((await dashboard.send("DELETE", `${path}/${made[1]?.id}`)).status).toBe(204)
    await create("test")
    expect((await dashboard.send("POST", path, { name: "x", mode: "test" })).status).toBe(409)
  })
})

describe("listing API keys", () => {
  it("API keys are listed for the mode in X-Mode, live by default, newest first", async () => {
    const { session, create, listOf } = await openShop()
    const first = await create("test")
    const second = await create("live")
    const third = await create("test")
    expect(idsOf(await listOf("test")).slice(0, 2)).toEqual([third.id, first.id])
    expect(idsOf(await listOf("live"))[0]).toBe(second.id)
    for (const mode of ["live", "test"] as const) {
      expect(new Set((await listOf(mode)).map((key) => key.mode))).toEqual(new Set([mode]))
    }
    expect(await listOf(undefined)).toEqual(await listOf("live"))
    const wrong = await dashboardOf(session).request<ErrorBody>("GET", path, {
      headers: { "X-Mode": "prod" },
    })
    expect(refusalOf(wrong)).toEqual([400, "validation_failed", "X-Mode"])
  })

  it("the list of API keys soon shows when a key was last used, and null for an unused one", async () => {
    const { create, list } = await openShop()
    const used = await create()
    const idle = await create()
    const before = Date.now()
    expect(await statusOf(inTwo(used.key))).toBe(200)
    const after = Date.now()
    const keyOf = async (id: string) => (await list()).find((key) => key.id === id)
    await eventually("its address", async () => (await keyOf(used.id))?.last_used_ip ?? undefined)
    expect((await keyOf(used.id))?.last_used_ip).toBe("127.0.0.1")
    const at = await eventually("the last use", async () => (await keyOf(used.id))?.last_used_at ?? undefined)
    expect(Date.parse(at)).toBeGreaterThanOrEqual(before)
    expect(Date.parse(at)).toBeLessThanOrEqual(after)
    expect(await keyOf(idle.id)).toMatchObject({ last_used_at: null, last_used_ip: null })
  })
})

describe("rotating an API key", () => {
  it("rotating an API key makes another of its name and mode, and both work in every process", async () => {
    const { dashboard, create, list } = await openShop()
    for (const mode of ["test", "live"] as const) {
      const old = await create(mode, "Caixa 1")
      const before = Date.now()
      const answer = await dashboard.send<Rotated>("POST", `${path}/${old.id}/rotate`)
      const { key, old_key_revoke_at, ...shown } = answer.body
      expect([answer.status, shown.name, shown.mode]).toEqual([201, "Caixa 1", mode])
      expect([shown.id === old.id, key === old.key, shown.revoke_at]).toEqual([false, false, null])
      expect(Date.parse(old_key_revoke_at)).toBeGreaterThanOrEqual(before + dayMillis)
      expect(Date.parse(old_key_revoke_at)).toBeLessThanOrEqual(Date.now() + dayMillis)
      for (const each of [key, old.key]) {
        expect([await statusOf(inOne(each)), await statusOf(inTwo(each))]).toEqual([200, 200])
      }
      const [newest, second] = await list()
      expect({ ...newest, last_used_at: null, last_used_ip: null }).toEqual(shown)
      expect(second).toMatchObject({ id: old.id, revoke_at: old_key_revoke_at })
    }
  })

  it("a rotated API key has its successor's scopes and addresses, and does no more than it", async () => {
    const { dashboard } = await openShop()
    const access = { scopes: ["balance:read"], allowed_ips: ["127.0.0.1", "2001:db8::/32"] }
    const old = (await dashboard.send<Made>("POST", path, { name: "x", mode: "test", ...access })).body
    const { body: fresh } = await dashboard.send<Rotated>("POST", `${path}/${old.id}/rotate`)
    expect(fresh).toMatchObject(access)
    for (const { key } of [old, fresh]) {
      expect((await inTwo(key).get("/v1/balance")).status).toBe(200)
      expect(refusalOf(await inTwo(key).get<ErrorBody>("/v1/events"))).toEqual([403, "permission_denied"])
    }
  })

  it("a rotated API key cannot be rotated again but can be deleted, and its successor can be rotated", async () => {
    const { dashboard, create } = await openShop()
    const old = await create()
    const rotate = (id: string) => dashboard.send<Rotated & ErrorBody>("POST", `${path}/${id}/rotate`)
    const { body: newer } = await rotate(old.id)
    expect(refusalOf(await rotate(old.id))).toEqual([409, "invalid_state"])
    const { body: newest } = await rotate(newer.id)
    expect((await dashboard.send("DELETE", `${path}/${old.id}`)).status).toBe(204)
    const keys = [old, newer, newest].map(({ key }) => statusOf(inTwo(key)))
    expect(await Promise.all(keys)).toEqual([401, 200, 200])
    expect(refusalOf(await rotate(old.id))).toEqual([404, "resource_not_found"])
  })

  it("a rotated API key stops working at its end time in every process, and its record goes", async () => {
    const { dashboard, seller, create, list } = await openShop()
    const old = await create()
    const { body: fresh } = await dashboard.send<Rotated>("POST", `${path}/${old.id}/rotate`)
    await until(
      "the old key to work in the second process",
      async () => (await statusOf(inTwo(old.key))) === 200,
    )
    // Moves the end to a second and a half from now, as if the rest of the day had passed.
    const endsAt = Date.now() + 1_500
    const tag = `{p${String(seller.partition).padStart(2, "0")}}`
    const hash = await one.redis("HGET", `apikeys:${tag}:${seller.id}:test`, old.id)
    const record = `apikey:${tag}:${hash}`
    await one.redis("HSET", record, "revoke_at", endsAt)
    const timer = `${old.id}:revoke:${seller.id}:test`
    await one.redis("ZADD", `timers:${tag}`, "XX", endsAt, timer)
    const clients = [inOne(old.key), inTwo(old.key)]
    for (const client of clients) {
      await until("the end of the key", async () => (await statusOf(client)) === 401)
      expect(Date.now()).toBeGreaterThanOrEqual(endsAt)
    }
    await until("the end of its record", async () => (await one.redis("EXISTS", record)) === 0)
    expect(await one.redis("ZSCORE", `timers:${tag}`, timer)).toBeNull()
    expect(idsOf(await list())).not.toContain(old.id)
    expect(await statusOf(inTwo(fresh.key))).toBe(200)
  })
})

/** Every kind of request that takes an API key; each is answered 200 or 201 with a key of the seller. */
const kinds = (
  chargeId: string,
): Readonly<Record<string, (client: Client) => Promise<{ readonly status: number }>>> => ({
  "POST /v1/transactions": (client) => postCharge(client, chargeBody()),
  "GET /v1/transactions": (client) => client.get("/v1/transactions"),
  "GET /v1/transactions/{id}": (client) => client.get(`/v1/transactions/${chargeId}`),
  "GET /v1/events": (client) => client.get("/v1/events"),
  "GET /v1/events of a resource": (client) => client.get(`/v1/events?resource_id=${chargeId}`),
  "GET /v1/event-types": (client) => client.get("/v1/event-types"),
  "GET /v1/webhook-deliveries": (client) => client.get("/v1/webhook-deliveries"),
})

/** Requests that a valid key is refused for another reason, which a deleted key must not learn. */
const refused: Readonly<Record<string, (client: Client) => Promise<{ readonly status: number }>>> = {
  "a malformed body": (client) => postCharge(client, "{"),
  "a wrong body": (client) => postCharge(client, {}),
  "no Idempotency-Key": (client) => client.post("/v1/transactions", { body: chargeBody() }),
  "an unknown charge": (client) => client.get("/v1/transactions/txn_01JD5W2A2Z0000000000000000"),
  "an unknown event": (client) => client.get("/v1/events/evt_x"),
  "an unknown delivery": (client) => client.get("/v1/webhook-deliveries/whd_01JD5W2A2Z0000000000000000"),
  "a retry of an unknown delivery": (client) =>
    client.post("/v1/webhook-deliveries/whd_01JD5W2A2Z0000000000000000/retry"),
  "a broken cursor": (client) => client.get("/v1/transactions?cursor=x"),
  "a wrong filter": (client) => client.get("/v1/webhook-deliveries?status=x"),
  "a stream of malformed types": (client) => client.get("/events?types=,"),
  ...Object.fromEntries(
    ["transactions", "withdrawals", "refunds", "events", "webhook-deliveries"].map((name) => [
      `a malformed id of ${name}`,
      (client: Client) => client.get(`/v1/${name}/nope`),
    ]),
  ),
  ...Object.fromEntries(
    [
      ...["webhook-deliveries/nope/retry", "withdrawals/nope/cancel", "test/transactions/nope/pay"],
      ...["test/withdrawals/nope/approve", "test/refunds/nope/succeed"],
    ].map((act) => [`a malformed id for ${act}`, (client: Client) => client.post(`/v1/${act}`)]),
  ),
  "a refund of a malformed id": (client) => postRefund(client, "nope"),
}

describe("a deleted API key", () => {
  it("the next request of any kind with a deleted API key is refused, in either process", async () => {
    const { seller, dashboard, create } = await openShop()
    const { id: chargeId } = await makeCharge(seller.test)
    const all = Object.entries({ ...kinds(chargeId), ...refused })
    for (const [name, send] of all) {
      const { id, key } = await create()
      const clients = [inTwo(key), inOne(key)]
      // Both processes know the key by now.
      for (const client of clients) {
        const before = (await send(client)).status
        expect([name, before === 401]).toEqual([name, false])
        if (name in kinds("")) expect([name, before < 300]).toEqual([name, true])
        expect(await statusOf(client)).toBe(200)
      }
      expect((await dashboard.send("DELETE", `${path}/${id}`)).status).toBe(204)
      for (const client of clients) {
        const answer = (await send(client)) as { readonly status: number; readonly body: ErrorBody }
        expect([name, ...refusalOf(answer)]).toEqual([name, 401, "invalid_api_key"])
      }
    }
  })

  it("a deleted API key cannot replay the charge that it created", async () => {
    const { dashboard, create } = await openShop()
    const { id, key } = await create()
    const idempotencyKey = freshKey()
    await makeCharge(inTwo(key), {}, idempotencyKey)
    await dashboard.send("DELETE", `${path}/${id}`)
    for (const client of [inTwo(key), inOne(key)]) {
      const answer = await postCharge(client, chargeBody(), idempotencyKey)
      expect(refusalOf(answer)).toEqual([401, "invalid_api_key"])
    }
  })

  it("an API key is deleted only in the mode in X-Mode, live by default", async () => {
    const { session, create, list } = await openShop()
    const inTest = await create("test")
    const inLive = await create("live")
    const remove = async (id: string, mode?: Mode) =>
      (await dashboardOf(session, mode).send("DELETE", `${path}/${id}`)).status
    expect([
      await remove(inTest.id),
      await remove(inTest.id, "live"),
      await remove(inLive.id, "test"),
    ]).toEqual([404, 404, 404])
    expect(idsOf(await list())).toEqual(expect.arrayContaining([inTest.id, inLive.id]))
    expect([await remove(inTest.id, "test"), await remove(inLive.id)]).toEqual([204, 204])
  })

  it("a deleted API key leaves the list for good, and the seller's other keys still work", async () => {
    const { seller, dashboard, create, list } = await openShop()
    const { id, key } = await create()
    expect(await statusOf(inTwo(key))).toBe(200)
    expect((await dashboard.send("DELETE", `${path}/${id}`)).status).toBe(204)
    expect(idsOf(await list())).not.toContain(id)
    expect(refusalOf(await dashboard.send("DELETE", `${path}/${id}`))).toEqual([404, "resource_not_found"])
    const others = [seller.test, seller.live, inTwo(seller.keys.test), inTwo(seller.keys.live)]
    expect(await Promise.all(others.map(statusOf))).toEqual([200, 200, 200, 200])
    expect(await statusOf(inTwo(key))).toBe(401)
  })
})

describe("access to API keys", () => {
  const changes: ReadonlyArray<readonly [string, string]> = [
    ["POST", "/rotate"],
    ["DELETE", ""],
  ]

  it("another seller's API key is not found, nor is an unknown or malformed id", async () => {
    const { dashboard } = await openShop()
    const other = await openShop()
    const [foreign] = await other.list()
    const ids = [foreign?.id, "key_01JD5W2A2Z0000000000000000", "key_1", "x", "sel_1", "%00", "a".repeat(300)]
    for (const id of ids) {
      for (const [method, suffix] of changes) {
        const answer = await dashboard.send(method, `${path}/${id}${suffix}`)
        expect([id, ...refusalOf(answer)]).toEqual([id, 404, "resource_not_found"])
      }
    }
    expect(await statusOf(other.seller.test)).toBe(200)
    expect(await other.list()).toHaveLength(2)
  })

  it("only a signed-in seller can list, create, rotate or delete API keys", async () => {
    const { seller, list } = await openShop()
    const [first] = await list()
    const operator = dashboardClient(one.service.url, await signInAsOperator(one.service))
    const routes = [
      ["GET", path],
      ["POST", path, { name: "x", mode: "test" }],
      ...changes.map(([method, suffix]) => [method, `${path}/${first?.id}${suffix}`] as const),
    ] as const
    for (const [method, route, body] of routes) {
      const input = body === undefined ? {} : { body }
      for (const client of [makeClient(one.service.url), seller.test]) {
        const answer = await client.request<ErrorBody>(method, route, input)
        expect([method, ...refusalOf(answer)]).toEqual([method, 401, "session_required"])
      }
      const answer = await operator.send(method, route, body)
      expect([method, ...refusalOf(answer)]).toEqual([method, 403, "permission_denied"])
    }
    expect(await list()).toHaveLength(2)
  })

  it("API keys are changed only after a step-up, and listed without one", async () => {
    const { seller, list, listOf } = await openShop()
    const session = await signInAsSeller(one.service, seller.id, { isSteppedUp: false })
    const dashboard = dashboardOf(session)
    const [first] = await list()
    const attempts = [
      dashboard.send("POST", path, { name: "x", mode: "test" }),
      ...changes.map(([method, suffix]) => dashboard.send(method, `${path}/${first?.id}${suffix}`)),
    ]
    for (const answer of await Promise.all(attempts)) {
      expect(refusalOf(answer)).toEqual([403, "mfa_required"])
      expect(answer.headers.get("X-MFA-Step-Up")).toBe("required")
    }
    expect((await dashboard.get<{ readonly data: ReadonlyArray<ApiKey> }>(path)).body.data).toEqual(
      await listOf("live"),
    )
  })
})
