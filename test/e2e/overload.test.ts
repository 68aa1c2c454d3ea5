import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { chargeBody, makeCharge, postCharge } from "./support/charges.ts"
import type { ErrorBody } from "./support/client.ts"
import { makeClient } from "./support/client.ts"
import { openStage, type Stage } from "./support/stage.ts"

let stage: Stage
beforeAll(async () => {
  // So short a waiting time that a small crowd is too much, and longer than most stalls of a busy machine.
  stage = await openStage({ ADMISSION_TARGET_MS: "60" })
})
afterAll(() => stage?.close())

/** More requests at a time than the service works on with so short a waiting time. */
const crowd = 300
const othersCharges = 20

/** Whether a request has no answer because its connection was closed. */
const wasClosed = (error: unknown): boolean =>
  error instanceof Error &&
  (error.cause as { readonly code?: unknown } | undefined)?.code === "UND_ERR_SOCKET"

/** How many requests met a closed connection. */
let closings = 0

/** Asks again where a connection was closed, as HTTP clients do: a starved one keeps idle connections for too long. */
const answered = async <T>(ask: () => Promise<T>, triesMax = 5): Promise<T> => {
  try {
    return await ask()
  } catch (error) {
    if (!wasClosed(error) || triesMax === 1) throw error
    closings += 1
    return answered(ask, triesMax - 1)
  }
}

const newImpatientSeller = async () => {
  const { test } = await stage.newSeller()
  return { test: makeClient(test.origin, test.key, { isImpatient: true }) }
}

describe("a seller that floods the service", () => {
  it("a flooding seller gets 503 with Retry-After, while another seller and the probes are served", async () => {
    const [flood, other] = [await newImpatientSeller(), await newImpatientSeller()]
    const probe = makeClient(other.test.origin, undefined, { isImpatient: true })
    const statuses = new Map<number, number>()
    const refusals: Array<{
      readonly retryAfter: string | null
      readonly body: ErrorBody
      readonly id: string | null
    }> = []
    let isFlooding = true
    const ask = async () => {
      while (isFlooding) {
        const { status, headers, body } = await answered(() => postCharge(flood.test, chargeBody()))
        statuses.set(status, (statuses.get(status) ?? 0) + 1)
        if (status !== 503 || refusals.length >= 1_000) continue
        refusals.push({ retryAfter: headers.get("retry-after"), body, id: headers.get("x-request-id") })
      }
    }
    const flooding = Promise.all(Array.from({ length: crowd }, ask))
    const readiness: Array<string> = []
    let othersRefused = 0
    try {
      for (let count = 0; count < othersCharges; count++) {
        // A stall of the machine, longer than the waiting time, refuses whoever comes then.
        while ((await answered(() => postCharge(other.test, chargeBody()))).status !== 201) othersRefused += 1
        expect((await answered(() => probe.get("/health"))).status).toBe(200)
        readiness.push((await answered(() => probe.get("/ready"))).text)
      }
    } finally {
      isFlooding = false
      await flooding
    }

    expect([...statuses.keys()].sort()).toEqual([201, 503])
    const [made = 0, refused = 0] = [statuses.get(201), statuses.get(503)]
    // A service that cut connections instead of refusing requests would close many.
    expect(closings).toBeLessThan((refused + made) / 100)
    const floodsShare = refused / (refused + made)
    const othersShare = othersRefused / (othersRefused + othersCharges)
    expect(othersShare, `${refused} and ${othersRefused} refused`).toBeLessThan(floodsShare / 2)
    expect(readiness.some((text) => /"load":\{"error":"overloaded: \d+ % /.test(text))).toBe(true)
    for (const { retryAfter, body, id } of refusals) {
      expect(Number(retryAfter)).toBeGreaterThanOrEqual(1)
      expect(body.error).toMatchObject({
        type: "internal_error",
        code: "service_unavailable",
        request_id: id,
      })
    }
  })

  it("every charge of a seller is made again once the flood is over", async () => {
    const seller = await stage.newSeller()
    for (let count = 0; count < 20; count++) await makeCharge(seller.test)
  })
})
