import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { signInAsOperator, signInAsSeller } from "../support/dashboard.ts"
import { chargeBody, postCharge } from "./support/charges.ts"
import { dashboardClient } from "./support/dashboardClient.ts"
import { openStage, type Stage } from "./support/stage.ts"

let stage: Stage
beforeAll(async () => {
  stage = await openStage()
})
afterAll(() => stage?.close())

const marks = {
  "a NUL": "\u0000",
  "an escape": "\u001b",
  "a line feed": "\n",
  "a right-to-left override": "\u202e",
}
const { customer, items } = chargeBody()

describe.each(Object.entries(marks))("text with %s", (name, mark) => {
  const bad = `Ana${mark}Souza`

  it.each([
    ["customer.name", { customer: { ...customer, name: bad } }],
    ["customer.email", { customer: { ...customer, email: `ana${mark}@example.com` } }],
    ["customer.phone", { customer: { ...customer, phone: bad } }],
    ["items.0.name", { items: [{ ...items[0], name: bad }] }],
    ["metadata", { metadata: { [bad]: "x" } }],
  ])(`text with ${name} is refused in a charge at %s`, async (param, changes) => {
    const seller = await stage.newSeller()
    const { status, body } = await postCharge(seller.test, chargeBody(changes))
    expect([status, body.error.code, body.error.param]).toEqual([400, "validation_failed", param])
  })

  it(`text with ${name} is refused in a seller's names, descriptions, PIX keys and URLs`, async () => {
    const seller = await stage.newSeller()
    const dashboard = dashboardClient(
      stage.service.url,
      await signInAsSeller(stage.service, seller.id),
      "test",
    )
    const url = "https://example.com/hook"
    const refused = [
      ["POST", "/v1/me/api-keys", { name: bad, mode: "test" }, "name"],
      ["PATCH", "/v1/me/seller", { name: bad }, "name"],
      ["POST", "/v1/me/kyc", { document: "529.982.247-25", legal_name: bad }, "legal_name"],
      ["POST", "/v1/me/pix-keys", { type: "email", value: `ana${mark}@example.com` }, "value"],
      ["POST", "/v1/me/webhook-endpoints", { url, events: ["*"], description: bad }, "description"],
      ["POST", "/v1/me/webhook-endpoints", { url: url + mark, events: ["*"] }, "url"],
    ] as const
    for (const [method, path, body, param] of refused) {
      const answer = await dashboard.send(method, path, body)
      expect([path, answer.status, answer.body.error.param]).toEqual([path, 400, param])
    }
    const withdrawal = await dashboard.request<{ error: { param: string } }>("POST", "/v1/me/withdrawals", {
      headers: { "Idempotency-Key": "control-characters" },
      body: { amount: 1_000, pix_key_id: "pk_x", description: bad },
    })
    expect([withdrawal.status, withdrawal.body.error.param]).toEqual([400, "description"])
  })

  it(`text with ${name} is refused as an operator's reason`, async () => {
    const seller = await stage.newSeller()
    const operator = dashboardClient(stage.service.url, await signInAsOperator(stage.service))
    const path = `/v1/admin/sellers/${seller.id}/status`
    const { status, body } = await operator.send("POST", path, { status: "suspended", reason: bad })
    expect([status, body.error.param]).toEqual([400, "reason"])
  })
})

describe("the values of a charge's metadata", () => {
  it("a charge's metadata values may contain line breaks of HTML forms and tabs, but no NUL", async () => {
    const seller = await stage.newSeller()
    const metadata = { note: "a\r\n\tb\r" }
    expect((await postCharge(seller.test, chargeBody({ metadata }))).body).toMatchObject({ metadata })
    const { status, body } = await postCharge(seller.test, chargeBody({ metadata: { note: "a\u0000" } }))
    expect([status, body.error.param]).toEqual([400, "metadata.note"])
  })
})
