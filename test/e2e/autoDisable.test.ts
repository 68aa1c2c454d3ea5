import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { Event } from "../../schema/resources/event.ts"
import { behaviours, startTlsReceiver, type TlsReceiver } from "../support/tlsReceiver.ts"
import { allEvents, eventsOf, makeCharge } from "./support/charges.ts"
import { eventually } from "./support/client.ts"
import { paidEvent, requestsOn, retry, rowsOf, rowsWhen, verify } from "./support/deliveries.ts"
import { findKey, openStage, receiverSettings, type Seller, type Stage } from "./support/stage.ts"

let receiver: TlsReceiver
let stage: Stage

beforeAll(async () => {
  receiver = await startTlsReceiver({
    behaviour: ({ path, headers }) => {
      if (path === "/bad") return behaviours.respond(500)
      // `/once-good` refuses all but its first event.
      const isFirst = headers["x-event-id"] === requestsOn(receiver, "/once-good")[0]?.headers["x-event-id"]
      return behaviours.respond(path === "/once-good" && !isFirst ? 500 : 200)
    },
  })
  stage = await openStage({
    SIMULATOR_DELAY_MS: "10",
    RETRY_SCHEDULE_SECONDS: "0.01,0.01,0.01,0.01,0.01",
    ...receiverSettings(receiver),
  })
})
afterAll(async () => {
  await stage?.close()
  await receiver?.close()
})

const deadOf = async (seller: Seller) => (await rowsOf(seller.test, "&status=dead")).length
const charges = (seller: Seller, count: number) =>
  Promise.all(Array.from({ length: count }, () => makeCharge(seller.test)))
const deadWhen = (seller: Seller, count: number) =>
  eventually(`${count} dead deliveries`, async () => ((await deadOf(seller)) >= count ? true : undefined))

const noticeType = "seller.webhook_endpoint_disabled"

describe("an endpoint that fails again and again", () => {
  it("the 50th dead delivery in a row disables an endpoint, with an event to its feed and other endpoints", async () => {
    const seller = await stage.newSeller({
      name: "Loja Ótima",
      endpoints: [
        { url: `${receiver.origin}/bad`, events: ["transaction.paid"] },
        { url: `${receiver.origin}/watching`, events: [noticeType] },
        { url: `${receiver.origin}/watching-too`, events: ["*"] },
      ],
    })
    const bad = await findKey(stage, `destination:*:${seller.endpoints[0]?.id}`)
    await charges(seller, 49)
    await deadWhen(seller, 49)
    expect(await stage.redis("HMGET", bad, "enabled", "disabled_reason")).toEqual(["1", null])
    expect(await allEvents(seller.test, `&types=seller.*`)).toEqual([])

    await charges(seller, 1)
    const notices = await eventually("the notice", async () => {
      const found = await allEvents(seller.test, "&types=seller.*")
      return found.length > 0 ? found : undefined
    })
    expect(notices.map(({ type, mode, internal }) => [type, mode, internal])).toEqual([
      [noticeType, "test", false],
    ])
    expect(notices[0]?.data.object).toMatchObject({
      ...{ id: seller.id, name: "Loja Ótima", document: null },
      webhook_endpoint: {
        id: seller.endpoints[0]?.id,
        mode: "test",
        host: new URL(receiver.origin).host,
      },
    })
    expect(await allEvents(seller.live)).toEqual([])
    const [enabled, reason, at] = (await stage.redis(
      ...["HMGET", bad, "enabled", "disabled_reason", "auto_disabled_at"],
    )) as ReadonlyArray<string>
    expect([enabled, reason]).toEqual(["0", "auto"])
    expect(at).toMatch(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/)

    // The seller's other endpoints of the mode get the event.
    for (const [path, index] of [
      ["/watching", 1],
      ["/watching-too", 2],
    ] as const) {
      await rowsWhen(seller.test, (rows) => rows.some(({ event_type }) => event_type === noticeType))
      const [request] = requestsOn(receiver, path).filter(({ body }) => body.includes(noticeType))
      if (request === undefined) throw new Error(`nothing was delivered to ${path}`)
      verify(request, seller.endpoints[index]?.secret ?? "")
      expect((JSON.parse(request.body) as Event).type).toBe(noticeType)
    }

    // Later events are not owed to it, and a retry of a dead delivery fails.
    const attempts = requestsOn(receiver, "/bad").length
    expect(attempts).toBe(50 * 6)
    await paidEvent(seller.test)
    const [dead] = await rowsOf(seller.test, "&status=dead")
    expect((await retry(seller.test, dead?.id ?? "")).status).toBe(202)
    const rows = await rowsWhen(seller.test, (found) => found.at(-1)?.error === "endpoint_disabled")
    expect(rows.at(-1)).toMatchObject({ attempt: 7, status: "failed", event_id: dead?.event_id })
    expect(requestsOn(receiver, "/bad")).toHaveLength(attempts)
  })

  it("an endpoint with a success within 7 days stays enabled after 51 dead deliveries", async () => {
    const seller = await stage.newSeller({
      endpoints: [{ url: `${receiver.origin}/once-good`, events: ["transaction.paid"] }],
    })
    await paidEvent(seller.test)
    await rowsWhen(seller.test, (rows) => rows.length === 1)
    await charges(seller, 51)
    await deadWhen(seller, 51)
    const endpoint = await findKey(stage, `destination:*:${seller.endpoints[0]?.id}`)
    expect(await stage.redis("HGET", endpoint, "enabled")).toBe("1")
    expect(await allEvents(seller.live)).toEqual([])
  })

  it("the event of a disabled endpoint is listed among its seller's own events", async () => {
    const seller = await stage.newSeller({
      endpoints: [{ url: `${receiver.origin}/bad`, events: ["transaction.paid"] }],
    })
    // One more dead delivery reaches the limit.
    const endpoint = await findKey(stage, `destination:*:${seller.endpoints[0]?.id}`)
    await stage.redis("HSET", endpoint, "dead_streak", 49)
    await charges(seller, 1)
    await eventually("the notice", async () => (await allEvents(seller.test, "&types=seller.*"))[0])
    expect((await eventsOf(seller.test, seller.id)).map(({ type }) => type)).toEqual([noticeType])
  })
})
