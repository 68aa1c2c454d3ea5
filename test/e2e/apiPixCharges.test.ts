import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { Transaction } from "../../schema/resources/transaction.ts"
import {
  type ApiPixStage,
  auditVerify,
  createSellerByOps,
  duplicate,
  noticeWhen,
  openApiPixStage,
  payCharge,
  paymentNotice,
  readBrCode,
  received,
  recordOf,
  reprocess,
  soundBooks,
  webhookSecret,
} from "./support/apiPix.ts"
import { chargeBody, chargeWhen, eventsOf, getCharge, makeCharge } from "./support/charges.ts"
import type { Client, ErrorBody } from "./support/client.ts"
import { getRecord, listInbox, recordsOf } from "./support/notices.ts"
import { balanceOf, ledgerOf } from "./support/withdrawals.ts"

let stage: ApiPixStage
/** A charge that is paid without a notice. It is made first, so that its payment is found while the other tests run. */
let unannounced: { readonly live: Client; readonly charge: Transaction; readonly endToEndId: string }
beforeAll(async () => {
  stage = await openApiPixStage()
  const { live } = await stage.newSeller()
  const charge = await makeCharge(live)
  unannounced = { live, charge, endToEndId: stage.psp.pay(charge.pix.txid) }
})
afterAll(() => stage?.close())

const typesOf = async (client: Client, id: string) => (await eventsOf(client, id)).map(({ type }) => type)

/** Expects everything that one payment of a charge leaves, and no more. */
const expectPaidOnce = async (client: Client, id: string, endToEndId: string) => {
  const charge = await chargeWhen(client, id, "paid")
  expect(charge).toMatchObject({ end_to_end_id: endToEndId, exceptions: [], refunded_amount: 0 })
  const events = await eventsOf(client, id)
  expect(events.map(({ type }) => type)).toEqual(["transaction.created", "transaction.paid"])
  expect(events.at(-1)?.data.object).toEqual(charge)
  const entries = (await ledgerOf(client)).filter(({ resource_id }) => resource_id === id)
  expect(entries).toMatchObject([
    {
      kind: "charge_paid",
      mode: "live",
      event_id: events.at(-1)?.id,
      postings: [
        { bucket: "external", amount: -charge.amount },
        { bucket: "available", amount: charge.amount },
      ],
    },
  ])
}

describe("a live charge", () => {
  it("a live charge is created at the PSP, and credited to the seller once the PSP confirms its payment", async () => {
    const live = await createSellerByOps(stage)
    const charge = await makeCharge(live)
    const { txid } = charge.pix
    expect(charge).toMatchObject({ mode: "live", status: "pending", amount: 12_990 })

    const atPsp = stage.psp.charge(txid)
    expect(atPsp?.asked).toEqual({
      calendario: { expiracao: 86_400 },
      devedor: { cpf: "52998224725", nome: "Ana Souza" },
      valor: { original: "129.90" },
      chave: stage.psp.pixKey,
    })
    expect(readBrCode(charge)).toMatchObject({ type: "DYNAMIC", url: atPsp?.location })
    expect(stage.psp.requestsOf(`PUT /cob/${txid}`)).toHaveLength(1)

    const endToEndId = stage.psp.pay(txid)
    expect((await getCharge(live, charge.id)).body).toEqual(charge)
    expect(await stage.tell({ endToEndId })).toBe(received)
    await expectPaidOnce(live, charge.id, endToEndId)
    expect(await balanceOf(live)).toMatchObject({ mode: "live", available: 12_990, reserve: 0 })
    const found = await stage.operator.get(`/v1/admin/search?q=${endToEndId}`)
    expect(found.body).toMatchObject({ data: [{ object: "transaction", id: charge.id, status: "paid" }] })
  })

  it("a live charge is invisible in test mode, and the PSP never sees a test charge", async () => {
    const seller = await stage.newSeller()
    const [live, test] = [await makeCharge(seller.live), await makeCharge(seller.test)]
    expect((await getCharge(seller.test, live.id)).status).toBe(404)
    expect(stage.psp.charge(test.pix.txid)).toBeUndefined()
  })

  it("a live charge with wrong check digits in its document is refused before the PSP is asked", async () => {
    const { live } = await stage.newSeller()
    const before = stage.psp.requestsOf("PUT /cob").length
    const customer = { ...chargeBody().customer, document: "529.982.247-26" }
    await expect(makeCharge(live, { customer })).rejects.toThrow('"param":"customer.document"')
    expect(stage.psp.requestsOf("PUT /cob")).toHaveLength(before)
  })
})

