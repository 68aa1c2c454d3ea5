import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { acquirerRefundIdOf } from "../../schema/ids.ts"
import type { Refund } from "../../schema/resources/refund.ts"
import type { Transaction } from "../../schema/resources/transaction.ts"
import { returnIdOf } from "../support/pspBooks.ts"
import {
  type ApiPixStage,
  auditVerify,
  noticeWhen,
  openApiPixStage,
  payCharge,
  received,
  soundBooks,
  webhookSecret,
} from "./support/apiPix.ts"
import { chargeWhen, getCharge } from "./support/charges.ts"
import { type Client, eventually, type Page } from "./support/client.ts"
import { getRefund, refund, refundBuckets, refundWhen, typesOf } from "./support/refunds.ts"
import { ledgerOf } from "./support/withdrawals.ts"

const notFound = { type: "https://pix.bcb.gov.br/api/v2/error/PixDevolucaoNaoEncontrada" }
const problem = {
  type: "https://pix.bcb.gov.br/api/v2/error/PixDevolucaoInvalida",
  title: "Devolução inválida.",
}

let stage: ApiPixStage
beforeAll(async () => {
  stage = await openApiPixStage()
})
afterAll(() => stage?.close())

/** A seller's charge that is paid at the PSP, of 129.90. */
interface Paid {
  readonly live: Client
  readonly charge: Transaction
  readonly endToEndId: string
}
const openPaid = async (): Promise<Paid> => {
  const { live } = await stage.newSeller()
  return { live, ...(await payCharge(stage, live)) }
}

/** The path of a refund at the PSP, and its id there. */
const atPsp = ({ endToEndId }: Paid, { id }: Refund) => ({
  pspId: acquirerRefundIdOf(id),
  path: `/pix/${endToEndId}/devolucao/${acquirerRefundIdOf(id)}`,
})
const sendingsOf = (paid: Paid, made: Refund) => stage.psp.requestsOf(`PUT ${atPsp(paid, made).path}`)

/** Ends a refund in the PSP's books, once it is there; the service learns of it by its next look-up. */
const endAtPsp = async (
  paid: Paid,
  made: Refund,
  change: NonNullable<Parameters<ApiPixStage["psp"]["refundOf"]>[1]>,
): Promise<void> => {
  await stage.psp.waitFor(`PUT ${atPsp(paid, made).path}`, 1)
  stage.psp.refundOf(paid.endToEndId, { id: atPsp(paid, made).pspId, amount: made.amount, ...change })
}

/** Sends the PSP's notice of a transfer with its refunds. */
const tell = ({ endToEndId }: Paid) => stage.tell({ endToEndId })

const held = (amount: number) => ({ available: 12_990 - amount, reserve: 0, pending_refund: amount })
const paidTypes = ["transaction.created", "transaction.paid"]
const kindsOf = async (client: Client) => (await ledgerOf(client)).map(({ kind }) => kind)
const listOf = async ({ live, charge }: Paid) =>
  (await live.get<Page<Refund>>(`/v1/refunds?transaction_id=${charge.id}`)).body.data

/** Expects a refund of a part to have succeeded, and to be booked once. */
const expectReturnedOnce = async (paid: Paid, made: Refund) => {
  const { live, charge, endToEndId } = paid
  const return_id = returnIdOf(endToEndId, atPsp(paid, made).pspId)
  const done = await refundWhen(live, made.id, "succeeded")
  expect(done).toMatchObject({ return_id, failure_code: null, failure_reason: null })
  expect((await getCharge(live, charge.id)).body).toMatchObject({
    status: "paid",
    refunded_amount: made.amount,
    refunds: [{ id: made.id, kind: "refund", amount: made.amount, return_id }],
  })
  expect(await refundBuckets(live)).toEqual({ ...held(made.amount), pending_refund: 0 })
  expect(await kindsOf(live)).toEqual(["charge_paid", "refund_held", "refund_settled"])
  expect(await listOf(paid)).toEqual([done])
}

