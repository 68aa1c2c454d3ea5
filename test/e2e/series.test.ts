import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { ServiceHealth } from "../../schema/api/operations.ts"
import { limits } from "../../schema/limits.ts"
import { signInAsOperator, signInAsSeller } from "../support/dashboard.ts"
import { behaviours, startTlsReceiver, type TlsReceiver } from "../support/tlsReceiver.ts"
import { chargeWhen, makeCharge } from "./support/charges.ts"
import { type ErrorBody, eventually, type Page, readAll } from "./support/client.ts"
import { type DashboardClient, dashboardClient } from "./support/dashboardClient.ts"
import { openStage, receiverSettings, type Seller, type Stage } from "./support/stage.ts"

interface Series {
  readonly data: ReadonlyArray<{ readonly at: string; readonly value: number }>
}
interface Attempt {
  readonly status: string
  readonly response_ms: number | null
}

let stage: Stage
let receiver: TlsReceiver
let seller: Seller
let session: DashboardClient
let live: DashboardClient
beforeAll(async () => {
  receiver = await startTlsReceiver({ behaviour: behaviours.respond(200) })
  stage = await openStage({ ...receiverSettings(receiver), SIMULATOR_DELAY_MS: "3600000" })
  seller = await stage.newSeller({ endpoints: [{ url: receiver.url, events: ["*"], mode: "test" }] })
  const { cookie } = await signInAsSeller(stage.service, seller.id, { isSteppedUp: false })
  session = dashboardClient(stage.service.url, { cookie }, "test")
  live = dashboardClient(stage.service.url, { cookie }, "live")
})
afterAll(async () => {
  await stage?.close()
  await receiver?.close()
})

const read = async (query: string, of = session) => (await of.get<Series>(`/v1/me/series?${query}`)).body.data
const sumOf = async (metric: string, bucket = "hour", of = session) =>
  (await read(`metric=${metric}&bucket=${bucket}`, of)).reduce((sum, { value }) => sum + value, 0)

