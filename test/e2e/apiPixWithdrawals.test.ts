import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { Withdrawal } from "../../schema/resources/withdrawal.ts"
import { signInAsOperator } from "../support/dashboard.ts"
import {
  type ApiPixStage,
  auditVerify,
  noticeWhen,
  openApiPixStage,
  received,
  soundBooks,
} from "./support/apiPix.ts"
import {
  amount,
  approve,
  bucketsOf,
  decide,
  expectPaidOnce,
  expectReturnedOnce,
  funds,
  held,
  lookUpOf,
  openPayee,
  payoutOf,
  request,
  send,
  sendingsOf,
  statusesOf,
} from "./support/apiPixPayouts.ts"
import { freshKey } from "./support/charges.ts"
import { eventually } from "./support/client.ts"
import { dashboardClient } from "./support/dashboardClient.ts"
import { listInbox } from "./support/notices.ts"
import {
  cancel,
  changeSeller,
  errorOf,
  getWithdrawal,
  mustCancel,
  postWithdrawal,
  withdrawalWhen,
} from "./support/withdrawals.ts"

let stage: ApiPixStage
beforeAll(async () => {
  stage = await openApiPixStage()
})
afterAll(() => stage?.close())

/** Waits until the PSP has received `times` look-ups of a payout. */
const askedTimes = (requested: Parameters<typeof lookUpOf>[0], times: number) =>
  eventually(`${times} look-ups`, () =>
    stage.psp.requestsOf(lookUpOf(requested)).length >= times ? true : undefined,
  )

