import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { WithdrawalToPay } from "../../schema/api/manualPayouts.ts"
import type { OperatorWithdrawal } from "../../schema/api/operatorWithdrawals.ts"
import { newEndToEndId } from "../support/pspBooks.ts"
import { type ApiPixStage, auditVerify, openApiPixStage, soundBooks } from "./support/apiPix.ts"
import { amount, approve, bucketsOf, held, type Requested, request } from "./support/apiPixPayouts.ts"
import { type ErrorBody, eventually, type Page } from "./support/client.ts"
import { exceptionsNow, exceptionWhen } from "./support/sweeps.ts"
import { getWithdrawal } from "./support/withdrawals.ts"

let stage: ApiPixStage
beforeAll(async () => {
  stage = await openApiPixStage({ API_PIX_PAYOUTS: "manual", RECONCILE_INTERVAL_SECONDS: "2" })
})
afterAll(() => stage?.close())

const sweeps = () => stage.psp.requestsOf("GET /v2/gn/pix/enviados?").length
const sweepsPass = async (): Promise<void> => {
  const before = sweeps()
  await eventually("two more sweeps", () => sweeps() >= before + 2 || undefined, 40_000)
}

const openApproved = async (): Promise<Requested> => {
  const requested = await request(stage)
  await approve(stage, requested)
  const { body } = await stage.operator.get<Page<WithdrawalToPay>>("/v1/admin/withdrawals/to-pay?limit=100")
  expect(body.data.map(({ id }) => id)).toContain(requested.withdrawal.id)
  return requested
}
const settle = ({ withdrawal }: Requested, endToEndId: string) =>
  stage.operator.send<OperatorWithdrawal & ErrorBody>(
    "POST",
    `/v1/admin/withdrawals/${withdrawal.id}/settle`,
    {
      end_to_end_id: endToEndId,
    },
  )
const openAbout = async (endToEndId: string) =>
  (await exceptionsNow(stage)).filter(
    ({ state, details }) => state === "open" && details.end_to_end_id === endToEndId,
  )

describe("payouts by hand at a bank whose list shows them", () => {
  it("nothing is sent to the bank, and a withdrawal that is settled by its Pix is not an exception of the list", async () => {
    const requested = await openApproved()
    const endToEndId = newEndToEndId()
    const { body } = await settle(requested, endToEndId)
    expect(body).toMatchObject({ status: "successful", end_to_end_id: endToEndId })
    stage.psp.payOut({ amount, endToEndId })
    await sweepsPass()
    expect(await openAbout(endToEndId)).toEqual([])
    expect(stage.psp.requestsOf("PUT /v")).toEqual([])
    expect(await bucketsOf(requested.live)).toEqual({ ...held, pending_withdraw: 0 })
    expect(await auditVerify(stage)).toEqual(soundBooks)
  })

  it("a payout that the list shows before anybody settled it is an exception, and settling it ends that", async () => {
    const requested = await openApproved()
    const endToEndId = stage.psp.payOut({ amount })
    await exceptionWhen(stage, "payout_unknown", endToEndId)
    expect((await getWithdrawal(requested.live, requested.withdrawal.id)).status).toBe("approved")
    expect((await settle(requested, endToEndId)).body).toMatchObject({ status: "successful" })
    await eventually(
      "the exception's end",
      async () => (await openAbout(endToEndId)).length === 0 || undefined,
    )
    expect(await auditVerify(stage)).toEqual(soundBooks)
  })
})
