import { readFileSync } from "node:fs"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { Agent, request } from "undici"
import {
  type DeliveryRound,
  type ReceiverAnswer,
  type ReceiverBehaviour,
  type ReceiverEndpoint,
  type ReceiverRequest,
  resourceIdOf,
  type SeenDeliveries,
} from "../../bench/load/deliveryProtocol.ts"
import { startWorker, type Worker } from "../../bench/support/child.ts"
import { attemptHeaders } from "../../src/delivery/sender/headers.ts"
import { until } from "../support/until.ts"

const prompt: ReceiverBehaviour = { status: 200, holdMillis: 0, hanging: [] }
const round: DeliveryRound = { run: 7, events: 3, groups: [[0, 1]] }

let receiver: Worker<ReceiverRequest, ReceiverAnswer>
let endpoints: ReadonlyArray<ReceiverEndpoint>
let agent: Agent
beforeAll(async () => {
  receiver = startWorker(new URL("../../bench/load/deliveryReceiver.ts", import.meta.url))
  const { listening } = await receiver.ask({ kind: "listen", endpoints: 2 })
  endpoints = listening?.endpoints ?? []
  agent = new Agent({ allowH2: false, connect: { ca: readFileSync(listening?.caFile ?? "", "utf8") } })
})
afterAll(() => receiver.stop())

const expectRound = (behaviour: ReceiverBehaviour) => receiver.ask({ kind: "expect", round, behaviour })

const seenNow = async (): Promise<SeenDeliveries> => {
  const { seen } = await receiver.ask({ kind: "take" })
  if (seen === undefined) throw new Error("nothing was seen")
  return seen
}

/** Delivers an event as the service does. */
const deliver = (
  endpoint: number,
  event: number,
  { secret, signal }: { readonly secret?: string; readonly signal?: AbortSignal } = {},
) => {
  const { url = "", secret: own = "" } = endpoints[endpoint] ?? {}
  const body = `{"id":"evt_1","data":{"object":{"id":"${resourceIdOf(round.run, event)}","object":"transaction"}}}`
  const attempt = {
    url,
    body,
    secrets: [secret ?? own],
    secretRequired: true,
    eventId: "evt_1",
    eventType: "transaction.paid",
    deliveryId: `whd_${endpoint}${event}`,
    attempt: 1,
  }
  const headers = attemptHeaders(attempt, Buffer.from(body), Math.floor(Date.now() / 1_000))
  return request(url, { method: "POST", body, headers, dispatcher: agent, ...(signal ? { signal } : {}) })
}

const statusOf = async (answer: ReturnType<typeof deliver>): Promise<number> => {
  const { statusCode, body } = await answer
  await body.dump()
  return statusCode
}

describe("the receivers of the deliveries suite", () => {
  it("receivers answer with the status that is set, and count what arrived and what is missing", async () => {
    await expectRound({ ...prompt, status: 503 })
    assert.strictEqual(await statusOf(deliver(0, 0)), 503)
    await receiver.ask({ kind: "behave", behaviour: prompt })
    for (const [endpoint, event] of [
      [1, 0],
      [0, 1],
      [1, 1],
      [0, 2],
    ] as const) {
      assert.strictEqual(await statusOf(deliver(endpoint, event)), 200)
    }
    const seen = await seenNow()
    assert.strictEqual(seen.requests, 5)
    assert.deepStrictEqual(seen.byAttempt, [5, 0, 0, 0, 0, 0])
    assert.deepStrictEqual([seen.missing, seen.repeated, seen.foreign], [1, 0, 0])
    assert.strictEqual(seen.arrivalsMillis.filter((millis) => millis > 0).length, 5)
  })

  it("receivers verify the first request of a round and report a wrong secret", async () => {
    await expectRound(prompt)
    await statusOf(deliver(0, 0))
    assert.deepInclude(await seenNow(), { verified: 1, badSignatures: [] })
    await expectRound(prompt)
    await statusOf(deliver(0, 0, { secret: endpoints[1]?.secret ?? "" }))
    const { badSignatures } = await seenNow()
    assert.lengthOf(badSignatures, 1)
    assert.include(badSignatures[0] ?? "", "WebhookVerificationError")
  })

  it("receivers count the most requests that any one endpoint had at once", async () => {
    await expectRound({ ...prompt, hanging: [0, 1] })
    const answers = [deliver(0, 0), deliver(0, 1), deliver(0, 2), deliver(1, 0), deliver(1, 1)]
    await receiver.ask({ kind: "await", requests: 5, timeoutMillis: 10_000 })
    await receiver.ask({ kind: "behave", behaviour: prompt })
    for (const answer of answers) assert.strictEqual(await statusOf(answer), 200)
    await statusOf(deliver(1, 2))
    assert.strictEqual((await seenNow()).atOnceMax, 3)
  })

  it("receivers no longer count a request whose sender has left", async () => {
    await expectRound({ ...prompt, hanging: [0] })
    const controller = new AbortController()
    const left = deliver(0, 0, { signal: controller.signal }).then(
      () => "answered",
      () => "left",
    )
    await receiver.ask({ kind: "await", requests: 1, timeoutMillis: 10_000 })
    controller.abort()
    assert.strictEqual(await left, "left")
    // Each attempt is the only concurrent one, unless the aborted one still counts.
    await until("the end of a request", async () => {
      await expectRound(prompt)
      await statusOf(deliver(0, 1))
      return (await seenNow()).atOnceMax === 1
    })
  })

  it("receivers hold answers back, and wait for requests no longer than the given timeout", async () => {
    await expectRound({ ...prompt, holdMillis: 60_000 })
    let isAnswered = false
    const held = deliver(0, 0).then(
      () => {
        isAnswered = true
      },
      () => "cut at the end",
    )
    await receiver.ask({ kind: "await", requests: 1, timeoutMillis: 10_000 })
    await receiver.ask({ kind: "behave", behaviour: prompt })
    assert.strictEqual(await statusOf(deliver(1, 0)), 200)
    assert.isFalse(isAnswered)
    assert.strictEqual((await receiver.ask({ kind: "await", requests: 3, timeoutMillis: 20 })).requests, 2)
    await agent.destroy()
    await held
  })
})
