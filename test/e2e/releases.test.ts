import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { dayAfter, dayOf } from "../../actors/values/saoPauloDays.ts"
import type { BalanceReleases } from "../../schema/resources/ledger.ts"
import { signInAsOperator, signInAsSeller } from "../support/dashboard.ts"
import { freshKey, makeCharge } from "./support/charges.ts"
import { type Client, type ErrorBody, eventually } from "./support/client.ts"
import { type DashboardClient, dashboardClient } from "./support/dashboardClient.ts"
import { openStage, type Seller, type Stage } from "./support/stage.ts"
import { changeSeller } from "./support/withdrawals.ts"

const daySeconds = 86_400

let stage: Stage
let operator: DashboardClient
// Only the tests say what becomes of charges and refunds.
beforeAll(async () => {
  stage = await openStage({ SIMULATOR_DELAY_MS: "3600000" })
  operator = dashboardClient(stage.service.url, await signInAsOperator(stage.service))
})
afterAll(() => stage?.close())

const sellerWith = async (reserveDays: number): Promise<Seller> => {
  const seller = await stage.newSeller()
  await changeSeller(operator, seller, "settings", { reserve_bps: 1_000, reserve_days: reserveDays })
  return seller
}

const act = async (client: Client, path: string, body = {}): Promise<{ readonly id: string }> => {
  const answer = await client.post<{ id: string }>(path, { body, headers: { "Idempotency-Key": freshKey() } })
  if (answer.status >= 300) throw new Error(`${path}: ${answer.text}`)
  return answer.body
}

const pay = async ({ test }: Seller, amount = 10_000): Promise<string> => {
  const { id } = await makeCharge(test, { amount })
  await act(test, `/v1/test/transactions/${id}/pay`)
  return id
}

const calendarOf = async ({ test }: Seller, query = ""): Promise<BalanceReleases> =>
  (await test.get<BalanceReleases>(`/v1/balance/releases${query}`)).body

const inDays = (days: number): string => dayAfter(dayOf(Date.now()), days)
const empty = { object: "balance_releases", mode: "test", currency: "BRL", reserve: 0, data: [], later: 0 }

describe("the calendar of releases", () => {
  it("has nothing where nothing is held", async () => {
    const seller = await stage.newSeller()
    await pay(seller)
    expect(await calendarOf(seller)).toEqual(empty)
  })

  it("has the sum of each day's charges, for keys and sessions", async () => {
    const seller = await sellerWith(30)
    await pay(seller)
    await pay(seller, 5_000)
    await changeSeller(operator, seller, "settings", { reserve_days: 2 })
    await pay(seller)
    const data = [
      { date: inDays(2), amount: 1_000, charges: 1 },
      { date: inDays(30), amount: 1_500, charges: 2 },
    ]
    const expected = { ...empty, reserve: 2_500, data }
    expect(await calendarOf(seller)).toEqual(expected)
    const session = await signInAsSeller(stage.service, seller.id)
    for (const [mode, answer] of [
      ["test", expected],
      ["live", { ...empty, mode: "live" }],
    ] as const) {
      const mine = await dashboardClient(stage.service.url, session, mode).send(
        "GET",
        "/v1/me/balance/releases",
      )
      expect(mine.body).toEqual(answer)
    }
  })

  it("looks 1 to 366 days ahead, and what is released after them is later", async () => {
    const seller = await sellerWith(365)
    await pay(seller)
    const whole = { ...empty, reserve: 1_000, data: [{ date: inDays(365), amount: 1_000, charges: 1 }] }
    expect(await calendarOf(seller)).toEqual(whole)
    expect(await calendarOf(seller, "?days=366")).toEqual(whole)
    const later = { ...empty, reserve: 1_000, later: 1_000 }
    expect(await calendarOf(seller, "?days=365")).toEqual(later)
    expect(await calendarOf(seller, "?days=1")).toEqual(later)
    for (const days of ["0", "367", "-1", "many"]) {
      const { status, body } = await seller.test.get<ErrorBody>(`/v1/balance/releases?days=${days}`)
      expect([status, body.error.code, body.error.param]).toEqual([400, "validation_failed", "days"])
    }
  })

  it("follows refunds that take of the reserve, give it back or keep it, and chargebacks", async () => {
    const seller = await sellerWith(30)
    const [id, other] = [await pay(seller), await pay(seller)]
    const of = (amount: number, charges: number) => ({
      ...empty,
      reserve: amount,
      data: charges === 0 ? [] : [{ date: inDays(30), amount, charges }],
    })
    const refund = (amount: number) => act(seller.test, `/v1/transactions/${id}/refunds`, { amount })
    const failing = await refund(400)
    expect(await calendarOf(seller)).toEqual(of(1_600, 2))
    await act(seller.test, `/v1/test/refunds/${failing.id}/fail`)
    expect(await calendarOf(seller)).toEqual(of(2_000, 2))
    const whole = await refund(3_000)
    expect(await calendarOf(seller)).toEqual(of(1_000, 1))
    await act(seller.test, `/v1/test/refunds/${whole.id}/fail`)
    expect(await calendarOf(seller)).toEqual(of(2_000, 2))
    const done = await refund(1_200)
    await act(seller.test, `/v1/test/refunds/${done.id}/succeed`)
    expect(await calendarOf(seller)).toEqual(of(1_000, 1))
    await act(seller.test, `/v1/test/transactions/${other}/chargeback`)
    expect(await calendarOf(seller)).toEqual(of(0, 0))
  })

  it("goes by the clock of test mode, and loses the day when its reserve is released", async () => {
    const seller = await sellerWith(30)
    await pay(seller)
    await act(seller.test, "/v1/test/clock/advance", { seconds: 10 * daySeconds })
    await pay(seller)
    const [first, second] = [
      { date: inDays(30), amount: 1_000, charges: 1 },
      { date: inDays(40), amount: 1_000, charges: 1 },
    ]
    expect((await calendarOf(seller)).data).toEqual([first, second])
    expect(await calendarOf(seller, "?days=30")).toMatchObject({ data: [first], later: 1_000 })
    await act(seller.test, "/v1/test/clock/advance", { seconds: 20 * daySeconds })
    const left = await eventually("the first day to be released", async () => {
      const calendar = await calendarOf(seller)
      return calendar.reserve === 1_000 ? calendar : undefined
    })
    expect(left.data).toEqual([second])
  })
})
