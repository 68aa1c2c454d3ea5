import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { FoundByOperator } from "../../schema/api/operatorSearch.ts"
import type { Transaction } from "../../schema/resources/transaction.ts"
import { signInAsOperator } from "../support/dashboard.ts"
import { makePixKey } from "../support/pixKey.ts"
import type { ErrorBody } from "./support/client.ts"
import { type DashboardClient, dashboardClient } from "./support/dashboardClient.ts"
import { openExceptionStore } from "./support/exceptions.ts"
import { paidCharge, refund } from "./support/refunds.ts"
import { openStage, type Seller, type Stage } from "./support/stage.ts"
import { fund, withdraw } from "./support/withdrawals.ts"

let stage: Stage
let operator: DashboardClient
let exceptions: ReturnType<typeof openExceptionStore>
let shop: Seller
beforeAll(async () => {
  stage = await openStage({ SIMULATOR_DELAY_MS: "50" })
  operator = dashboardClient(stage.service.url, await signInAsOperator(stage.service))
  exceptions = openExceptionStore(stage)
  shop = await stage.newSeller({ name: "Loja da Ana" })
})
afterAll(async () => {
  await exceptions?.dispose()
  await stage?.close()
})

const search = async (q: string): Promise<ReadonlyArray<FoundByOperator>> => {
  const { body } = await operator.get<{ readonly data: ReadonlyArray<FoundByOperator> }>(
    `/v1/admin/search?q=${encodeURIComponent(q)}`,
  )
  return body.data
}
const found = async (q: string) =>
  (await search(q)).map(({ object, id, seller_id, seller_name }) => [object, id, seller_id, seller_name])

describe("operators' search", () => {
  it("finds a charge of any seller by its id and its txid", async () => {
    const charge = await paidCharge(shop.test, 20_000)
    const { body } = await shop.test.get<Transaction>(`/v1/transactions/${charge.id}`)
    const ofAna = ["transaction", charge.id, shop.id, "Loja da Ana"]
    for (const q of [charge.id, ` ${body.pix.txid} `]) expect(await found(q)).toEqual([ofAna])
    expect(await search(charge.id)).toMatchObject([{ status: "paid", amount: 20_000 }])
  })

  it("finds refunds, withdrawals, Pix keys and exceptions by their ids", async () => {
    const { id: chargeId } = await paidCharge(shop.test, 20_000)
    const { id: refundId } = await refund(shop.test, chargeId, { amount: 500 })
    const pixKey = await makePixKey(stage, shop, "live")
    await fund(shop.live, 20_000)
    const withdrawal = await withdraw(shop.live, pixKey, 5_000)
    for (const [object, id] of [
      ["refund", refundId],
      ["withdrawal", withdrawal.id],
      ["pix_key", pixKey],
    ] as const) {
      expect(await found(id)).toEqual([[object, id, shop.id, "Loja da Ana"]])
    }
    const exception = await exceptions.openUnknown()
    expect(await found(exception)).toEqual([["exception", exception, null, null]])
  })

  it("finds sellers by their id and by words of their name, and nothing for what nobody has", async () => {
    const ofAna = ["seller", shop.id, shop.id, "Loja da Ana"]
    expect(await found(shop.id)).toEqual([ofAna])
    expect(await found("loja an")).toEqual([ofAna])
    for (const q of ["Padaria", "txn_01KA0000000700000000000000", `E${"0".repeat(31)}`]) {
      expect(await found(q)).toEqual([])
    }
  })

  it("takes 1 to 200 characters", async () => {
    expect((await operator.get(`/v1/admin/search?q=${"a".repeat(200)}`)).status).toBe(200)
    for (const q of ["", "%20", "a".repeat(201)]) {
      const { status, body } = await operator.get<ErrorBody>(`/v1/admin/search?q=${q}`)
      expect([status, body.error.param]).toEqual([400, "q"])
    }
  })
})
