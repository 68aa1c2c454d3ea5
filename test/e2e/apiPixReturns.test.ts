import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { Refund } from "../../schema/resources/refund.ts"
import { returnIdOf } from "../support/pspBooks.ts"
import {
  type ApiPixStage,
  auditVerify,
  duplicate,
  noticeWhen,
  openApiPixStage,
  payCharge,
  received,
  soundBooks,
  webhookSecret,
} from "./support/apiPix.ts"
import { chargeWhen, eventsOf, getCharge, makeCharge } from "./support/charges.ts"
import type { Client, Page } from "./support/client.ts"
import { balanceOf, changeSeller, ledgerOf } from "./support/withdrawals.ts"

let stage: ApiPixStage
beforeAll(async () => {
  stage = await openApiPixStage()
})
afterAll(() => stage?.close())

/** A new seller with a paid charge. */
const openPaid = async () => {
  const { live } = await stage.newSeller()
  return { live, ...(await payCharge(stage, live)) }
}

/** Makes or changes a refund at the PSP, sends its notice, and waits until the notice is processed, or only tried. */
const tellRefund = async (
  endToEndId: string,
  change: NonNullable<Parameters<ApiPixStage["psp"]["refundOf"]>[1]>,
  wanted: "done" | "tried" = "done",
) => {
  const id = stage.psp.refundOf(endToEndId, change)
  const answer = await stage.tell({ endToEndId })
  const status = change.status ?? "DEVOLVIDO"
  const record = await noticeWhen(stage, `${endToEndId}:refund:${id}:${status}`, (found) =>
    wanted === "done" ? found.processed_at !== null : found.attempts > 0,
  )
  return { id, answer, record }
}

/** A charge's ledger entries: the kind and the change of `available`. */
const gainsOf = async (client: Client, chargeId: string) =>
  (await ledgerOf(client))
    .filter(({ resource_id }) => resource_id === chargeId)
    .map(({ kind, postings }) => [kind, postings.find(({ bucket }) => bucket === "available")?.amount])

const typesOf = async (client: Client, id: string) => (await eventsOf(client, id)).map(({ type }) => type)

const paidTypes = ["transaction.created", "transaction.paid"]

/** The refunds of a charge, oldest first. */
const refundsOf = async (client: Client, chargeId: string): Promise<ReadonlyArray<Refund>> =>
  (await client.get<Page<Refund>>(`/v1/refunds?transaction_id=${chargeId}`)).body.data.toReversed()

