import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { Delivery } from "../../schema/resources/delivery.ts"
import { behaviours, startTlsReceiver, type TlsReceiver } from "../support/tlsReceiver.ts"
import { until } from "../support/until.ts"
import { chargeWhen, makeCharge } from "./support/charges.ts"
import { alteredCursors, type ErrorBody, type Page, readAll } from "./support/client.ts"
import { deliveriesPath, paidEvent, requestsOn, retry, rowsOf, rowsWhen } from "./support/deliveries.ts"
import { openStage, receiverSettings, type Seller, type Stage } from "./support/stage.ts"

let receiver: TlsReceiver
let stage: Stage
let seller: Seller
/** All attempts, oldest first: of 8 charges, paid and refunded, to two endpoints, one of which answers 500. */
let rows: ReadonlyArray<Delivery>

beforeAll(async () => {
  receiver = await startTlsReceiver({
    behaviour: ({ path }) => behaviours.respond(path.startsWith("/bad") ? 500 : 200),
  })
  stage = await openStage({
    SIMULATOR_DELAY_MS: "20",
    // The second attempt comes at once, the third after these tests.
    RETRY_SCHEDULE_SECONDS: "0.05,3600,3600,3600,3600",
    ...receiverSettings(receiver),
  })
  seller = await stage.newSeller({
    endpoints: [
      { url: `${receiver.origin}/good`, events: ["*"] },
      { url: `${receiver.origin}/bad`, events: ["transaction.paid"] },
    ],
  })
  for (let i = 0; i < 8; i++) {
    const { id } = await makeCharge(seller.test, { amount: 2_004 })
    await chargeWhen(seller.test, id, "refunded")
  }
  rows = await rowsWhen(seller.test, (found) => found.length === 8 * (3 + 2))
})
afterAll(async () => {
  await stage?.close()
  await receiver?.close()
})

const idsOf = (items: ReadonlyArray<{ readonly id: string }>) => items.map(({ id }) => id)
const newestFirst = (items: ReadonlyArray<Delivery>) => idsOf(items.toReversed())
const list = (query: string, by = seller.test) => by.get<Page<Delivery>>(`${deliveriesPath}?${query}`)
const endpointId = (index: number) => seller.endpoints[index]?.id ?? ""
const middle = () => rows[Math.floor(rows.length / 2)]?.created_at ?? ""
const someEvent = () => rows.find(({ status }) => status === "failed")?.event_id ?? ""

