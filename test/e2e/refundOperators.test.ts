import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest"
import type { Refund } from "../../schema/resources/refund.ts"
import type { Transaction } from "../../schema/resources/transaction.ts"
import { signInAsOperator, signInAsSeller } from "../support/dashboard.ts"
import { freshKey, makeCharge } from "./support/charges.ts"
import type { Page } from "./support/client.ts"
import { type DashboardClient, dashboardClient } from "./support/dashboardClient.ts"
import { getRefund, paidCharge, postRefund, refundBuckets, refundWhen } from "./support/refunds.ts"
import { openStage, type Seller, type Stage } from "./support/stage.ts"
import { changeSeller, errorOf } from "./support/withdrawals.ts"

let stage: Stage
let operator: DashboardClient
beforeAll(async () => {
  stage = await openStage({ SIMULATOR_DELAY_MS: "50" })
  operator = dashboardClient(stage.service.url, await signInAsOperator(stage.service))
})
afterAll(() => stage?.close())

let seller: Seller
let charge: Transaction
beforeEach(async () => {
  seller = await stage.newSeller()
  charge = await paidCharge(seller.live, 20_000)
})

const ask = <T = Refund>(body?: unknown, key = freshKey(), about = charge.id) =>
  postRefund<T>(operator, about, body, key, "/v1/admin/transactions")

interface Act {
  readonly action: string
  readonly operator_id: string
  readonly resource_type: string
  readonly resource_id: string
  readonly details: unknown
}

/** The logged acts on the charge, newest first. */
const acts = async () =>
  (await operator.get<Page<Act>>("/v1/admin/audit?limit=100")).body.data.filter(
    ({ resource_id }) => resource_id === charge.id,
  )

describe("a refund by an operator", () => {
  it("an operator refunds a seller's charge, out of the seller's balance and in the charge's mode", async () => {
    const { status, body } = await ask({ amount: 5_000, reason: "a complaint" })
    expect(status).toBe(201)
    expect(body).toMatchObject({
      transaction_id: charge.id,
      mode: "live",
      amount: 5_000,
      reason: "a complaint",
      origin: "operator",
    })
    await refundWhen(seller.live, body.id, "succeeded")
    expect(await getRefund(seller.live, body.id)).toMatchObject({ origin: "operator" })
    expect(await refundBuckets(seller.live)).toEqual({ available: 15_000, reserve: 0, pending_refund: 0 })
  })

  it("an operator's refund is logged once, however often it is repeated", async () => {
    const key = freshKey()
    const first = await ask({ amount: 5_000, reason: "a complaint" }, key)
    const again = await ask({ amount: 5_000, reason: "a complaint" }, key)
    expect([again.text, again.headers.get("idempotent-replayed")]).toEqual([first.text, "true"])
    const logged = await acts()
    expect(logged).toMatchObject([
      {
        action: "transaction.refund_requested",
        resource_type: "transaction",
        resource_id: charge.id,
        details: { amount: 5_000, reason: "a complaint" },
      },
    ])
    expect(logged[0]?.operator_id).toMatch(/^[0-9a-f-]{36}$/)
  })

  it("a refund that is refused to an operator is not logged", async () => {
    expect(errorOf(await ask<never>({ amount: 20_001 }))).toMatchObject({ status: 400, param: "amount" })
    const unknown = "txn_00000000000000000000000000"
    expect(errorOf(await ask<never>(undefined, freshKey(), unknown))).toMatchObject({ status: 404 })
    const pending = await makeCharge(seller.live, { amount: 101 })
    expect(errorOf(await ask<never>(undefined, freshKey(), pending.id))).toMatchObject({
      code: "invalid_state",
    })
    await changeSeller(operator, seller, "status", { status: "suspended" })
    expect(errorOf(await ask<never>())).toMatchObject({ status: 403, code: "seller_not_allowed" })
    expect(await acts()).toEqual([])
    const { body } = await operator.get<Page<Act>>("/v1/admin/audit?limit=100")
    expect(body.data.filter(({ resource_id }) => resource_id === pending.id)).toEqual([])
  })

  it("how old a test charge may be is judged by its seller's clock, for operators too", async () => {
    charge = await paidCharge(seller.test, 20_000)
    const advance = async (seconds: number) =>
      expect(await seller.test.post("/v1/test/clock/advance", { body: { seconds } })).toMatchObject({
        status: 200,
      })
    await advance(89 * 86_400)
    expect((await ask({ amount: 1 })).status).toBe(201)
    await advance(2 * 86_400)
    expect(errorOf(await ask<never>({ amount: 2 }))).toMatchObject({ status: 409, code: "invalid_state" })
    expect((await acts()).map(({ details }) => details)).toEqual([{ amount: 1 }])
  })

  it("a seller's session is not let in, and an operator's cannot use the seller's route", async () => {
    const session = dashboardClient(stage.service.url, await signInAsSeller(stage.service, seller.id), "live")
    const asSeller = await postRefund(session, charge.id, undefined, freshKey(), "/v1/admin/transactions")
    expect(errorOf(asSeller)).toMatchObject({ status: 403, code: "permission_denied" })
    const asOperator = await postRefund(operator, charge.id, undefined, freshKey(), "/v1/me/transactions")
    expect(errorOf(asOperator)).toMatchObject({ status: 403, code: "permission_denied" })
    expect(await refundBuckets(seller.live)).toMatchObject({ available: 20_000, pending_refund: 0 })
  })
})
