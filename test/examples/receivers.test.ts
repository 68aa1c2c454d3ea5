import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { Event } from "../../schema/resources/event.ts"
import { makeCharge } from "../e2e/support/charges.ts"
import { openStage, type Seller, type Stage } from "../e2e/support/stage.ts"
import { until } from "../support/until.ts"
import { startExample } from "./runExample.ts"
import { startTlsFront, type TlsFront } from "./tlsFront.ts"

let folder: string
let front: TlsFront
let stage: Stage
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "corrente-test-examples-"))
  front = await startTlsFront()
  stage = await openStage({
    SIMULATOR_DELAY_MS: "50",
    RETRY_SCHEDULE_SECONDS: "0.1,0.1,0.1,0.1,0.1",
    WEBHOOK_ALLOW_DESTINATIONS: front.origin,
    WEBHOOK_CA_FILE: front.caFile,
  })
})
afterAll(async () => {
  await stage?.close()
  await front?.close()
  rmSync(folder, { recursive: true, force: true })
})

/** A seller whose payments are delivered to the receiver behind the proxy. */
const newSeller = async (): Promise<{ readonly seller: Seller; readonly secret: string }> => {
  const url = `${front.origin}/webhooks`
  const seller = await stage.newSeller({ endpoints: [{ url, events: ["transaction.paid"] }] })
  const [endpoint] = seller.endpoints
  if (endpoint === undefined) throw new Error("no endpoint")
  return { seller, secret: endpoint.secret }
}

/** Repeats a request that was passed on, as somebody on the way could. */
const sendAgain = async (port: number, index: number, change: (body: string) => string = (body) => body) => {
  const passed = front.passedOn[index]
  if (passed === undefined) throw new Error("nothing was passed on")
  const names = ["content-type", "x-signature", "webhook-id", "webhook-timestamp", "webhook-signature"]
  const response = await fetch(`http://localhost:${port}/webhooks`, {
    method: "POST",
    headers: Object.fromEntries(names.map((name) => [name, String(passed.headers[name])])),
    body: change(passed.body.toString("utf8")),
  })
  return response.status
}

const doubled = (body: string) => body.replace('"amount":12990', '"amount":25980')

describe.each(["receiver-http.mjs", "receiver-express.mjs"])("examples/%s", (name) => {
  it(`${name} takes a signed delivery once, also when it is repeated, and refuses a forged one`, async () => {
    const { seller, secret } = await newSeller()
    const settings = { WEBHOOK_SECRET: secret, PORT: "0", EVENTS_FILE: join(folder, `${name}.jsonl`) }
    const example = startExample(name, settings)
    await example.printed("Receiving on port")
    front.passTo(example.port())
    const first = front.passedOn.length

    const { id } = await makeCharge(seller.test)
    await example.printed(`transaction.paid ${id}`)
    await until("the delivery to be answered", () => front.passedOn.length > first)
    expect(front.passedOn[first]?.status).toBe(204)
    expect(await sendAgain(example.port(), first)).toBe(204)
    expect(await sendAgain(example.port(), first, doubled)).toBe(401)
    expect(example.output().split(id)).toHaveLength(2)
    await example.kill9()
  })
})

describe("examples/receiver-http.mjs", () => {
  it("receiver-http.mjs knows after a restart which deliveries it has taken", async () => {
    const { seller, secret } = await newSeller()
    const file = join(folder, "restart.jsonl")
    const settings = { WEBHOOK_SECRET: secret, PORT: "0", EVENTS_FILE: file }
    const before = startExample("receiver-http.mjs", settings)
    await before.printed("Receiving on port")
    front.passTo(before.port())
    const first = front.passedOn.length
    const { id } = await makeCharge(seller.test)
    await until("the delivery to be answered", () => front.passedOn.length > first)
    await before.kill9()

    const after = startExample("receiver-http.mjs", settings)
    await after.printed("Receiving on port")
    front.passTo(after.port())
    expect(await sendAgain(after.port(), first)).toBe(204)
    const kept = readFileSync(file, "utf8")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as Event)
    expect(kept.map(({ data }) => data.object.id)).toEqual([id])
    await after.kill9()
  })
})
