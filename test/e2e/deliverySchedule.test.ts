import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { startMachineClock } from "../support/machineTime.ts"
import { behaviours, startTlsReceiver, type TlsReceiver } from "../support/tlsReceiver.ts"
import { hasEnded, paidEvent, requestsOn, rowsWhen } from "./support/deliveries.ts"
import { openStage, receiverSettings, type Stage } from "./support/stage.ts"

const delaysSeconds = [0.3, 1.2, 0.6, 0.1, 0.9]

let receiver: TlsReceiver
let stage: Stage
beforeAll(async () => {
  receiver = await startTlsReceiver({ behaviour: behaviours.respond(503) })
  stage = await openStage({
    SIMULATOR_DELAY_MS: "20",
    RETRY_SCHEDULE_SECONDS: delaysSeconds.join(","),
    ...receiverSettings(receiver),
  })
})
afterAll(async () => {
  await stage?.close()
  await receiver?.close()
})

const sellerAt = (path: string) =>
  stage.newSeller({ endpoints: [{ url: receiver.origin + path, events: ["transaction.paid"] }] })

describe("the schedule of retries", () => {
  it("every retry keeps to the schedule: not early, and less than 2 s late", async () => {
    const clock = startMachineClock()
    const seller = await sellerAt("/times")
    await paidEvent(seller.test)
    const rows = await rowsWhen(seller.test, hasEnded)
    for (const [index, delay] of delaysSeconds.entries()) {
      const failed = rows[index]
      // Rows show when an attempt began and how long it took, both rounded.
      const failedAt = Date.parse(failed?.created_at ?? "") + (failed?.response_ms ?? 0)
      const lateMillis = Date.parse(rows[index + 1]?.created_at ?? "") - failedAt - delay * 1_000
      expect(lateMillis).toBeGreaterThanOrEqual(-2)
      expect(lateMillis).toBeLessThan(2_000 + clock.withheldMillis())
    }
  })

  it("retries go on after the process that owed the next attempt is killed", async () => {
    const seller = await sellerAt("/killed")
    const { event } = await paidEvent(seller.test)
    await rowsWhen(seller.test, (rows) => rows.length === 2)
    await stage.service.kill9()
    await stage.service.restart()
    const rows = await rowsWhen(seller.test, hasEnded)
    expect(rows.map(({ attempt }) => attempt)).toEqual([1, 2, 3, 4, 5, 6])
    const requests = requestsOn(receiver, "/killed")
    expect(requests.map(({ headers }) => headers["x-attempt"])).toEqual(["1", "2", "3", "4", "5", "6"])
    expect(new Set(requests.map(({ headers }) => headers["x-event-id"]))).toEqual(new Set([event.id]))
  })
})
