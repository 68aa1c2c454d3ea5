import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { Transaction } from "../../schema/resources/transaction.ts"
import {
  type ApiPixStage,
  auditVerify,
  duplicate,
  noticeWhen,
  openApiPixStage,
  received,
  soundBooks,
  webhookSecret,
} from "./support/apiPix.ts"
import { chargeWhen, eventsOf, getCharge, makeCharge } from "./support/charges.ts"
import type { Seller } from "./support/stage.ts"
import { balanceOf, ledgerOf } from "./support/withdrawals.ts"

/** Charges that wait for their expiry: one for each case, each of its own seller, all made first. */
const ways = ["unpaid", "unannounced", "uncancelled", "crossing", "returned"] as const
type Way = (typeof ways)[number]

let stage: ApiPixStage
let waiting: Readonly<Record<Way, { readonly seller: Seller; readonly charge: Transaction }>>
beforeAll(async () => {
  stage = await openApiPixStage()
  const make = async () => {
    const seller = await stage.newSeller()
    // The shortest expiry allowed.
    return { seller, charge: await makeCharge(seller.live, { pix: { expires_in_seconds: 10 } }) }
  }
  const making = [make(), make(), make(), make(), make()] as const
  const [unpaid, unannounced, uncancelled, crossing, returned] = await Promise.all(making)
  waiting = { unpaid, unannounced, uncancelled, crossing, returned }
})
afterAll(() => stage?.close())

const typesOf = async ({ seller, charge }: (typeof waiting)[Way]) =>
  (await eventsOf(seller.live, charge.id)).map(({ type }) => type)

const whenExpired = ({ seller, charge }: (typeof waiting)[Way]) =>
  chargeWhen(seller.live, charge.id, "expired", 40_000)

/** Sends the notice of a transfer to an expired charge, and waits until the charge is paid. */
const payLate = async ({ seller, charge }: (typeof waiting)[Way], endToEndId: string) => {
  expect(await stage.tell({ endToEndId })).toBe(received)
  const paid = await chargeWhen(seller.live, charge.id, "paid")
  expect(paid).toMatchObject({
    end_to_end_id: endToEndId,
    expired_at: expect.any(String),
    paid_at: expect.any(String),
    exceptions: [{ kind: "late_payment", end_to_end_id: endToEndId, amount: 12_990 }],
  })
  const record = await noticeWhen(stage, `${endToEndId}:received`)
  expect(record.error).toContain("late_payment")
  return paid
}

const lateTypes = ["transaction.created", "transaction.expired", "transaction.paid"]

