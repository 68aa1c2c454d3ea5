import { randomBytes } from "node:crypto"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { runOps } from "../ops/cli.ts"
import { startTestRedis, type TestRedis } from "../support/redis.ts"
import { type ApiPixStage, apiPixSettings, openApiPixStage, payCharge, soundBooks } from "./support/apiPix.ts"
import { approve, request } from "./support/apiPixPayouts.ts"
import { chargeWhen, eventsOf, getCharge, makeCharge } from "./support/charges.ts"
import { eventually } from "./support/client.ts"
import { openStage, type Stage } from "./support/stage.ts"
import { exceptionsNow, exceptionWhen } from "./support/sweeps.ts"
import { balanceOf, getWithdrawal, withdrawalWhen } from "./support/withdrawals.ts"

const intervalSeconds = 2

let redis: TestRedis
let stage: ApiPixStage
let other: Stage
beforeAll(async () => {
  redis = await startTestRedis()
  const settings = {
    ENCRYPTION_KEY: randomBytes(32).toString("base64"),
    RECONCILE_INTERVAL_SECONDS: `${intervalSeconds}`,
  }
  stage = await openApiPixStage(settings, { redisUrl: redis.url })
  other = await openStage({ ...apiPixSettings(stage.psp), ...settings }, { redisUrl: redis.url })
})
afterAll(async () => {
  await Promise.all([stage?.close(), other?.close()])
  await redis?.stop()
})

const sweepsNow = () => stage.psp.requestsOf("GET /v2/gn/pix/enviados?").length

/** Waits until sweeps that began after now are over. */
const sweepsPass = async (count = 2): Promise<void> => {
  const before = sweepsNow()
  await eventually(`${count} more sweeps`, () => sweepsNow() >= before + count || undefined, 40_000)
}

const typesOf = async (client: Parameters<typeof eventsOf>[0], id: string) =>
  (await eventsOf(client, id)).map(({ type }) => type)

