import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { Exception } from "../../schema/resources/exception.ts"
import {
  type ApiPixStage,
  auditVerify,
  duplicate,
  noticeWhen,
  openApiPixStage,
  received,
  reprocess,
  soundBooks,
  webhookSecret,
} from "./support/apiPix.ts"
import {
  approve,
  bucketsOf,
  expectPaidOnce,
  expectReturnedOnce,
  held,
  lookUpOf,
  payoutOf,
  type Requested,
  request,
  send,
  sendingsOf,
} from "./support/apiPixPayouts.ts"
import { type ErrorBody, eventually, type Page } from "./support/client.ts"
import { getRecord, listInbox } from "./support/notices.ts"
import { getWithdrawal, withdrawalWhen } from "./support/withdrawals.ts"

let stage: ApiPixStage
beforeAll(async () => {
  stage = await openApiPixStage()
})
afterAll(() => stage?.close())

/** A notice of a payout as the PSP would send it; its claim need not be true. */
const claim = (
  { payoutId }: Pick<Requested, "payoutId">,
  claimed: { readonly status: string; readonly endToEndId?: string; readonly valor?: string },
): string =>
  JSON.stringify({
    pix: [
      {
        valor: "50.00",
        horario: "2026-11-21T00:07:35.123Z",
        tipo: "SOLICITACAO",
        ...claimed,
        gnExtras: { idEnvio: payoutId },
      },
    ],
  })

/** Records of notices about a withdrawal, newest first. */
const recordsAbout = async ({ withdrawal }: Requested) =>
  (await listInbox(stage.operator, "limit=100")).data.filter(
    ({ withdrawal_id }) => withdrawal_id === withdrawal.id,
  )

/** Expects a payout that is under way: its withdrawal is processing, and the money is held. */
const expectUnderWay = async ({ live, withdrawal }: Requested) => {
  expect(await getWithdrawal(live, withdrawal.id)).toMatchObject({
    status: "processing",
    end_to_end_id: null,
    failure_reason: null,
  })
  expect(await bucketsOf(live)).toEqual(held)
}

const isTried = ({ attempts }: { readonly attempts: number }) => attempts > 0

