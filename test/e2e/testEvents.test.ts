import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { eventCatalog } from "../../schema/events.ts"
import type { Event } from "../../schema/resources/event.ts"
import { type Answer, type ErrorBody, eventually, readAll } from "./support/client.ts"
import type { DashboardClient } from "./support/dashboardClient.ts"
import { detailOf, requestsOn, retry, rowsWhen, verify } from "./support/deliveries.ts"
import { type EndpointStage, endpointsPath, openEndpointStage } from "./support/endpointStage.ts"

let shop: EndpointStage
beforeAll(async () => {
  shop = await openEndpointStage()
})
afterAll(() => shop?.close())

interface ListedType {
  readonly type: string
  readonly internal: boolean
  readonly example: Event
}
const codeOf = ({ status, body }: Answer<unknown>): string => {
  const { error } = body as ErrorBody
  return [status, error.code, error.param].filter((part) => part !== undefined).join(" ")
}
describe("a test event", () => {
  const test = (dashboard: DashboardClient, id: string, body: unknown) =>
    dashboard.send<{ readonly delivery_id: string }>("POST", `${endpointsPath}/${id}/test`, body)

  it("a test event of every type that is delivered arrives signed as its example, at its endpoint alone, and nothing has happened", async () => {
    const { seller, dashboard } = await shop.open()
    const { id, secret } = await shop.create(dashboard, "tested")
    await shop.create(dashboard, "untested", { events: ["*"] })
    await dashboard.send("PATCH", `${endpointsPath}/${id}`, { enabled: false })
    const { data } = (await seller.test.get<{ readonly data: ReadonlyArray<ListedType> }>("/v1/event-types"))
      .body
    const catalog = data.filter(({ internal }) => !internal)
    const balance = (await seller.test.get("/v1/balance")).text
    for (const { type } of catalog)
      expect([type, (await test(dashboard, id, { type })).status]).toEqual([type, 202])
    const rows = await rowsWhen(seller.test, (found) => found.length === catalog.length)
    const requests = requestsOn(shop.receiver, "/tested")
    for (const { type, example } of catalog) {
      const request = requests.find(({ headers }) => headers["x-event-type"] === type)
      if (request === undefined) throw new Error(`no ${type} was delivered`)
      verify(request, secret)
      const event = JSON.parse(request.body)
      const { id: eventId, created_at, seq } = event
      expect(event).toEqual({ ...example, id: eventId, created_at, seq, test_event: true })
      expect(rows.filter(({ event_type }) => event_type === type)).toMatchObject([
        {
          id: request.headers["x-delivery-id"],
          event_id: eventId,
          endpoint_id: id,
          status: "success",
          test_event: true,
        },
      ])
    }
    const feed = await readAll<Event>(seller.test, "/v1/events", "limit=100")
    expect(feed.map(({ type }) => type)).toEqual(catalog.map(() => "ping"))
    expect((await seller.test.get("/v1/balance")).text).toBe(balance)
    const charges = await seller.test.get<{ readonly data: ReadonlyArray<unknown> }>("/v1/transactions")
    expect(charges.body.data).toEqual([])
    expect((await dashboard.get(`${endpointsPath}/${id}/stats`)).body).toMatchObject({
      deliveries_7d: 0,
      last_ping_ok: true,
    })
    expect(requestsOn(shop.receiver, "/untested")).toEqual([])
  })

  it("a test event is a ping in the feed, which names what was sent, and its delivery shows the payload", async () => {
    const { seller, dashboard } = await shop.open()
    const { id } = await shop.create(dashboard, "shown")
    const { delivery_id } = (await test(dashboard, id, { type: "transaction.paid" })).body
    await rowsWhen(seller.test, (found) => found.length === 1)
    const { body: row } = await detailOf(seller.test, delivery_id)
    expect(row.payload).toEqual(JSON.parse(requestsOn(shop.receiver, "/shown")[0]?.body ?? ""))
    const event = (await seller.test.get<Event>(`/v1/events/${row.event_id}`)).body
    expect(event).toMatchObject({
      type: "ping",
      data: { object: { id, object: "webhook_endpoint", test_event: { type: "transaction.paid" } } },
    })
    expect(event).not.toHaveProperty("test_event")
    expect(event.data.object).toHaveProperty("test_event.object", (row.payload as Event).data.object)
  })

  it("a test event says `test` in live too, where its endpoint may take it for money otherwise", async () => {
    const { seller } = await shop.open()
    const dashboard = await shop.dashboardOf(seller, "live")
    const { id } = await shop.create(dashboard, "live-test")
    await test(dashboard, id, { type: "transaction.paid" })
    const [request] = await eventually("the test event", () => {
      const found = requestsOn(shop.receiver, "/live-test")
      return found.length > 0 ? found : undefined
    })
    expect(JSON.parse(request?.body ?? "")).toMatchObject({ mode: "test", test_event: true })
  })

  it("a failed test event is one failed row, which can be retried by hand and is not recovered", async () => {
    const { seller, dashboard } = await shop.open()
    const { id } = await shop.create(dashboard, "untested-yet")
    shop.behaviours.set("/untested-yet", { kind: "respond", status: 500 })
    const { delivery_id } = (await test(dashboard, id, { type: "refund.failed" })).body
    await rowsWhen(seller.test, (found) => found.length === 1)
    const recovered = await dashboard.send("POST", `${endpointsPath}/${id}/recover`, { since: "2026-01-01" })
    expect([recovered.status, recovered.body]).toEqual([202, { queued: 0 }])
    shop.behaviours.delete("/untested-yet")
    expect((await retry(seller.test, delivery_id)).status).toBe(202)
    const rows = await rowsWhen(seller.test, (found) => found.length === 2)
    expect(rows.map(({ attempt, status, event_type }) => [attempt, status, event_type])).toEqual([
      [1, "failed", "refund.failed"],
      [2, "success", "refund.failed"],
    ])
    const [first, second] = requestsOn(shop.receiver, "/untested-yet")
    expect(second?.body).toBe(first?.body)
  })

  it("a test event of an unknown type is refused with the types there are, and sends nothing", async () => {
    const { dashboard } = await shop.open()
    const { id } = await shop.create(dashboard, "refused-test")
    for (const body of [{}, { type: 7 }, { type: "" }, { type: "transaction" }, { type: "transaction.*" }]) {
      const answer = await dashboard.send("POST", `${endpointsPath}/${id}/test`, body)
      expect(codeOf(answer)).toBe("400 validation_failed type")
    }
    const secret = `whsec_${"A1".repeat(21)}`
    const unknown = await dashboard.send("POST", `${endpointsPath}/${id}/test`, { type: secret })
    const types = eventCatalog.filter(({ internal }) => !internal).map(({ type }) => type)
    expect(unknown.body.error.details).toEqual({ types })
    expect(unknown.text).not.toContain(secret)
    const internal = eventCatalog.filter((item) => item.internal)
    expect(internal.map(({ type }) => type)).toContain("transaction.created")
    for (const { type } of internal) {
      const answer = await dashboard.send("POST", `${endpointsPath}/${id}/test`, { type })
      expect(codeOf(answer)).toBe("400 validation_failed type")
      expect(answer.body.error.message).toContain(`'${type}' is internal`)
      expect(answer.body.error.details).toEqual({ types })
    }
    expect(requestsOn(shop.receiver, "/refused-test")).toEqual([])
  })
})
