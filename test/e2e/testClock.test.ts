import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { dayOf } from "../../actors/values/saoPauloDays.ts"
import { limits } from "../../schema/limits.ts"
import type { DeliveryDetail } from "../../schema/resources/delivery.ts"
import type { LedgerEntry } from "../../schema/resources/ledger.ts"
import { signInAsSeller } from "../support/dashboard.ts"
import { behaviours, startTlsReceiver, type TlsReceiver } from "../support/tlsReceiver.ts"
import { chargeWhen, eventsOf, getCharge, makeCharge } from "./support/charges.ts"
import type { Client, ErrorBody, Page as List } from "./support/client.ts"
import { dashboardClient } from "./support/dashboardClient.ts"
import { rowsOf, rowsWhen } from "./support/deliveries.ts"
import { openStage, receiverSettings, type Seller, type Stage } from "./support/stage.ts"

const hourSeconds = 60 * 60
const daySeconds = 24 * hourSeconds

let receiver: TlsReceiver
let stage: Stage
beforeAll(async () => {
  receiver = await startTlsReceiver({ behaviour: behaviours.respond(503) })
  stage = await openStage({
    SIMULATOR_DELAY_MS: String(hourSeconds * 1_000),
    RETRY_SCHEDULE_SECONDS: "60,300,1800,7200,43200",
    ...receiverSettings(receiver),
  })
})
afterAll(async () => {
  await stage?.close()
  await receiver?.close()
})

/** What `POST /v1/test/clock/advance` answers. */
interface Advanced {
  readonly advanced_seconds: number
  readonly now: string
}

const advance = async (client: Client, seconds: number): Promise<Advanced> => {
  const { status, body, text } = await client.post<Advanced>("/v1/test/clock/advance", { body: { seconds } })
  if (status !== 200) throw new Error(`the clock was not advanced: ${text}`)
  return body
}

/** How far a time is ahead of the true time, in whole minutes. */
const minutesAhead = ({ now }: Pick<Advanced, "now">): number =>
  // + 0 turns the -0 of a moment ago into 0.
  Math.round((Date.parse(now) - Date.now()) / 60_000) + 0

/** The day of a moment in São Paulo, as a filter. */
const dayQuery = (at: string): string => {
  const day = dayOf(Date.parse(at))
  return `from=${day}&to=${day}`
}

const typesOf = async (client: Client, id: string): Promise<ReadonlyArray<string>> =>
  (await eventsOf(client, id)).map(({ type }) => type)

