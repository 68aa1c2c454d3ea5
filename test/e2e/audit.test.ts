import { afterAll, beforeAll, describe, expect, it } from "vitest"
import * as keys from "../../src/store/keys.ts"
import { until } from "../support/until.ts"
import { chargeWhen, makeCharge } from "./support/charges.ts"
import { type Client, makeClient } from "./support/client.ts"
import { openPixShop, type PixShop } from "./support/pixKeys.ts"
import { paidCharge, refund, refundWhen } from "./support/refunds.ts"
import { openStage, type Stage } from "./support/stage.ts"
import { cancel, fund, withdraw, withdrawalWhen } from "./support/withdrawals.ts"

let stage: Stage
let shop: PixShop
let anonymous: Client
beforeAll(async () => {
  stage = await openStage({ SIMULATOR_DELAY_MS: "50", AUDIT_INTERVAL_SECONDS: "1" })
  shop = await openPixShop(stage)
  anonymous = makeClient(stage.service.url)
})
afterAll(() => stage?.close())

const readiness = async () => (await anonymous.get("/ready")).status

const metrics = async () => (await fetch(`${stage.service.url}/metrics`)).text()

/** Unix time of the last audit, in seconds. */
const lastRun = async (): Promise<number> =>
  Number(/^corrente_audit_last_run_seconds (\S+)$/m.exec(await metrics())?.[1] ?? 0)

const isOk = async (): Promise<boolean> => /^corrente_audit_ok 1$/m.test(await metrics())
const isDifferent = async (): Promise<boolean> => /^corrente_audit_ok 0$/m.test(await metrics())

/** Waits for an audit that begins after this call. */
const nextAudit = async () => {
  for (let i = 0; i < 2; i++) {
    const before = await lastRun()
    await until("the next audit", async () => (await lastRun()) > before)
  }
}

describe("a service that audits itself", () => {
  it("a service that audits itself finds no difference with charges of every outcome", async () => {
    const amounts = [2_000, 2_001, 2_002, 2_004, 2_005]
    const charges = await Promise.all(amounts.map((amount) => makeCharge(shop.seller.test, { amount })))
    const ends = ["paid", "pending", "failed", "refunded", "chargeback"] as const
    for (const [i, { id }] of charges.entries()) {
      await chargeWhen(shop.seller.test, id, ends[i] ?? "")
    }
    await nextAudit()

    expect(await isOk()).toBe(true)
  })

  it("a service that audits itself finds no difference with withdrawals of every outcome and changing PIX keys", async () => {
    const { test } = shop.seller
    const [pixKey, other] = [await shop.test.register(), await shop.test.register()]
    await shop.live.register()
    await shop.test.remove(other.id)
    await fund(test, 50_000)
    const ends = { 1000: "successful", 1002: "failed", 1003: "rejected", 1001: "processing" }
    // The simulated operator may be faster.
    await until("a withdrawal to be cancelled", async () => {
      const { id } = await withdraw(test, pixKey.id, 500)
      if ((await cancel(test, id)).status === 200) return true
      await withdrawalWhen(test, id, "successful")
      return false
    })
    for (const amount of [1_000, 1_002, 1_003, 1_001] as const) {
      const { id } = await withdraw(test, pixKey.id, amount)
      await withdrawalWhen(test, id, ends[amount])
    }
    await nextAudit()

    expect(await isOk()).toBe(true)
  })

  it("a service that audits itself finds no difference with refunds of every outcome and origin", async () => {
    const { test } = shop.seller
    const charge = await paidCharge(test, 20_000)
    const ends = { 1000: "succeeded", 1002: "failed", 1001: "processing" }
    for (const amount of [1_000, 1_002, 1_001] as const) {
      const { id } = await refund(test, charge.id, { amount })
      await refundWhen(test, id, ends[amount])
    }
    const other = await paidCharge(test, 20_000)
    await refundWhen(test, (await refund(test, other.id, { amount: 1_000 })).id, "succeeded")
    expect((await test.post(`/v1/test/transactions/${other.id}/chargeback`)).status).toBe(200)
    await nextAudit()

    expect(await isOk()).toBe(true)
  })

  it("missing money is measured and logged, and takes no process out of a load balancer", async () => {
    const balance = keys.balanceKey({ sellerId: shop.seller.id, mode: "test" })
    await stage.redis("HINCRBY", balance, "available", -1)
    await until("the audit to find it", isDifferent)
    expect(await readiness()).toBe(200)
    expect(stage.service.log()).toContain(`found a difference at ${balance}`)
    await stage.redis("HINCRBY", balance, "available", 1)
    await until("the audit to pass again", isOk)
  })
})
