import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { OperatorTransaction } from "../../schema/api/operatorTransactions.ts"
import type { Refund } from "../../schema/resources/refund.ts"
import { signInAsOperator } from "../support/dashboard.ts"
import { makeCharge } from "./support/charges.ts"
import { type DashboardClient, dashboardClient } from "./support/dashboardClient.ts"
import { paidCharge, postRefund, refundWhen } from "./support/refunds.ts"
import { openStage, type Stage } from "./support/stage.ts"
import { errorOf } from "./support/withdrawals.ts"

let stage: Stage
let operator: DashboardClient
beforeAll(async () => {
  stage = await openStage({ SIMULATOR_DELAY_MS: "50" })
  operator = dashboardClient(stage.service.url, await signInAsOperator(stage.service))
})
afterAll(() => stage?.close())

const read = <T = OperatorTransaction>(id: string) => operator.get<T>(`/v1/admin/transactions/${id}`)

describe("a charge that an operator reads", () => {
  it("has its seller, its refunds, what they moved and what happened, and no document in full", async () => {
    const seller = await stage.newSeller({ name: "Loja da Ana" })
    const charge = await paidCharge(seller.live, 20_000)
    const { body: refund } = await postRefund<Refund>(seller.live, charge.id, { amount: 5_000 })
    await refundWhen(seller.live, refund.id, "succeeded")
    const { status, body } = await read(charge.id)
    expect(status).toBe(200)
    expect(body).toMatchObject({
      ...{ id: charge.id, object: "transaction", mode: "live", status: "paid", amount: 20_000 },
      ...{ refunded_amount: 5_000, seller_id: seller.id },
      seller: { id: seller.id, name: "Loja da Ana", kyc_status: "approved" },
      all_refunds: [{ id: refund.id, status: "succeeded", amount: 5_000 }],
    })
    expect(body.customer.document).toMatch(/^\*\*\*\.\d{3}\.\d{3}-\*\*$/)
    expect(body.timeline.map(({ type, resource_id }) => [type, resource_id])).toEqual([
      ["transaction.partially_refunded", charge.id],
      ["refund.succeeded", refund.id],
      ["refund.created", refund.id],
      ["transaction.paid", charge.id],
      ["transaction.created", charge.id],
    ])
    expect(body.ledger_entries.map(({ kind }) => kind)).toEqual([
      "refund_settled",
      "refund_held",
      "charge_paid",
    ])
    // By the id of its refund the same charge is found.
    expect((await read(refund.id)).body).toEqual(body)
  })

  it("is found in test mode too, and a charge that does not exist is 404", async () => {
    const seller = await stage.newSeller()
    const charge = await makeCharge(seller.test, { amount: 1_001 })
    expect((await read(charge.id)).body).toMatchObject({
      ...{ mode: "test", status: "pending", all_refunds: [], ledger_entries: [] },
      timeline: [{ type: "transaction.created" }],
    })
    for (const id of ["txn_00000000000000000000000000", "rfd_00000000000000000000000000", "x"])
      expect(errorOf(await read<never>(id))).toMatchObject({ status: 404, code: "resource_not_found" })
  })
})