describe("the test clock", () => {
  it("advances of the test clock add up, and a new charge shows its time", async () => {
    const { test } = await stage.newSeller()
    const first = await advance(test, hourSeconds)
    expect([first.advanced_seconds, minutesAhead(first)]).toEqual([hourSeconds, 60])
    const second = await advance(test, 2 * hourSeconds)
    expect([second.advanced_seconds, minutesAhead(second)]).toEqual([2 * hourSeconds, 180])
    const { created_at, expires_at } = await makeCharge(test, { pix: { expires_in_seconds: hourSeconds } })
    expect(minutesAhead({ now: created_at })).toBe(180)
    expect(minutesAhead({ now: expires_at })).toBe(240)
  })

  it("the test clock advances by whole seconds from 1 to its limit, in a JSON body", async () => {
    const { test } = await stage.newSeller()
    const path = "/v1/test/clock/advance"
    for (const seconds of [0, -1, 1.5, "60", null, limits.clockAdvanceSecondsMax + 1]) {
      const { status, body } = await test.post<ErrorBody>(path, { body: { seconds } })
      expect([seconds, status, body.error.param]).toEqual([seconds, 400, "seconds"])
    }
    expect((await test.post(path)).status).toBe(415)
    expect(minutesAhead(await advance(test, 1))).toBe(0)
    await advance(test, limits.clockAdvanceSecondsMax)
  })

  it("the test clock cannot be advanced past its largest offset", async () => {
    const { test, id } = await stage.newSeller()
    const key = (await stage.redis("KEYS", `seller:*:${id}`)) as ReadonlyArray<string>
    await stage.redis("SET", key[0]?.replace("seller:", "clock:") ?? "", limits.clockOffsetMillisMax)
    const { status, body } = await test.post<ErrorBody>("/v1/test/clock/advance", { body: { seconds: 1 } })
    expect([status, body.error.code]).toEqual([409, "invalid_state"])
  })

  it("a charge expires when the test clock reaches its expiry, and shows that time", async () => {
    const { test } = await stage.newSeller()
    const charge = await makeCharge(test, { amount: 101, pix: { expires_in_seconds: daySeconds } })
    await advance(test, daySeconds - hourSeconds)
    expect((await getCharge(test, charge.id)).body.status).toBe("pending")
    await advance(test, hourSeconds)
    const { expired_at } = await chargeWhen(test, charge.id, "expired")
    expect(minutesAhead({ now: expired_at ?? "" })).toBe(24 * 60)
    expect(await typesOf(test, charge.id)).toEqual(["transaction.created", "transaction.expired"])
  })

  it("one advance past payment and expiry lets the simulator pay the charge first", async () => {
    const { test } = await stage.newSeller()
    const charges = await Promise.all(
      Array.from({ length: 20 }, () => makeCharge(test, { pix: { expires_in_seconds: daySeconds } })),
    )
    await advance(test, 2 * daySeconds)
    for (const { id } of charges) {
      await chargeWhen(test, id, "paid")
      expect(await typesOf(test, id)).toEqual(["transaction.created", "transaction.paid"])
    }
  })

  it("advancing a seller's test clock moves neither another seller's clock nor live", async () => {
    const [one, other] = [await stage.newSeller(), await stage.newSeller()]
    const pix = { expires_in_seconds: daySeconds }
    const [own, live, foreign] = await Promise.all([
      makeCharge(one.test, { pix }),
      makeCharge(one.live, { pix }),
      makeCharge(other.test, { pix }),
    ])
    await advance(one.test, 2 * daySeconds)
    await chargeWhen(one.test, own.id, "paid")
    // Their payments were due at the same time as the one that has happened by now.
    expect((await getCharge(one.live, live.id)).body.status).toBe("pending")
    expect((await getCharge(other.test, foreign.id)).body.status).toBe("pending")
    for (const client of [one.live, other.test]) {
      expect(minutesAhead({ now: (await makeCharge(client)).created_at })).toBe(0)
    }
    expect(minutesAhead(await advance(other.test, 60))).toBe(1)
  })
})

