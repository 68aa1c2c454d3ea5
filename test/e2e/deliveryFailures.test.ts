import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { Delivery } from "../../schema/resources/delivery.ts"
import { type Behaviour, behaviours, startTlsReceiver, type TlsReceiver } from "../support/tlsReceiver.ts"
import { until } from "../support/until.ts"
import { makeCharge } from "./support/charges.ts"
import type { ErrorBody } from "./support/client.ts"
import { detailOf, hasEnded, paidEvent, requestsOn, retry, rowsOf, rowsWhen } from "./support/deliveries.ts"
import { findKey, openStage, receiverSettings, type Seller, type Stage } from "./support/stage.ts"

let receiver: TlsReceiver
/** Allowed as a destination, but with a certificate of an unknown authority. */
let untrusted: TlsReceiver
/** Allowed, but with a certificate for another name. */
let misnamed: TlsReceiver
/** Allowed, but gone. */
let closed: TlsReceiver
/** On this machine, and not allowed. */
let forbidden: TlsReceiver
let stage: Stage
/** Sellers whose receivers hang, begun first so that the other tests run meanwhile. */
let hanging: { readonly seller: Seller; readonly silentId: string; readonly goodId: string }
let stalling: Seller

const paths = new Map<string, Behaviour>()
const eventsOfHanging = 40

beforeAll(async () => {
  const behaviour = ({ path }: { readonly path: string }) => paths.get(path) ?? behaviours.respond(200)
  receiver = await startTlsReceiver({ behaviour })
  untrusted = await startTlsReceiver({ certificate: "otherAuthority" })
  misnamed = await startTlsReceiver({ certificate: "otherName" })
  closed = await startTlsReceiver()
  await closed.close()
  forbidden = await startTlsReceiver()
  stage = await openStage({
    SIMULATOR_DELAY_MS: "20",
    RETRY_SCHEDULE_SECONDS: "0.05,0.05,0.05,0.05,0.05",
    ...receiverSettings(receiver, untrusted, misnamed, closed),
  })
  const events = ["transaction.paid"]
  paths.set("/silent", { kind: "silent" })
  paths.set("/stall", { kind: "stall", body: "begun" })
  const seller = await stage.newSeller({
    endpoints: [
      { url: `${receiver.origin}/silent`, events },
      { url: `${receiver.origin}/good`, events },
    ],
  })
  hanging = { seller, silentId: seller.endpoints[0]?.id ?? "", goodId: seller.endpoints[1]?.id ?? "" }
  stalling = await stage.newSeller({ endpoints: [{ url: `${receiver.origin}/stall`, events }] })
  await Promise.all(Array.from({ length: eventsOfHanging }, () => makeCharge(seller.test)))
  await makeCharge(stalling.test)
})
afterAll(async () => {
  await stage?.close()
  await Promise.all([receiver?.close(), untrusted?.close(), misnamed?.close(), forbidden?.close()])
})

const sellerAt = (url: string) => stage.newSeller({ endpoints: [{ url, events: ["transaction.paid"] }] })
const notAnswered = { status_code: null, response_ms: null }
const statusesOf = (rows: ReadonlyArray<Delivery>) => rows.map(({ status }) => status)
const sixTimes = ["failed", "failed", "failed", "failed", "failed", "dead"]

describe("a delivery that reaches no receiver", () => {
  it.each<readonly [what: string, url: () => string]>([
    ["a closed port", () => closed.url],
    ["a receiver with a certificate of an unknown authority", () => untrusted.url],
    ["a receiver with a certificate for another name", () => misnamed.url],
  ])("a delivery to %s is a connection_error and attempted six times", async (_, url) => {
    const seller = await sellerAt(url())
    await paidEvent(seller.test)
    const rows = await rowsWhen(seller.test, hasEnded)
    expect(statusesOf(rows)).toEqual(sixTimes)
    for (const row of rows) expect(row).toMatchObject({ error: "connection_error", ...notAnswered })
    expect([...untrusted.requests, ...misnamed.requests]).toEqual([])
  })

  it("a delivery whose connection breaks is a connection_error and attempted six times", async () => {
    paths.set("/reset", { kind: "reset" })
    const seller = await sellerAt(`${receiver.origin}/reset`)
    await paidEvent(seller.test)
    const rows = await rowsWhen(seller.test, hasEnded)
    expect(statusesOf(rows)).toEqual(sixTimes)
    for (const row of rows) expect(row).toMatchObject({ error: "connection_error", ...notAnswered })
    const { body } = await detailOf(seller.test, rows[0]?.id ?? "")
    expect(body.response_body_excerpt).toBeNull()
  })
})

