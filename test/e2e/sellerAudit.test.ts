import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { SellerAuditEntry } from "../../schema/resources/sellerAudit.ts"
import { sellerAuditKey } from "../../src/store/keys.ts"
import { runOpsAtTerminal } from "../ops/cli.ts"
import { signInAsOperator } from "../support/dashboard.ts"
import { startTlsReceiver, type TlsReceiver } from "../support/tlsReceiver.ts"
import { type Browser, makeBrowser } from "./support/accountBrowser.ts"
import { forgetRates, makeSellerPerson, type SellerPerson, signInWith2fa } from "./support/accountPeople.ts"
import { chargeWhen, freshKey, makeCharge } from "./support/charges.ts"
import { type Client, makeClient, type Page } from "./support/client.ts"
import { dashboardClient } from "./support/dashboardClient.ts"
import { freshPhoneKey } from "./support/pixKeys.ts"
import { openStage, receiverSettings, type Stage } from "./support/stage.ts"

const address = "203.0.113.77"
const path = "/v1/me/audit"

let stage: Stage
let person: SellerPerson
let browser: Browser
let receiver: TlsReceiver
beforeAll(async () => {
  receiver = await startTlsReceiver()
  stage = await openStage({
    ...receiverSettings(receiver),
    TRUSTED_PROXIES: "127.0.0.1,::1",
    SIMULATOR_DELAY_MS: "3600000",
  })
  person = await makeSellerPerson(stage)
  browser = makeBrowser(stage.service.url, { "X-Forwarded-For": address, "X-Mode": "test" })
  await signInWith2fa(stage, person, browser)
})
afterAll(async () => {
  await stage?.close()
  await receiver?.close()
})

const list = (query = ""): Promise<Page<SellerAuditEntry>> => browser.must("GET", `${path}?limit=100${query}`)

/** What `act` adds to the log, oldest first. */
const added = async (act: () => Promise<unknown>): Promise<ReadonlyArray<SellerAuditEntry>> => {
  const before = (await list()).data.length
  await act()
  const { data } = await list()
  return data.slice(0, data.length - before).reverse()
}

const entry = (action: string, type: string, id: unknown, details: object = {}) => ({
  id: expect.stringMatching(/^\d+-\d+$/),
  at: expect.stringMatching(/Z$/),
  actor: { type: "user", id: person.userId, name: "Loja" },
  ip_address: address,
  ...{ action, resource_type: type, resource_id: id, details },
})

const idempotent = () => ({ "Idempotency-Key": freshKey() })

/** A paid charge of test mode. */
const paidCharge = async (client: Client) => {
  const { id } = await makeCharge(client, { amount: 50_000 })
  await client.post(`/v1/test/transactions/${id}/pay`)
  return chargeWhen(client, id, "paid")
}

const operatorClient = async () => dashboardClient(stage.service.url, await signInAsOperator(stage.service))

