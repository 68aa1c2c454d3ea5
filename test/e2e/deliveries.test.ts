import { createHmac } from "node:crypto"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { signInAsSeller } from "../support/dashboard.ts"
import { hasCurl, runCurl } from "../support/shell.ts"
import { type Behaviour, behaviours, startTlsReceiver, type TlsReceiver } from "../support/tlsReceiver.ts"
import { chargeWhen, eventsOf, makeCharge } from "./support/charges.ts"
import { dashboardClient } from "./support/dashboardClient.ts"
import {
  deliveriesPath,
  detailOf,
  hasEnded,
  paidEvent,
  requestsOn,
  rowsOf,
  rowsWhen,
  verify,
} from "./support/deliveries.ts"
import { openStage, receiverSettings, type Stage } from "./support/stage.ts"

const retryMillis = 50

let receiver: TlsReceiver
let stage: Stage
/** What the receiver does at a path and an attempt; elsewhere it answers 200. */
const paths = new Map<string, (attempt: number) => Behaviour>()

beforeAll(async () => {
  receiver = await startTlsReceiver({
    behaviour: ({ path, headers }) => paths.get(path)?.(Number(headers["x-attempt"])) ?? { kind: "respond" },
  })
  stage = await openStage({
    SIMULATOR_DELAY_MS: "20",
    RETRY_SCHEDULE_SECONDS: Array.from({ length: 5 }, () => retryMillis / 1_000).join(","),
    ...receiverSettings(receiver),
  })
})
afterAll(async () => {
  await stage?.close()
  await receiver?.close()
})

let nextPath = 0
/** A new URL, and how the receiver behaves there. */
const urlFor = (behaviour: Behaviour | ((attempt: number) => Behaviour) = { kind: "respond" }) => {
  const path = `/hook-${nextPath++}`
  paths.set(path, typeof behaviour === "function" ? behaviour : () => behaviour)
  return { url: receiver.origin + path, path }
}
/** A seller with one endpoint of its own. */
const sellerAt = async (behaviour?: Parameters<typeof urlFor>[0]) => {
  const { url, path } = urlFor(behaviour)
  const seller = await stage.newSeller({ endpoints: [{ url, events: ["transaction.paid"] }] })
  const [endpoint] = seller.endpoints
  if (endpoint === undefined) throw new Error("no endpoint")
  return { seller, endpoint, path }
}