describe("a payment notice", () => {
  it("a payment notice counts once, however often and in whatever form it comes", async () => {
    const { live } = await stage.newSeller()
    const { charge, endToEndId } = await payCharge(stage, live)
    await noticeWhen(stage, `${endToEndId}:received`)
    const asked = stage.psp.requestsOf(`GET /cob/${charge.pix.txid}`).length
    expect(await stage.tell({ endToEndId })).toBe(duplicate)
    const otherForm = paymentNotice({ ...charge, amount: 1 }, endToEndId).body
    const again = await Promise.all(Array.from({ length: 10 }, () => stage.post(otherForm, webhookSecret)))
    expect(again.map(({ text }) => text)).toEqual(Array(10).fill(duplicate))
    await expectPaidOnce(live, charge.id, endToEndId)
    expect(await balanceOf(live)).toMatchObject({ available: 12_990 })
    expect(await recordsOf(stage.operator, charge.id)).toHaveLength(1)
    // A processed notice is not even asked about again.
    expect(stage.psp.requestsOf(`GET /cob/${charge.pix.txid}`)).toHaveLength(asked)
  })

  it("a payment notice counts once when it comes many times at once", async () => {
    const { live } = await stage.newSeller()
    const charge = await makeCharge(live)
    const endToEndId = stage.psp.pay(charge.pix.txid)
    const answers = await Promise.all(Array.from({ length: 20 }, () => stage.tell({ endToEndId })))
    expect(answers.toSorted()).toEqual([...Array(19).fill(duplicate), received])
    await expectPaidOnce(live, charge.id, endToEndId)
    expect(await balanceOf(live)).toMatchObject({ available: 12_990 })
  })

  it("a payment counts once when the PSP lists its transfer twice", async () => {
    const { live } = await stage.newSeller()
    const charge = await makeCharge(live)
    const endToEndId = stage.psp.pay(charge.pix.txid)
    stage.psp.fail(`GET /cob/${charge.pix.txid}`, { kind: "duplicate" })
    expect(await stage.tell({ endToEndId })).toBe(received)
    await expectPaidOnce(live, charge.id, endToEndId)
    expect(await balanceOf(live)).toMatchObject({ available: 12_990 })
  })

  it("a payment notice counts when the PSP is slow to confirm it", async () => {
    const { live } = await stage.newSeller()
    const charge = await makeCharge(live)
    const endToEndId = stage.psp.pay(charge.pix.txid)
    stage.psp.fail(`GET /cob/${charge.pix.txid}`, { kind: "slow", millis: 3_000 })
    expect(await stage.tell({ endToEndId })).toBe(received)
    expect((await getCharge(live, charge.id)).body.status).toBe("pending")
    await expectPaidOnce(live, charge.id, endToEndId)
  })

  it("a notice of several payments pays each of their charges", async () => {
    const { live } = await stage.newSeller()
    const charges = [await makeCharge(live), await makeCharge(live), await makeCharge(live)]
    const paid = charges.map(({ id, pix }) => ({ id, endToEndId: stage.psp.pay(pix.txid) }))
    const pix = paid.flatMap(({ endToEndId }) => JSON.parse(stage.psp.notice({ endToEndId })).pix)
    expect((await stage.post(JSON.stringify({ pix }), webhookSecret)).text).toBe(received)
    for (const { id, endToEndId } of paid) await expectPaidOnce(live, id, endToEndId)
    expect(await balanceOf(live)).toMatchObject({ available: 3 * 12_990 })
  })

  it("a payment notice the PSP does not confirm yet credits nothing, and is tried again when repeated", async () => {
    const { live } = await stage.newSeller()
    const charge = await makeCharge(live)
    const { endToEndId, body } = paymentNotice(charge)
    expect((await stage.post(body, webhookSecret)).text).toBe(received)
    const early = await noticeWhen(stage, `${endToEndId}:received`, ({ attempts }) => attempts > 0)
    expect(early).toMatchObject({ processed_at: null, error: expect.any(String), transaction_id: charge.id })
    expect((await getCharge(live, charge.id)).body.status).toBe("pending")
    expect(await balanceOf(live)).toMatchObject({ available: 0 })

    stage.psp.pay(charge.pix.txid, { endToEndId })
    expect((await stage.post(body, webhookSecret)).text).toBe(duplicate)
    await expectPaidOnce(live, charge.id, endToEndId)
    expect(await noticeWhen(stage, `${endToEndId}:received`)).toMatchObject({ id: early.id, error: null })
  })

  it("a notice that ties a transfer to another seller's charge credits nobody", async () => {
    const [one, other] = [await stage.newSeller(), await stage.newSeller()]
    const { endToEndId } = await payCharge(stage, one.live)
    const charge = await makeCharge(other.live)
    // Another event of the same transfer, so that it is no duplicate of the real one.
    const { pix } = JSON.parse(paymentNotice(charge, endToEndId).body)
    const body = JSON.stringify({ pix: [{ ...pix[0], devolucoes: [{ id: "x1", status: "DEVOLVIDO" }] }] })
    expect((await stage.post(body, webhookSecret)).text).toBe(received)
    const record = await noticeWhen(
      stage,
      `${endToEndId}:refund:x1:DEVOLVIDO`,
      ({ attempts }) => attempts > 0,
    )
    expect(record).toMatchObject({ processed_at: null, transaction_id: charge.id })
    expect((await getCharge(other.live, charge.id)).body).toEqual(charge)
    expect(await balanceOf(one.live)).toMatchObject({ available: 12_990 })
    expect(await balanceOf(other.live)).toMatchObject({ available: 0 })
  })

  it("a payment notice records its error while the PSP is down, and pays when an operator reprocesses it", async () => {
    const { live } = await stage.newSeller()
    const charge = await makeCharge(live)
    const endToEndId = stage.psp.pay(charge.pix.txid)
    // A call and both its retries.
    stage.psp.fail(`GET /cob/${charge.pix.txid}`, { kind: "answer", status: 503 }, 3)
    expect(await stage.tell({ endToEndId })).toBe(received)
    const failed = await noticeWhen(stage, `${endToEndId}:received`, ({ attempts }) => attempts > 0)
    expect(failed).toMatchObject({ attempts: 1, processed_at: null, error: "answered 503" })
    expect((await getCharge(live, charge.id)).body.status).toBe("pending")
    const unprocessed = await listInbox(stage.operator, "state=unprocessed&limit=100")
    expect(unprocessed.data.map(({ id }) => id)).toContain(failed.id)

    const done = await reprocess(stage, failed.id)
    expect(done).toMatchObject({ attempts: 2, error: null, reprocessed_at: expect.any(String) })
    await expectPaidOnce(live, charge.id, endToEndId)
    // Reprocessed once more, it asks again and finds nothing new.
    expect(await reprocess(stage, failed.id)).toMatchObject({ attempts: 3, error: null })
    await expectPaidOnce(live, charge.id, endToEndId)
  })
})