describe("a payout's notice", () => {
  it("a payout notice counts once when it comes many times at once and again afterwards", async () => {
    const requested = await send(stage)
    const { live, withdrawal, payoutId } = requested
    stage.psp.payoutResult(payoutId, "REALIZADO")
    const about = { idEnvio: payoutId }
    const answers = await Promise.all(Array.from({ length: 20 }, () => stage.tell(about)))
    expect(answers.toSorted()).toEqual([...Array(19).fill(duplicate), received])
    const done = await withdrawalWhen(live, withdrawal.id, "successful")
    expect(await stage.tell(about)).toBe(duplicate)
    expect(await noticeWhen(stage, `${done.end_to_end_id}:sent:REALIZADO`)).toMatchObject({ error: null })
    await expectPaidOnce(stage, requested)
    expect(await recordsAbout(requested)).toHaveLength(1)
    expect(sendingsOf(stage, requested)).toHaveLength(1)
  })

  it("the notice of a payout that came back is new, and gives the money back at once", async () => {
    const { live, withdrawal, payoutId } = await send(stage)
    const about = { idEnvio: payoutId }
    stage.psp.payoutResult(payoutId, "REALIZADO")
    await stage.tell(about)
    await withdrawalWhen(live, withdrawal.id, "successful")
    stage.psp.payoutReturn(payoutId)
    expect(await stage.tell(about)).toBe(received)
    const returned = await eventually(`${withdrawal.id} to come back`, async () => {
      const found = await getWithdrawal(live, withdrawal.id)
      return found.returned_amount === undefined ? undefined : found
    })
    expect(returned).toMatchObject({ status: "successful", returned_amount: withdrawal.amount })
    expect(await stage.tell(about)).toBe(duplicate)
  })

  it("a payout notice that comes after the end changes nothing, whatever it claims", async () => {
    const requested = await send(stage)
    const { live, withdrawal, payoutId } = requested
    const early = stage.psp.notice({ idEnvio: payoutId })
    stage.psp.payoutResult(payoutId, "REALIZADO")
    const { endToEndId } = payoutOf(stage, requested)
    await stage.tell({ idEnvio: payoutId })
    await withdrawalWhen(live, withdrawal.id, "successful")
    // The first should have come earlier, and the second was never true.
    const refused = claim(requested, { status: "NAO_REALIZADO", endToEndId })
    for (const [body, status] of [
      [early, "EM_PROCESSAMENTO"],
      [refused, "NAO_REALIZADO"],
    ] as const) {
      expect((await stage.post(body, webhookSecret)).text).toBe(received)
      expect(await noticeWhen(stage, `${endToEndId}:sent:${status}`)).toMatchObject({ error: null })
    }
    await expectPaidOnce(stage, requested)
  })

  it("a notice of failure that one of success follows returns the money once", async () => {
    const requested = await send(stage)
    const { live, withdrawal, payoutId } = requested
    stage.psp.payoutResult(payoutId, "NAO_REALIZADO", "AC03")
    const { endToEndId } = payoutOf(stage, requested)
    await stage.tell({ idEnvio: payoutId })
    await withdrawalWhen(live, withdrawal.id, "failed")
    expect(
      (await stage.post(claim(requested, { status: "REALIZADO", endToEndId }), webhookSecret)).text,
    ).toBe(received)
    await noticeWhen(stage, `${endToEndId}:sent:REALIZADO`)
    await expectReturnedOnce(requested, "failed", "AC03")
  })

  it("a payout notice that comes before the PSP's result settles nothing until it comes again", async () => {
    const requested = await send(stage)
    const { live, withdrawal, payoutId } = requested
    const { endToEndId } = payoutOf(stage, requested)
    const body = claim(requested, { status: "REALIZADO", endToEndId })
    expect((await stage.post(body, webhookSecret)).text).toBe(received)
    const early = await noticeWhen(stage, `${endToEndId}:sent:REALIZADO`, isTried)
    expect(early).toMatchObject({ processed_at: null, error: "the acquirer does not confirm it yet" })
    await expectUnderWay(requested)

    stage.psp.payoutResult(payoutId, "REALIZADO")
    expect((await stage.post(body, webhookSecret)).text).toBe(duplicate)
    await withdrawalWhen(live, withdrawal.id, "successful")
    await expectPaidOnce(stage, requested)
    expect(await noticeWhen(stage, `${endToEndId}:sent:REALIZADO`)).toMatchObject({
      id: early.id,
      error: null,
    })
  })

  it("a notice of an unapproved withdrawal does nothing, and does not block the real payout", async () => {
    const requested = await request(stage)
    const { live, withdrawal, payoutId } = requested
    const body = claim(requested, { status: "REALIZADO" })
    expect((await stage.post(body, webhookSecret)).text).toBe(received)
    const early = await noticeWhen(stage, `${payoutId}:sent:REALIZADO`, isTried)
    expect(early).toMatchObject({ processed_at: null, error: expect.any(String) })
    expect(await getWithdrawal(live, withdrawal.id)).toEqual(withdrawal)
    expect(stage.psp.requestsOf(`PUT /v3/gn/pix/${payoutId}`)).toEqual([])

    await approve(stage, requested)
    await stage.psp.waitFor(`PUT /v3/gn/pix/${payoutId}`, 1)
    stage.psp.payoutResult(payoutId, "REALIZADO")
    expect(await stage.tell({ idEnvio: payoutId })).toBe(received)
    await withdrawalWhen(live, withdrawal.id, "successful")
    await expectPaidOnce(stage, requested)
    expect(await reprocess(stage, early.id)).toMatchObject({ error: null, processed_at: expect.any(String) })
    await expectPaidOnce(stage, requested)
  })

  it("a notice of an unknown payout is processed without asking the PSP", async () => {
    const stranger = { payoutId: "01KB2N4Y8Q6ZJ5T7R9W3X1V0SD" }
    const before = stage.psp.requestsOf("GET /v2/gn/pix").length
    await stage.post(claim(stranger, { status: "REALIZADO", endToEndId: "E1" }), webhookSecret)
    expect(await noticeWhen(stage, "E1:sent:REALIZADO")).toMatchObject({
      error: "it names no charge or withdrawal of ours",
    })
    const lookUps = stage.psp.requestsOf("GET /v2/gn/pix").slice(before)
    expect(lookUps.filter(({ path }) => path.endsWith(stranger.payoutId))).toEqual([])
  })

  it("a payout notice records its error while the PSP is down, and settles when an operator reprocesses it", async () => {
    const requested = await send(stage)
    const { live, withdrawal, payoutId } = requested
    stage.psp.payoutResult(payoutId, "REALIZADO")
    const { endToEndId } = payoutOf(stage, requested)
    // A call and both its retries, for the notice and for the service's own look-up.
    stage.psp.fail(lookUpOf(requested), { kind: "answer", status: 503 }, 3 * 2)
    expect(await stage.tell({ idEnvio: payoutId })).toBe(received)
    const failed = await noticeWhen(stage, `${endToEndId}:sent:REALIZADO`, isTried)
    expect(failed).toMatchObject({ attempts: 1, processed_at: null, error: "answered 503" })
    await expectUnderWay(requested)
    stage.psp.heal()

    expect(await reprocess(stage, failed.id)).toMatchObject({ attempts: 2, error: null })
    expect((await getWithdrawal(live, withdrawal.id)).status).toBe("successful")
    await expectPaidOnce(stage, requested)
  })
})