describe("series", () => {
  it("charges are counted when they are created and paid, and not again when they are refunded", async () => {
    const amounts = [101, 2_000, 30_001]
    const ids: Array<string> = []
    for (const amount of amounts) ids.push((await makeCharge(seller.test, { amount })).id)
    for (const id of ids) await seller.test.post(`/v1/test/transactions/${id}/pay`)
    await seller.test.post(`/v1/test/transactions/${ids[0]}/refund`)
    const unpaid = (await makeCharge(seller.test, { amount: 700 })).id
    await seller.test.post(`/v1/test/transactions/${unpaid}/expire`)
    await chargeWhen(seller.test, unpaid, "expired")
    for (const bucket of ["hour", "day"]) {
      expect(await sumOf("charges_created", bucket)).toBe(4)
      expect(await sumOf("charges_paid", bucket)).toBe(3)
      expect(await sumOf("paid_amount", bucket)).toBe(32_102)
    }
    expect(await sumOf("charges_created", "hour", live)).toBe(0)
  })

  it("refunds count when they have succeeded and chargebacks when they open, each by number and centavos", async () => {
    const shop = await stage.newSeller()
    const { cookie } = await signInAsSeller(stage.service, shop.id, { isSteppedUp: false })
    const of = dashboardClient(stage.service.url, { cookie }, "test")
    const returned = async (bucket: string) => {
      const metrics = ["refunds_completed", "refunded_amount", "chargebacks_opened", "chargeback_amount"]
      return Promise.all(metrics.map((metric) => sumOf(metric, bucket, of)))
    }
    const ids: Array<string> = []
    for (const amount of [5_000, 700, 3_000]) ids.push((await makeCharge(shop.test, { amount })).id)
    for (const id of ids) await shop.test.post(`/v1/test/transactions/${id}/pay`)
    const asked = await shop.test.post<{ id: string }>(`/v1/transactions/${ids[0]}/refunds`, {
      body: { amount: 1_201 },
      headers: { "Idempotency-Key": "part-of-it" },
    })
    expect(asked.status).toBe(201)
    expect(await returned("hour")).toEqual([0, 0, 0, 0])
    await shop.test.post(`/v1/test/refunds/${asked.body.id}/succeed`)
    await shop.test.post(`/v1/test/transactions/${ids[1]}/refund`)
    await shop.test.post(`/v1/test/transactions/${ids[2]}/chargeback`)
    for (const bucket of ["hour", "day"]) expect(await returned(bucket)).toEqual([2, 1_901, 1, 3_000])
    expect(await sumOf("charges_paid", "hour", of)).toBe(3)
  })

  it("deliveries are counted by their attempts, with the time that they took", async () => {
    const attempts = await eventually("all attempts", async () => {
      const found = await readAll<Attempt>(seller.test, "/v1/webhook-deliveries", "limit=100")
      return found.length >= 5 && found.length === (await sumOf("deliveries_succeeded")) ? found : undefined
    })
    expect(await sumOf("deliveries_failed")).toBe(0)
    const times = attempts.map(({ response_ms }) => response_ms ?? 0)
    const p95 = Math.max(...(await read("metric=delivery_p95&bucket=day")).map(({ value }) => value))
    const p50 = Math.max(...(await read("metric=delivery_p50&bucket=day")).map(({ value }) => value))
    expect(p50).toBeGreaterThanOrEqual(1)
    expect(p95).toBeGreaterThanOrEqual(p50)
    expect(p95).toBeLessThanOrEqual(Math.max(1, ...times) * 1.1 + 1)
  })

  it("an endpoint's attempts are counted apart, until it is deleted, and for its own seller and mode alone", async () => {
    const webhooks = "/v1/me/webhook-endpoints"
    const { data } = (await session.get<Page<{ id: string }>>(webhooks)).body
    const of = `&endpoint_id=${data[0]?.id}`
    const sum = async (metric: string) =>
      (await read(`metric=${metric}${of}`)).reduce((all, { value }) => all + value, 0)
    // Its attempts are all that there are.
    await eventually("the same counts", async () =>
      (await sum("deliveries_succeeded")) === (await sumOf("deliveries_succeeded")) ? true : undefined,
    )
    expect(await sum("deliveries_succeeded")).toBeGreaterThanOrEqual(5)
    expect(await sum("deliveries_failed")).toBe(0)
    for (const metric of ["delivery_p50", "delivery_p95"]) {
      expect(await read(`metric=${metric}&bucket=day${of}`)).toEqual(
        await read(`metric=${metric}&bucket=day`),
      )
    }
    expect(await read(`metric=delivery_p95&bucket=day&from=2026-01-01&to=2026-12-31${of}`)).toHaveLength(365)
    const foreign = (await stage.newSeller({ partition: seller.partition })).id
    const theirs = dashboardClient(
      stage.service.url,
      await signInAsSeller(stage.service, foreign, { isSteppedUp: false }),
      "test",
    )
    const asked = (client: DashboardClient, query: string) =>
      client.get<ErrorBody>(`/v1/me/series?metric=${query}`)
    for (const client of [theirs, live]) {
      expect((await asked(client, `deliveries_failed${of}`)).status).toBe(404)
    }
    expect((await asked(session, "deliveries_failed&endpoint_id=we_none")).status).toBe(404)
    const refused = await asked(session, `charges_paid${of}`)
    expect([refused.status, refused.body.error.param]).toEqual([400, "endpoint_id"])
  })

  it("hours are those of UTC, days those of America/Sao_Paulo, oldest first and without a gap", async () => {
    const hours = await read(
      "metric=charges_paid&bucket=hour&from=2026-11-01T00:30:00Z&to=2026-11-01T02:00:00Z",
    )
    expect(hours.map(({ at }) => at)).toEqual([
      ...["2026-11-01T00:00:00.000Z", "2026-11-01T01:00:00.000Z", "2026-11-01T02:00:00.000Z"],
    ])
    expect(hours.map(({ value }) => value)).toEqual([0, 0, 0])
    const days = await read("metric=charges_paid&bucket=day&from=2026-11-01&to=2026-11-02")
    expect(days.map(({ at }) => at)).toEqual(["2026-11-01T03:00:00.000Z", "2026-11-02T03:00:00.000Z"])
    // Clocks went forward at midnight.
    const summer = await read("metric=charges_paid&bucket=day&from=2018-11-03&to=2018-11-05")
    expect(summer.map(({ at }) => at)).toEqual([
      ...["2018-11-03T03:00:00.000Z", "2018-11-04T03:00:00.000Z", "2018-11-05T02:00:00.000Z"],
    ])
    expect(await read("metric=charges_paid&bucket=hour&from=2026-11-01&to=2026-11-01")).toHaveLength(24)
  })

  it("a series has as many buckets as its limit, and with one more it is refused with the limit", async () => {
    const hour = 3_600_000
    const at = (hours: number) => new Date(Date.parse("2026-03-01T00:00:00Z") + hours * hour).toISOString()
    const most = limits.seriesHoursMax
    const range = (hours: number) => `metric=paid_amount&bucket=hour&from=${at(0)}&to=${at(hours - 1)}`
    expect(await read(range(most))).toHaveLength(most)
    const refused = await session.get<ErrorBody>(`/v1/me/series?${range(most + 1)}`)
    expect([refused.status, refused.body.error.param]).toEqual([400, "from"])
    expect(refused.body.error.details).toEqual({ bucket: "hour", buckets: most + 1, buckets_max: most })
    const year = "metric=delivery_p50&bucket=day&from=2024-01-01&to="
    expect(await read(`${year}2024-12-31`)).toHaveLength(limits.seriesDaysMax)
    expect((await session.get<ErrorBody>(`/v1/me/series?${year}2025-01-01`)).status).toBe(400)
    expect((await session.get<ErrorBody>(`/v1/me/series?${year}2999-01-01`)).status).toBe(400)
  })

  it("an unknown metric or bucket, a bad date and a range that ends before it begins are named", async () => {
    const wrong = {
      "metric=profit": "metric",
      "": "metric",
      "metric=charges_paid&bucket=week": "bucket",
      "metric=charges_paid&from=yesterday": "from",
      "metric=charges_paid&from=2026-11-02&to=2026-11-01": "to",
    }
    for (const [query, param] of Object.entries(wrong)) {
      const { status, body } = await session.get<ErrorBody>(`/v1/me/series?${query}`)
      expect([query, status, body.error.param]).toEqual([query, 400, param])
    }
  })
})