describe("a refund that the acquirer reports", () => {
  it("a part that goes back is a refund with an event of its charge, and the last part ends the charge", async () => {
    const { live, charge, endToEndId } = await openPaid()
    const first = await tellRefund(endToEndId, { amount: 3_000 })
    expect(first).toMatchObject({ answer: received, record: { error: null, event_type: "pix.refund" } })
    const part = (await getCharge(live, charge.id)).body
    const [refund, ...more] = await refundsOf(live, charge.id)
    expect(more).toEqual([])
    const return_id = returnIdOf(endToEndId, first.id)
    expect(refund).toEqual({
      id: expect.stringMatching(/^rfd_[0-9A-Z]{26}$/),
      object: "refund",
      trace_id: charge.trace_id,
      transaction_id: charge.id,
      mode: "live",
      amount: 3_000,
      currency: "BRL",
      status: "succeeded",
      reason: null,
      origin: "partner",
      failure_code: null,
      failure_reason: null,
      return_id,
      created_at: expect.any(String),
      updated_at: refund?.created_at,
      completed_at: refund?.created_at,
    })
    const shown = { id: refund?.id, kind: "refund", amount: 3_000, return_id, created_at: refund?.created_at }
    expect(part).toEqual({ ...charge, refunded_amount: 3_000, refunds: [shown] })
    expect(await typesOf(live, charge.id)).toEqual([...paidTypes, "transaction.partially_refunded"])
    const [event] = await eventsOf(live, refund?.id ?? "")
    expect([event?.type, event?.data.object]).toEqual(["refund.succeeded", refund])
    const entry = (await ledgerOf(live)).at(-1)
    const partial = (await eventsOf(live, charge.id)).at(-1)
    expect(entry).toMatchObject({ kind: "charge_partially_refunded", event_id: partial?.id })
    expect(await balanceOf(live)).toMatchObject({ available: 9_990 })

    await tellRefund(endToEndId, { amount: 9_990 })
    const whole = await chargeWhen(live, charge.id, "refunded")
    expect(whole).toMatchObject({ refunded_amount: 12_990, refunded_at: expect.any(String) })
    expect(whole.refunds.map(({ amount }) => amount)).toEqual([3_000, 9_990])
    expect(await typesOf(live, charge.id)).toEqual([
      ...paidTypes,
      "transaction.partially_refunded",
      "transaction.refunded",
    ])
    expect((await refundsOf(live, charge.id)).map(({ id }) => id)).toEqual(whole.refunds.map(({ id }) => id))
    expect(await gainsOf(live, charge.id)).toEqual([
      ["charge_paid", 12_990],
      ["charge_partially_refunded", -3_000],
      ["charge_refunded", -9_990],
    ])
    expect(await balanceOf(live)).toMatchObject({ available: 0 })
  })

  it("a full refund ends the charge once, however often its notice comes", async () => {
    const { live, charge, endToEndId } = await openPaid()
    await tellRefund(endToEndId, { id: "r1" })
    const refunded = await chargeWhen(live, charge.id, "refunded")
    expect(await stage.tell({ endToEndId })).toBe(duplicate)
    expect((await getCharge(live, charge.id)).body).toEqual(refunded)
    expect(await refundsOf(live, charge.id)).toHaveLength(1)
    expect((await eventsOf(live, charge.id)).at(-1)?.data.object).toEqual(refunded)
    expect(await gainsOf(live, charge.id)).toEqual([
      ["charge_paid", 12_990],
      ["charge_refunded", -12_990],
    ])
  })

  it("a refund moves money only when it is done, not while it is under way or when it fails", async () => {
    const { live, charge, endToEndId } = await openPaid()
    const under = await tellRefund(
      endToEndId,
      { id: "r1", amount: 1_000, status: "EM_PROCESSAMENTO" },
      "tried",
    )
    expect(under.record).toMatchObject({ processed_at: null })
    expect((await getCharge(live, charge.id)).body).toEqual(charge)
    await tellRefund(endToEndId, { id: "r1", status: "DEVOLVIDO" })
    expect((await getCharge(live, charge.id)).body.refunded_amount).toBe(1_000)
    await tellRefund(endToEndId, { id: "r2", amount: 500, status: "NAO_REALIZADO" })
    expect((await getCharge(live, charge.id)).body.refunded_amount).toBe(1_000)
    expect(await balanceOf(live)).toMatchObject({ available: 11_990 })
  })

  it("a refund whose notice comes before the payment's is applied after the payment", async () => {
    const { live } = await stage.newSeller()
    const charge = await makeCharge(live)
    const endToEndId = stage.psp.pay(charge.pix.txid)
    await tellRefund(endToEndId, {})
    expect((await getCharge(live, charge.id)).body).toMatchObject({ status: "refunded" })
    expect(await typesOf(live, charge.id)).toEqual([...paidTypes, "transaction.refunded"])
    const { pix } = JSON.parse(stage.psp.notice({ endToEndId }))
    const payment = JSON.stringify({ pix: [{ ...pix[0], devolucoes: [] }] })
    expect((await stage.post(payment, webhookSecret)).text).toBe(received)
    expect(await noticeWhen(stage, `${endToEndId}:received`)).toMatchObject({ error: null })
    expect(await gainsOf(live, charge.id)).toHaveLength(2)
    expect(await balanceOf(live)).toMatchObject({ available: 0 })
  })

  it("a refund notice that comes before the PSP shows the refund changes nothing until it comes again", async () => {
    const { live, charge, endToEndId } = await openPaid()
    const { pix } = JSON.parse(stage.psp.notice({ endToEndId }))
    const devolucoes = [{ id: "r1", valor: "129.90", natureza: "ORIGINAL", status: "DEVOLVIDO" }]
    const early = JSON.stringify({ pix: [{ ...pix[0], devolucoes }] })
    expect((await stage.post(early, webhookSecret)).text).toBe(received)
    const eventId = `${endToEndId}:refund:r1:DEVOLVIDO`
    const record = await noticeWhen(stage, eventId, ({ attempts }) => attempts > 0)
    expect(record).toMatchObject({ processed_at: null, error: expect.any(String) })
    expect((await getCharge(live, charge.id)).body).toEqual(charge)

    stage.psp.refundOf(endToEndId, { id: "r1" })
    expect((await stage.post(early, webhookSecret)).text).toBe(duplicate)
    await chargeWhen(live, charge.id, "refunded")
    expect(await noticeWhen(stage, eventId)).toMatchObject({ error: null })
  })

  it("a return by the payer's bank is a chargeback, and may take the balance below zero", async () => {
    const seller = await stage.newSeller()
    const { live } = seller
    // The fee stays, so the whole amount is more than the charge brought in.
    await changeSeller(stage.operator, seller, "settings", { charge_fee_fixed: 100 })
    const { charge, endToEndId } = await payCharge(stage, live)
    expect(await balanceOf(live)).toMatchObject({ available: 12_890 })
    const { id } = await tellRefund(endToEndId, { natureza: "MED_FRAUDE" })
    const back = await chargeWhen(live, charge.id, "chargeback")
    expect(back).toMatchObject({
      refunded_amount: 12_990,
      refunded_at: null,
      chargeback_at: expect.any(String),
      refunds: [{ kind: "chargeback", amount: 12_990, return_id: returnIdOf(endToEndId, id) }],
    })
    expect(await refundsOf(live, charge.id)).toMatchObject([
      { id: back.refunds[0]?.id, reason: "MED_FRAUDE", origin: "partner", status: "succeeded" },
    ])
    expect(await typesOf(live, charge.id)).toEqual([...paidTypes, "transaction.chargeback"])
    expect(await gainsOf(live, charge.id)).toEqual([
      ["charge_paid", 12_890],
      ["charge_chargeback", -12_990],
    ])
    expect(await balanceOf(live)).toMatchObject({ available: -100 })
  })

  it("a partial return by the payer's bank is a partial chargeback, with the bank's reason", async () => {
    const { live, charge, endToEndId } = await openPaid()
    await tellRefund(endToEndId, { amount: 990, natureza: "MED_OPERACIONAL" })
    expect((await getCharge(live, charge.id)).body).toMatchObject({ status: "paid", refunded_amount: 990 })
    expect((await gainsOf(live, charge.id)).at(-1)).toEqual(["charge_partial_chargeback", -990])
    expect(await typesOf(live, charge.id)).toEqual([...paidTypes, "transaction.partially_refunded"])
    expect(await refundsOf(live, charge.id)).toMatchObject([{ amount: 990, reason: "MED_OPERACIONAL" }])
  })
})

