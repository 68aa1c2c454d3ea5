import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { makePixKey } from "../support/pixKey.ts"
import { freshKey } from "./support/charges.ts"
import { type DashboardClient, openTwoOperators } from "./support/dashboardClient.ts"
import { paidCharge, postRefund } from "./support/refunds.ts"
import { openStage, type Stage } from "./support/stage.ts"
import { balanceOf, fund, getWithdrawal, withdraw } from "./support/withdrawals.ts"

let stage: Stage
let ana: DashboardClient
let rui: DashboardClient
beforeAll(async () => {
  stage = await openStage({ SIMULATOR_DELAY_MS: "50", OPERATOR_APPROVALS: "2" })
  ;({ ana, rui } = await openTwoOperators(stage.service))
})
afterAll(() => stage?.close())

const awaiting = { status: "awaiting_second_operator" }

describe("an operator's act on live money under two operators", () => {
  it("a withdrawal is approved when another operator makes the same call", async () => {
    const seller = await stage.newSeller()
    await fund(seller.live, 20_000)
    const { id } = await withdraw(seller.live, await makePixKey(stage, seller, "live"), 5_000)
    const approve = (by: DashboardClient) =>
      by.send<object>("POST", `/v1/admin/withdrawals/${id}/approve`, {})

    for (const _ of [1, 2]) {
      const first = await approve(ana)
      expect([first.status, first.body]).toEqual([202, awaiting])
    }
    expect(await getWithdrawal(seller.live, id)).toMatchObject({ status: "awaiting" })
    const second = await approve(rui)
    expect([second.status, second.body]).toEqual([200, expect.objectContaining({ status: "approved" })])
    expect((await approve(ana)).status).toBe(409)
  })

  it("a charge is refunded when another operator asks for the same amount, once for each two calls", async () => {
    const seller = await stage.newSeller()
    const charge = await paidCharge(seller.live, 20_000)
    const refund = (by: DashboardClient, amount: number) =>
      postRefund<object>(by, charge.id, { amount }, freshKey(), "/v1/admin/transactions")

    const first = await refund(ana, 5_000)
    expect([first.status, first.body]).toEqual([202, awaiting])
    expect((await refund(rui, 4_000)).status).toBe(202)
    expect(await balanceOf(seller.live)).toMatchObject({ available: 20_000, pending_refund: 0 })
    expect((await refund(rui, 5_000)).status).toBe(201)
    expect((await refund(rui, 5_000)).status).toBe(202)
  })

  it("a charge is refunded once where the second operator sends the call twice at once", async () => {
    const seller = await stage.newSeller()
    const charge = await paidCharge(seller.live, 20_000)
    const refund = (by: DashboardClient) =>
      postRefund<object>(by, charge.id, { amount: 5_000 }, freshKey(), "/v1/admin/transactions")
    expect((await refund(ana)).status).toBe(202)
    const answers = await Promise.all([refund(rui), refund(rui)])
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 202])
  })
})
