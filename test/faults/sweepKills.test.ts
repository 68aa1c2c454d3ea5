import { Redis } from "ioredis"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { Transaction } from "../../schema/resources/transaction.ts"
import { apiPixSettings, soundBooks } from "../e2e/support/apiPix.ts"
import { chargeWhen, makeCharge } from "../e2e/support/charges.ts"
import { eventually, makeClient } from "../e2e/support/client.ts"
import { exceptionsNow, exceptionWhen } from "../e2e/support/sweeps.ts"
import { balanceOf } from "../e2e/support/withdrawals.ts"
import { runOps } from "../ops/cli.ts"
import { freeTestPort } from "../support/ports.ts"
import { type Psp, startPsp } from "../support/psp.ts"
import { startTestRedis, type TestRedis } from "../support/redis.ts"
import { makeSeller, type TestSeller } from "../support/seller.ts"
import { launchService, newDataDir, startService } from "../support/service.ts"
import { sizes } from "../support/sizes.ts"
import { noFaultPoint, passedIn } from "./moneyKillLane.ts"

/** Calls of a sweep that change nothing, here or at the acquirer, in their order. */
const reads = [
  ...["sweeps.load", "sweeps.now", "sweeps.unconfirmed", "acquirer.listReceived", "pixClaims.findAll"],
  ...["transactions.loadMany", "transactions.load", "acquirer.queryCharge", "exceptions.findFact"],
  ...["acquirer.queryPix", "exceptions.load", "acquirer.listSent", "withdrawals.loadMany"],
]
/** Calls that do, so that a process may die after them, too. */
const writes = [
  ...["sweeps.claim", "pixClaims.claim", "transactions.transition", "exceptions.open"],
  ...["sweeps.keepUnconfirmed", "sweeps.complete"],
]
/** Of the daily sweep alone. */
const dailyPoint = "before:acquirer.listReturned"
const allPoints = [
  dailyPoint,
  ...reads.map((call) => `before:${call}`),
  ...writes.flatMap((call) => [`before:${call}`, `after:${call}`]),
]
/** Between the steps of a sweep that leave something behind. */
const sample = [
  ...["after:sweeps.claim", "after:pixClaims.claim", "after:transactions.transition"],
  ...["after:exceptions.open", "before:acquirer.listSent", "after:sweeps.keepUnconfirmed"],
]
const points = sizes.moneyKills === "all" ? allPoints : sample

const dataDir = newDataDir()
const encryptionKey = Buffer.alloc(32, 11)

let psp: Psp
let redis: TestRedis
let client: Redis
let seller: TestSeller
let charges: ReadonlyArray<Transaction>

/** Settings of a process; the interval is in seconds. */
const settingsOf = (interval: number, faultPoint?: string): Readonly<Record<string, string>> => ({
  ...apiPixSettings(psp),
  ENCRYPTION_KEY: encryptionKey.toString("base64"),
  RECONCILE_INTERVAL_SECONDS: `${interval}`,
  PARTITIONS: "1",
  ...(faultPoint === undefined ? {} : { FAULT_POINT: faultPoint }),
})
const start = (interval: number) => startService({ redisUrl: redis.url, dataDir, env: settingsOf(interval) })

/** Calls of other parts of the process, which come between those of a sweep: a closing reads what was returned whenever it is due. */
const others =
  /^(closings|ledger|timers|inbox)\.|^exceptions\.countOpen$|^transactions\.get$|^acquirer\.listReturned$/

/** The calls of sweeps in a log, each once, sorted. */
const callsOfSweeps = (log: string): ReadonlyArray<string> => {
  const calls = passedIn(log).flatMap((line) => /^before ([^ ]+)/.exec(line)?.[1] ?? [])
  return [...new Set(calls.filter((call) => !others.test(call)))].sort()
}

