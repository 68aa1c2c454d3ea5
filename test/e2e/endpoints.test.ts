import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { limits } from "../../schema/limits.ts"
import type { Endpoint, WaitingDelivery } from "../../schema/resources/endpoint.ts"
import type { Answer, ErrorBody } from "./support/client.ts"
import type { DashboardClient } from "./support/dashboardClient.ts"
import { paidEvent, requestsOn, rowsWhen, verify } from "./support/deliveries.ts"
import {
  type EndpointStage,
  endpointsPath,
  type MadeEndpoint,
  openEndpointStage,
} from "./support/endpointStage.ts"

const otherId = "we_01ARZ3NDEKTSV4RRFFQ69G5FAV"

let shop: EndpointStage
beforeAll(async () => {
  shop = await openEndpointStage()
})
afterAll(() => shop?.close())

const codeOf = ({ status, body }: Answer<unknown>): string => {
  const { error } = body as ErrorBody
  return [status, error.code, error.param].filter((part) => part !== undefined).join(" ")
}
const listed = async (dashboard: DashboardClient) =>
  (await dashboard.get<{ readonly data: ReadonlyArray<Endpoint> }>(endpointsPath)).body.data

describe("a webhook endpoint", () => {
  it("a webhook endpoint shows its secret once, and is listed newest first in its mode only", async () => {
    const { seller, dashboard } = await shop.open()
    const first = await shop.create(dashboard, "a", { description: null })
    const second = await shop.create(dashboard, "b", { description: "x".repeat(200), events: ["*"] })
    expect(first.secret).toMatch(/^whsec_[A-Za-z0-9]{43}$/)
    const { secret: _, ...shown } = second
    expect(shown).toEqual({
      id: expect.stringMatching(/^we_/),
      url: `${shop.receiver.origin}/b`,
      events: ["*"],
      enabled: true,
      secret_prefix: second.secret.slice(0, 6),
      description: "x".repeat(200),
      ordering: "none",
      created_at: expect.stringMatching(/Z$/),
      disabled_reason: null,
      auto_disabled_at: null,
    })
    expect((await listed(dashboard)).map(({ id }) => id)).toEqual([second.id, first.id])
    expect((await listed(dashboard))[0]).toEqual(shown)
    expect(await listed(await shop.dashboardOf(seller, "live"))).toEqual([])
  })

  it("a mode has at most five webhook endpoints: disabled ones count, deleted ones do not", async () => {
    const { seller, dashboard } = await shop.open()
    const made: Array<MadeEndpoint> = []
    for (let i = 0; i < limits.endpointsPerModeMax; i++) made.push(await shop.create(dashboard, `five${i}`))
    await dashboard.send("PATCH", `${endpointsPath}/${made[0]?.id}`, { enabled: false })
    const sixth = await dashboard.send("POST", endpointsPath, shop.bodyOf("six"))
    expect(codeOf(sixth)).toBe("409 invalid_state")
    expect(sixth.body.error.details).toMatchObject({ limit: 5 })
    await shop.create(await shop.dashboardOf(seller, "live"), "live")
    expect((await dashboard.send("DELETE", `${endpointsPath}/${made[1]?.id}`)).status).toBe(204)
    await shop.create(dashboard, "again")
  })

  it("a wrong field of a webhook endpoint is refused by name, on creation and on change", async () => {
    const { dashboard } = await shop.open()
    const { id } = await shop.create(dashboard, "base")
    const { origin } = shop.receiver
    const longest = `${origin}/${"x".repeat(2048 - origin.length - 1)}`
    const refused: ReadonlyArray<readonly [object, string]> = [
      [{ url: `http://${new URL(origin).host}/x` }, "400 invalid_url url"],
      [{ url: "https://127.0.0.1/x" }, "400 invalid_url url"],
      [{ url: "https://[::1]/x" }, "400 invalid_url url"],
      [{ url: "https://10.0.0.1/x" }, "400 invalid_url url"],
      [{ url: "https://localhost/x" }, "400 invalid_url url"],
      [{ url: "https://user:pass@shop.example/x" }, "400 invalid_url url"],
      [{ url: "https://shop.example:8443/x" }, "400 invalid_url url"],
      [{ url: "https://does-not-resolve.invalid/x" }, "400 invalid_url url"],
      [{ url: "not a url" }, "400 invalid_url url"],
      [{ url: "" }, "400 validation_failed url"],
      [{ url: `${longest}x` }, "400 validation_failed url"],
      [{ url: 7 }, "400 validation_failed url"],
      [{ events: [] }, "400 validation_failed events"],
      [{ events: ["transaction.paid", "transaction.nope"] }, "400 invalid_event_type events.1"],
      [{ events: ["transaction.created"] }, "400 invalid_event_type events.0"],
      [{ events: ["ping"] }, "400 invalid_event_type events.0"],
      [{ events: "*" }, "400 validation_failed events"],
      [{ description: "x".repeat(201) }, "400 validation_failed description"],
    ]
    for (const [change, code] of refused) {
      const made = await dashboard.send("POST", endpointsPath, { ...shop.bodyOf("refused"), ...change })
      expect(codeOf(made), JSON.stringify(change)).toBe(code)
      const patched = await dashboard.send("PATCH", `${endpointsPath}/${id}`, change)
      expect(codeOf(patched), JSON.stringify(change)).toBe(code)
    }
    expect(codeOf(await dashboard.send("PATCH", `${endpointsPath}/${id}`, { enabled: "yes" }))).toBe(
      "400 validation_failed enabled",
    )
    expect(await listed(dashboard)).toHaveLength(1)
    expect((await listed(dashboard))[0]?.url).toBe(`${origin}/base`)
    expect((await dashboard.send("PATCH", `${endpointsPath}/${id}`, { url: longest })).status).toBe(200)
  })

  it("a change of a webhook endpoint changes only the fields sent", async () => {
    const { dashboard } = await shop.open()
    const { secret: _, ...made } = await shop.create(dashboard, "before", { description: "one" })
    const patch = async (body: object) =>
      (await dashboard.send("PATCH", `${endpointsPath}/${made.id}`, body)).body
    expect(await patch({ description: null })).toEqual({ ...made, description: null })
    expect(await patch({ events: ["*", "*"] })).toEqual({ ...made, description: null, events: ["*"] })
    const moved = { ...made, description: null, events: ["*"], url: `${shop.receiver.origin}/after` }
    expect(await patch({ url: moved.url })).toEqual(moved)
    expect(await patch({})).toEqual(moved)
    expect(await patch({ enabled: false })).toEqual({ ...moved, enabled: false, disabled_reason: "manual" })
    expect(await patch({ enabled: true })).toEqual(moved)
  })

  it("a webhook endpoint that is another seller's or mode's, deleted or unknown, is not found by any route", async () => {
    const { seller, dashboard } = await shop.open()
    const { dashboard: stranger } = await shop.open()
    const [kept, gone] = [await shop.create(dashboard, "kept"), await shop.create(dashboard, "gone")]
    await dashboard.send("DELETE", `${endpointsPath}/${gone.id}`)
    const routes: ReadonlyArray<readonly [string, string, object?]> = [
      ["PATCH", "", { enabled: false }],
      ["DELETE", ""],
      ["POST", "/rotate-secret"],
      ["GET", "/stats"],
      ["GET", "/waiting"],
      ["POST", "/ping"],
      ["POST", "/test", { type: "transaction.paid" }],
      ["POST", "/recover", { since: "2026-01-01" }],
    ]
    const live = await shop.dashboardOf(seller, "live")
    for (const [client, id] of [
      [stranger, kept.id],
      [live, kept.id],
      [dashboard, gone.id],
      [dashboard, otherId],
      [dashboard, "nonsense"],
    ] as const) {
      for (const [method, suffix, body] of routes) {
        const answer = await client.send(method, `${endpointsPath}/${id}${suffix}`, body)
        expect(codeOf(answer), `${method} ${id}${suffix}`).toBe("404 resource_not_found")
      }
    }
    expect((await listed(dashboard)).map(({ id, enabled }) => [id, enabled])).toEqual([[kept.id, true]])
  })

  it("a rotated webhook secret has a day left, in which deliveries are signed with both secrets", async () => {
    const { seller, dashboard } = await shop.open()
    const { id, secret } = await shop.create(dashboard, "rotated")
    const before = Date.now()
    const rotated = await dashboard.send<{
      readonly secret: string
      readonly previous_secret_expires_at: string
    }>("POST", `${endpointsPath}/${id}/rotate-secret`)
    expect(rotated.status).toBe(200)
    expect(rotated.body.secret).not.toBe(secret)
    const graceMillis = Date.parse(rotated.body.previous_secret_expires_at) - before
    expect(Math.abs(graceMillis - 24 * 3600_000)).toBeLessThan(60_000)
    await paidEvent(seller.test)
    await rowsWhen(seller.test, (rows) => rows[0]?.status === "success")
    const [request] = requestsOn(shop.receiver, "/rotated")
    if (request === undefined) throw new Error("nothing was delivered")
    expect(request.headers["x-signature"]).toMatch(/^t=\d+,v1=[0-9a-f]{64},v1=[0-9a-f]{64}$/)
    expect(request.headers["webhook-signature"]).toMatch(/^v1,\S+ v1,\S+$/)
    verify(request, rotated.body.secret)
    verify(request, secret)
  })

  it("a disabled webhook endpoint gets no events, nor the missed ones once it is enabled", async () => {
    const { seller, dashboard } = await shop.open()
    const { id } = await shop.create(dashboard, "paused")
    await dashboard.send("PATCH", `${endpointsPath}/${id}`, { enabled: false })
    await paidEvent(seller.test)
    await dashboard.send("PATCH", `${endpointsPath}/${id}`, { enabled: true })
    const { event } = await paidEvent(seller.test)
    const rows = await rowsWhen(seller.test, (found) => found.length > 0)
    expect(rows.map(({ event_id, status }) => [event_id, status])).toEqual([[event.id, "success"]])
    expect(requestsOn(shop.receiver, "/paused")).toHaveLength(1)
  })
})

