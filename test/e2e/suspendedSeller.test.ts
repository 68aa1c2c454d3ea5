import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { signInAsOperator, signInAsSeller } from "../support/dashboard.ts"
import { startTlsReceiver, type TlsReceiver } from "../support/tlsReceiver.ts"
import { type DashboardClient, dashboardClient } from "./support/dashboardClient.ts"
import { openStage, receiverSettings, type Stage } from "./support/stage.ts"

let receiver: TlsReceiver
let stage: Stage
beforeAll(async () => {
  receiver = await startTlsReceiver()
  stage = await openStage(receiverSettings(receiver))
})
afterAll(async () => {
  await stage?.close()
  await receiver?.close()
})

interface Made {
  readonly id: string
}

/** What a seller adds, by a name: method, path and body. */
const additions = (url: string, { key, endpoint }: { readonly key: Made; readonly endpoint: Made }) =>
  [
    ["POST", "/v1/me/api-keys", { name: "x", mode: "test" }],
    ["POST", `/v1/me/api-keys/${key.id}/rotate`, undefined],
    ["POST", "/v1/me/pix-keys", { type: "email", value: "other@example.com" }],
    ["POST", "/v1/me/webhook-endpoints", { url, events: ["*"] }],
    ["PATCH", `/v1/me/webhook-endpoints/${endpoint.id}`, { url }],
    ["PUT", "/v1/me/tracker", { url }],
  ] as const

const make = async (dashboard: DashboardClient, method: string, path: string, body: object) => {
  const answer = await dashboard.send<Made>(method, path, body)
  expect(answer.status).toBeLessThan(300)
  return answer.body
}

describe("a suspended seller", () => {
  it("adds no key and no destination, and removes those it has, until it is active again", async () => {
    const seller = await stage.newSeller({ document: "52998224725" })
    const operator = dashboardClient(stage.service.url, await signInAsOperator(stage.service))
    const dashboard = dashboardClient(
      stage.service.url,
      await signInAsSeller(stage.service, seller.id),
      "test",
    )
    const url = receiver.url
    const key = await make(dashboard, "POST", "/v1/me/api-keys", { name: "one", mode: "test" })
    const pixKey = await make(dashboard, "POST", "/v1/me/pix-keys", {
      type: "email",
      value: "one@example.com",
    })
    const endpoint = await make(dashboard, "POST", "/v1/me/webhook-endpoints", { url, events: ["*"] })
    await make(dashboard, "PUT", "/v1/me/tracker", { url })
    const setStatus = (status: string) =>
      operator.send("POST", `/v1/admin/sellers/${seller.id}/status`, { status })

    expect((await setStatus("suspended")).status).toBe(200)
    for (const [method, path, body] of additions(url, { key, endpoint })) {
      const { status, body: answer } = await dashboard.send(method, path, body)
      expect([method, path, status, answer.error?.code]).toEqual([method, path, 403, "seller_not_allowed"])
    }
    const harmless = `/v1/me/webhook-endpoints/${endpoint.id}`
    expect((await dashboard.send("PATCH", harmless, { enabled: false })).status).toBe(200)
    expect((await dashboard.send("POST", `${harmless}/rotate-secret`)).status).toBe(200)

    expect((await setStatus("active")).status).toBe(200)
    for (const [method, path, body] of additions(url, { key, endpoint })) {
      expect([path, (await dashboard.send(method, path, body)).status]).toEqual([
        path,
        expect.toSatisfy((n) => n < 300),
      ])
    }
    expect((await setStatus("suspended")).status).toBe(200)
    for (const path of [
      `/v1/me/api-keys/${key.id}`,
      `/v1/me/pix-keys/${pixKey.id}`,
      `/v1/me/webhook-endpoints/${endpoint.id}`,
      "/v1/me/tracker",
    ]) {
      expect([path, (await dashboard.send("DELETE", path)).status]).toEqual([path, 204])
    }
  })
})