describe("what no notice told of", () => {
  it("a sweep finds a payment, also one that the list shows later than its payer paid", async () => {
    const { live } = await stage.newSeller()
    const charge = await makeCharge(live)
    const endToEndId = stage.psp.pay(charge.pix.txid, { endToEndId: "E12345678202611210007aBcDeFgHiJk" })
    expect(await chargeWhen(live, charge.id, "paid")).toMatchObject({ end_to_end_id: endToEndId })
    expect(await typesOf(live, charge.id)).toEqual(["transaction.created", "transaction.paid"])

    const late = await makeCharge(live)
    const lagging = "E12345678202611210008aBcDeFgHiJk"
    stage.psp.lists.lagging.add(lagging)
    stage.psp.pay(late.pix.txid, { endToEndId: lagging })
    await sweepsPass()
    expect((await getCharge(live, late.id)).body.status).toBe("pending")
    stage.psp.lists.lagging.delete(lagging)
    await chargeWhen(live, late.id, "paid")
    expect(await balanceOf(live)).toMatchObject({ available: 2 * 12_990 })
  })

  it("a sweep finds a return by the payer's bank", async () => {
    const { live } = await stage.newSeller()
    const { charge, endToEndId } = await payCharge(stage, live)
    stage.psp.refundOf(endToEndId, { amount: 1_000, natureza: "MED_OPERACIONAL" })
    const part = await eventually("the return", async () => {
      const { body } = await getCharge(live, charge.id)
      return body.refunds.length > 0 ? body : undefined
    })
    expect(part).toMatchObject({ status: "paid", refunded_amount: 1_000, refunds: [{ kind: "chargeback" }] })
    stage.psp.refundOf(endToEndId, { amount: 11_990, natureza: "MED_FRAUDE" })
    await chargeWhen(live, charge.id, "chargeback")
    expect(await balanceOf(live)).toMatchObject({ available: 0 })
  })

  it("a sweep finds a payout that came back after it had succeeded", async () => {
    const requested = await request(stage)
    const { live, withdrawal, payoutId } = requested
    await approve(stage, requested)
    await eventually("the payout", () => stage.psp.payout(payoutId))
    stage.psp.payoutResult(payoutId, "REALIZADO")
    await withdrawalWhen(live, withdrawal.id, "successful")
    stage.psp.payoutReturn(payoutId)
    const returned = await eventually("what came back", async () => {
      const found = await getWithdrawal(live, withdrawal.id)
      return found.returned_amount === undefined ? undefined : found
    })
    expect(returned).toMatchObject({ status: "successful", returned_amount: withdrawal.amount })
  })

  it("a sweep records a Pix that is no charge of ours as an exception, once", async () => {
    const endToEndId = stage.psp.receive({ amount: 777 })
    const found = await exceptionWhen(stage, "payment_unknown", endToEndId)
    expect(found).toMatchObject({ state: "open", amount: 777, seller_id: null, details: { txid: null } })
    await sweepsPass()
    const ofIt = (await exceptionsNow(stage)).filter(({ details }) => details.end_to_end_id === endToEndId)
    expect(ofIt).toEqual([found])
  })

  it("a sweep reads lists of many pages that repeat items, and repeats itself after an error on one", async () => {
    const { live } = await stage.newSeller()
    const charges = [await makeCharge(live), await makeCharge(live), await makeCharge(live)]
    stage.psp.lists.itemsMax = 2
    stage.psp.lists.isRepeating = true
    stage.psp.fail(/^GET \/pix\?.*paginaAtual=1/, { kind: "answer", status: 500 }, 3)
    for (const { pix } of charges) stage.psp.pay(pix.txid)
    for (const { id } of charges) await chargeWhen(live, id, "paid")
    expect(await balanceOf(live)).toMatchObject({ available: 3 * 12_990 })
    stage.psp.lists.itemsMax = 1_000
    stage.psp.lists.isRepeating = false
  })

  it("both processes together sweep no more often than the interval says", async () => {
    const begunMillis = () => {
      const ends = stage.psp
        .requestsOf("GET /pix?")
        .map(({ path }) => new URLSearchParams(path.split("?")[1]).get("fim") ?? "")
      return [...new Set(ends)].map((fim) => Date.parse(fim)).toSorted((a, b) => a - b)
    }
    // Those before may have failed, and one that failed is repeated by its own time.
    const before = begunMillis().length
    await eventually("three more sweeps", () => begunMillis().length >= before + 3 || undefined, 60_000)
    const pauses = begunMillis()
      .slice(before)
      .flatMap((millis, i, all) => millis - (all[i - 1] ?? Number.NaN) || [])
    expect(pauses.length).toBeGreaterThanOrEqual(2)
    for (const pause of pauses) expect(pause).toBeGreaterThanOrEqual(intervalSeconds * 1_000)
  })

  it("the process that is left sweeps on after the other was killed", async () => {
    await other.service.kill9()
    const { live } = await stage.newSeller()
    const charge = await makeCharge(live)
    stage.psp.pay(charge.pix.txid)
    await chargeWhen(live, charge.id, "paid")
  })

  // The last: payouts wait while one is unknown.
  it("a sweep records a payout that is none of ours as an exception, and one that moved nothing not at all", async () => {
    stage.psp.payOut({ amount: 444, idEnvio: "notpaid", status: "NAO_REALIZADO" })
    const endToEndId = stage.psp.payOut({ amount: 555, idEnvio: "strange" })
    const found = await exceptionWhen(stage, "payout_unknown", endToEndId)
    expect(found).toMatchObject({
      state: "open",
      amount: 555,
      details: { payout_id: "strange", status: "paid" },
    })
    const unknown = (await exceptionsNow(stage)).filter(({ kind }) => kind === "payout_unknown")
    expect(unknown).toHaveLength(1)
  })

  it("the audit finds every book in balance after sweeps", async () => {
    const { exitCode, document } = await runOps(["audit", "verify"], {
      REDIS_URL: redis.url,
      ENCRYPTION_KEY: Buffer.from(stage.service.encryptionKey).toString("base64"),
    })
    expect({ exitCode, ok: document.ok ?? document.error }).toEqual(soundBooks)
  })

  it("metrics say how far sweeps came, and what they read and found", async () => {
    const metrics = await (await fetch(`${stage.service.url}/metrics`)).text()
    const at = Number(/^corrente_sweep_completed_at_seconds (\S+)$/m.exec(metrics)?.[1])
    expect(Math.abs(Date.now() / 1_000 - at)).toBeLessThan(300)
    expect(Number(/^corrente_sweep_items_total (\S+)$/m.exec(metrics)?.[1])).toBeGreaterThan(5)
    expect(Number(/^corrente_sweep_differences_total (\S+)$/m.exec(metrics)?.[1])).toBeGreaterThan(5)
  })
})