describe("a delivery", () => {
  it("a delivery has only the contract's headers, both signatures, and the event without `internal`", async () => {
    const { seller, endpoint, path } = await sellerAt()
    const { event } = await paidEvent(seller.test, { metadata: { nota: "açaí 💸 \u2028" } })
    const [row] = await rowsWhen(seller.test, (rows) => rows.length === 1)
    const [request] = requestsOn(receiver, path)
    if (request === undefined || row === undefined) throw new Error("nothing was delivered")
    expect(request.method).toBe("POST")
    const text = (await seller.test.get(`/v1/events/${event.id}`)).text
    expect(request.body).toBe(text.replace(',"internal":false', ""))
    expect(JSON.parse(request.body)).not.toHaveProperty("internal")

    verify(request, endpoint.secret)
    expect(() => verify(request, seller.postbackSecret)).toThrow()
    expect(() => verify({ ...request, rawBody: Buffer.from(`${request.body} `) }, endpoint.secret)).toThrow()
    const { "webhook-timestamp": timestamp, ...headers } = request.headers
    expect(headers).toEqual({
      host: `localhost:${receiver.port}`,
      connection: "keep-alive",
      "content-type": "application/json",
      "content-length": String(request.rawBody.length),
      "user-agent": "Service-Webhooks/1.0",
      "x-event-id": event.id,
      "x-event-type": "transaction.paid",
      "x-delivery-id": row.id,
      "x-attempt": "1",
      "idempotency-key": event.id,
      "x-signature": expect.stringMatching(`^t=${timestamp},v1=[0-9a-f]{64}$`),
      "webhook-id": event.id,
      "webhook-signature": expect.stringMatching(/^v1,[A-Za-z0-9+/]{43}=$/),
      traceparent: expect.stringMatching(`^00-${event.trace_id}-[0-9a-f]{16}-01$`),
    })
    // Spelled as the contract spells them.
    const names = request.rawHeaders.filter((_, index) => index % 2 === 0)
    expect(names).toEqual(
      expect.arrayContaining([
        "Content-Type",
        "User-Agent",
        "X-Signature",
        "X-Event-Id",
        "X-Event-Type",
        "X-Delivery-Id",
        "X-Attempt",
        "Idempotency-Key",
      ]),
    )
  })

  it("a delivery's attempt has a row with every field, and a detail with what was sent and answered", async () => {
    const { seller, endpoint, path } = await sellerAt(behaviours.respond(202, "obrigado"))
    const { event } = await paidEvent(seller.test)
    const [row] = await rowsWhen(seller.test, (rows) => rows.length === 1)
    expect(row).toEqual({
      id: expect.stringMatching(/^whd_[0-7][0-9A-HJKMNP-TV-Z]{25}$/),
      event_id: event.id,
      event_type: "transaction.paid",
      endpoint_id: endpoint.id,
      target: "endpoint",
      attempt: 1,
      status: "success",
      status_code: 202,
      response_ms: expect.any(Number),
      error: null,
      created_at: expect.stringMatching(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/),
      target_host: `localhost:${receiver.port}`,
    })
    expect(Number.isInteger(row?.response_ms)).toBe(true)
    const { status, body } = await detailOf(seller.test, row?.id ?? "")
    expect(status).toBe(200)
    const { request_headers, response_body_excerpt, signed_content, curl, payload, ...rest } = body
    expect(rest).toEqual(row)
    expect(response_body_excerpt).toBe("obrigado")
    const [request] = requestsOn(receiver, path)
    expect(payload).toEqual(JSON.parse(request?.body ?? ""))
    expect(signed_content).toBe(`${request?.headers["webhook-timestamp"]}.${request?.body}`)
    expect(curl).toContain(`'${receiver.origin}${path}'`)
    const sent = Object.entries(request_headers).map(([name, value]) => [name.toLowerCase(), value])
    const { host, connection, "content-length": length, ...received } = request?.headers ?? {}
    expect(Object.fromEntries(sent)).toEqual(received)
  })

  it.skipIf(!hasCurl)(
    "the curl of an attempt sends its bytes and headers again, signatures included, after the secret was rotated too",
    async () => {
      const { seller, endpoint, path } = await sellerAt()
      await paidEvent(seller.test, { metadata: { nota: 'it\'s "açaí" 💸\n$HOME `id` \\' } })
      const [row] = await rowsWhen(seller.test, (rows) => rows.length === 1)
      const session = await signInAsSeller(stage.service, seller.id, { isSteppedUp: true })
      const dashboard = dashboardClient(stage.service.url, session, "test")
      const rotated = await dashboard.send("POST", `/v1/me/webhook-endpoints/${endpoint.id}/rotate-secret`)
      expect(rotated.status).toBe(200)

      const { body, text } = await detailOf(seller.test, row?.id ?? "")
      expect((await dashboard.get(`/v1/me${deliveriesPath.slice(3)}/${row?.id}`)).text).toBe(text)
      expect(text).not.toContain(endpoint.secret)
      await runCurl(body.curl ?? "", receiver.caFile)
      const [first, again] = requestsOn(receiver, path)
      if (first === undefined || again === undefined) throw new Error("nothing was sent again")
      expect(again.rawBody.equals(first.rawBody)).toBe(true)
      const { connection: _, ...sent } = first.headers
      expect(again.headers).toEqual(sent)
      verify(again, endpoint.secret)
      const signed = createHmac("sha256", endpoint.secret)
        .update(body.signed_content ?? "")
        .digest("hex")
      expect(again.headers["x-signature"]).toContain(`v1=${signed}`)
    },
  )

  it.each([200, 201, 204, 299])("a delivery succeeds when the receiver answers %i", async (status) => {
    const { seller, path } = await sellerAt(behaviours.respond(status))
    await paidEvent(seller.test)
    const [row] = await rowsWhen(seller.test, (rows) => rows.length === 1)
    expect(row).toMatchObject({ status: "success", status_code: status, error: null })
    expect(requestsOn(receiver, path)).toHaveLength(1)
  })

  it("an event goes to the endpoints of its mode that subscribe to its type, and an internal one to none", async () => {
    const endpoints = [
      { ...urlFor(), events: ["*"] },
      { ...urlFor(), events: ["transaction.refunded", "transaction.failed"] },
      { ...urlFor(), events: ["withdrawal.paid", "seller.updated"] },
      { ...urlFor(), events: ["*"], mode: "live" as const },
    ]
    const seller = await stage.newSeller({ endpoints })
    const { id } = await makeCharge(seller.test, { amount: 2_004 })
    await chargeWhen(seller.test, id, "refunded")
    await rowsWhen(seller.test, (rows) => rows.length === 4)
    const typesOn = (index: number) =>
      requestsOn(receiver, endpoints[index]?.path ?? "")
        .map(({ headers }) => headers["x-event-type"])
        .toSorted()
    expect(typesOn(0)).toEqual(["refund.succeeded", "transaction.paid", "transaction.refunded"])
    expect(typesOn(1)).toEqual(["transaction.refunded"])
    expect(typesOn(2)).toEqual([])
    expect(typesOn(3)).toEqual([])
    const live = await makeCharge(seller.live)
    await chargeWhen(seller.live, live.id, "paid")
    await rowsWhen(seller.live, (rows) => rows.length === 1)
    expect(typesOn(3)).toEqual(["transaction.paid"])
    const [request] = requestsOn(receiver, endpoints[3]?.path ?? "")
    expect(JSON.parse(request?.body ?? "")).toMatchObject({ mode: "live" })
    expect(await rowsOf(seller.test)).toHaveLength(4)
  })

  it("an event goes to the endpoint and the charge's postback, each with its own secret and retries", async () => {
    const { seller, endpoint, path } = await sellerAt(behaviours.respond(500))
    const postback = urlFor()
    const { charge, event } = await paidEvent(seller.test, { amount: 2_000, postback_url: postback.url })
    await paidEvent(seller.test)
    const rows = await rowsWhen(seller.test, (found) => found.length === 13)
    const ofCharge = rows.filter(({ event_id }) => event_id === event.id)
    const own = ofCharge.filter(({ target }) => target === "postback")
    expect(own).toMatchObject([{ attempt: 1, status: "success", endpoint_id: null, error: null }])
    expect(ofCharge.filter(({ target }) => target === "endpoint").map(({ status }) => status)).toEqual([
      ...Array.from({ length: 5 }, () => "failed"),
      "dead",
    ])
    const toPostback = requestsOn(receiver, postback.path)
    expect(toPostback.map(({ headers }) => headers["x-event-id"])).toEqual([event.id])
    expect(JSON.parse(toPostback[0]?.body ?? "").data.object.id).toBe(charge.id)
    for (const request of toPostback) verify(request, seller.postbackSecret)
    for (const request of requestsOn(receiver, path)) verify(request, endpoint.secret)
  })

  it("a postback gets an event of every change of its charge", async () => {
    const seller = await stage.newSeller()
    const postback = urlFor()
    const { id } = await makeCharge(seller.test, { amount: 2_005, postback_url: postback.url })
    await chargeWhen(seller.test, id, "chargeback")
    await rowsWhen(seller.test, (rows) => rows.length === 2)
    const types = requestsOn(receiver, postback.path).map(({ headers }) => headers["x-event-type"])
    expect(types.toSorted()).toEqual(["transaction.chargeback", "transaction.paid"])
  })

  it("a delivery keeps the query of its URL unchanged", async () => {
    const { url, path } = urlFor()
    const seller = await stage.newSeller({ endpoints: [{ url: `${url}?a=1&b=%20c`, events: ["*"] }] })
    await paidEvent(seller.test)
    await rowsWhen(seller.test, (rows) => rows.length === 1)
    expect(requestsOn(receiver, `${path}?a=1&b=%20c`)).toHaveLength(1)
  })

  it("thirty events reach each of five endpoints exactly once", async () => {
    const endpoints = Array.from({ length: 5 }, () => ({ ...urlFor(), events: ["*"] }))
    const seller = await stage.newSeller({ endpoints })
    const charges = await Promise.all(Array.from({ length: 30 }, () => makeCharge(seller.test)))
    await rowsWhen(seller.test, (rows) => rows.length === 150)
    const paid = (await Promise.all(charges.map(({ id }) => eventsOf(seller.test, id)))).map(
      ([, event]) => event?.id,
    )
    for (const { path } of endpoints) {
      const ids = requestsOn(receiver, path).map(({ headers }) => headers["x-event-id"])
      expect(ids.toSorted()).toEqual(paid.toSorted())
    }
  })
})

