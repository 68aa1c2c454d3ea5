import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { Counters } from "../../schema/resources/account.ts"
import { signInAsSeller } from "../support/dashboard.ts"
import { startTlsReceiver, type TlsReceiver } from "../support/tlsReceiver.ts"
import { chargeWhen, makeCharge } from "./support/charges.ts"
import type { ErrorBody } from "./support/client.ts"
import { dashboardClient } from "./support/dashboardClient.ts"
import { rowsWhen } from "./support/deliveries.ts"
import { openStage, receiverSettings, type Seller, type Stage } from "./support/stage.ts"

const path = "/v1/me/counters"

let receiver: TlsReceiver
let stage: Stage
beforeAll(async () => {
  receiver = await startTlsReceiver({ behaviour: () => ({ kind: "respond", status: 500 }) })
  stage = await openStage({
    SIMULATOR_DELAY_MS: "20",
    RETRY_SCHEDULE_SECONDS: "0.05,0.05,0.05,0.05,0.05",
    ...receiverSettings(receiver),
  })
})
afterAll(async () => {
  await stage?.close()
  await receiver?.close()
})

const dashboardOf = async (seller: Seller, mode?: "live" | "test") =>
  dashboardClient(stage.service.url, await signInAsSeller(stage.service, seller.id), mode)

/** Expires the cached counters. */
const forgetCounters = async (seller: Seller) => {
  const keys = (await stage.redis("KEYS", `counters:*${seller.id}*`)) as ReadonlyArray<string>
  for (const key of keys) await stage.redis("PEXPIRE", key, 0)
}

describe("counters", () => {
  it("counters count the charges and the failed and dead attempts of the session's mode", async () => {
    const url = `${receiver.origin}/dead`
    const seller = await stage.newSeller({ endpoints: [{ url, events: ["*"] }] })
    const charges = await Promise.all(
      [12_990, 12_901, 12_990].map((amount) => makeCharge(seller.test, { amount })),
    )
    await chargeWhen(seller.test, charges[0]?.id ?? "", "paid")
    await chargeWhen(seller.test, charges[2]?.id ?? "", "paid")
    await rowsWhen(seller.test, (rows) => rows.filter(({ status }) => status === "dead").length === 2)

    const inTest = (await (await dashboardOf(seller, "test")).get<Counters>(path)).body
    expect(inTest.transactions).toEqual({
      pending: 1,
      paid: 2,
      expired: 0,
      failed: 0,
      refunded: 0,
      chargeback: 0,
    })
    // Six attempts each, of which the last is counted as dead.
    expect(inTest.webhook_deliveries).toEqual({ failed_24h: 10, dead: 2 })
    expect(inTest.kyc_status).toBe("approved")
    const inLive = (await (await dashboardOf(seller)).get<Counters>(path)).body
    expect(inLive.transactions.paid).toBe(0)
    expect(inLive.webhook_deliveries).toEqual({ failed_24h: 0, dead: 0 })
  })

  it("counters are cached: a new charge is counted once the cache has expired", async () => {
    const seller = await stage.newSeller()
    const dashboard = await dashboardOf(seller, "live")
    const pending = async () => (await dashboard.get<Counters>(path)).body.transactions.pending
    expect(await pending()).toBe(0)
    await makeCharge(seller.live, { amount: 12_901 })
    expect(await pending()).toBe(0)
    await forgetCounters(seller)
    expect(await pending()).toBe(1)
  })

  it("counters refuse an X-Mode other than live and test", async () => {
    const seller = await stage.newSeller()
    const dashboard = await dashboardOf(seller)
    const answer = await dashboard.request<ErrorBody>("GET", path, { headers: { "X-Mode": "prod" } })
    expect([answer.status, answer.body.error.param]).toEqual([400, "X-Mode"])
  })
})