describe("a refund at the PSP", () => {
  it("a refund is put under its ULID with its amount, and polled until the PSP has returned it", async () => {
    const paid = await openPaid()
    const made = await refund(paid.live, paid.charge.id, { amount: 3_000, reason: "a shirt" })
    await refundWhen(paid.live, made.id, "processing")
    await stage.psp.waitFor(`PUT ${atPsp(paid, made).path}`, 1)
    expect(sendingsOf(paid, made).map(({ body }) => body)).toEqual(['{"valor":"30.00"}'])
    expect(await refundBuckets(paid.live)).toEqual(held(3_000))
    expect(await typesOf(paid.live, paid.charge.id)).toEqual(paidTypes)
    await endAtPsp(paid, made, { status: "DEVOLVIDO" })
    await expectReturnedOnce(paid, made)
    expect(sendingsOf(paid, made)).toHaveLength(1)
    expect(await typesOf(paid.live, made.id)).toEqual(["refund.created", "refund.succeeded"])
    expect(await typesOf(paid.live, paid.charge.id)).toEqual([...paidTypes, "transaction.partially_refunded"])
  })

  it("a refund of the whole charge ends it", async () => {
    const paid = await openPaid()
    const made = await refund(paid.live, paid.charge.id)
    await endAtPsp(paid, made, { status: "DEVOLVIDO" })
    await tell(paid)
    await refundWhen(paid.live, made.id, "succeeded")
    expect(await chargeWhen(paid.live, paid.charge.id, "refunded")).toMatchObject({ refunded_amount: 12_990 })
    expect(await kindsOf(paid.live)).toEqual(["charge_paid", "refund_held", "refund_settled"])
    expect(await refundBuckets(paid.live)).toEqual({ available: 0, reserve: 0, pending_refund: 0 })
  })

  it("a refund that the PSP does not carry out fails with its reason, and the money is back", async () => {
    const paid = await openPaid()
    const made = await refund(paid.live, paid.charge.id, { amount: 3_000 })
    await endAtPsp(paid, made, { status: "NAO_REALIZADO", motivo: "AM09" })
    await tell(paid)
    const failed = await refundWhen(paid.live, made.id, "failed")
    expect(failed).toMatchObject({ return_id: null, completed_at: expect.any(String) })
    expect([failed.failure_code, failed.failure_reason]).toContain("AM09")
    expect((await getCharge(paid.live, paid.charge.id)).body).toEqual(paid.charge)
    expect(await refundBuckets(paid.live)).toEqual(held(0))
    expect(await kindsOf(paid.live)).toEqual(["charge_paid", "refund_held", "refund_returned"])
  })

  for (const [how, isAccepted] of [
    ["refuses", false],
    ["accepts and then fails", true],
  ] as const) {
    it(`a refund that the PSP ${how} for lack of our money stays processing, and raises an alarm`, async () => {
      const paid = await openPaid()
      const body = {
        type: "https://pix.bcb.gov.br/api/v2/error/SaldoInsuficiente",
        title: "Saldo insuficiente",
      }
      if (!isAccepted) stage.psp.fail("PUT /pix/", { kind: "answer", status: 422, body })
      const made = await refund(paid.live, paid.charge.id, { amount: 3_000 })
      if (isAccepted) await endAtPsp(paid, made, { status: "NAO_REALIZADO", motivo: "AM04" })
      const query = `GET ${atPsp(paid, made).path}`
      await eventually("two look-ups", () => (stage.psp.requestsOf(query).length >= 2 ? true : undefined))
      expect((await getRefund(paid.live, made.id)).status).toBe("processing")
      expect(await refundBuckets(paid.live)).toEqual(held(3_000))
      expect(stage.service.log()).toContain(`refund ${made.id}: our account at the acquirer lacks`)
      const metrics = await (await fetch(`${stage.service.url}/metrics`)).text()
      expect(metrics).toMatch(/^corrente_refunds_without_funds_total [1-9]/m)
    })
  }

  it("a refund that the PSP itself refuses outright fails, and is not sent again", async () => {
    const paid = await openPaid()
    // The PSP returns some of the money by itself meanwhile, which it has not told of yet.
    stage.psp.refundOf(paid.endToEndId, { id: "r1", amount: 12_000 })
    const made = await refund(paid.live, paid.charge.id, { amount: 3_000 })
    const failed = await refundWhen(paid.live, made.id, "failed")
    expect(failed.failure_reason).toEqual(expect.any(String))
    expect(await refundBuckets(paid.live)).toEqual(held(0))
    await tell(paid)
    await eventually("the PSP's own refund to be booked", async () => {
      const { body } = await getCharge(paid.live, paid.charge.id)
      return body.refunded_amount === 12_000 ? true : undefined
    })
    expect((await listOf(paid)).map(({ origin, status }) => [origin, status]).toSorted()).toEqual([
      ["partner", "succeeded"],
      ["seller", "failed"],
    ])
    expect(sendingsOf(paid, made)).toHaveLength(1)
  })
})