describe("a ping", () => {
  const ping = (dashboard: DashboardClient, id: string) =>
    dashboard.send<{ readonly delivery_id: string }>("POST", `${endpointsPath}/${id}/ping`)

  it("a ping reaches only its endpoint, even a disabled one, and shows in its statistics", async () => {
    const { seller, dashboard } = await shop.open()
    const { id, secret } = await shop.create(dashboard, "pinged")
    await shop.create(dashboard, "unpinged", { events: ["*"] })
    await dashboard.send("PATCH", `${endpointsPath}/${id}`, { enabled: false })
    const stats = () => dashboard.get(`${endpointsPath}/${id}/stats`).then(({ body }) => body)
    const none = { success_rate_7d: null, deliveries_7d: 0, last_ping_at: null, last_ping_ok: null }
    expect(await stats()).toEqual(none)
    const answer = await ping(dashboard, id)
    expect(answer.status).toBe(202)
    const rows = await rowsWhen(seller.test, (found) => found.length === 1)
    expect(rows[0]).toMatchObject({
      id: answer.body.delivery_id,
      event_type: "ping",
      endpoint_id: id,
      target: "endpoint",
      attempt: 1,
      status: "success",
    })
    const [request] = requestsOn(shop.receiver, "/pinged")
    if (request === undefined) throw new Error("nothing was delivered")
    verify(request, secret)
    expect(request.headers).toMatchObject({
      "x-event-type": "ping",
      "x-delivery-id": answer.body.delivery_id,
    })
    expect(JSON.parse(request.body)).toMatchObject({ type: "ping", mode: "test", data: { object: { id } } })
    expect(request.body).not.toContain(secret)
    expect(await stats()).toEqual({ ...none, last_ping_at: expect.stringMatching(/Z$/), last_ping_ok: true })
    expect(requestsOn(shop.receiver, "/unpinged")).toEqual([])
  })

  it("a failed ping is one failed row, neither retried nor recovered", async () => {
    const { seller, dashboard } = await shop.open()
    const { id } = await shop.create(dashboard, "unwell")
    shop.behaviours.set("/unwell", { kind: "respond", status: 500 })
    await ping(dashboard, id)
    const rows = await rowsWhen(seller.test, (found) => found.length === 1)
    expect(rows[0]).toMatchObject({ status: "failed", error: "http_500", attempt: 1 })
    expect((await dashboard.get(`${endpointsPath}/${id}/stats`)).body).toMatchObject({
      deliveries_7d: 0,
      last_ping_ok: false,
    })
    const recovered = await dashboard.send("POST", `${endpointsPath}/${id}/recover`, { since: "2026-01-01" })
    expect([recovered.status, recovered.body]).toEqual([202, { queued: 0 }])
  })
})