describe("a delivery whose answer is not HTTP", () => {
  it.each<readonly [error: string, answer: string]>([
    ["response_head_too_large", `HTTP/1.1 200 OK\r\nx: ${"y".repeat(16 * 1024)}\r\n\r\n`],
    ["response_bare_line_feed", "HTTP/1.1 200 OK\nContent-Length: 0\n\n"],
    ["response_two_lengths", "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nContent-Length: 0\r\n\r\n"],
  ])("a delivery's row says %s, and it is attempted six times", async (error, answer) => {
    paths.set(`/${error}`, { kind: "raw", pieces: [answer] })
    const seller = await sellerAt(`${receiver.origin}/${error}`)
    await paidEvent(seller.test)
    const rows = await rowsWhen(seller.test, hasEnded)
    expect(statusesOf(rows)).toEqual(sixTimes)
    for (const row of rows) expect(row).toMatchObject({ error, ...notAnswered })
    expect(requestsOn(receiver, `/${error}`)).toHaveLength(6)
  })
})

describe("a delivery that is not retried", () => {
  const onlyRow = async (seller: Seller) => {
    const rows = await rowsWhen(seller.test, (found) => found.length > 0)
    expect(rows).toHaveLength(1)
    return rows[0] as Delivery
  }

  it.each<readonly [what: string, url: () => string]>([
    ["a host that resolves to this machine", () => forbidden.url],
    ["localhost at the standard port", () => "https://localhost/hook"],
    ["a literal address", () => forbidden.url.replace("localhost", "127.0.0.1")],
    ["a port that is not allowed", () => "https://example.com:8443/hook"],
    ["an http URL", () => forbidden.url.replace("https", "http")],
    ["a URL with a user and a password", () => receiver.url.replace("https://", "https://ana:secret@")],
  ])("a delivery to %s is a blocked_destination and not retried", async (_, url) => {
    const seller = await sellerAt(url())
    await paidEvent(seller.test)
    const row = await onlyRow(seller)
    expect(row).toMatchObject({ status: "failed", error: "blocked_destination", attempt: 1, ...notAnswered })
    const { body } = await detailOf(seller.test, row.id)
    expect(body).toMatchObject({ request_headers: {}, response_body_excerpt: null })
    expect(body.target_host).not.toContain("secret")
    // A retry by hand is accepted only where none is scheduled.
    expect((await retry(seller.test, row.id)).status).toBe(202)
    const rows = await rowsWhen(seller.test, (found) => found.length === 2)
    expect(rows[1]).toMatchObject({ status: "failed", error: "blocked_destination", attempt: 2 })
    expect(forbidden.connections.total).toBe(0)
  })

  it("a postback is missing_secret while the store has no secret for it, and can be retried afterwards", async () => {
    const seller = await stage.newSeller()
    const key = await findKey(stage, `seller:*:${seller.id}`)
    const secret = String(await stage.redis("HGET", key, "postback_secret"))
    await stage.redis("HSET", key, "postback_secret", "")
    await paidEvent(seller.test, { postback_url: `${receiver.origin}/no-secret` })
    const row = await onlyRow(seller)
    expect(row).toMatchObject({
      status: "failed",
      error: "missing_secret",
      target: "postback",
      ...notAnswered,
    })
    expect(requestsOn(receiver, "/no-secret")).toEqual([])

    await stage.redis("HSET", key, "postback_secret", secret)
    const { status } = await retry(seller.test, row.id)
    expect(status).toBe(202)
    const rows = await rowsWhen(seller.test, hasEnded)
    expect(rows.at(-1)).toMatchObject({ status: "success", attempt: 2, target: "postback" })
  })

  it("a delivery is endpoint_disabled when its endpoint is disabled between two attempts", async () => {
    let release = () => {}
    const released = new Promise<void>((done) => {
      release = done
    })
    paths.set("/disabled", { kind: "respond", status: 500, after: released })
    const seller = await sellerAt(`${receiver.origin}/disabled`)
    await paidEvent(seller.test)
    await until("the first attempt", () => requestsOn(receiver, "/disabled").length === 1)
    const endpoint = await findKey(stage, `destination:*:${seller.endpoints[0]?.id}`)
    await stage.redis("HSET", endpoint, "enabled", "0")
    release()
    const rows = await rowsWhen(seller.test, (found) => found.length === 2)
    expect(rows.map(({ error }) => error)).toEqual(["http_500", "endpoint_disabled"])
    expect(rows[1]).toMatchObject({ status: "failed", attempt: 2, ...notAnswered })
    expect(requestsOn(receiver, "/disabled")).toHaveLength(1)

    // Once the endpoint is enabled again, the delivery can be retried.
    await stage.redis("HSET", endpoint, "enabled", "1")
    paths.set("/disabled", behaviours.respond(200))
    expect((await retry(seller.test, rows[1]?.id ?? "")).status).toBe(202)
    const after = await rowsWhen(seller.test, hasEnded)
    expect(after.map(({ attempt }) => attempt)).toEqual([1, 2, 3])
  })
})

