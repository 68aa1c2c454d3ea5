import { randomBytes } from "node:crypto"
import { generateSync } from "otplib"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { dayAfter, dayOf, dayStartMillis } from "../../actors/values/saoPauloDays.ts"
import type { Exception } from "../../schema/resources/exception.ts"
import { closingLeaseKey, ledgerKey } from "../../src/store/keys.ts"
import { type ApiPixStage, openApiPixStage } from "../e2e/support/apiPix.ts"
import { eventually } from "../e2e/support/client.ts"
import { exceptionWhen, untilFrozenBy } from "../e2e/support/sweeps.ts"
import { runOps } from "../ops/cli.ts"
import { startTestRedis, type TestRedis } from "../support/redis.ts"

import { blocksOf, jsonOf, namesIn, runBlocks } from "./section.ts"

const account = { OPS_EMAIL: "ops@example.com", OPS_PASSWORD: "correct horse battery" }
/** Yesterday's books may not be due yet. */
const day = dayAfter(dayOf(Date.now()), -2)

const encryptionKey = randomBytes(32).toString("base64")

let redis: TestRedis
let stage: ApiPixStage
let oldest: Exception
beforeAll(async () => {
  redis = await startTestRedis()
  const settings = { RECONCILE_INTERVAL_SECONDS: "1", ENCRYPTION_KEY: encryptionKey }
  stage = await openApiPixStage(settings, { redisUrl: redis.url })
  oldest = await exceptionWhen(stage, "payment_unknown", stage.psp.receive({ amount: 777 }))
  await exceptionWhen(stage, "payment_unknown", stage.psp.receive({ amount: 778 }))
  const seller = await stage.newSeller()
  await stage.redis(
    ...(["XADD", ledgerKey({ sellerId: seller.id, mode: "live" }), `${dayStartMillis(day)}-0`] as const),
    ...["seq", "1", "kind", "charge_paid", "resource_type", "transaction", "resource", "txn_x", "event", ""],
    ...["postings", "external:-100 available:100"],
    ...["balance", "available:100 reserve:0 pending_withdraw:0 pending_refund:0"],
  )
  // Days are closed at the start of a process, too.
  await stage.redis("DEL", closingLeaseKey)
  await stage.service.restart()
  await eventually("the day to be closed", async () =>
    (await stage.operator.get(`/v1/admin/closings/${day}?mode=live`)).status === 200 ? true : undefined,
  )
  // The audit would look for the charge that it names.
  await stage.redis("DEL", ledgerKey({ sellerId: seller.id, mode: "live" }))
  await untilFrozenBy(stage, null)
})
afterAll(async () => {
  await stage?.close()
  await redis?.stop()
})

const blocks = blocksOf("docs/operations.md", "morning-routine")

describe("the morning routine of the page of operations", () => {
  it("each of its commands runs as it stands and shows what it is there to show", async () => {
    const [variables = "", ...commands] = blocks
    const environment = { REDIS_URL: redis.url, ENCRYPTION_KEY: encryptionKey }
    const made = await runOps(
      ["admin", "create", "--email", account.OPS_EMAIL, "--password", account.OPS_PASSWORD],
      environment,
    )
    const values: Readonly<Record<string, string>> = {
      ...account,
      CORRENTE: stage.service.url,
      METRICS_TOKEN: "",
      OPS_CODE: generateSync({ secret: made.document.totp_secret }),
      DAY: day,
    }
    expect(namesIn(variables).toSorted()).toEqual(Object.keys(values).toSorted())
    const run = await runBlocks(commands, { ...values, ...environment })
    expect(run).toMatchObject({ exitCode: 0, stderr: "" })
    const [health, signIn, exceptions, closing, audit, ...rest] = run.printed
    expect(rest).toEqual([])
    const frozen = "corrente_payouts_frozen 0\n"
    expect(health).toContain(frozen)
    expect(jsonOf(health?.replace(frozen, ""))).toMatchObject([
      { status: "ok" },
      { accounts: [{ unreadable_count: 0, unreadable: [] }] },
    ])
    expect(signIn).toContain('"twoFactorRedirect":true')
    expect(exceptions).toContain(oldest.id)
    expect(exceptions).toContain('"act":"dismiss"')
    expect((await stage.operator.get<Exception>(`/v1/admin/exceptions/${oldest.id}`)).body).toMatchObject({
      state: "resolved",
      act: "dismiss",
    })
    expect(jsonOf(closing)).toMatchObject([{ object: "closing", day, mode: "live" }])
    expect(jsonOf(audit)).toMatchObject([{ ok: true }])
  })
})