type Recovered = { readonly queued: number; readonly missed?: number }

describe("recovering", () => {
  it("recovering sends each dead delivery again once, even when asked four times at once", async () => {
    const { seller, dashboard } = await shop.open()
    const { id } = await shop.create(dashboard, "down")
    shop.behaviours.set("/down", { kind: "respond", status: 503 })
    const events = [await paidEvent(seller.test), await paidEvent(seller.test)].map(({ event }) => event.id)
    const rows = await rowsWhen(seller.test, (found) => found.length === 2)
    // Their retries are still scheduled, so they are not recovered.
    const waiting = await dashboard.send("POST", `${endpointsPath}/${id}/recover`, { since: "2026-01-01" })
    expect(waiting.body).toEqual({ queued: 0 })
    for (const { id: deliveryId } of rows) {
      const key = (await shop.stage.redis(
        "HMGET",
        await attemptKeyOf(deliveryId),
        "destination",
        "entry",
      )) as [string, string]
      const [name = ""] = (await shop.stage.redis(
        "KEYS",
        `delivery:*:${key[0]}:${key[1]}`,
      )) as ReadonlyArray<string>
      await shop.stage.redis("HSET", name, "state", "dead")
      const [queue = ""] = (await shop.stage.redis("KEYS", `queue:*:${key[0]}`)) as ReadonlyArray<string>
      await shop.stage.redis("ZREM", queue, key[1])
    }
    shop.behaviours.delete("/down")
    const answers = await Promise.all(
      Array.from({ length: 4 }, () =>
        dashboard.send<{ readonly queued: number }>("POST", `${endpointsPath}/${id}/recover`, {
          since: "2026-01-01",
        }),
      ),
    )
    expect(answers.map(({ status }) => status)).toEqual([202, 202, 202, 202])
    expect(answers.reduce((sum, { body }) => sum + body.queued, 0)).toBe(2)
    const all = await rowsWhen(seller.test, (found) => found.length === 4)
    const again = all.filter(({ status }) => status === "success")
    expect(again.map(({ event_id }) => event_id).sort()).toEqual([...events].sort())
    expect(again.map(({ attempt }) => attempt)).toEqual([2, 2])
    expect((await dashboard.get(`${endpointsPath}/${id}/stats`)).body).toMatchObject({
      deliveries_7d: 4,
      success_rate_7d: 0.5,
    })
  })

  it("what happened while an endpoint was disabled is delivered once it is asked for, and only once", async () => {
    const { seller, dashboard } = await shop.open()
    const { id } = await shop.create(dashboard, "missed")
    const recover = async (body: object) => {
      const request = { since: "2026-01-01", ...body }
      const answer = await dashboard.send<Recovered>("POST", `${endpointsPath}/${id}/recover`, request)
      return [answer.status, answer.body] as const
    }
    await dashboard.send("PATCH", `${endpointsPath}/${id}`, { enabled: false })
    const missed = [await paidEvent(seller.test), await paidEvent(seller.test)].map(({ event }) => event.id)
    await dashboard.send("PATCH", `${endpointsPath}/${id}`, { enabled: true })
    const { event } = await paidEvent(seller.test)
    expect(await recover({})).toEqual([202, { queued: 0 }])
    expect(await recover({ include_missed: false })).toEqual([202, { queued: 0 }])
    const early = { since: "2026-01-01", until: "2026-01-02", include_missed: true }
    expect(await recover(early)).toEqual([202, { queued: 0, missed: 0 }])
    const answers = await Promise.all(Array.from({ length: 3 }, () => recover({ include_missed: true })))
    expect(answers.reduce((sum, [, { missed: count = 0 }]) => sum + count, 0)).toBe(2)
    const rows = await rowsWhen(seller.test, (found) => found.length === 3)
    expect(rows.map(({ event_id }) => event_id).sort()).toEqual([...missed, event.id].sort())
    expect(rows.map(({ status, attempt }) => [status, attempt])).toEqual(rows.map(() => ["success", 1]))
    expect(await recover({ include_missed: true })).toEqual([202, { queued: 0, missed: 0 }])
    expect(requestsOn(shop.receiver, "/missed")).toHaveLength(3)
  })

  it("recovering is refused for a disabled endpoint, a window that ends before it begins, or no date", async () => {
    const { dashboard } = await shop.open()
    const { id } = await shop.create(dashboard, "refusing")
    const recover = (body: object) => dashboard.send("POST", `${endpointsPath}/${id}/recover`, body)
    expect(codeOf(await recover({}))).toBe("400 validation_failed since")
    expect(codeOf(await recover({ since: "yesterday" }))).toBe("400 validation_failed since")
    expect(codeOf(await recover({ since: "2026-01-02", until: "2026-01-01" }))).toBe(
      "400 validation_failed until",
    )
    expect(codeOf(await recover({ since: "2026-01-01", include_missed: "yes" }))).toBe(
      "400 validation_failed include_missed",
    )
    await dashboard.send("PATCH", `${endpointsPath}/${id}`, { enabled: false })
    expect(codeOf(await recover({ since: "2026-01-01" }))).toBe("409 invalid_state")
    expect(codeOf(await recover({ since: "2026-01-01", include_missed: true }))).toBe("409 invalid_state")
  })
})

