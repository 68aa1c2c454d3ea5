import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { Mode } from "../../schema/ids.ts"
import { signInAsSeller } from "../support/dashboard.ts"
import { type Behaviour, startTlsReceiver, type TlsReceiver } from "../support/tlsReceiver.ts"
import type { ErrorBody } from "./support/client.ts"
import { dashboardClient } from "./support/dashboardClient.ts"
import { detailOf, hasEnded, paidEvent, requestsOn, rowsWhen, verify } from "./support/deliveries.ts"
import { openStage, receiverSettings, type Seller, type Stage } from "./support/stage.ts"

const path = "/v1/me/tracker"
interface Tracker {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly created_at: string
}

let receiver: TlsReceiver
let stage: Stage
/** What the receiver does on a path; 200 on all others. */
const behaviours = new Map<string, Behaviour>()

beforeAll(async () => {
  receiver = await startTlsReceiver({
    behaviour: (request) => behaviours.get(request.path) ?? { kind: "respond" },
  })
  stage = await openStage({
    SIMULATOR_DELAY_MS: "20",
    RETRY_SCHEDULE_SECONDS: "1,60,60,60,60",
    ...receiverSettings(receiver),
  })
})
afterAll(async () => {
  await stage?.close()
  await receiver?.close()
})

const dashboardOf = async (seller: Seller, mode: Mode = "test", isSteppedUp = true) =>
  dashboardClient(stage.service.url, await signInAsSeller(stage.service, seller.id, { isSteppedUp }), mode)

/** A seller with a tracker of its own in test mode. */
const sellerTracked = async (name: string, headers?: Readonly<Record<string, string>>) => {
  const seller = await stage.newSeller()
  const dashboard = await dashboardOf(seller)
  const body = { url: `${receiver.origin}/${name}`, ...(headers === undefined ? {} : { headers }) }
  const answer = await dashboard.send<Tracker>("PUT", path, body)
  if (answer.status !== 200) throw new Error(answer.text)
  return { seller, dashboard, tracker: answer.body }
}

