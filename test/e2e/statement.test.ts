import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { dayOf } from "../../actors/values/saoPauloDays.ts"
import type { LedgerEntry } from "../../schema/resources/ledger.ts"
import { ledgerKey } from "../../src/store/keys.ts"
import { RawClient } from "../http/rawClient.ts"
import { signInAsSeller } from "../support/dashboard.ts"
import { makePixKey } from "../support/pixKey.ts"
import { whileOverloaded } from "../support/whileOverloaded.ts"
import { type Client, readAll } from "./support/client.ts"
import { dashboardClient } from "./support/dashboardClient.ts"
import { paidCharge, refund } from "./support/refunds.ts"
import { openStage, type Seller, type Stage } from "./support/stage.ts"
import { fund, withdraw, withdrawalWhen } from "./support/withdrawals.ts"

let stage: Stage
let seller: Seller
beforeAll(async () => {
  stage = await openStage({ SIMULATOR_DELAY_MS: "50" })
  seller = await stage.newSeller()
})
afterAll(() => stage?.close())

/** The days that entries written now lie in: two of them around midnight. */
const recentDays = (): string => `from=${dayOf(Date.now() - 3_600_000)}&to=${dayOf(Date.now())}`
const gainOf = ({ postings }: LedgerEntry): number =>
  postings.find(({ bucket }) => bucket === "available")?.amount ?? 0
const inReais = (centavos: number): string => (centavos === 0 ? "" : (centavos / 100).toFixed(2))

describe("a statement of a real ledger", () => {
  it("a statement has the ledger's entries that move available, with the balance that each left", async () => {
    await fund(seller.test, 20_000)
    const { id } = await withdraw(seller.test, await makePixKey(stage, seller, "test"), 100)
    await withdrawalWhen(seller.test, id, "successful")
    const answer = await seller.test.get(`/v1/statement?${recentDays()}`)
    const rows = answer.text
      .trimEnd()
      .split("\r\n")
      .slice(1)
      .map((line) => line.split(","))
    const entries = (await readAll<LedgerEntry>(seller.test, "/v1/ledger", "limit=100")).toReversed()
    expect(new Set(entries.map(({ kind }) => kind))).toContain("withdrawal_settled")
    const moving = entries.filter((entry) => gainOf(entry) !== 0)
    expect(moving.length).toBeGreaterThanOrEqual(2)
    expect(
      rows.map(([, , entryId, kind, resourceId, , ...amounts]) => [entryId, kind, resourceId, amounts]),
    ).toEqual(
      moving.map((entry) => {
        const [gain, left] = [gainOf(entry), entry.balance.available]
        const amounts = [inReais(Math.max(gain, 0)), inReais(Math.max(-gain, 0)), (left / 100).toFixed(2)]
        return [entry.id, entry.kind, entry.resource_id, amounts]
      }),
    )
    const session = await signInAsSeller(stage.service, seller.id, { isSteppedUp: false })
    const dashboard = dashboardClient(stage.service.url, session, "test")
    expect((await dashboard.get(`/v1/me/statement?${recentDays()}`)).text).toBe(answer.text)
    expect((await seller.live.get(`/v1/statement?${recentDays()}`)).text.split("\r\n").length).toBe(2)
    expect((await seller.test.get("/v1/statement?from=2020-01-01&to=2020-12-31")).text).not.toContain("le_")
  })

  it("the ledger as a statement names the charge of each entry, and its kinds can be chosen", async () => {
    const shop = await stage.newSeller()
    const { id } = await paidCharge(shop.test, 20_000)
    await refund(shop.test, id, { amount: 500 })
    const paidOut = await withdraw(shop.test, await makePixKey(stage, shop, "test"), 100)
    await withdrawalWhen(shop.test, paidOut.id, "successful")
    const entries = await readAll<LedgerEntry>(shop.test, "/v1/ledger", "view=statement&limit=2")
    const byKind = (kind: string) => entries.find((entry) => entry.kind === kind)
    const charge = { id, amount: 20_000, reference: null, customer: { name: "Ana Souza" } }
    expect(byKind("charge_paid")?.charge).toMatchObject(charge)
    expect(byKind("charge_paid")?.charge?.end_to_end_id).toMatch(/^E/)
    expect(byKind("refund_held")?.charge).toMatchObject(charge)
    expect(byKind("withdrawal_held")?.charge).toBeNull()
    expect(byKind("withdrawal_held")?.withdrawal).toMatchObject({ id: paidOut.id, amount: 100, fee: 100 })
    expect(byKind("charge_paid")?.withdrawal).toBeNull()
    const plain = await readAll<LedgerEntry>(shop.test, "/v1/ledger", "")
    expect(plain.every((entry) => !("charge" in entry || "withdrawal" in entry))).toBe(true)

    const some = await readAll<LedgerEntry>(
      shop.test,
      "/v1/ledger",
      "kinds=charge_paid,withdrawal_held&limit=1",
    )
    expect(some.map(({ kind }) => kind)).toEqual(["withdrawal_held", "charge_paid"])
    const wrong = await shop.test.get<{ readonly error: { readonly param: string } }>(
      "/v1/ledger?kinds=charge_paid,sold",
    )
    expect([wrong.status, wrong.body.error.param]).toEqual([400, "kinds"])
    const file = await shop.test.get(`/v1/statement/export?${recentDays()}&format=csv`)
    expect(file.text.split("\r\n")[1]).toMatch(
      /;Venda;Ana Souza;\d{3}\.\d{3}\.\d{3}-\d{2};;\w{32};E\w{31};200,00;0,00;200,00;200,00;;200,00$/,
    )
    expect(file.text).toMatch(/;Saque;;;;;E\w{31};-1,00;1,00;-2,00;;2,00;/)
  })

  it("a summary has the balances of the days, and leaves out what left and came back", async () => {
    const shop = await stage.newSeller()
    const session = await signInAsSeller(stage.service, shop.id, { isSteppedUp: false })
    const dashboard = dashboardClient(stage.service.url, session, "test")
    const sums = async (days: string) => (await dashboard.get(`/v1/me/statement/summary?${days}`)).body
    const common = { object: "statement_summary", mode: "test" }
    const nothing = { gained: 0, lost: 0, returned: 0 }
    expect(await sums(recentDays())).toEqual({ ...common, opening: 0, closing: 0, ...nothing })
    await fund(shop.test, 20_000)
    const pixKey = await makePixKey(stage, shop, "test")
    await withdrawalWhen(shop.test, (await withdraw(shop.test, pixKey, 102)).id, "failed")
    await withdrawalWhen(shop.test, (await withdraw(shop.test, pixKey, 100)).id, "successful")
    const closing = { opening: 0, closing: 19_800 }
    expect(await sums(recentDays())).toEqual({
      ...{ ...common, ...closing },
      ...{ gained: 20_000, lost: 200, returned: 202 },
    })
    expect(await sums(`${recentDays()}&kinds=charge_paid`)).toMatchObject({ gained: 20_000, lost: 0 })
    expect(await sums("from=2099-01-01&to=2099-01-02")).toMatchObject({ opening: 19_800, closing: 19_800 })
    expect((await dashboard.get(`/v1/me/statement/summary?${recentDays()}&kinds=sold`)).status).toBe(400)

    const long = await stage.newSeller()
    await fillLedger(long, 10_000)
    const reader = await signInAsSeller(stage.service, long.id, { isSteppedUp: false })
    const { body } = await dashboardClient(stage.service.url, reader, "test").get(
      "/v1/me/statement/summary?from=2026-01-01&to=2026-01-31",
    )
    expect(body).toMatchObject({ opening: 0, closing: 10_000, gained: null, lost: null, returned: null })
  })

  it("a key that is revoked midway cuts its statement, and does not open another", async () => {
    const cut = await stage.newSeller()
    await fillLedger(cut, 100_000)
    const client = await openPaused(cut.test, "from=2026-01-01&to=2026-01-31")
    await stage.redis("DEL", ...((await stage.redis("KEYS", "apikey:*")) as Array<string>))
    client.socket.resume()
    await client.until(({ closed }) => closed)
    expect(client.text().slice(0, 300)).toMatch(/^HTTP\/1.1 200 OK/)
    expect(client.text().endsWith("\r\n0\r\n\r\n")).toBe(false)
    expect((await cut.test.get("/v1/statement?from=2026-01-01&to=2026-01-31")).status).toBe(401)
  })
})

