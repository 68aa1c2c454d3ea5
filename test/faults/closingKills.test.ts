import { Redis } from "ioredis"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { dayAfter, dayOf, dayStartMillis } from "../../actors/values/saoPauloDays.ts"
import type { Closing, ClosingDetail } from "../../schema/resources/closing.ts"
import { closingDueMillis } from "../../src/closings/closer.ts"
import {
  closingLeaseKey,
  closingPartsKey,
  closingsKey,
  ledgerKey,
  sellerClosingsKey,
  seriesKey,
} from "../../src/store/keys.ts"
import { apiPixSettings, soundBooks, webhookSecret } from "../e2e/support/apiPix.ts"
import { chargeWhen, makeCharge } from "../e2e/support/charges.ts"
import { eventually, makeClient, readAll } from "../e2e/support/client.ts"
import { dashboardClient } from "../e2e/support/dashboardClient.ts"
import { runOps } from "../ops/cli.ts"
import { signInAsOperator } from "../support/dashboard.ts"
import { freeTestPort } from "../support/ports.ts"
import { type Psp, startPsp } from "../support/psp.ts"
import { startTestRedis, type TestRedis } from "../support/redis.ts"
import { makeSeller, type TestSeller } from "../support/seller.ts"
import { launchService, newDataDir, startService } from "../support/service.ts"
import { closingKills, daysIn, lastDayEnd, wholeDay } from "./closingKillPoints.ts"
import { lastPassed, noFaultPoint } from "./moneyKillLane.ts"

const timeout = 120_000
const noon = 12 * 60 * 60 * 1000
const dataDir = newDataDir()
const encryptionKey = Buffer.alloc(32, 13)

/** Of the beginning: a run may last over a midnight. */
const today = dayOf(Date.now())
/** A payment on a day that is closed since long. Each process dies within a day of its own. */
const payments = closingKills.map((_, i) => {
  const day = dayAfter(today, i - closingKills.length - 2)
  return { day, atMillis: dayStartMillis(day) + noon, amount: 1_000 + i }
})
const total = payments.reduce((sum, { amount }) => sum + amount, 0)

/** The log of the first process that closes a whole day of its own before it dies. */
let closingLog = ""
let psp: Psp
let redis: TestRedis
let client: Redis
let seller: TestSeller

const settings = () => ({
  ...apiPixSettings(psp),
  ENCRYPTION_KEY: encryptionKey.toString("base64"),
  RECONCILE_INTERVAL_SECONDS: "86400",
  PARTITIONS: "1",
})
const start = () => startService({ redisUrl: redis.url, dataDir, env: settings() })

/** Ends the lease of the process that died, as a minute would. */
const endLease = () => client.hset(closingLeaseKey, "until", "0")

/** Dates the payments' ledger entries as if they had been written when the payments were made. */
const dateBack = async (): Promise<void> => {
  const ledger = ledgerKey({ sellerId: seller.id, mode: "live" })
  const entries = await client.xrange(ledger, "-", "+")
  await client.del(ledger)
  for (const [i, [, fields]] of entries.entries()) {
    await client.xadd(ledger, `${payments[i]?.atMillis}-0`, ...fields)
  }
  // Their events stay where they are, and an audit takes amounts by the hour from ledger entries of that hour.
  for (const counts of await client.keys(seriesKey({ sellerId: seller.id, mode: "live" }, "*"))) {
    await client.hdel(counts, ...Array.from({ length: 24 }, (_, hour) => `${hour}:amount`))
  }
}

beforeAll(async () => {
  psp = await startPsp()
  redis = await startTestRedis({ appendfsync: "no" })
  client = new Redis(redis.url)
  const service = await start()
  seller = await makeSeller(service, { partition: 0 })
  // The other one's money never moves.
  await makeSeller(service, { partition: 0 })
  const live = makeClient(service.url, seller.keys.live)
  for (const { amount, atMillis } of payments) {
    const { id, pix } = await makeCharge(live, { amount })
    const endToEndId = psp.pay(pix.txid, { at: new Date(atMillis).toISOString() })
    await psp.notify(`${service.url}/v1/webhooks/api-pix/pix`, psp.notice({ endToEndId }), webhookSecret)
    await chargeWhen(live, id, "paid")
  }
  await psp.waitFor("GET /v2/gn/pix/enviados?", 1)
  await service.kill9()
  await dateBack()
}, 300_000)
afterAll(async () => {
  client?.disconnect()
  await redis?.stop()
  await psp?.close()
})

const amounts = (available: number) => ({
  ...{ available, reserve: 0, pending_withdraw: 0, pending_refund: 0 },
  ...{ external: -available || 0, fees: 0 },
})