describe("what belongs to a charge", () => {
  it("a charge's postings and deliveries are listed page by page, and those of no other charge", async () => {
    const { id } = await makeCharge(seller.test, { amount: 5_000 })
    await seller.test.post(`/v1/test/transactions/${id}/pay`)
    await seller.test.post(`/v1/test/transactions/${id}/refund`)
    const ledger = await readAll<{ id: string; resource_id: string }>(
      session,
      "/v1/me/ledger",
      `transaction_id=${id}&limit=1`,
    )
    const all = await readAll<{ id: string; resource_id: string }>(session, "/v1/me/ledger", "limit=100")
    const { data: refunds } = (await session.get<Page<{ id: string }>>(`/v1/me/refunds?transaction_id=${id}`))
      .body
    const ours = [id, ...refunds.map((refund) => refund.id)]
    expect(ledger.length).toBeGreaterThanOrEqual(2)
    expect(ledger).toEqual(all.filter((entry) => ours.includes(entry.resource_id)))
    const own = await readAll<{ id: string }>(session, "/v1/me/ledger", `resource_id=${id}`)
    expect(own).toEqual(all.filter((entry) => entry.resource_id === id))
    expect(await readAll(live, "/v1/me/ledger", `transaction_id=${id}`)).toEqual([])

    const events = await readAll<{ id: string }>(session, "/v1/me/events", `resource_id=${id}`)
    const attempts = await eventually("the attempts", async () => {
      const found = await readAll<Attempt & { id: string; event_id: string }>(
        session,
        "/v1/me/webhook-deliveries",
        `resource_id=${id}&limit=1`,
      )
      return found.length >= 2 ? found : undefined
    })
    expect(events.map((event) => event.id)).toEqual(
      expect.arrayContaining(attempts.map(({ event_id }) => event_id)),
    )
    expect(attempts.map((attempt) => attempt.id)).toEqual(
      attempts
        .map((attempt) => attempt.id)
        .toSorted()
        .toReversed(),
    )
    const foreign = await session.get<Page<unknown>>(
      "/v1/me/webhook-deliveries?resource_id=txn_01KA0000000000000000000000",
    )
    expect([foreign.status, foreign.body.data]).toEqual([200, []])
  })
})