describe.concurrent("a live charge at its expiry", () => {
  it("an unpaid live charge expires, and the PSP no longer accepts a payment for it", async () => {
    const { charge } = waiting.unpaid
    const { txid } = charge.pix
    expect(stage.psp.charge(txid)).toMatchObject({ asked: { calendario: { expiracao: 10 } } })
    const expired = await whenExpired(waiting.unpaid)
    expect(expired).toMatchObject({ end_to_end_id: null, paid_at: null, exceptions: [] })
    expect(Date.parse(expired.expired_at ?? "")).toBeGreaterThanOrEqual(Date.parse(charge.pix.expires_at))
    expect(stage.psp.charge(txid)?.status).toBe("REMOVIDA_PELO_USUARIO_RECEBEDOR")
    expect(() => stage.psp.pay(txid)).toThrow("removed")
    expect(await typesOf(waiting.unpaid)).toEqual(["transaction.created", "transaction.expired"])
  })

  it("a live charge that was paid without a notice becomes paid, and the PSP is not asked to remove it", async () => {
    const { seller, charge } = waiting.unannounced
    const endToEndId = stage.psp.pay(charge.pix.txid)
    const paid = await chargeWhen(seller.live, charge.id, "paid", 40_000)
    expect(paid).toMatchObject({ end_to_end_id: endToEndId, expired_at: null, exceptions: [] })
    expect(await typesOf(waiting.unannounced)).toEqual(["transaction.created", "transaction.paid"])
    expect(stage.psp.requestsOf(`PATCH /cob/${charge.pix.txid}`)).toEqual([])
  })

  it("a live charge expires even if the PSP fails to remove it, and a later transfer is a late payment", async () => {
    const { seller, charge } = waiting.uncancelled
    const { txid } = charge.pix
    // A call and both its retries.
    stage.psp.fail(`PATCH /cob/${txid}`, { kind: "answer", status: 503 }, 3)
    await whenExpired(waiting.uncancelled)
    expect(stage.psp.charge(txid)?.status).toBe("ATIVA")

    const paid = await payLate(waiting.uncancelled, stage.psp.pay(txid))
    expect(await typesOf(waiting.uncancelled)).toEqual(lateTypes)
    expect((await eventsOf(seller.live, charge.id)).at(-1)?.data.object).toEqual(paid)
    expect((await ledgerOf(seller.live)).map(({ kind }) => kind)).toEqual(["charge_paid"])
    expect(await balanceOf(seller.live)).toMatchObject({ available: 12_990 })
  })

  it("a live charge whose payment crosses its removal is paid, without an expired event", async () => {
    const { seller, charge } = waiting.crossing
    const { txid } = charge.pix
    const endToEndId = stage.psp.pay(txid)
    // The PSP's look-up lags behind: at the expiry it still shows the charge unpaid, and then refuses the removal.
    const unpaid = (body: Readonly<Record<string, unknown>>) => ({ ...body, status: "ATIVA", pix: [] })
    stage.psp.fail(`GET /cob/${txid}`, { kind: "changed", change: unpaid })
    const paid = await chargeWhen(seller.live, charge.id, "paid", 40_000)
    expect(stage.psp.requestsOf(`PATCH /cob/${txid}`)).toHaveLength(1)
    expect(paid).toMatchObject({ end_to_end_id: endToEndId, expired_at: null, exceptions: [] })
    expect(await typesOf(waiting.crossing)).toEqual(["transaction.created", "transaction.paid"])
    expect(await balanceOf(seller.live)).toMatchObject({ available: 12_990 })
  })

  it("the refund of a late payment counts, even if its notice comes before the PSP shows the refund", async () => {
    const { seller, charge } = waiting.returned
    const { txid } = charge.pix
    stage.psp.fail(`PATCH /cob/${txid}`, { kind: "answer", status: 503 }, 3)
    await whenExpired(waiting.returned)
    const endToEndId = stage.psp.pay(txid)
    const paid = await payLate(waiting.returned, endToEndId)
    const { pix } = JSON.parse(stage.psp.notice({ endToEndId }))
    const devolucoes = [{ id: "r1", valor: "129.90", natureza: "ORIGINAL", status: "DEVOLVIDO" }]
    const early = JSON.stringify({ pix: [{ ...pix[0], devolucoes }] })
    expect((await stage.post(early, webhookSecret)).text).toBe(received)
    const eventId = `${endToEndId}:refund:r1:DEVOLVIDO`
    const record = await noticeWhen(stage, eventId, ({ attempts }) => attempts > 0)
    expect((await getCharge(seller.live, charge.id)).body).toEqual(paid)
    expect(record).toMatchObject({ processed_at: null })

    stage.psp.refundOf(endToEndId, { id: "r1" })
    expect((await stage.post(early, webhookSecret)).text).toBe(duplicate)
    await chargeWhen(seller.live, charge.id, "refunded")
    expect(await typesOf(waiting.returned)).toEqual([...lateTypes, "transaction.refunded"])
    expect(await balanceOf(seller.live)).toMatchObject({ available: 0 })
  })
})

describe("the books after these tests", () => {
  it("the audit finds every book in balance after these tests", async () => {
    expect(await auditVerify(stage)).toEqual(soundBooks)
  })
})