describe("ordering", () => {
  it("with ordering by resource a charge's later event waits for the earlier one, while other charges go on", async () => {
    const { seller, dashboard } = await shop.open()
    const ordered = ["transaction.paid", "transaction.chargeback"]
    const { id } = await shop.create(dashboard, "ordered", { events: ordered, ordering: "resource" })
    shop.behaviours.set("/ordered", { kind: "respond", status: 503 })
    const { charge, event } = await paidEvent(seller.test)
    await rowsWhen(seller.test, (found) => found.length === 1)
    shop.behaviours.delete("/ordered")
    expect((await seller.test.post(`/v1/test/transactions/${charge.id}/chargeback`)).status).toBe(200)
    const other = await paidEvent(seller.test)
    await rowsWhen(seller.test, (found) => found.length === 2)
    const waiting = (query = "") =>
      dashboard.get<{ readonly data: ReadonlyArray<WaitingDelivery>; readonly next_cursor: string | null }>(
        `${endpointsPath}/${id}/waiting${query}`,
      )
    expect((await waiting()).body).toEqual({
      data: [
        {
          event_id: expect.stringMatching(/^evt_/),
          event_type: "transaction.chargeback",
          resource_id: charge.id,
          status: "pending",
          waits_for: event.id,
          created_at: expect.stringMatching(/Z$/),
        },
      ],
      next_cursor: null,
    })
    expect(codeOf(await waiting("?cursor=nonsense"))).toBe("400 invalid_cursor cursor")
    expect(codeOf(await waiting("?limit=101"))).toBe("400 validation_failed limit")
    expect((await seller.test.post("/v1/test/clock/advance", { body: { seconds: 60 } })).status).toBe(200)
    await rowsWhen(seller.test, (found) => found.length === 4)
    const received = requestsOn(shop.receiver, "/ordered").map(({ headers, body }) => {
      const { type, data } = JSON.parse(body)
      return [data.object.id, type, headers["x-attempt"]]
    })
    expect(received).toEqual([
      [charge.id, "transaction.paid", "1"],
      [other.charge.id, "transaction.paid", "1"],
      [charge.id, "transaction.paid", "2"],
      [charge.id, "transaction.chargeback", "1"],
    ])
    expect((await waiting()).body).toEqual({ data: [], next_cursor: null })
  })

  it("the ordering of a webhook endpoint is none unless set, and is changed like its other fields", async () => {
    const { dashboard } = await shop.open()
    const { id, ordering } = await shop.create(dashboard, "unordered")
    expect(ordering).toBe("none")
    const patch = (body: object) => dashboard.send<Endpoint>("PATCH", `${endpointsPath}/${id}`, body)
    expect((await patch({ ordering: "resource" })).body.ordering).toBe("resource")
    expect((await patch({ description: "other" })).body.ordering).toBe("resource")
    expect((await listed(dashboard))[0]?.ordering).toBe("resource")
    expect(codeOf(await patch({ ordering: "seller" }))).toBe("400 validation_failed ordering")
    expect((await patch({ ordering: "none" })).body.ordering).toBe("none")
    const refused = await dashboard.send("POST", endpointsPath, shop.bodyOf("refused", { ordering: null }))
    expect(codeOf(refused)).toBe("400 validation_failed ordering")
  })
})

/** The key of an attempt's record. */
const attemptKeyOf = async (deliveryId: string): Promise<string> => {
  const [key = ""] = (await shop.stage.redis("KEYS", `attempt:*:${deliveryId}`)) as ReadonlyArray<string>
  return key
}