describe("a seller's audit log", () => {
  it("a sign-in is in the log, with who, whence and how", async () => {
    const another = makeBrowser(stage.service.url, { "X-Forwarded-For": address })
    expect(await added(() => signInWith2fa(stage, person, another))).toEqual([
      entry("user.signed_in", "user", person.userId, { second_step: "totp" }),
    ])
    const signOut = () => another.must("POST", "/v1/me/auth/sign-out", { body: {} })
    expect(await added(signOut)).toEqual([entry("user.signed_out", "user", person.userId)])
  })

  it("API keys that are made, rotated and deleted are in the log, without the key", async () => {
    let made = { id: "", key: "" }
    const entries = await added(async () => {
      made = await browser.must("POST", "/v1/me/api-keys", {
        body: {
          ...{ mode: "test", name: "Loja", scopes: ["events:read", "charges:read"] },
          allowed_ips: ["203.0.113.0/24"],
        },
      })
      const rotated = await browser.must<{ id: string }>("POST", `/v1/me/api-keys/${made.id}/rotate`, {
        body: {},
      })
      await browser.must("DELETE", `/v1/me/api-keys/${rotated.id}`)
    })
    expect(entries).toEqual([
      entry("api_key.created", "api_key", made.id, {
        ...{ mode: "test", name: "Loja" },
        scopes: ["charges:read", "events:read"],
        limited_addresses: true,
      }),
      entry("api_key.rotated", "api_key", made.id),
      entry("api_key.deleted", "api_key", expect.stringMatching(/^key_/), { mode: "test" }),
    ])
    expect(JSON.stringify(entries)).not.toContain(made.key)
  })

  it("endpoints, secrets and the tracker are in the log, without secrets and values of headers", async () => {
    const url = `${receiver.origin}/hook`
    let id = ""
    const entries = await added(async () => {
      const endpoint = await browser.must<{ id: string }>("POST", "/v1/me/webhook-endpoints", {
        body: { url, events: ["transaction.paid"] },
      })
      id = endpoint.id
      await browser.must("PATCH", `/v1/me/webhook-endpoints/${id}`, { body: { enabled: false } })
      await browser.must("POST", `/v1/me/webhook-endpoints/${id}/rotate-secret`, { body: {} })
      await browser.must("DELETE", `/v1/me/webhook-endpoints/${id}`)
      await browser.must("POST", "/v1/me/postback-secret/rotate", { body: {} })
      await browser.must("PUT", "/v1/me/tracker", { body: { url, headers: { "X-Key": "a secret" } } })
      await browser.must("DELETE", "/v1/me/tracker")
    })
    expect(entries.map(({ action, resource_id }) => [action, resource_id])).toEqual([
      ["webhook_endpoint.created", id],
      ["webhook_endpoint.updated", id],
      ["webhook_endpoint.secret_rotated", id],
      ["webhook_endpoint.deleted", id],
      ["postback_secret.rotated", person.sellerId],
      ["tracker.set", expect.stringMatching(/^tr_/)],
      ["tracker.deleted", expect.stringMatching(/^tr_/)],
    ])
    expect(entries[1]?.details).toEqual({ mode: "test", enabled: false })
    expect(entries[5]?.details).toEqual({ mode: "test", url, headers: ["X-Key"] })
  })

  it("an act that is refused, or that changes nothing, is not in the log", async () => {
    const { name } = await browser.must<{ name: string }>("GET", "/v1/me/seller")
    const entries = await added(async () => {
      expect((await browser.send("DELETE", "/v1/me/tracker")).status).toBe(404)
      const missing = "/v1/me/webhook-endpoints/we_01KA0000000700000000000000"
      expect((await browser.send("DELETE", missing)).status).toBe(404)
      await browser.must("PATCH", "/v1/me/seller", { body: { name } })
    })
    expect(entries).toEqual([])
  })

  it("a profile that is changed is in the log with the names of the fields", async () => {
    const change = () => browser.must("PATCH", "/v1/me/seller", { body: { name: "Loja da Ana" } })
    expect(await added(change)).toEqual([
      entry("seller.profile_changed", "seller", person.sellerId, { fields: ["name"] }),
    ])
  })

  it("withdrawals by people and by keys are in the log, and refunds by people alone", async () => {
    const client = makeClient(stage.service.url, person.keys.test)
    const charge = await paidCharge(client)
    const other = await paidCharge(client)
    const headers = { "X-Forwarded-For": address }
    let ids: ReadonlyArray<string> = []
    const entries = await added(async () => {
      const pixKey = await browser.must<{ id: string }>("POST", "/v1/me/pix-keys", { body: freshPhoneKey() })
      const body = { amount: 1_000, pix_key_id: pixKey.id }
      const byKey = await client.post<{ id: string }>("/v1/withdrawals", {
        body,
        headers: { ...headers, ...idempotent() },
      })
      expect(byKey.status).toBe(201)
      await client.post(`/v1/withdrawals/${byKey.body.id}/cancel`, { headers })
      const mine = await browser.must<{ id: string }>("POST", "/v1/me/withdrawals", {
        body,
        headers: idempotent(),
      })
      await browser.must("POST", `/v1/me/withdrawals/${mine.id}/cancel`)
      await browser.must("POST", `/v1/me/transactions/${charge.id}/refunds`, {
        body: { amount: 500 },
        headers: idempotent(),
      })
      await client.post(`/v1/transactions/${other.id}/refunds`, { body: {}, headers: idempotent() })
      await browser.must("DELETE", `/v1/me/pix-keys/${pixKey.id}`)
      ids = [pixKey.id, byKey.body.id, byKey.body.id, mine.id, mine.id, charge.id, pixKey.id]
    })
    expect(entries.map(({ action, resource_id }) => [action, resource_id])).toEqual(
      [
        ...["pix_key.created", "withdrawal.requested", "withdrawal.cancelled", "withdrawal.requested"],
        ...["withdrawal.cancelled", "transaction.refund_requested", "pix_key.removed"],
      ].map((action, i) => [action, ids[i]]),
    )
    const key = { type: "api_key", id: expect.stringMatching(/^key_/), name: expect.any(String) }
    expect(entries.map(({ actor }) => actor.type)).toEqual([
      ...["user", "api_key", "api_key", "user", "user", "user", "user"],
    ])
    expect(entries[1]).toMatchObject({ actor: key, ip_address: address, details: { amount: 1_000 } })
    expect(entries[5]?.details).toEqual({ mode: "test", amount: 500 })
  })

  it("operators' acts on the account are in the log, without who it was and why", async () => {
    const operator = await operatorClient()
    const entries = await added(() =>
      operator.send("PATCH", `/v1/admin/sellers/${person.sellerId}/settings`, {
        withdrawal_daily_count: 7,
      }),
    )
    const lock = await added(() =>
      operator.send("POST", `/v1/admin/sellers/${person.sellerId}/payout-lock`, {
        until: "2099-01-01T00:00:00Z",
        reason: "looks like fraud",
      }),
    )
    expect([...entries, ...lock]).toEqual([
      {
        ...entry("seller.settings_changed", "seller", person.sellerId, {
          ...{ withdrawal_daily_count: 7, previous: { withdrawal_daily_count: 20 } },
        }),
        ...{ actor: { type: "operator", id: null, name: null }, ip_address: null },
      },
      {
        ...entry("seller.payouts_locked", "seller", person.sellerId, { until: "2099-01-01T00:00:00Z" }),
        ...{ actor: { type: "operator", id: null, name: null }, ip_address: null },
      },
    ])
  })

  it("the log is filtered by action, family, actor and window, and paged by a cursor of its own", async () => {
    const { data } = await list()
    const wanted = (test: (one: SellerAuditEntry) => boolean) => data.filter(test).map(({ id }) => id)
    const ids = async (query: string) => (await list(query)).data.map(({ id }) => id)
    expect(await ids("&action=api_key.created")).toEqual(wanted(({ action }) => action === "api_key.created"))
    expect(await ids("&action=api_key.*")).toEqual(wanted(({ action }) => action.startsWith("api_key.")))
    expect(await ids("&action=api_key.created,user.*")).toEqual(
      wanted(({ action }) => action === "api_key.created" || action.startsWith("user.")),
    )
    expect(await ids("&actor=operator")).toEqual(wanted(({ actor }) => actor.type === "operator"))
    expect(await ids(`&actor=${person.userId}`)).toEqual(wanted(({ actor }) => actor.type === "user"))
    const middle = data[3]?.at ?? ""
    expect(await ids(`&from=${middle}`)).toEqual(wanted(({ at }) => at >= middle))
    expect(await ids(`&to=${middle}`)).toEqual(wanted(({ at }) => at <= middle))
    const pages: Array<string> = []
    let cursor: string | null = ""
    while (cursor !== null) {
      const query: string = cursor === "" ? "" : `&cursor=${cursor}`
      const page: Page<SellerAuditEntry> = await browser.must("GET", `${path}?limit=4&actor=user${query}`)
      pages.push(...page.data.map(({ id }) => id))
      cursor = page.next_cursor
    }
    expect(pages).toEqual(wanted(({ actor }) => actor.type === "user"))
  })

  it.each([
    ["action", "action=nothing"],
    ["action", "action=nothing.*"],
    ["action", "action=api_key.*,nothing"],
    ["action", "action=api_key.*,"],
    ["from", "from=yesterday"],
    ["limit", "limit=101"],
    ["cursor", "cursor=abc"],
  ])("a wrong filter is refused at %s: %s", async (param, query) => {
    const { status, body } = await browser.send("GET", `${path}?${query}`)
    expect([status, body.error.param]).toEqual([400, param])
  })

  it("the log is CSV where Accept names it, and its header names the next page", async () => {
    const answer = await browser.send("GET", `${path}?limit=2&actor=operator`, {
      headers: { Accept: "text/csv" },
    })
    expect(answer.headers.get("content-type")).toBe("text/csv; charset=utf-8; header=present")
    const lines = answer.text.split("\r\n")
    expect(lines[0]).toBe(
      "id,at,actor_type,actor_id,actor_name,ip_address,action,resource_type,resource_id,details",
    )
    expect(lines[1]).toContain(`,operator,,,,seller.payouts_locked,seller,${person.sellerId},"{""until""`)
    expect(lines).toHaveLength(4)
    expect(answer.headers.get("x-next-cursor")).toBeNull()
    const first = await browser.send("GET", `${path}?limit=1`, { headers: { Accept: "text/csv" } })
    expect(first.headers.get("x-next-cursor")).toEqual(expect.any(String))
  })

  it("the log is a file of all its pages, in words and with the filters of its list", async () => {
    const all = await list()
    const lines = (await browser.send("GET", `${path}/export?format=ndjson`)).text.trimEnd().split("\n")
    expect(lines.map((line) => JSON.parse(line))).toEqual(all.data)
    const ofKeys = await browser.send("GET", `${path}/export?action=api_key.*&actor=user`)
    expect(ofKeys.headers.get("content-disposition")).toBe('attachment; filename="atividade-da-conta.csv"')
    const rows = ofKeys.text.trimEnd().split("\r\n")
    expect(rows[0]).toContain("Quando;Tipo de autor;Quem;O que fez;Endereço IP;Detalhes")
    expect(rows[1]).toMatch(/;Pessoa;Loja;Revogou uma chave de API;203\.0\.113\.77;/)
    expect(rows).toHaveLength(4)
    const book = await browser.send("GET", `${path}/export?format=xlsx&locale=en`)
    expect(book.headers.get("content-disposition")).toBe('attachment; filename="account-activity.xlsx"')
    for (const [query, param] of [
      ["action=nothing", "action"],
      ["format=ofx", "format"],
    ]) {
      const { status, body } = await browser.send("GET", `${path}/export?${query}`)
      expect([status, body.error.param]).toEqual([400, param])
    }
  })

  it("a file of a narrow filter goes on over the entries that it leaves out", async () => {
    const other = await makeSellerPerson(stage)
    await forgetRates(stage)
    const visitor = await signInWith2fa(stage, other)
    const entry = (action: string, type: string) =>
      JSON.stringify({
        ...{ actor: { type, id: null, name: null }, action, details: {} },
        ...{ resourceId: other.sellerId, resourceType: "seller", ipAddress: null },
      })
    const key = sellerAuditKey(other.sellerId)
    const add = (count: number, action: string, type: string) =>
      Promise.all(
        Array.from({ length: count }, () => stage.redis("XADD", key, "*", "act", entry(action, type))),
      )
    await add(130, "seller.kyc_approved", "operator")
    await add(5_200, "user.signed_in", "user")
    const { text } = await visitor.send("GET", `${path}/export?format=ndjson&actor=operator`)
    expect(text.trimEnd().split("\n")).toHaveLength(130)
  })

  it("nobody reads another seller's log", async () => {
    const other = await makeSellerPerson(stage)
    await forgetRates(stage)
    const visitor = await signInWith2fa(stage, other)
    const { data } = await visitor.must<Page<SellerAuditEntry>>("GET", path)
    expect(data.map(({ action }) => action)).toEqual(["user.signed_in"])
    const { next_cursor } = await browser.must<Page<SellerAuditEntry>>("GET", `${path}?limit=1`)
    expect((await visitor.send("GET", `${path}?cursor=${next_cursor}`)).status).toBe(400)
    expect((await makeClient(stage.service.url, person.keys.live).get(path)).status).toBe(401)
    expect((await (await operatorClient()).get(path)).status).toBe(403)
  })

  it("ops audit-log export has a seller's entries as the API shows them, oldest first", async () => {
    const environment = {
      REDIS_URL: stage.service.redisUrl,
      ENCRYPTION_KEY: Buffer.from(stage.service.encryptionKey).toString("base64"),
    }
    const words = ["audit-log", "export", "--seller", person.sellerId]
    const { stdout } = await runOpsAtTerminal(words, environment)
    const exported = stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line))
    expect(exported.toReversed()).toEqual((await list()).data)
    const csv = await runOpsAtTerminal([...words, "--format", "csv"], environment)
    expect(csv.stdout.trimEnd().split("\r\n")).toHaveLength(exported.length + 1)
    const unknown = ["audit-log", "export", "--seller", "sel_01KA0000000700000000000000", "--json"]
    expect((await runOpsAtTerminal(unknown, environment)).exitCode).toBe(1)
  })

  it("operators filter their own log, and read it as CSV", async () => {
    const operator = await operatorClient()
    const found = await operator.get<Page<{ readonly action: string }>>(
      "/v1/admin/audit?action=seller.payouts",
    )
    expect(found.body.data).toEqual([])
    const locks = await operator.get<Page<{ readonly action: string; readonly operator_id: string }>>(
      "/v1/admin/audit?action=seller.*",
    )
    expect(locks.body.data.map(({ action }) => action)).toEqual([
      "seller.payouts_locked",
      "seller.settings_changed",
    ])
    const by = locks.body.data[0]?.operator_id
    const own = await operator.get<Page<unknown>>(`/v1/admin/audit?actor=${by}`)
    expect(own.body.data).toHaveLength(2)
    const commands = await operator.get<Page<unknown>>("/v1/admin/audit?actor=command_line")
    expect(commands.body.data).toEqual([])
    const csv = await operator.request("GET", "/v1/admin/audit?limit=1", { headers: { Accept: "text/csv" } })
    expect(csv.text.split("\r\n")[1]).toContain("seller.payouts_locked,seller,")
    expect(csv.headers.get("x-next-cursor")).toEqual(expect.any(String))
  })
})