describe("GET /v1/webhook-deliveries", () => {
  it("GET /v1/webhook-deliveries lists attempts by id, of the key's seller and mode only", async () => {
    expect(idsOf(rows)).toEqual(idsOf(rows).toSorted())
    expect((await list("", seller.live)).body).toEqual({ data: [], next_cursor: null })
    const other = await stage.newSeller({ partition: seller.partition })
    expect((await list("", other.test)).body).toEqual({ data: [], next_cursor: null })
    for (const query of [`endpoint_id=${endpointId(0)}`, `event_id=${someEvent()}`]) {
      expect((await list(query, other.test)).body).toEqual({ data: [], next_cursor: null })
    }
  })

  it.each([1, 5, 39, 40, 41, 100])(
    "GET /v1/webhook-deliveries gives every attempt once, newest first, in pages of %i",
    async (limit) => {
      expect(idsOf(await readAll<Delivery>(seller.test, deliveriesPath, `limit=${limit}`))).toEqual(
        newestFirst(rows),
      )
    },
  )

  it.each<readonly [what: string, query: () => string, matches: (row: Delivery) => boolean]>([
    ["an endpoint", () => `endpoint_id=${endpointId(0)}`, (row) => row.endpoint_id === endpointId(0)],
    ["an unknown endpoint", () => "endpoint_id=we_x", () => false],
    ["an event", () => `event_id=${someEvent()}`, (row) => row.event_id === someEvent()],
    ["an unknown event", () => "event_id=evt_x", () => false],
    ["an event type", () => "event_type=transaction.refunded", (row) => row.event_type.endsWith("refunded")],
    ["an event type without deliveries", () => "event_type=withdrawal.failed", () => false],
    ["the type of events that are gone, which no attempt has", () => "event_type=unknown", () => false],
    ["the status success", () => "status=success", (row) => row.status === "success"],
    ["the status failed", () => "status=failed", (row) => row.status === "failed"],
    ["the status dead, which no attempt has", () => "status=dead", () => false],
    ["a start time", () => `from=${middle()}`, (row) => row.created_at >= middle()],
    ["an end time", () => `to=${middle()}`, (row) => row.created_at <= middle()],
    ["a single moment", () => `from=${middle()}&to=${middle()}`, (row) => row.created_at === middle()],
    [
      "endpoint, type and status",
      () => `endpoint_id=${endpointId(0)}&event_type=transaction.paid&status=success`,
      (row) => row.endpoint_id === endpointId(0) && row.event_type === "transaction.paid",
    ],
    [
      "an endpoint with a status it never had",
      () => `endpoint_id=${endpointId(1)}&status=success`,
      () => false,
    ],
    [
      "event and endpoint",
      () => `event_id=${someEvent()}&endpoint_id=${endpointId(1)}`,
      (row) => row.event_id === someEvent() && row.endpoint_id === endpointId(1),
    ],
    [
      "all filters at once",
      () =>
        `event_id=${someEvent()}&endpoint_id=${endpointId(1)}&event_type=transaction.paid&status=failed&from=2020-01-01&to=2999-01-01`,
      (row) => row.event_id === someEvent() && row.endpoint_id === endpointId(1),
    ],
    [
      "an event type and an end time",
      () => `event_type=transaction.paid&to=${middle()}`,
      (row) => row.event_type === "transaction.paid" && row.created_at <= middle(),
    ],
  ])("GET /v1/webhook-deliveries filters by %s", async (_, query, matches) => {
    const wanted = newestFirst(rows.filter(matches))
    for (const limit of [1, 3, 100]) {
      const found = await readAll<Delivery>(seller.test, deliveriesPath, `${query()}&limit=${limit}`)
      expect(idsOf(found)).toEqual(wanted)
    }
  })

  it("GET /v1/webhook-deliveries refuses a cursor of another seller, mode or filter, and an altered one", async () => {
    const cursor = (await list("limit=3&status=success")).body.next_cursor ?? ""
    expect((await list(`limit=9&status=success&cursor=${cursor}`)).status).toBe(200)
    const other = await stage.newSeller()
    const foreign = [
      list(`cursor=${cursor}`),
      list(`status=failed&cursor=${cursor}`),
      list(`status=success&endpoint_id=${endpointId(0)}&cursor=${cursor}`),
      list(`status=success&cursor=${cursor}`, other.test),
      list(`status=success&cursor=${cursor}`, seller.live),
      ...alteredCursors(cursor).map((altered) => list(`limit=3&status=success&cursor=${altered}`)),
    ]
    for (const answer of await Promise.all(foreign)) {
      const { error } = answer.body as unknown as ErrorBody
      expect([answer.status, error.code, error.param]).toEqual([400, "invalid_cursor", "cursor"])
    }
  })

  it.each([
    ["status", "status=pending"],
    ["endpoint_id", "endpoint_id="],
    ["event_id", "event_id="],
    ["event_type", "event_type="],
    ["event_type", "event_type=transaction.payed"],
    ["event_type", "event_type=transaction.*"],
    ["from", "from=now"],
    ["to", "to=2026-02-30T00:00:00"],
    ["limit", "limit=101"],
    ["limit", "limit=0"],
  ])("GET /v1/webhook-deliveries answers 400 at %s for ?%s", async (param, query) => {
    const answer = await seller.test.get<ErrorBody>(`${deliveriesPath}?${query}`)
    expect([answer.status, answer.body.error.code, answer.body.error.param]).toEqual([
      400,
      "validation_failed",
      param,
    ])
  })
})

describe("a delivery that cannot be retried by hand", () => {
  it("a delivery that succeeded, or whose next attempt is scheduled, cannot be retried by hand", async () => {
    const failed = rows.filter(({ event_id, status }) => event_id === someEvent() && status === "failed")
    expect(failed.map(({ attempt }) => attempt)).toEqual([1, 2])
    for (const { id } of failed) {
      const answer = await retry<ErrorBody>(seller.test, id)
      expect(answer.status).toBe(409)
      expect(answer.body.error).toMatchObject({ type: "invalid_request_error", code: "invalid_state" })
      expect(answer.body.error.message).toContain("scheduled")
    }
    const good = rows.find(({ status }) => status === "success")
    const answer = await retry<ErrorBody>(seller.test, good?.id ?? "")
    expect([answer.status, answer.body.error.code]).toEqual([409, "invalid_state"])
    expect(answer.body.error.message).toContain("succeeded")
    expect(await rowsOf(seller.test)).toHaveLength(rows.length)
  })

  it("a delivery with an attempt under way cannot be retried by hand", async () => {
    let release = () => {}
    const released = new Promise<void>((done) => {
      release = done
    })
    const slow = await stage.newSeller({ endpoints: [{ url: `${receiver.origin}/bad-slow`, events: ["*"] }] })
    receiver.respondWith(({ path, headers }) => {
      if (path !== "/bad-slow" || headers["x-attempt"] === "1") return behaviours.respond(500)
      return { kind: "respond", status: 500, after: released }
    })
    await paidEvent(slow.test)
    await until("the second attempt", () => requestsOn(receiver, "/bad-slow").length === 2)
    const [first] = await rowsOf(slow.test)
    const answer = await retry<ErrorBody>(slow.test, first?.id ?? "")
    expect([answer.status, answer.body.error.code]).toEqual([409, "invalid_state"])
    release()
    await rowsWhen(slow.test, (found) => found.length === 2)
  })
})