describe("POST /v1/webhook-deliveries/{id}/retry", () => {
  it("retrying a dead delivery makes its next attempt, under the id in the answer", async () => {
    paths.set("/dead", behaviours.respond(500))
    const seller = await sellerAt(`${receiver.origin}/dead`)
    const { event } = await paidEvent(seller.test)
    const dead = await rowsWhen(seller.test, hasEnded)
    // Any of its attempts may be named.
    for (const [index, from] of [dead[5], dead[0]].entries()) {
      const { status, body } = await retry<{ delivery_id: string }>(seller.test, from?.id ?? "")
      expect(status).toBe(202)
      expect(Object.keys(body)).toEqual(["delivery_id"])
      const rows = await rowsWhen(seller.test, (found) => found.length === 7 + index)
      expect(rows.at(-1)).toMatchObject({
        id: body.delivery_id,
        event_id: event.id,
        attempt: 7 + index,
        // No other attempt is scheduled.
        status: "dead",
        error: "http_500",
      })
    }
    paths.set("/dead", behaviours.respond(200))
    const last = await retry<{ delivery_id: string }>(seller.test, dead[5]?.id ?? "")
    const rows = await rowsWhen(seller.test, hasEndedWell)
    expect(rows.at(-1)).toMatchObject({
      id: last.body.delivery_id,
      attempt: 9,
      status: "success",
      error: null,
    })
    const requests = requestsOn(receiver, "/dead")
    expect(requests.map(({ headers }) => headers["x-attempt"])).toEqual(
      rows.map(({ attempt }) => `${attempt}`),
    )
    expect(new Set(requests.map(({ headers }) => headers["x-event-id"]))).toEqual(new Set([event.id]))

    const again = await retry<ErrorBody>(seller.test, dead[5]?.id ?? "")
    expect(again.status).toBe(409)
    expect(again.body.error).toMatchObject({ type: "invalid_request_error", code: "invalid_state" })
  })

  it("a retried delivery's attempt is listed by the time it shows", async () => {
    paths.set("/found", behaviours.respond(500))
    const seller = await sellerAt(`${receiver.origin}/found`)
    await paidEvent(seller.test)
    const dead = await rowsWhen(seller.test, hasEnded)
    await retry(seller.test, dead[5]?.id ?? "")
    const row = (await rowsWhen(seller.test, (rows) => rows.length === 7))[6] as Delivery
    const { created_at } = row
    expect(await rowsOf(seller.test, `&from=${created_at}&to=${created_at}`)).toEqual([row])
  })

  const hasEndedWell = (rows: ReadonlyArray<Delivery>) => rows.at(-1)?.status === "success"

  it("a delivery that is unknown, another seller's or of another mode is 404, read or retried", async () => {
    const seller = await sellerAt(`${receiver.origin}/own`)
    await paidEvent(seller.test)
    const [row] = await rowsWhen(seller.test, (rows) => rows.length === 1)
    const id = row?.id ?? ""
    const other = await stage.newSeller({ partition: seller.partition })
    const unknown = id.slice(0, -1) + (id.endsWith("0") ? "1" : "0")
    for (const [client, wanted] of [
      [other.test, id],
      [seller.live, id],
      [seller.test, unknown],
      [seller.test, "whd_"],
      [seller.test, row?.event_id ?? ""],
    ] as const) {
      for (const answer of [
        await retry<ErrorBody>(client, wanted),
        await client.get<ErrorBody>(`/v1/webhook-deliveries/${wanted}`),
      ]) {
        expect([wanted, answer.status, answer.body.error.code]).toEqual([wanted, 404, "resource_not_found"])
      }
    }
  })
})

describe("a receiver that hangs", () => {
  it("a receiver that hangs is given up after 10 s, and holds up no other endpoint", async () => {
    const { seller, silentId, goodId } = hanging
    const good = await rowsWhen(
      seller.test,
      (rows) => rows.length === eventsOfHanging,
      `&endpoint_id=${goodId}`,
    )
    expect(statusesOf(good)).toEqual(good.map(() => "success"))
    const silent = await rowsWhen(seller.test, (rows) => rows.length > 0, `&endpoint_id=${silentId}`)
    expect(silent[0]).toMatchObject({ attempt: 1, status: "failed", error: "timeout", ...notAnswered })
    const { body } = await detailOf(seller.test, silent[0]?.id ?? "")
    expect(body.response_body_excerpt).toBeNull()
    // The good answers came while the silent attempt still waited: it began before them and gave up after.
    const gaveUpMillis = Date.parse(silent[0]?.created_at ?? "") + 10_000
    for (const { created_at, response_ms } of good) {
      expect(Date.parse(created_at) + (response_ms ?? 0)).toBeLessThan(gaveUpMillis)
    }
  })

  it("a receiver that stalls after its answer's head has succeeded, with the body received so far", async () => {
    const [row] = await rowsWhen(stalling.test, (rows) => rows.length > 0)
    expect(row).toMatchObject({ attempt: 1, status: "success", status_code: 200, error: null })
    const { body } = await detailOf(stalling.test, row?.id ?? "")
    expect(body.response_body_excerpt).toBe("begun")
  })
})