describe("a live withdrawal", () => {
  it("a live withdrawal waits for an operator, is sent once, and succeeds when the PSP confirms it", async () => {
    const requested = await request(stage)
    const { live, seller, withdrawal, payoutId, pixKey } = requested
    expect(withdrawal).toMatchObject({ mode: "live", status: "awaiting", amount, fee: 100, total: 5_100 })
    expect(await bucketsOf(live)).toEqual(held)
    const operator = dashboardClient(
      stage.service.url,
      await signInAsOperator(stage.service, { isSteppedUp: false }),
    )
    expect(errorOf(await decide({ operator }, "approve", requested))).toMatchObject({
      status: 403,
      code: "mfa_required",
    })
    expect((await getWithdrawal(live, withdrawal.id)).status).toBe("awaiting")

    expect(await approve(stage, requested)).toMatchObject({ status: "approved", seller_id: seller.id })
    const processing = await withdrawalWhen(live, withdrawal.id, "processing")
    expect(processing).toMatchObject({ end_to_end_id: null, completed_at: null })
    await stage.psp.waitFor(`PUT /v3/gn/pix/${payoutId}`, 1)
    expect(sendingsOf(stage, requested).map(({ body }) => JSON.parse(body))).toEqual([
      {
        valor: "50.00",
        pagador: { chave: stage.psp.pixKey, infoPagador: "Novembro" },
        favorecido: { chave: pixKey },
      },
    ])
    expect(await bucketsOf(live)).toEqual(held)

    stage.psp.payoutResult(payoutId, "REALIZADO")
    expect(await stage.tell({ idEnvio: payoutId })).toBe(received)
    const done = await withdrawalWhen(live, withdrawal.id, "successful")
    expect(done).toEqual({
      ...withdrawal,
      status: "successful",
      end_to_end_id: payoutOf(stage, requested).endToEndId,
      updated_at: done.completed_at,
      approved_at: expect.any(String),
      processing_at: expect.any(String),
      completed_at: expect.any(String),
    })
    await expectPaidOnce(stage, requested)
    expect(sendingsOf(stage, requested)).toHaveLength(1)
    const notice = await noticeWhen(stage, `${done.end_to_end_id}:sent:REALIZADO`)
    expect(notice).toMatchObject({ error: null, withdrawal_id: withdrawal.id, event_type: "pix.sent" })
  })

  it("a live withdrawal without a notice is looked up again and again until the PSP knows its result", async () => {
    const requested = await send(stage)
    const { live, withdrawal, payoutId } = requested
    await askedTimes(requested, 1)
    expect((await getWithdrawal(live, withdrawal.id)).status).toBe("processing")
    stage.psp.payoutResult(payoutId, "REALIZADO")
    await withdrawalWhen(live, withdrawal.id, "successful")
    await expectPaidOnce(stage, requested)
    expect(sendingsOf(stage, requested)).toHaveLength(1)
    const { data } = await listInbox(stage.operator, "limit=100")
    expect(data.filter(({ withdrawal_id }) => withdrawal_id === withdrawal.id)).toEqual([])
  })

  it("a live withdrawal is made and paid once, however often its request is repeated under its key", async () => {
    const payee = await openPayee(stage)
    const [key, body] = [freshKey(), { amount, pix_key_id: payee.pixKeyId }]
    const first = await postWithdrawal<Withdrawal>(payee.live, body, key)
    const requested = { ...payee, withdrawal: first.body, payoutId: first.body.id.slice(3) }
    await approve(stage, requested)
    await stage.psp.waitFor(`PUT /v3/gn/pix/${requested.payoutId}`, 1)
    const again = await postWithdrawal(payee.live, body, key)
    expect([again.status, again.text]).toEqual([201, first.text])
    const other = await postWithdrawal(payee.live, body)
    expect(errorOf(other)).toMatchObject({ status: 409, details: { reason: "withdrawal_in_progress" } })

    stage.psp.payoutResult(requested.payoutId, "REALIZADO")
    await stage.tell({ idEnvio: requested.payoutId })
    await withdrawalWhen(payee.live, first.body.id, "successful")
    const late = await postWithdrawal(payee.live, body, key)
    expect([late.status, late.headers.get("idempotent-replayed"), late.text]).toEqual([
      201,
      "true",
      first.text,
    ])
    await expectPaidOnce(stage, requested)
    expect(sendingsOf(stage, requested)).toHaveLength(1)
  })

  it("a live withdrawal needs no operator when its seller has automatic approval", async () => {
    const payee = await openPayee(stage)
    await changeSeller(stage.operator, payee.seller, "settings", { withdrawal_auto_approval: true })
    const requested = await request(stage, payee)
    const { live, withdrawal, payoutId } = requested
    expect(withdrawal).toMatchObject({ status: "approved", approved_at: withdrawal.created_at })
    await stage.psp.waitFor(`PUT /v3/gn/pix/${payoutId}`, 1)
    expect(await bucketsOf(live)).toEqual(held)
    stage.psp.payoutResult(payoutId, "REALIZADO")
    await stage.tell({ idEnvio: payoutId })
    await withdrawalWhen(live, withdrawal.id, "successful")
    await expectPaidOnce(stage, requested, "approved")
    expect(sendingsOf(stage, requested)).toHaveLength(1)
  })
})

