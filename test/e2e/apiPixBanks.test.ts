import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type ApiPixStage, openApiPixStage } from "./support/apiPix.ts"
import { chargeWhen, makeCharge } from "./support/charges.ts"
import { eventually } from "./support/client.ts"

/** A bank that wants a scope and a key with every call, lists five days at most, and pays nothing out by its API. */
let stage: ApiPixStage
beforeAll(async () => {
  stage = await openApiPixStage({ RECONCILE_INTERVAL_SECONDS: "1" }, {}, { bank: "bb" })
})
afterAll(() => stage?.close())

const completeSweeps = async (): Promise<number> => {
  const text = await (await fetch(`${stage.service.url}/metrics`)).text()
  return Number(/^corrente_sweeps_total\{[^}]*outcome="complete"[^}]*\} (\S+)$/m.exec(text)?.[1] ?? 0)
}

describe("a bank by its profile", () => {
  it("a charge is made there and paid by a sweep, which reads 90 days in windows that the bank takes", async () => {
    const { live } = await stage.newSeller()
    const charge = await makeCharge(live)
    const endToEndId = stage.psp.pay(charge.pix.txid)
    expect(await chargeWhen(live, charge.id, "paid")).toMatchObject({ end_to_end_id: endToEndId })
    const lists = stage.psp.requestsOf("GET /pix?")
    expect(lists.length).toBeGreaterThan(90 / 5)
    for (const { path, headers } of stage.psp.requestsOf("")) {
      if (path.startsWith("/oauth/")) continue
      expect(new URL(path, "https://psp").searchParams.get("gw-dev-app-key")).toBe(stage.psp.appKey)
      expect(headers["gw-dev-app-key"]).toBe(stage.psp.appKey)
    }
    await eventually("a complete sweep", async () => (await completeSweeps()) > 0 || undefined)
  })

  it("neither the key of the application nor the client's secret is in the service's output", () => {
    expect(stage.service.log()).not.toContain(stage.psp.appKey)
    expect(stage.service.log()).not.toContain(stage.psp.clientSecret)
  })
})