describe("kill -9 at every call of the closing of a day", () => {
  it.each(closingKills.map((kill, i) => ({ ...kill, i })))(
    "a process that closes days dies at $faultPoint",
    { timeout },
    async ({ faultPoint, within, i }) => {
      await endLease()
      // Counted from the first look at the ledger of its own day.
      const since = within === "day" ? `@${dayStartMillis(payments[i]?.day ?? "")}` : ""
      const env = {
        ...{ ...settings(), LOG_LEVEL: "debug", FAULT_POINT: `${faultPoint}${since}` },
        ...{ REDIS_URL: redis.url, DATA_DIR: dataDir, PORT: `${await freeTestPort()}` },
      }
      const launched = launchService(env)
      const { code, signal } = await launched.ended
      if (within === "lastDay" && closingLog === "") closingLog = launched.output()
      const at = lastPassed(launched.output())
      expect({ code, signal, at }).toEqual({
        ...{ code: null, signal: "SIGKILL", at: faultPoint.replace(/#.*$/, "") },
      })
    },
  )

  it("the next process closes the rest; each day is closed once, and adds up here and at the acquirer", {
    timeout,
  }, async () => {
    await endLease()
    const service = await startService({
      ...{ redisUrl: redis.url, dataDir },
      env: { ...settings(), LOG_LEVEL: "debug", FAULT_POINT: noFaultPoint },
    })
    const operator = dashboardClient(service.url, await signInAsOperator({ redisUrl: redis.url }))
    const yesterday = dayAfter(today, -1)
    // Yesterday is due half an hour after midnight.
    const lastDay = dayAfter(yesterday, -1)
    await eventually("the days to be closed", async () => {
      const { status } = await operator.get(`/v1/admin/closings/${lastDay}`)
      return status === 200 ? true : undefined
    })
    const listed = await readAll<Closing>(operator, "/v1/admin/closings", "limit=100")
    const days = listed.map(({ day }) => day).filter((day) => day !== yesterday)
    const first = payments[0]?.day ?? ""
    expect(days.toReversed()).toEqual(
      Array.from({ length: payments.length + 1 }, (_, i) => dayAfter(first, i)),
    )
    let opening = 0
    for (const { day, amount } of payments) {
      const { body } = await operator.get<ClosingDetail>(`/v1/admin/closings/${day}`)
      expect(body).toMatchObject({
        platform: {
          opening: amounts(opening),
          movements: { charge_paid: amounts(amount) },
          closing: amounts(opening + amount),
        },
        ...{ difference: 0, partner: { received: amount, sent: 0, returned: 0, difference: 0 } },
      })
      opening += amount
    }
    const ofSeller = await client.xrange(sellerClosingsKey({ sellerId: seller.id, mode: "live" }), "-", "+")
    const ofPart = await client.xrange(closingPartsKey(0, "live"), "-", "+")
    const wholes = await client.xrange(closingsKey("live"), "-", "+")
    expect(ofSeller).toHaveLength(payments.length)
    expect(ofSeller).toEqual(ofPart)
    // What a closing says of the seller is what it says of the platform.
    expect(wholes.slice(0, payments.length).map(([id, fields]) => [id, fields.slice(0, 4)])).toEqual(ofSeller)
    const { body } = await operator.get<ClosingDetail>(`/v1/admin/closings/${lastDay}`)
    expect(body).toMatchObject({ platform: { opening: amounts(total), closing: amounts(total) } })
    // A last day that is due by now: no later one tells the balance of the days before it.
    const lastDue = closingDueMillis(yesterday) > Date.now() ? lastDay : yesterday
    const { partner } = await eventually("the last day to be closed", async () => {
      const answer = await operator.get<ClosingDetail>(`/v1/admin/closings/${lastDue}`)
      return answer.status === 200 ? answer.body : undefined
    })
    expect(partner).toMatchObject({ balance: total, balance_difference: 0, difference: 0 })
    await service.stop()
    expect(daysIn(service.log()).at(-1)?.slice(-lastDayEnd.length)).toEqual(lastDayEnd)
  })

  it("the closing of a day passes the calls of its table", () => {
    expect(daysIn(closingLog)[1]).toEqual(wholeDay)
    expect(closingLog).toContain("passes before acquirer.listReturned")
  })

  it("the audit finds every book in balance", { timeout }, async () => {
    const { exitCode, document } = await runOps(["audit", "verify"], {
      REDIS_URL: redis.url,
      ENCRYPTION_KEY: encryptionKey.toString("base64"),
    })
    expect({ exitCode, ok: document.ok ?? document.error }).toEqual(soundBooks)
  })
})