describe("a tracker", () => {
  it("a tracker is shown as it was put, with its header values hidden, in its mode alone", async () => {
    const { dashboard, tracker } = await sellerTracked("shown", { Authorization: "Bearer 3f6d2c" })
    expect(tracker).toEqual({
      url: `${receiver.origin}/shown`,
      headers: { Authorization: "***" },
      created_at: expect.any(String),
    })
    const { status, body } = await dashboard.get(path)
    expect([status, body]).toEqual([200, tracker])
    const inLive = await dashboard.request("GET", path, { headers: { "X-Mode": "live" } })
    expect(inLive.status).toBe(404)
  })

  it("a tracker gets charges' events with its own headers, signed with the postback secret", async () => {
    const { seller } = await sellerTracked("signed", { "X-Api-Key": "3f6d2c" })
    const { event } = await paidEvent(seller.test)
    const [row] = await rowsWhen(seller.test, (rows) => rows.length === 1)
    expect(row).toMatchObject({
      event_id: event.id,
      endpoint_id: null,
      target: "tracker",
      attempt: 1,
      status: "success",
    })
    const [request] = requestsOn(receiver, "/signed")
    if (request === undefined || row === undefined) throw new Error("nothing was delivered")
    verify(request, seller.postbackSecret)
    expect(request.headers).toMatchObject({ "x-api-key": "3f6d2c", "x-event-id": event.id })

    const { body, text } = await detailOf(seller.test, row.id)
    expect(body.request_headers).toMatchObject({ "X-Api-Key": "***", "X-Event-Id": event.id })
    expect(body.curl).toContain("--header 'X-Api-Key: ***'")
    expect(text).not.toContain("3f6d2c")
  })

  it("deliveries to a tracker are unsigned where the seller has no postback secret", async () => {
    const { seller } = await sellerTracked("unsigned")
    const [key] = (await stage.redis("KEYS", `seller:*:${seller.id}`)) as ReadonlyArray<string>
    await stage.redis("HDEL", key ?? "", "postback_secret")
    await paidEvent(seller.test)
    const [row] = await rowsWhen(seller.test, (rows) => rows[0]?.status === "success")
    const [request] = requestsOn(receiver, "/unsigned")
    expect((await detailOf(seller.test, row?.id ?? "")).body).toMatchObject({
      signed_content: null,
      curl: expect.stringContaining(`${receiver.origin}/unsigned`),
    })
    expect(request?.headers).not.toHaveProperty("x-signature")
    expect(request?.headers).not.toHaveProperty("webhook-signature")
  })

  it("a tracker leaves the signatures and headers of postbacks and endpoints as they are", async () => {
    const url = `${receiver.origin}/endpoint`
    const seller = await stage.newSeller({ endpoints: [{ url, events: ["transaction.paid"] }] })
    const dashboard = await dashboardOf(seller)
    await dashboard.send("PUT", path, { url: `${receiver.origin}/third`, headers: { "X-Only": "tracker" } })
    await paidEvent(seller.test, { postback_url: `${receiver.origin}/postback` })
    const rows = await rowsWhen(seller.test, (found) => found.length === 3)
    expect(rows.map(({ target }) => target).sort()).toEqual(["endpoint", "postback", "tracker"])
    const [endpoint] = requestsOn(receiver, "/endpoint")
    const [postback] = requestsOn(receiver, "/postback")
    if (endpoint === undefined || postback === undefined) throw new Error("a delivery is missing")
    verify(endpoint, seller.endpoints[0]?.secret ?? "")
    verify(postback, seller.postbackSecret)
    for (const request of [endpoint, postback]) expect(request.headers).not.toHaveProperty("x-only")
  })

  it("deleting a tracker ends its open delivery as endpoint_disabled, and nothing more is sent", async () => {
    behaviours.set("/ended", { kind: "respond", status: 500 })
    const { seller, dashboard } = await sellerTracked("ended", { "X-Api-Key": "3f6d2c" })
    await paidEvent(seller.test)
    await rowsWhen(seller.test, (rows) => rows.length === 1)
    const gone = await dashboard.send("DELETE", path)
    expect([gone.status, gone.text]).toEqual([204, ""])
    const rows = await rowsWhen(seller.test, (found) => found.length === 2)
    expect(rows[1]).toMatchObject({ attempt: 2, error: "endpoint_disabled", target: "tracker" })
    const { body: notMade } = await detailOf(seller.test, rows[1]?.id ?? "")
    expect(notMade).toMatchObject({ request_headers: {}, signed_content: null, curl: null })
    expect((await dashboard.get(path)).status).toBe(404)
    const again = await dashboard.send("DELETE", path)
    expect([again.status, again.body.error.code]).toEqual([404, "resource_not_found"])

    await paidEvent(seller.test)
    // A mode's trackers are one destination: once a later delivery to it has ended, so would have any owed before.
    await dashboard.send("PUT", path, { url: `${receiver.origin}/next` })
    const { event } = await paidEvent(seller.test)
    const all = await rowsWhen(seller.test, hasEnded)
    expect(all.slice(2).map(({ event_id }) => event_id)).toEqual([event.id])
    expect(requestsOn(receiver, "/ended")).toHaveLength(1)
    expect(requestsOn(receiver, "/next")).toHaveLength(1)
  })

  it.each([
    "http://localhost/",
    "https://10.0.0.1/",
    "https://localhost/",
    "not a url",
    "https://nowhere.invalid/",
  ])("a tracker at %s is refused", async (url) => {
    const dashboard = await dashboardOf(await stage.newSeller())
    const { status, body } = await dashboard.send("PUT", path, { url })
    expect([status, body.error.code, body.error.param]).toEqual([400, "invalid_url", "url"])
  })

  it.each([
    ["the header X-Signature", { "X-Signature": "mine" }, "headers"],
    ["the header Host", { Host: "elsewhere.example" }, "headers"],
    ["the header webhook-id", { "webhook-id": "1" }, "headers"],
    ["the header traceparent", { traceparent: "00-1-1-01" }, "headers"],
    ["the header TraceState", { TraceState: "a=1" }, "headers"],
    ["a space in a header's name", { "bad name": "1" }, "headers"],
    ["a line break in a header's value", { "X-Key": "1\r\nX-Other: 2" }, "headers.X-Key"],
    ["a number as a header's value", { "X-Key": 5 }, "headers.X-Key"],
    ["21 headers", Object.fromEntries(Array.from({ length: 21 }, (_, i) => [`X-K${i}`, "1"])), "headers"],
    ["a header's value of 1,025 characters", { "X-Key": "v".repeat(1_025) }, "headers.X-Key"],
  ])("a tracker with %s is refused", async (_, headers, param) => {
    const dashboard = await dashboardOf(await stage.newSeller())
    const { status, body } = await dashboard.send("PUT", path, { url: `${receiver.origin}/x`, headers })
    expect([status, body.error.code, body.error.param]).toEqual([400, "validation_failed", param])
    expect((await dashboard.get(path)).status).toBe(404)
  })

  it("a tracker may have twenty headers with values of 1,024 characters", async () => {
    const headers = Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`X-K${i}`, "v".repeat(1_024)]))
    const { tracker } = await sellerTracked("many", headers)
    expect(Object.keys(tracker.headers)).toEqual(Object.keys(headers))
  })

  it("putting and deleting a tracker require a step-up", async () => {
    const dashboard = await dashboardOf(await stage.newSeller(), "test", false)
    for (const answer of [
      await dashboard.send<ErrorBody>("PUT", path, { url: `${receiver.origin}/x` }),
      await dashboard.send<ErrorBody>("DELETE", path),
    ]) {
      expect([answer.status, answer.body.error.code]).toEqual([403, "mfa_required"])
    }
    expect((await dashboard.get(path)).status).toBe(404)
  })
})

describe("a receiver that sends an unasked 100 Continue before it answers", () => {
  it("deliveries to an endpoint, a postback and a tracker of such a receiver count", async () => {
    const seller = await stage.newSeller({
      endpoints: [{ url: `${receiver.origin}/interim-endpoint`, events: ["transaction.paid"] }],
    })
    const tracker = { url: `${receiver.origin}/interim-tracker` }
    expect((await (await dashboardOf(seller)).send("PUT", path, tracker)).status).toBe(200)
    for (const name of ["endpoint", "postback", "tracker"]) {
      behaviours.set(`/interim-${name}`, { kind: "respond", interim: [100, 102, 103], body: name })
    }
    await paidEvent(seller.test, { postback_url: `${receiver.origin}/interim-postback` })
    const rows = await rowsWhen(seller.test, (found) => found.length >= 3)
    expect(rows.map(({ target, status, attempt }) => [target, status, attempt]).toSorted()).toEqual([
      ["endpoint", "success", 1],
      ["postback", "success", 1],
      ["tracker", "success", 1],
    ])
  })
})
