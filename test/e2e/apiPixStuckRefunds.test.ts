import { afterAll, beforeAll, expect, it } from "vitest"
import { acquirerRefundIdOf } from "../../schema/ids.ts"
import type { Exception } from "../../schema/resources/exception.ts"
import type { AuditEntry } from "../../schema/resources/operator.ts"
import { signInAsOperator } from "../support/dashboard.ts"
import { type ApiPixStage, auditVerify, openApiPixStage, payCharge, soundBooks } from "./support/apiPix.ts"
import { chargeWhen } from "./support/charges.ts"
import { type Client, eventually, type Page } from "./support/client.ts"
import { type DashboardClient, dashboardClient } from "./support/dashboardClient.ts"
import { openExceptionStore } from "./support/exceptions.ts"
import { refund, refundBuckets, refundWhen } from "./support/refunds.ts"
import { errorOf } from "./support/withdrawals.ts"

const path = "/v1/admin/exceptions"

let stage: ApiPixStage
let other: DashboardClient
let exceptions: ReturnType<typeof openExceptionStore>
beforeAll(async () => {
  stage = await openApiPixStage({ PAYOUT_STUCK_SECONDS: "1" })
  other = dashboardClient(stage.service.url, await signInAsOperator(stage.service))
  exceptions = openExceptionStore(stage)
})
afterAll(async () => {
  await exceptions?.dispose()
  await stage?.close()
})

/** A refund of a whole charge of 200.00 that never reaches the PSP, whose payer's bank then takes all of it back. */
const openTaken = async (live: Client) => {
  const { charge, endToEndId } = await payCharge(stage, live, { amount: 20_000 })
  stage.psp.fail(`PUT /pix/${endToEndId}/devolucao/`, { kind: "cut" })
  const made = await refund(live, charge.id)
  await refundWhen(live, made.id, "processing")
  stage.psp.refundOf(endToEndId, { id: "m1", amount: 20_000, natureza: "MED_FRAUDE" })
  await stage.tell({ endToEndId })
  await chargeWhen(live, charge.id, "chargeback")
  const exception = await eventually("the refund to be stuck", async () => {
    const { body } = await stage.operator.get<Page<Exception>>(`${path}?kind=refund_stuck&state=open`)
    return body.data.find(({ resource_id }) => resource_id === made.id)
  })
  const query = `GET /pix/${endToEndId}/devolucao/${acquirerRefundIdOf(made.id)}`
  return { made, exception, query }
}

const resolve = <T = Exception>(by: DashboardClient, id: string, body: object) =>
  by.send<T>("POST", `${path}/${id}/resolve`, { reason: "by phone with the bank", ...body })
const loggedOf = async (id: string) =>
  (await stage.operator.get<Page<AuditEntry>>("/v1/admin/audit?limit=100")).body.data
    .filter(({ resource_id }) => resource_id === id)
    .map(({ action, details }) => [action, details.without_bank])

it("a refund that the PSP never heard of ends by one operator once the PSP says so, and the books add up", async () => {
  const { live } = await stage.newSeller()
  const { made, exception, query } = await openTaken(live)
  expect(await refundBuckets(live)).toEqual({ available: -20_000, reserve: 0, pending_refund: 20_000 })

  stage.psp.fail(query, { kind: "answer", status: 503 }, 10)
  expect(errorOf(await resolve<never>(stage.operator, exception.id, { act: "fail" }))).toMatchObject({
    status: 503,
    code: "service_unavailable",
  })
  stage.psp.heal()
  expect(errorOf(await resolve<never>(stage.operator, exception.id, { act: "settle" }))).toMatchObject({
    status: 409,
    code: "invalid_state",
    details: { bank_says: "unknown" },
  })
  const { status, body } = await resolve(stage.operator, exception.id, { act: "fail" })
  expect([status, body.state]).toEqual([200, "resolved"])
  expect(await refundWhen(live, made.id, "failed")).toMatchObject({
    failure_reason: "by phone with the bank",
  })
  expect(await refundBuckets(live)).toEqual({ available: 0, reserve: 0, pending_refund: 0 })
  expect(await auditVerify(stage)).toEqual(soundBooks)
})

it("while the PSP does not answer, two operators end a refund without it", async () => {
  const { live } = await stage.newSeller()
  const { exception, query } = await openTaken(live)
  stage.psp.fail(query, { kind: "answer", status: 503 }, 100)
  const fail = { act: "fail", without_bank: true }
  expect((await resolve(stage.operator, exception.id, fail)).status).toBe(202)
  expect((await resolve(stage.operator, exception.id, fail)).status).toBe(202)
  const { status, body } = await resolve(other, exception.id, fail)
  expect([status, body.resolved_by?.split(",")]).toEqual([200, [expect.any(String), expect.any(String)]])
  stage.psp.heal()
  expect(await refundBuckets(live)).toEqual({ available: 0, reserve: 0, pending_refund: 0 })
  expect((await loggedOf(exception.id)).toReversed()).toEqual([
    ["exception.approval_asked", true],
    ["exception.approval_asked", true],
    ["exception.failed", true],
  ])
  expect(await auditVerify(stage)).toEqual(soundBooks)
})

it("without_bank is a boolean, and 400 where the bank is not asked", async () => {
  const { exception } = await openTaken((await stage.newSeller()).live)
  for (const without_bank of ["true", 1, null]) {
    const answer = await resolve<never>(stage.operator, exception.id, { act: "fail", without_bank })
    expect(errorOf(answer)).toMatchObject({ status: 400, param: "without_bank" })
  }
  const unknown = await exceptions.openUnknown("payout_unknown")
  const dismissed = await resolve<never>(stage.operator, unknown, { act: "dismiss", without_bank: true })
  expect(errorOf(dismissed)).toMatchObject({ status: 400, param: "without_bank" })
  const plain = { act: "dismiss", without_bank: false }
  expect((await resolve(stage.operator, unknown, plain)).status).toBe(200)
})
