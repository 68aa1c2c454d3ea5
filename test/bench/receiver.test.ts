import { readFileSync, rmSync } from "node:fs"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { Agent, request } from "undici"
import { type Receiver, startReceiver } from "../../bench/support/receiver.ts"
import { dataRoot } from "../../bench/support/redisServer.ts"
import { attemptHeaders } from "../../src/delivery/sender/headers.ts"
import { until } from "../support/until.ts"

let receiver: Receiver
let agent: Agent
beforeAll(async () => {
  receiver = await startReceiver(2)
  agent = new Agent({ allowH2: false, connect: { ca: readFileSync(receiver.caFile, "utf8") } })
})
afterAll(async () => {
  await agent.destroy()
  await receiver.stop()
  rmSync(dataRoot, { recursive: true, force: true })
})

const idOf = (charge: number): string => `txn_${String(charge).padStart(26, "0")}`
const seenNow = () => receiver.ask({ kind: "take" })

/** Delivers an event as the service does; returns the answer's status. */
const deliver = async (endpoint: number, charge: number, secret?: string, signal?: AbortSignal) => {
  const { url = "", secret: own = "" } = receiver.endpoints[endpoint] ?? {}
  const body = `{"id":"evt_1","data":{"object":{"id":"${idOf(charge)}","object":"transaction"}}}`
  const attempt = {
    url,
    body,
    secrets: [secret ?? own],
    secretRequired: true,
    eventId: "evt_1",
    eventType: "transaction.paid",
    deliveryId: `whd_${endpoint}${charge}`,
    attempt: 1,
  }
  const headers = attemptHeaders(attempt, Buffer.from(body), Math.floor(Date.now() / 1_000))
  const answer = await request(url, {
    method: "POST",
    body,
    headers,
    dispatcher: agent,
    ...(signal ? { signal } : {}),
  })
  await answer.body.dump()
  return answer.statusCode
}

describe("the bench's receivers", () => {
  it("receivers answer with the status that is set, and record what arrives in its order", async () => {
    await receiver.ask({ kind: "expect", status: 503, isKeeping: true })
    assert.strictEqual(await deliver(0, 1), 503)
    await receiver.ask({ kind: "behave" })
    assert.deepStrictEqual([await deliver(1, 1), await deliver(0, 2)], [200, 200])
    const { arrivals, requests, charges } = await seenNow()
    assert.deepStrictEqual([requests, charges], [3, 2])
    assert.deepStrictEqual(
      arrivals.map(({ endpoint, chargeId, deliveryId, attempt }) => [
        endpoint,
        chargeId,
        deliveryId,
        attempt,
      ]),
      [
        [0, idOf(1), "whd_01", 1],
        [1, idOf(1), "whd_11", 1],
        [0, idOf(2), "whd_02", 1],
      ],
    )
    assert.isTrue(arrivals.every(({ body, bodyBytes }) => body?.length === bodyBytes))
  })

  it("receivers verify the first request after they were told what to expect, and report a wrong secret", async () => {
    const others = receiver.endpoints.map(() => receiver.endpoints[1]?.secret ?? "")
    for (const [secrets, secret, problems] of [
      [undefined, undefined, 0],
      [undefined, others[0], 1],
      [others, others[0], 0],
    ] as const) {
      await receiver.ask({ kind: "expect", ...(secrets && { secrets }) })
      await deliver(0, 1, secret)
      await deliver(0, 2, secret)
      const seen = await seenNow()
      assert.deepStrictEqual([seen.verified, seen.problems.length], [1, problems])
    }
  })

  it("receivers count the most requests that any one endpoint had at once", async () => {
    await receiver.ask({ kind: "expect", hanging: [0, 1] })
    const answers = [deliver(0, 0), deliver(0, 1), deliver(0, 2), deliver(1, 0), deliver(1, 1)]
    await receiver.ask({ kind: "await", requests: 5, timeoutMillis: 60_000 })
    await receiver.ask({ kind: "behave" })
    assert.deepStrictEqual(await Promise.all(answers), [200, 200, 200, 200, 200])
    await deliver(1, 2)
    assert.strictEqual((await seenNow()).atOnceMax, 3)
  })

  it("receivers no longer count a request whose sender has left", async () => {
    await receiver.ask({ kind: "expect", hanging: [0] })
    const controller = new AbortController()
    const left = deliver(0, 0, undefined, controller.signal).catch(() => "left")
    await receiver.ask({ kind: "await", requests: 1, timeoutMillis: 60_000 })
    controller.abort()
    assert.strictEqual(await left, "left")
    // Each attempt is the only concurrent one, unless the aborted one still counts.
    await until("the end of a request", async () => {
      await receiver.ask({ kind: "expect" })
      await deliver(0, 1)
      return (await seenNow()).atOnceMax === 1
    })
  })

  it("receivers hold answers back, and wait for requests no longer than the given timeout", async () => {
    await receiver.ask({ kind: "expect", holdMillis: 3_600_000 })
    const controller = new AbortController()
    const held = deliver(0, 0, undefined, controller.signal).catch(() => "left")
    await receiver.ask({ kind: "await", requests: 1, timeoutMillis: 60_000 })
    await receiver.ask({ kind: "behave" })
    assert.strictEqual(await deliver(1, 0), 200)
    assert.strictEqual((await receiver.ask({ kind: "await", requests: 3, timeoutMillis: 20 })).requests, 2)
    controller.abort()
    assert.strictEqual(await held, "left")
  })
})