describe("a forged notice", () => {
  it("a forged payment notice is refused, recorded and never processed, and does not block the real one", async () => {
    const { live } = await stage.newSeller()
    const charge = await makeCharge(live)
    const { endToEndId, body } = paymentNotice(charge)
    for (const secret of ["another secret", undefined, `${webhookSecret} `]) {
      const { status, code } = await stage.post(body, secret)
      expect([status, code]).toEqual([401, "invalid_signature"])
    }
    const forged = await recordsOf(stage.operator, charge.id)
    expect(forged).toHaveLength(3)
    for (const { id, ...record } of forged) {
      expect(record).toMatchObject({ signature_valid: false, processed_at: null, end_to_end_id: endToEndId })
      const refused = await stage.operator.send<ErrorBody>("POST", `/v1/admin/inbox/${id}/reprocess`)
      expect([refused.status, refused.body.error.code]).toEqual([409, "invalid_state"])
      expect((await getRecord(stage.operator, id)).raw_body).toBe(body)
    }

    // Their claim is true now, and a forged notice still does not even make the service ask the PSP.
    stage.psp.pay(charge.pix.txid, { endToEndId })
    const { status } = await stage.post(body, "another secret")
    expect([status, (await getCharge(live, charge.id)).body.status]).toEqual([401, "pending"])
    expect(stage.psp.requestsOf(`GET /cob/${charge.pix.txid}`)).toEqual([])

    expect((await stage.post(body, webhookSecret)).text).toBe(received)
    await expectPaidOnce(live, charge.id, endToEndId)
    const records = await recordsOf(stage.operator, charge.id)
    expect(records.filter(({ signature_valid }) => !signature_valid)).toMatchObject(
      Array(4).fill({ processed_at: null, attempts: 0 }),
    )
    expect(await recordOf(stage, `${endToEndId}:received`)).toMatchObject({ transaction_id: charge.id })
    expect(await typesOf(live, charge.id)).toEqual(["transaction.created", "transaction.paid"])
  })
})

describe("a payment without a notice", () => {
  it("a payment without a notice is found by asking the PSP", async () => {
    const { live, charge, endToEndId } = unannounced
    await chargeWhen(live, charge.id, "paid", 80_000)
    await expectPaidOnce(live, charge.id, endToEndId)
    expect(await recordsOf(stage.operator, charge.id)).toEqual([])
  })
})

describe("the service's log", () => {
  it("the service's log contains no secret of the PSP or its webhooks, and no payer's name", () => {
    const log = stage.service.log()
    for (const secret of [stage.psp.clientSecret, webhookSecret, "Ana Souza", "PRIVATE KEY"]) {
      expect(log).not.toContain(secret)
    }
  })
})

describe("the books after these tests", () => {
  it("the audit finds every book in balance after these tests", async () => {
    expect(await auditVerify(stage)).toEqual(soundBooks)
  })
})
