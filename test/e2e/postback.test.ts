import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { signInAsSeller } from "../support/dashboard.ts"
import { startTlsReceiver, type TlsReceiver } from "../support/tlsReceiver.ts"
import { dashboardClient } from "./support/dashboardClient.ts"
import { paidEvent, requestsOn, rowsWhen, verify } from "./support/deliveries.ts"
import { openStage, receiverSettings, type Seller, type Stage } from "./support/stage.ts"

const path = "/v1/me/postback-secret"

let receiver: TlsReceiver
let stage: Stage
beforeAll(async () => {
  receiver = await startTlsReceiver()
  stage = await openStage({ SIMULATOR_DELAY_MS: "20", ...receiverSettings(receiver) })
})
afterAll(async () => {
  await stage?.close()
  await receiver?.close()
})

const dashboardOf = async (seller: Seller, isSteppedUp = true) =>
  dashboardClient(stage.service.url, await signInAsSeller(stage.service, seller.id, { isSteppedUp }))

describe("the postback secret", () => {
  it("the postback secret is shown only by its prefix and the time of its rotation", async () => {
    const seller = await stage.newSeller()
    const { status, body, text } = await (await dashboardOf(seller)).get(path)
    expect(status).toBe(200)
    expect(body).toEqual({
      prefix: seller.postbackSecret.slice(0, 12),
      rotated_at: expect.any(String),
      previous_valid_until: null,
    })
    expect(text).not.toContain(seller.postbackSecret)
  })

  it("a rotated postback secret signs from then on, and the previous one no longer does", async () => {
    const seller = await stage.newSeller()
    const dashboard = await dashboardOf(seller)
    const postback = (name: string) => ({ postback_url: `${receiver.origin}/${name}` })
    await paidEvent(seller.test, postback("before"))
    await rowsWhen(seller.test, (rows) => rows.length === 1)

    const rotated = await dashboard.send<{ secret: string }>("POST", `${path}/rotate`)
    expect(rotated.status).toBe(200)
    const { secret } = rotated.body
    expect(secret).toMatch(/^whsec_[A-Za-z0-9]{43}$/)
    expect((await dashboard.get(path)).body).toMatchObject({ prefix: secret.slice(0, 12) })
    await paidEvent(seller.test, postback("after"))
    await rowsWhen(seller.test, (rows) => rows.length === 2)

    const [before] = requestsOn(receiver, "/before")
    const [after] = requestsOn(receiver, "/after")
    if (before === undefined || after === undefined) throw new Error("a postback is missing")
    verify(before, seller.postbackSecret)
    verify(after, secret)
    expect(() => verify(after, seller.postbackSecret)).toThrow()
    expect(after.headers["x-signature"]?.match(/v1=/g)).toHaveLength(1)
  })

  it("rotating the postback secret requires a step-up", async () => {
    const seller = await stage.newSeller()
    const dashboard = await dashboardOf(seller, false)
    const { status, body } = await dashboard.send("POST", `${path}/rotate`)
    expect([status, body.error.code]).toEqual([403, "mfa_required"])
    expect((await dashboard.get(path)).body).toMatchObject({ prefix: seller.postbackSecret.slice(0, 12) })
  })
})
