import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { Refund } from "../../schema/resources/refund.ts"
import { signInAsOperator } from "../support/dashboard.ts"
import { getCharge } from "./support/charges.ts"
import { type Client, type ErrorBody, eventually } from "./support/client.ts"
import { dashboardClient } from "./support/dashboardClient.ts"
import { getRefund, payNow, refund, refundBuckets, refundWhen, typesOf } from "./support/refunds.ts"
import { openStage, type Stage } from "./support/stage.ts"
import { changeSeller } from "./support/withdrawals.ts"

const hourSeconds = 60 * 60
const daySeconds = 24 * hourSeconds

let stage: Stage
beforeAll(async () => {
  stage = await openStage({ SIMULATOR_DELAY_MS: String(hourSeconds * 1_000) })
})
afterAll(() => stage?.close())

/** A seller with a paid charge of 200.00 in test mode. */
const newShop = async () => {
  const seller = await stage.newSeller()
  return { seller, client: seller.test, charge: await payNow(seller.test, 20_000) }
}

const end = <T = Refund>(client: Client, id: string, act: string) =>
  client.post<T>(`/v1/test/refunds/${id}/${act}`)

const advance = async (client: Client, seconds: number): Promise<void> => {
  const { status, text } = await client.post("/v1/test/clock/advance", { body: { seconds } })
  if (status !== 200) throw new Error(`the clock was not advanced: ${text}`)
}

describe("a refund under the test controls", () => {
  const ends = [
    { act: "succeed", status: "succeeded", available: 15_000, charge: "transaction.partially_refunded" },
    { act: "fail", status: "failed", available: 20_000, charge: undefined },
  ] as const
  for (const { act, status, available, charge: emitted } of ends) {
    it(`the test control ${act} ends a refund as ${status}, once`, async () => {
      const { client, charge } = await newShop()
      const { id } = await refund(client, charge.id, { amount: 5_000 })
      const ended = await end(client, id, act)
      expect([ended.status, ended.body.status]).toEqual([200, status])
      expect(ended.body).toEqual(await getRefund(client, id))
      expect(await refundBuckets(client)).toEqual({ available, reserve: 0, pending_refund: 0 })
      expect(await typesOf(client, id)).toEqual(["refund.created", `refund.${status}`])
      expect((await typesOf(client, charge.id)).at(2)).toBe(emitted)
      for (const late of ["succeed", "fail"]) {
        const { status: refused, body } = await end<ErrorBody>(client, id, late)
        expect([late, refused, body.error.code]).toEqual([late, 409, "invalid_state"])
        expect(body.error.details).toEqual({ status })
      }
      // Its timers are gone, too.
      await advance(client, daySeconds)
      expect(await refundBuckets(client)).toEqual({ available, reserve: 0, pending_refund: 0 })
    })
  }

  it("the test control succeed ends a refund that its bank leaves undecided, and its charge", async () => {
    const { client } = await newShop()
    const charge = await payNow(client, 20_001)
    const { id } = await refund(client, charge.id)
    await refundWhen(client, id, "processing")
    await advance(client, 30 * daySeconds)
    expect((await getRefund(client, id)).status).toBe("processing")
    expect((await end(client, id, "succeed")).body.status).toBe("succeeded")
    expect((await getCharge(client, charge.id)).body).toMatchObject({
      status: "refunded",
      refunded_amount: 20_001,
    })
  })

  it("test controls find neither another seller's refund nor an unknown id", async () => {
    const { client, charge } = await newShop()
    const other = await stage.newSeller()
    const { id } = await refund(client, charge.id)
    for (const act of ["succeed", "fail"]) {
      for (const [asking, about] of [
        [other.test, id],
        [client, "nothing"],
        [client, charge.id],
      ] as const) {
        const { status, body } = await end<ErrorBody>(asking, about, act)
        expect([status, body.error.code]).toEqual([404, "resource_not_found"])
      }
    }
    expect(await refundBuckets(client)).toMatchObject({ pending_refund: 20_000 })
  })
})

describe("a refund under a test clock", () => {
  it("the simulated bank ends a refund on the test clock", async () => {
    const { client, charge } = await newShop()
    const { id } = await refund(client, charge.id)
    await refundWhen(client, id, "processing")
    await advance(client, hourSeconds - 60)
    expect((await getRefund(client, id)).status).toBe("processing")
    await advance(client, 120)
    const { completed_at } = await refundWhen(client, id, "succeeded")
    const aheadMillis = Date.parse(completed_at ?? "") - Date.now()
    expect(Math.round(aheadMillis / 60_000)).toBe(61)
  })

  it("what a refund took of a reserve that is due by now is available once it fails", async () => {
    const operator = dashboardClient(stage.service.url, await signInAsOperator(stage.service))
    const { seller, client } = await newShop()
    await changeSeller(operator, seller, "settings", { reserve_bps: 1_000, reserve_days: 30 })
    const charge = await payNow(client, 10_001)
    expect(await refundBuckets(client)).toEqual({ available: 29_001, reserve: 1_000, pending_refund: 0 })
    const { id } = await refund(client, charge.id)
    await refundWhen(client, id, "processing")
    expect(await refundBuckets(client)).toEqual({ available: 20_000, reserve: 0, pending_refund: 10_001 })
    await advance(client, 31 * daySeconds)
    await eventually("the reserve's release to be tried", async () => {
      const { body } = await getCharge(client, charge.id)
      return body.reserve?.released_at ?? undefined
    })
    expect((await end(client, id, "fail")).status).toBe(200)
    expect(await refundBuckets(client)).toEqual({ available: 30_001, reserve: 0, pending_refund: 0 })
  })
})