describe("deliveries under a test clock", () => {
  const failing = (mode: "test" | "live") => ({
    url: `${receiver.origin}/${mode}`,
    events: ["transaction.expired"],
    mode,
  })

  /** Makes a charge expire, and waits until the first attempt to deliver its event has failed. */
  const failFirstAttempt = async (client: Client) => {
    const { id } = await makeCharge(client)
    await client.post(`/v1/test/transactions/${id}/expire`)
    await rowsWhen(client, (rows) => rows.length === 1)
  }

  /** The same in live, by bringing the timer forward: a charge cannot expire before ten seconds there. */
  const failFirstLiveAttempt = async ({ live }: Seller) => {
    const { id } = await makeCharge(live)
    const timers = (await stage.redis("KEYS", "timers:*")) as ReadonlyArray<string>
    for (const key of timers) await stage.redis("ZADD", key, "XX", 0, `${id}:expire`)
    await rowsWhen(live, (rows) => rows.length === 1)
  }

  it("all that a seller sees of an act in test mode has the time of its test clock, and is found by it", async () => {
    const seller = await stage.newSeller({
      endpoints: [{ ...failing("test"), events: ["transaction.paid"] }],
    })
    const { test } = seller
    const early = await makeCharge(test, { amount: 4_290 })
    await test.post(`/v1/test/transactions/${early.id}/pay`)
    await advance(test, 2 * daySeconds)
    const late = await makeCharge(test, { amount: 5_900 })
    await test.post(`/v1/test/transactions/${late.id}/pay`)
    const minutesOf = (at: string) => minutesAhead({ now: at })
    const ahead = 2 * 24 * 60

    const { paid_at } = (await getCharge(test, late.id)).body
    expect(minutesOf(paid_at ?? "")).toBe(ahead)
    const { body: ledger } = await test.get<List<LedgerEntry>>("/v1/ledger")
    expect(ledger.data.map(({ created_at }) => minutesOf(created_at))).toEqual([ahead, 0])
    const events = await eventsOf(test, late.id)
    expect(events.map(({ created_at }) => minutesOf(created_at))).toEqual([ahead, ahead])
    expect((await eventsOf(test, early.id)).map(({ created_at }) => minutesOf(created_at))).toEqual([0, 0])

    const rows = await rowsWhen(test, (found) => found.length >= 2)
    const row = rows.find(({ event_id }) => event_id === events.at(-1)?.id)
    expect(minutesOf(row?.created_at ?? "")).toBe(ahead)
    const detail = await test.get<DeliveryDetail>(`/v1/webhook-deliveries/${row?.id}`)
    expect(minutesOf(detail.body.created_at)).toBe(ahead)
    expect(detail.body.payload).toEqual(expect.objectContaining({ created_at: events.at(-1)?.created_at }))
    // Receivers compare it with their own clock.
    const signedAt = Number(detail.body.request_headers["webhook-timestamp"]) * 1_000
    expect(Math.abs(signedAt - Date.now())).toBeLessThan(10 * 60_000)

    const day = paid_at?.slice(0, 11) ?? ""
    const since = `from=${encodeURIComponent(`${day}00:00:00.000Z`)}`
    const countOf = async (path: string) =>
      (await test.get<List<unknown>>(`${path}?${since}`)).body.data.length
    expect(await countOf("/v1/ledger")).toBe(1)
    expect(await countOf("/v1/events")).toBe(2)
    expect((await test.get(`/v1/statement?${dayQuery(paid_at ?? "")}`)).text.split("\r\n").length).toBe(3)

    const { cookie } = await signInAsSeller(stage.service, seller.id, { isSteppedUp: false })
    const session = dashboardClient(stage.service.url, { cookie }, "test")
    const series = await session.get<List<{ readonly value: number }>>(
      `/v1/me/series?metric=paid_amount&bucket=day&${dayQuery(paid_at ?? "")}`,
    )
    expect(series.body.data.map(({ value }) => value)).toEqual([5_900])
  })

  it("deliveries are retried as the test clock reaches them, and none of another seller or of live", async () => {
    const seller = await stage.newSeller({ endpoints: [failing("test"), failing("live")] })
    const other = await stage.newSeller({ endpoints: [failing("test")] })
    await Promise.all([failFirstAttempt(seller.test), failFirstAttempt(other.test)])
    await failFirstLiveAttempt(seller)

    await advance(seller.test, 60)
    await rowsWhen(seller.test, (rows) => rows.length === 2)
    await advance(seller.test, 300)
    const rows = await rowsWhen(seller.test, (found) => found.length === 3)
    expect(rows.map(({ attempt, status }) => [attempt, status])).toEqual([
      [1, "failed"],
      [2, "failed"],
      [3, "failed"],
    ])
    for (const client of [seller.live, other.test]) {
      expect((await rowsOf(client)).map(({ attempt }) => attempt)).toEqual([1])
    }
  })

  it("a postback is retried when the test clock reaches its retry", async () => {
    const seller = await stage.newSeller()
    const { id } = await makeCharge(seller.test, { postback_url: `${receiver.origin}/postback` })
    await seller.test.post(`/v1/test/transactions/${id}/pay`)
    await rowsWhen(seller.test, (rows) => rows.length === 1)
    await advance(seller.test, 60)
    const rows = await rowsWhen(seller.test, (found) => found.length === 2)
    expect(rows.map(({ target, attempt }) => [target, attempt])).toEqual([
      ["postback", 1],
      ["postback", 2],
    ])
  })
})