describe("payments that do not fit their charge", () => {
  it("a payment of another amount is an exception, and the charge can still be paid", async () => {
    const { live } = await stage.newSeller()
    const charge = await makeCharge(live)
    const wrong = stage.psp.pay(charge.pix.txid, { amount: 12_900 })
    expect(await stage.tell({ endToEndId: wrong })).toBe(received)
    const record = await noticeWhen(stage, `${wrong}:received`)
    expect(record.error).toContain("amount_mismatch")
    const fact = {
      kind: "amount_mismatch",
      end_to_end_id: wrong,
      amount: 12_900,
      created_at: expect.any(String),
    }
    expect((await getCharge(live, charge.id)).body).toEqual({ ...charge, exceptions: [fact] })
    expect(await typesOf(live, charge.id)).toEqual(["transaction.created", "transaction.exception"])
    expect(await ledgerOf(live)).toEqual([])

    const right = stage.psp.pay(charge.pix.txid)
    await stage.tell({ endToEndId: right })
    const paid = await chargeWhen(live, charge.id, "paid")
    expect(paid).toMatchObject({ end_to_end_id: right, exceptions: [fact] })
    expect(await balanceOf(live)).toMatchObject({ available: 12_990 })
  })

  it("a second payment is an exception that is not credited, and its refund takes nothing", async () => {
    const { live, charge, endToEndId } = await openPaid()
    const second = stage.psp.pay(charge.pix.txid)
    expect(await stage.tell({ endToEndId: second })).toBe(received)
    expect((await noticeWhen(stage, `${second}:received`)).error).toContain("double_payment")
    const fact = {
      kind: "double_payment",
      end_to_end_id: second,
      amount: 12_990,
      created_at: expect.any(String),
    }
    const after = (await getCharge(live, charge.id)).body
    expect(after).toEqual({ ...charge, exceptions: [fact] })
    expect(after.end_to_end_id).toBe(endToEndId)
    expect(await stage.tell({ endToEndId: second })).toBe(duplicate)

    await tellRefund(second, {})
    expect((await getCharge(live, charge.id)).body).toEqual(after)
    expect(await typesOf(live, charge.id)).toEqual([...paidTypes, "transaction.exception"])
    expect(await refundsOf(live, charge.id)).toEqual([])
    expect(await gainsOf(live, charge.id)).toEqual([["charge_paid", 12_990]])
    expect(await balanceOf(live)).toMatchObject({ available: 12_990 })
  })
})

describe("the books after these tests", () => {
  it("the audit finds every book in balance after these tests", async () => {
    expect(await auditVerify(stage)).toEqual(soundBooks)
  })
})