describe("what operators watch", () => {
  it("operators see dead deliveries of all sellers page by page, and how the service is", async () => {
    const operator = dashboardClient(stage.service.url, await signInAsOperator(stage.service))
    const health = (await operator.get<ServiceHealth>("/v1/admin/health")).body
    expect(health.object).toBe("service_health")
    expect(health.partitions.held).toBe(health.partitions.total)
    expect(health.processes.reduce((sum, { partitions }) => sum + partitions, 0)).toBe(
      health.partitions.total,
    )
    const dead = await operator.get<Page<unknown>>("/v1/admin/deliveries?status=dead&limit=25")
    expect(dead.status).toBe(200)
  })
})

describe("search", () => {
  const find = async (q: string, of = session) =>
    (
      await of.get<Page<{ readonly object: string; readonly id: string; readonly matched: string }>>(
        `/v1/me/search?q=${encodeURIComponent(q)}`,
      )
    ).body.data.map(({ object, id, matched }) => `${matched} ${object} ${id}`)

  it("a charge is found by its id, its txid, its end-to-end id and its customer's address in any case", async () => {
    const customer = { name: "Bia", email: `Bia.${Date.now()}@Example.com`, document: "529.982.247-25" }
    const { id } = await makeCharge(seller.test, { amount: 101, customer })
    await seller.test.post(`/v1/test/transactions/${id}/pay`)
    const charge = await chargeWhen(seller.test, id, "paid")
    expect(await find(id)).toEqual([`id transaction ${id}`])
    expect(await find(charge.pix.txid)).toEqual([`txid transaction ${id}`])
    expect(await find(charge.end_to_end_id ?? "")).toEqual([`end_to_end_id transaction ${id}`])
    for (const email of [customer.email, customer.email.toLowerCase(), ` ${customer.email.toUpperCase()} `]) {
      expect(await find(email)).toEqual([`email transaction ${id}`])
    }
    expect(await find(customer.email.slice(1))).toEqual([])
    for (const q of [id, charge.pix.txid, charge.end_to_end_id ?? "", customer.email]) {
      expect(await find(q, live)).toEqual([])
    }
  })

  it("a customer's charges are found newest first, and no more than the limit", async () => {
    const customer = { name: "Cai", email: `cai.${Date.now()}@example.com`, document: "529.982.247-25" }
    const ids: Array<string> = []
    for (let made = 0; made <= limits.searchResultsMax; made++) {
      ids.push((await makeCharge(seller.test, { amount: 101, customer })).id)
    }
    const found = await find(customer.email)
    expect(found).toEqual(
      ids
        .toSorted()
        .toReversed()
        .slice(0, limits.searchResultsMax)
        .map((id) => `email transaction ${id}`),
    )
  })

  it("events, deliveries and endpoints are found by id, and nothing of another seller is", async () => {
    const other = await stage.newSeller()
    const theirs = await signInAsSeller(stage.service, other.id, { isSteppedUp: false })
    const stranger = dashboardClient(stage.service.url, theirs, "test")
    const first = async (path: string) =>
      (await session.get<Page<{ id: string }>>(path)).body.data[0]?.id ?? ""
    const things = {
      event: await first("/v1/me/events"),
      webhook_delivery: await first("/v1/me/webhook-deliveries"),
      webhook_endpoint: await first("/v1/me/webhook-endpoints"),
      transaction: await first("/v1/me/transactions"),
    }
    for (const [object, id] of Object.entries(things)) {
      expect(await find(id)).toEqual([`id ${object} ${id}`])
      expect(await find(id, stranger)).toEqual([])
    }
    expect(await find("nothing of the kind")).toEqual([])
  })

  it("a question of 200 characters is answered, and an empty, longer or unprintable one is refused", async () => {
    expect(await find("x".repeat(limits.searchLengthMax))).toEqual([])
    for (const q of ["", " ", "x".repeat(limits.searchLengthMax + 1), "a\u0000b", "a\nb"]) {
      const { status, body } = await session.get<ErrorBody>(`/v1/me/search?q=${encodeURIComponent(q)}`)
      expect([status, body.error.param]).toEqual([400, "q"])
    }
    expect((await session.get<ErrorBody>("/v1/me/search")).body.error.param).toBe("q")
  })
})
