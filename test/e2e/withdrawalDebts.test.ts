import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { OperatorWithdrawal } from "../../schema/api/operatorWithdrawals.ts"
import { payoutIdOf } from "../../schema/ids.ts"
import { type ApiPixStage, auditVerify, openApiPixStage, payCharge, soundBooks } from "./support/apiPix.ts"
import { approve, decide, openPayee, sendingsOf } from "./support/apiPixPayouts.ts"
import { chargeWhen } from "./support/charges.ts"
import { eventually, type Page } from "./support/client.ts"
import { openExceptionStore } from "./support/exceptions.ts"
import { untilFrozenBy } from "./support/sweeps.ts"
import { balanceOf, errorOf, getWithdrawal, withdraw } from "./support/withdrawals.ts"

let stage: ApiPixStage
let exceptions: ReturnType<typeof openExceptionStore>
beforeAll(async () => {
  stage = await openApiPixStage()
  exceptions = openExceptionStore(stage)
})
afterAll(async () => {
  await exceptions?.dispose()
  await stage?.close()
})

/** A withdrawal of 25,100 of 30,000 centavos with its fee, and how a payer's bank takes 10,000 of these back. */
const start = async () => {
  const payee = await openPayee(stage)
  const { charge, endToEndId } = await payCharge(stage, payee.live, { amount: 10_000 })
  const withdrawal = await withdraw(payee.live, payee.pixKeyId, 25_000)
  const takeBack = async () => {
    stage.psp.refundOf(endToEndId, { amount: 10_000, natureza: "MED_FRAUDE" })
    await stage.tell({ endToEndId })
    await chargeWhen(payee.live, charge.id, "chargeback")
    expect((await balanceOf(payee.live)).available).toBe(-5_100)
  }
  return { ...payee, withdrawal, payoutId: payoutIdOf(withdrawal.id), takeBack }
}

/** What operators see of a withdrawal. */
const listed = async (status: string, { id }: { readonly id: string }) => {
  const { body } = await stage.operator.get<Page<OperatorWithdrawal>>(
    `/v1/admin/withdrawals?status=${status}`,
  )
  return body.data.find((found) => found.id === id)
}

describe("a withdrawal whose seller fell into debt after it was requested", () => {
  it("its approval is 409 with what is available, which operators' lists show, and it can be rejected", async () => {
    const requested = await start()
    await requested.takeBack()
    expect(errorOf(await decide(stage, "approve", requested))).toMatchObject({
      ...{ status: 409, code: "invalid_state" },
      details: { reason: "balance_negative", available: -5_100 },
    })
    expect(await listed("awaiting", requested.withdrawal)).toMatchObject({ available: -5_100 })
    const rejected = await decide<OperatorWithdrawal>(stage, "reject", requested)
    expect(rejected.body).toMatchObject({ status: "rejected", available: 20_000 })
  })

  it("an approved one waits, and the bank gets no payout", async () => {
    const requested = await start()
    const { withdrawal, live } = requested
    const exceptionId = await exceptions.openUnknown("payout_unknown")
    await untilFrozenBy(stage, "1 open exception of payouts")
    expect(await approve(stage, requested)).toMatchObject({ status: "approved", available: 4_900 })
    await requested.takeBack()
    const dismissal = { act: "dismiss", reason: "a test" }
    await stage.operator.send("POST", `/v1/admin/exceptions/${exceptionId}/resolve`, dismissal)
    await untilFrozenBy(stage, null)
    await eventually("the withdrawal to wait for its balance", async () =>
      stage.service.log().includes(`'${withdrawal.id}' cannot be handed to the bank now`) ? true : undefined,
    )
    expect(sendingsOf(stage, requested)).toEqual([])
    expect((await getWithdrawal(live, withdrawal.id)).status).toBe("approved")
    expect(await listed("approved", withdrawal)).toMatchObject({ available: -5_100 })
    expect(await auditVerify(stage)).toEqual(soundBooks)
  })
})