/** What nobody told of: a payment of a charge, a Pix that pays none, and a payout that we never asked for. */
const moveMoney = (charge: Transaction | undefined, i: number | string) => {
  psp.pay(charge?.pix.txid ?? "")
  psp.receive({ amount: 100, endToEndId: `E${i}` })
  psp.payOut({ amount: 100, endToEndId: `S${i}` })
}

/** Ends the lease of the process that died, as 15 s would. */
const endLease = async () => {
  for (const key of await client.keys("sweep:*")) await client.hset(key, "lease_until", "0")
}
/** Makes the next sweep the daily one, as a day would. */
const beginDaily = async () => {
  for (const key of await client.keys("sweep:*")) await client.hset(key, "long_began", "0")
}
const commands = {
  redis: (command: string, ...args: ReadonlyArray<string | number>) => client.call(command, ...args),
}

beforeAll(async () => {
  psp = await startPsp()
  redis = await startTestRedis({ appendfsync: "no" })
  client = new Redis(redis.url)
  const service = await start(86_400)
  seller = await makeSeller(service, { partition: 0 })
  const live = makeClient(service.url, seller.keys.live)
  charges = await Promise.all(points.map(() => makeCharge(live, { pix: { expires_in_seconds: 86_400 } })))
  // The first sweep is over: those of the processes to come are about the last hour.
  await psp.waitFor("GET /v2/gn/pix/enviados?", 1)
  await service.kill9()
}, 300_000)
afterAll(async () => {
  client?.disconnect()
  await redis?.stop()
  await psp?.close()
})

describe("kill -9 at every call of a sweep", () => {
  it.each(points.map((point, i) => ({ point, i })))(
    "a process that sweeps dies at $point, of a payment, a Pix and a payout that nobody told of",
    { timeout: 120_000 },
    async ({ point, i }) => {
      moveMoney(charges[i], i)
      await endLease()
      if (point === dailyPoint) await beginDaily()
      const port = await freeTestPort()
      const env = { ...settingsOf(1, point), REDIS_URL: redis.url, DATA_DIR: dataDir, PORT: `${port}` }
      const { code, signal } = await launchService(env).ended
      expect({ code, signal }).toEqual({ code: null, signal: "SIGKILL" })
    },
  )

  it("the next sweep finds everything once, whatever the killed ones had done", {
    timeout: 120_000,
  }, async () => {
    await endLease()
    const service = await start(1)
    const live = makeClient(service.url, seller.keys.live)
    for (const { id } of charges) await chargeWhen(live, id, "paid", 60_000)
    for (const i of points.keys()) {
      await exceptionWhen(commands, "payment_unknown", `E${i}`)
      await exceptionWhen(commands, "payout_unknown", `S${i}`)
    }
    expect(await exceptionsNow(commands)).toHaveLength(2 * points.length)
    expect(await balanceOf(live)).toMatchObject({ available: 12_990 * points.length })
    const { exitCode, document } = await runOps(["audit", "verify"], {
      REDIS_URL: redis.url,
      ENCRYPTION_KEY: encryptionKey.toString("base64"),
    })
    expect({ exitCode, ok: document.ok ?? document.error }).toEqual(soundBooks)
    await service.stop()
  })

  it("a sweep that finds the like passes the calls of the table", { timeout: 120_000 }, async () => {
    const service = await startService({
      ...{ redisUrl: redis.url, dataDir },
      env: { ...settingsOf(2, noFaultPoint), LOG_LEVEL: "debug" },
    })
    const live = makeClient(service.url, seller.keys.live)
    const charge = await makeCharge(live, { pix: { expires_in_seconds: 86_400 } })
    const begin = service.log().length
    moveMoney(charge, "last")
    await chargeWhen(live, charge.id, "paid", 60_000)
    await exceptionWhen(commands, "payout_unknown", "Slast")
    const found = service.log().length
    await eventually("the sweep to be over", async () =>
      service.log().slice(found).includes("passes after sweeps.complete") ? true : undefined,
    )
    const calls = callsOfSweeps(service.log().slice(begin))
    await service.stop()
    expect(calls).toEqual([...reads, ...writes].sort())
  })
})