describe("a live withdrawal that is not paid", () => {
  it("a rejected live withdrawal never reaches the PSP, and returns all its money", async () => {
    const requested = await request(stage)
    const rejected = await decide<Withdrawal>(stage, "reject", requested, { reason: "another holder" })
    expect([rejected.status, rejected.body.status]).toEqual([200, "rejected"])
    await expectReturnedOnce(requested, "rejected", "another holder")
    expect(errorOf(await decide(stage, "approve", requested))).toMatchObject({
      status: 409,
      details: { status: "rejected" },
    })
    // The next one is sent, so this one would have been by now.
    await send(stage, requested)
    expect(sendingsOf(stage, requested)).toEqual([])
  })

  it("a cancelled live withdrawal never reaches the PSP, and one that was sent cannot be cancelled", async () => {
    const requested = await request(stage)
    await mustCancel(requested.live, requested.withdrawal.id)
    expect(await statusesOf(requested)).toEqual(["awaiting", "cancelled"])
    expect((await bucketsOf(requested.live)).available).toBe(funds)
    const next = await send(stage, requested)
    expect(sendingsOf(stage, requested)).toEqual([])
    expect(errorOf(await cancel(next.live, next.withdrawal.id))).toMatchObject({
      status: 409,
      code: "invalid_state",
    })
  })

  it("a live withdrawal that the PSP fails (NAO_REALIZADO) returns its money once, and another can be made", async () => {
    const requested = await send(stage)
    const { live, withdrawal, payoutId } = requested
    stage.psp.payoutResult(payoutId, "NAO_REALIZADO", "AC03")
    const answers = await Promise.all(Array.from({ length: 5 }, () => stage.tell({ idEnvio: payoutId })))
    expect(answers.filter((text) => text === received)).toHaveLength(1)
    await withdrawalWhen(live, withdrawal.id, "failed")
    await stage.tell({ idEnvio: payoutId })
    await expectReturnedOnce(requested, "failed", "AC03")
    expect(sendingsOf(stage, requested)).toHaveLength(1)

    const next = await send(stage, requested)
    stage.psp.payoutResult(next.payoutId, "REALIZADO")
    await stage.tell({ idEnvio: next.payoutId })
    await withdrawalWhen(live, next.withdrawal.id, "successful")
    expect(await bucketsOf(live)).toEqual({ ...held, pending_withdraw: 0 })
    expect(stage.psp.payouts.get(next.payoutId)).toBe(1)
  })

  it("a live withdrawal that only a look-up shows as failed returns its money once", async () => {
    const requested = await send(stage)
    stage.psp.payoutResult(requested.payoutId, "NAO_REALIZADO", "AB03")
    await withdrawalWhen(requested.live, requested.withdrawal.id, "failed")
    await expectReturnedOnce(requested, "failed", "AB03")
    expect(sendingsOf(stage, requested)).toHaveLength(1)
  })

  it("a live withdrawal that the PSP refuses fails with the PSP's reason and returns its money once", async () => {
    const requested = await request(stage)
    const body = { nome: "favorecido_invalido", mensagem: "A chave do favorecido não existe." }
    stage.psp.fail(`PUT /v3/gn/pix/${requested.payoutId}`, { kind: "answer", status: 422, body })
    await approve(stage, requested)
    await withdrawalWhen(requested.live, requested.withdrawal.id, "failed")
    await expectReturnedOnce(requested, "failed", "A chave do favorecido não existe.")
    expect(stage.psp.payouts.has(requested.payoutId)).toBe(false)
    expect(sendingsOf(stage, requested)).toHaveLength(1)
  })

  it("a live withdrawal that our account at the PSP cannot pay for stays processing, and raises an alarm", async () => {
    const requested = await request(stage)
    const { live, withdrawal, payoutId } = requested
    const body = { nome: "saldo_insuficiente", mensagem: "Saldo insuficiente" }
    stage.psp.fail(`PUT /v3/gn/pix/${payoutId}`, { kind: "answer", status: 422, body })
    await approve(stage, requested)
    await askedTimes(requested, 3)

    expect((await getWithdrawal(live, withdrawal.id)).status).toBe("processing")
    expect(await bucketsOf(live)).toEqual(held)
    expect(sendingsOf(stage, requested)).toHaveLength(1)
    expect(stage.service.log()).toContain(`payout of ${withdrawal.id}: our account at the acquirer lacks`)
    const metrics = await (await fetch(`${stage.service.url}/metrics`)).text()
    expect(metrics).toMatch(/^corrente_payouts_without_funds_total 1$/m)
    expect((await fetch(`${stage.service.url}/ready`)).status).toBe(200)
  })
})

describe("the payouts after these tests", () => {
  it("no payout is made twice, and the audit finds every book in balance", async () => {
    expect([...stage.psp.payouts.values()].every((times) => times === 1)).toBe(true)
    expect(await auditVerify(stage)).toEqual(soundBooks)
  })
})