describe("a receiver's answer", () => {
  const bytes = (length: number) => "x".repeat(length)
  it.each<readonly [what: string, behaviour: Behaviour, excerpt: string]>([
    ["an empty body", behaviours.respond(200), ""],
    ["1024 bytes", behaviours.respond(200, bytes(1_024)), bytes(1_024)],
    ["1025 bytes", behaviours.respond(200, bytes(1_025)), bytes(1_024)],
    ["a megabyte", behaviours.hugeBody(1_000_000), bytes(1_024)],
    ["a character that ends behind 1024 bytes", behaviours.respond(200, `${bytes(1_023)}é`), bytes(1_023)],
    [
      "bytes that are no text",
      behaviours.respond(200, Buffer.from([0x61, 0xff, 0x00, 0x62])),
      "a\ufffd\ufffdb",
    ],
    ["an error's text", behaviours.respond(500, '{"error":"não"}'), '{"error":"não"}'],
  ])("a receiver's answer is kept up to 1 KiB: %s", async (_, behaviour, excerpt) => {
    const { seller } = await sellerAt(behaviour)
    await paidEvent(seller.test)
    const [row] = await rowsWhen(seller.test, (rows) => rows.length >= 1)
    const { body } = await detailOf(seller.test, row?.id ?? "")
    expect(body.response_body_excerpt).toBe(excerpt)
  })

  it("a receiver's compressed answer is kept as it came", async () => {
    const { seller } = await sellerAt(behaviours.gzipped("segredo"))
    await paidEvent(seller.test)
    const [row] = await rowsWhen(seller.test, (rows) => rows.length === 1)
    const { body } = await detailOf(seller.test, row?.id ?? "")
    expect(row?.status).toBe("success")
    expect(body.response_body_excerpt).not.toContain("segredo")
    expect(body.response_body_excerpt?.length).toBeGreaterThan(0)
  })

  it.each([400, 401, 404, 410, 429, 500, 503])(
    "a delivery that is always answered %i is attempted six times, and then dead",
    async (status) => {
      const { seller, endpoint, path } = await sellerAt(behaviours.respond(status))
      const { event } = await paidEvent(seller.test)
      const rows = await rowsWhen(seller.test, hasEnded)
      expect(rows.map((row) => row.attempt)).toEqual([1, 2, 3, 4, 5, 6])
      expect(rows.map((row) => row.status)).toEqual([
        "failed",
        "failed",
        "failed",
        "failed",
        "failed",
        "dead",
      ])
      for (const row of rows) {
        expect(row).toMatchObject({ event_id: event.id, error: `http_${status}`, status_code: status })
      }
      const requests = requestsOn(receiver, path)
      expect(requests.map(({ headers }) => headers["x-attempt"])).toEqual(["1", "2", "3", "4", "5", "6"])
      expect(requests.map(({ headers }) => headers["x-delivery-id"])).toEqual(rows.map(({ id }) => id))
      expect(new Set(rows.map(({ id }) => id)).size).toBe(6)
      expect(new Set(requests.map(({ headers }) => headers["x-event-id"]))).toEqual(new Set([event.id]))
      expect(new Set(requests.map(({ body }) => body)).size).toBe(1)
      for (const request of requests) verify(request, endpoint.secret)
      // Never early.
      const times = rows.map(({ created_at }) => Date.parse(created_at))
      for (const [index, millis] of times.slice(1).entries()) {
        expect(millis - (times[index] ?? 0)).toBeGreaterThanOrEqual(retryMillis - 1)
      }
    },
  )

  it.each([301, 302, 303, 307, 308, 304])("a delivery does not follow an answer of %i", async (status) => {
    const target = urlFor()
    const { seller } = await sellerAt(behaviours.redirectTo(target.url, status))
    await paidEvent(seller.test)
    const rows = await rowsWhen(seller.test, hasEnded)
    expect(rows).toHaveLength(6)
    expect(rows[0]).toMatchObject({ error: "redirect_not_followed", status_code: status })
    expect(requestsOn(receiver, target.path)).toEqual([])
  })

  it("the first successful answer ends a delivery's retries", async () => {
    const { seller, path } = await sellerAt((attempt) => behaviours.respond(attempt < 3 ? 500 : 200))
    await paidEvent(seller.test)
    const rows = await rowsWhen(seller.test, hasEnded)
    expect(rows.map(({ status }) => status)).toEqual(["failed", "failed", "success"])
    // The next event finds nothing left of the first one's retries.
    await paidEvent(seller.test)
    await rowsWhen(seller.test, (found) => found.length === 6)
    expect(requestsOn(receiver, path)).toHaveLength(6)
  })
})