/** Opens a statement, and reads no further than its beginning. */
const openPaused = async ({ origin, key }: Client, days: string): Promise<RawClient> => {
  const open = async () => {
    const client = new RawClient(Number(new URL(origin).port))
    client.send(`GET /v1/statement?${days} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n\r\n`)
    await client.until(({ received }) => received.length > 0)
    client.socket.pause()
    const text = client.text()
    return { client, status: Number(text.split(" ", 2)[1]), headers: { "retry-after": "1" }, text }
  }
  return (await whileOverloaded(open)).client
}

/** Writes entries of January 2026, as the store writes them: more than sockets' buffers hold. */
const fillLedger = async ({ id }: Seller, count: number): Promise<void> => {
  const key = ledgerKey({ sellerId: id, mode: "test" })
  const first = Date.parse("2026-01-02T03:00:00Z")
  const script = `for i = ARGV[1], ARGV[1] + 9999 do
    redis.call('XADD', KEYS[1], (${first} + i * 10) .. '-0', 'seq', i, 'kind', 'charge_paid', 'resource_type',
      'transaction', 'resource', 'txn_01ARZ3NDEKTSV4RRFFQ69G5FAV', 'event', '', 'postings', 'external:-1 available:1',
      'balance', 'available:' .. i .. ' reserve:0 pending_withdraw:0 pending_refund:0')
  end`
  // A script holds up every other command, so each writes a part.
  for (let from = 1; from <= count; from += 10_000) await stage.redis("EVAL", script, 1, key, from)
}