describe("a notice of a refund of ours", () => {
  it("a notice ends a refund before its next look-up, as that refund and not as another", async () => {
    const paid = await openPaid()
    const made = await refund(paid.live, paid.charge.id, { amount: 3_000 })
    await endAtPsp(paid, made, { status: "DEVOLVIDO" })
    expect(await tell(paid)).toBe(received)
    const { pspId } = atPsp(paid, made)
    expect(await noticeWhen(stage, `${paid.endToEndId}:refund:${pspId}:DEVOLVIDO`)).toMatchObject({
      error: null,
      event_type: "pix.refund",
    })
    await expectReturnedOnce(paid, made)
  })

  it("a notice that claims what the PSP's books do not say changes nothing", async () => {
    const paid = await openPaid()
    const made = await refund(paid.live, paid.charge.id, { amount: 3_000 })
    const { pspId, path } = atPsp(paid, made)
    await stage.psp.waitFor(`PUT ${path}`, 1)
    const { pix } = JSON.parse(stage.psp.notice({ endToEndId: paid.endToEndId }))
    const devolucoes = [{ id: pspId, valor: "30.00", natureza: "ORIGINAL", status: "DEVOLVIDO" }]
    const early = JSON.stringify({ pix: [{ ...pix[0], devolucoes }] })
    expect((await stage.post(early, webhookSecret)).text).toBe(received)
    const eventId = `${paid.endToEndId}:refund:${pspId}:DEVOLVIDO`
    const record = await noticeWhen(stage, eventId, ({ attempts }) => attempts > 0)
    expect(record).toMatchObject({ processed_at: null })
    expect((await getRefund(paid.live, made.id)).status).toBe("processing")
    expect(await refundBuckets(paid.live)).toEqual(held(3_000))
  })

  it("refunds of ours and of the PSP stand side by side, each booked once", async () => {
    const paid = await openPaid()
    const made = await refund(paid.live, paid.charge.id, { amount: 3_000 })
    await endAtPsp(paid, made, { status: "DEVOLVIDO" })
    stage.psp.refundOf(paid.endToEndId, { id: "r1", amount: 990, natureza: "MED_FRAUDE" })
    await tell(paid)
    await refundWhen(paid.live, made.id, "succeeded")
    const after = await eventually("both to be booked", async () => {
      const { body } = await getCharge(paid.live, paid.charge.id)
      return body.refunded_amount === 3_990 ? body : undefined
    })
    expect(after.refunds.map(({ kind, amount }) => [kind, amount]).toSorted()).toEqual([
      ["chargeback", 990],
      ["refund", 3_000],
    ])
    expect((await kindsOf(paid.live)).toSorted()).toEqual([
      "charge_paid",
      "charge_partial_chargeback",
      "refund_held",
      "refund_settled",
    ])
    expect(await refundBuckets(paid.live)).toEqual({ available: 9_000, reserve: 0, pending_refund: 0 })
  })
})

describe("a refund whose sending goes wrong", () => {
  it.each([
    { name: "the PSP's answer is lost", fault: { kind: "lost" } },
    { name: "the PSP's answer makes no sense", fault: { kind: "changed", change: () => ({ status: "?" }) } },
    { name: "the PSP never answers", fault: { kind: "silent" } },
  ] as const)("a refund is sent once and booked once when $name", async ({ fault }) => {
    const paid = await openPaid()
    stage.psp.fail(`PUT /pix/${paid.endToEndId}/devolucao/`, fault)
    const made = await refund(paid.live, paid.charge.id, { amount: 3_000 })
    await endAtPsp(paid, made, { status: "DEVOLVIDO" })
    await expectReturnedOnce(paid, made)
    expect(sendingsOf(paid, made)).toHaveLength(1)
  })

  it("a refund that the PSP has never heard of is sent again under the same id after a minute", {
    timeout: 120_000,
  }, async () => {
    const [lost, refused] = [await openPaid(), await openPaid()]
    stage.psp.fail(`PUT /pix/${lost.endToEndId}/devolucao/`, { kind: "cut" })
    stage.psp.fail(`PUT /pix/${refused.endToEndId}/devolucao/`, { kind: "cut" })
    const made = await refund(lost.live, lost.charge.id, { amount: 3_000 })
    const other = await refund(refused.live, refused.charge.id, { amount: 3_000 })
    await stage.psp.waitFor(`PUT ${atPsp(refused, other).path}`, 1)
    stage.psp.fail(`PUT ${atPsp(refused, other).path}`, { kind: "answer", status: 422, body: problem })
    await eventually(
      "both to be sent again",
      () => (sendingsOf(lost, made).length > 1 && sendingsOf(refused, other).length > 1 ? true : undefined),
      90_000,
    )
    await endAtPsp(lost, made, { status: "DEVOLVIDO" })
    await tell(lost)
    await expectReturnedOnce(lost, made)
    expect(sendingsOf(lost, made).map(({ body }) => body)).toEqual(Array(2).fill('{"valor":"30.00"}'))
    // The first sending may have been accepted, so a refusal of the second is no end.
    expect((await getRefund(refused.live, other.id)).status).toBe("processing")
    expect(await refundBuckets(refused.live)).toEqual(held(3_000))
  })

  it("a refund that the PSP cannot find stays processing, with its money held", async () => {
    const paid = await openPaid()
    stage.psp.fail(`PUT /pix/${paid.endToEndId}/devolucao/`, { kind: "lost" })
    stage.psp.fail(
      `GET /pix/${paid.endToEndId}/devolucao/`,
      { kind: "answer", status: 404, body: notFound },
      2,
    )
    const made = await refund(paid.live, paid.charge.id, { amount: 3_000 })
    await eventually("two look-ups", () =>
      stage.psp.requestsOf(`GET ${atPsp(paid, made).path}`).length >= 2 ? true : undefined,
    )
    expect((await getRefund(paid.live, made.id)).status).toBe("processing")
    expect(await refundBuckets(paid.live)).toEqual(held(3_000))
    expect(sendingsOf(paid, made)).toHaveLength(1)
  })
})

describe("the books after these tests", () => {
  it("the audit finds every refund's books in balance after these tests", async () => {
    expect(await auditVerify(stage)).toEqual(soundBooks)
  })
})
