import { randomBytes } from "node:crypto"
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest"
import type { Transaction } from "../../schema/resources/transaction.ts"
import { startTestRedis, type TestRedis } from "../support/redis.ts"
import { until } from "../support/until.ts"
import { makeBrowser } from "./support/accountBrowser.ts"
import { forgetRates } from "./support/accountPeople.ts"
import { chargeBody, freshKey, makeCharge } from "./support/charges.ts"
import { clientsOf, openStage, type Stage } from "./support/stage.ts"

let redis: TestRedis
let first: Stage
let second: Stage
beforeAll(async () => {
  redis = await startTestRedis()
  const settings = { ENCRYPTION_KEY: randomBytes(32).toString("base64") }
  first = await openStage(settings, { redisUrl: redis.url })
  second = await openStage(settings, { redisUrl: redis.url })
})
afterAll(async () => {
  await Promise.all([first?.close(), second?.close()])
  await redis?.stop()
})
beforeEach(() => forgetRates(second))

/** The form of links to the payment pages of a process. */
const pageOf = ({ service }: Stage) => new RegExp(`^${service.url}/pay/`)

describe("two processes on two ports, without PUBLIC_URL", () => {
  it("give a charge one payment_url, and the replay of its creation the same bytes", async () => {
    const seller = await first.newSeller()
    const onSecond = clientsOf(second.service.url, seller)
    for (const [here, there] of [
      [seller, onSecond],
      [onSecond, seller],
    ] as const) {
      const request = { body: chargeBody(), headers: { "Idempotency-Key": freshKey() } }
      const created = await here.test.post<Transaction>("/v1/transactions", request)
      expect(created.status).toBe(201)
      expect(created.body.payment_url).toMatch(pageOf(first))
      const replayed = await there.test.post<Transaction>("/v1/transactions", request)
      expect(replayed.text).toBe(created.text)
      const read = await there.test.get<Transaction>(`/v1/transactions/${created.body.id}`)
      expect(read.body.payment_url).toBe(created.body.payment_url)
    }
  })

  it("both take their own address as a page of ours", async () => {
    for (const { service } of [first, second]) {
      const answer = await makeBrowser(service.url).send("POST", "/v1/me/auth/request-password-reset", {
        body: { email: "nobody@example.com", redirectTo: `${service.url}/app/reset-password` },
      })
      expect([service.url, answer.status]).toEqual([service.url, 200])
    }
  })

  it("make links to the one that goes on when the other one ends, and to that one still when the other comes back", async () => {
    const seller = await second.newSeller()
    const onSecond = clientsOf(second.service.url, seller)
    const linksTo = async (stage: Stage) =>
      pageOf(stage).test((await makeCharge(onSecond.test)).payment_url ?? "")
    expect(await linksTo(first)).toBe(true)
    await first.service.terminate()
    await until("links to the process that goes on", () => linksTo(second))
    await first.service.restart()
    const { payment_url = "" } = await makeCharge(clientsOf(first.service.url, seller).test)
    expect(payment_url).toMatch(pageOf(second))
    expect((await fetch(payment_url)).status).toBe(200)
    expect(await linksTo(second)).toBe(true)
  })
})