describe("the PSP's answer about a payout", () => {
  it("a look-up that shows another amount settles nothing, and the next right one does; payouts wait for an operator", async () => {
    const requested = await send(stage)
    const { live, withdrawal, payoutId } = requested
    stage.psp.payoutResult(payoutId, "REALIZADO")
    const { endToEndId } = payoutOf(stage, requested)
    stage.psp.fail(lookUpOf(requested), { kind: "wrongAmount" })
    expect(await stage.tell({ idEnvio: payoutId })).toBe(received)
    const doubted = await noticeWhen(stage, `${endToEndId}:sent:REALIZADO`, isTried)
    expect(doubted).toMatchObject({ processed_at: null, error: "answered with another amount" })
    await expectUnderWay(requested)
    // The service looks it up again by itself.
    await withdrawalWhen(live, withdrawal.id, "successful")
    await expectPaidOnce(stage, requested)

    const open = await stage.operator.get<Page<Exception>>("/v1/admin/exceptions?state=open")
    expect(open.body.data).toMatchObject([{ kind: "payout_contradicted", resource_id: withdrawal.id }])
    const next = await request(stage)
    await approve(stage, next)
    const path = `/v1/admin/exceptions/${open.body.data[0]?.id}/resolve`
    expect(sendingsOf(stage, next)).toEqual([])
    const dismissal = { act: "dismiss", reason: "the bank has corrected it" }
    expect((await stage.operator.send("POST", path, dismissal)).status).toBe(200)
    await stage.psp.waitFor(`PUT /v3/gn/pix/${next.payoutId}`, 1)
  })
})

describe("a forged payout notice", () => {
  it("a forged payout notice is refused, recorded and never processed, and does not block the real one", async () => {
    const requested = await request(stage)
    const { live, withdrawal, payoutId } = requested
    const body = claim(requested, { status: "REALIZADO", endToEndId: "E00000000202611210007forged00000" })
    for (const secret of ["another secret", undefined, `${webhookSecret} `]) {
      const { status, code } = await stage.post(body, secret)
      expect([status, code]).toEqual([401, "invalid_signature"])
    }
    expect(await getWithdrawal(live, withdrawal.id)).toEqual(withdrawal)
    // While the withdrawal waits, only the notice could cause a look-up.
    expect(stage.psp.requestsOf(`PUT /v3/gn/pix/${payoutId}`)).toEqual([])

    await approve(stage, requested)
    await stage.psp.waitFor(`PUT /v3/gn/pix/${payoutId}`, 1)
    const { endToEndId } = payoutOf(stage, requested)
    const trueClaim = claim(requested, { status: "REALIZADO", endToEndId })
    expect((await stage.post(trueClaim, "another secret")).status).toBe(401)
    await expectUnderWay(requested)
    const forged = await recordsAbout(requested)
    expect(forged).toHaveLength(4)
    for (const { id, ...record } of forged) {
      expect(record).toMatchObject({ signature_valid: false, processed_at: null, attempts: 0 })
      const refused = await stage.operator.send<ErrorBody>("POST", `/v1/admin/inbox/${id}/reprocess`)
      expect([refused.status, refused.body.error.code]).toEqual([409, "invalid_state"])
    }

    stage.psp.payoutResult(payoutId, "REALIZADO")
    expect((await stage.post(trueClaim, webhookSecret)).text).toBe(received)
    await withdrawalWhen(live, withdrawal.id, "successful")
    await expectPaidOnce(stage, requested)
    for (const { id } of forged) {
      expect(await getRecord(stage.operator, id)).toMatchObject({ processed_at: null, attempts: 0 })
    }
  })
})

describe("the payouts after these tests", () => {
  it("no payout is made twice, and the audit finds every book in balance", async () => {
    expect([...stage.psp.payouts.values()].every((times) => times === 1)).toBe(true)
    expect(await auditVerify(stage)).toEqual(soundBooks)
  })
})
