import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { Bulk } from "../../schema/resources/bulk.ts"
import type { Delivery } from "../../schema/resources/delivery.ts"
import type { Refund } from "../../schema/resources/refund.ts"
import type { SellerAuditEntry } from "../../schema/resources/sellerAudit.ts"
import type { Transaction } from "../../schema/resources/transaction.ts"
import { signInAsSeller } from "../support/dashboard.ts"
import { startTlsReceiver, type TlsReceiver } from "../support/tlsReceiver.ts"
import { freshKey, makeCharge } from "./support/charges.ts"
import { type Answer, type Client, type ErrorBody, eventually, type Page, readAll } from "./support/client.ts"
import { type DashboardClient, dashboardClient } from "./support/dashboardClient.ts"
import { hasEnded, rowsWhen } from "./support/deliveries.ts"
import { payNow, refund } from "./support/refunds.ts"
import { openStage, receiverSettings, type Seller, type Stage } from "./support/stage.ts"
import { errorOf } from "./support/withdrawals.ts"

const path = "/v1/me/bulk"
const unknownCharge = "txn_01KA0000000700000000000000"

let stage: Stage
let receiver: TlsReceiver
let seller: Seller
let dashboard: DashboardClient
let withoutStepUp: DashboardClient

const inMode = async (mode: "live" | "test", options: { isSteppedUp?: boolean } = {}, of = seller) =>
  dashboardClient(stage.service.url, await signInAsSeller(stage.service, of.id, options), mode)

beforeAll(async () => {
  receiver = await startTlsReceiver({ behaviour: { kind: "respond", status: 500 } })
  stage = await openStage({
    ...receiverSettings(receiver),
    SIMULATOR_DELAY_MS: "3600000",
    RETRY_SCHEDULE_SECONDS: "0.01,0.01,0.01,0.01,0.01",
  })
  seller = await stage.newSeller()
  dashboard = await inMode("test")
  withoutStepUp = await inMode("test", { isSteppedUp: false })
})
afterAll(async () => {
  await stage?.close()
  await receiver?.close()
})

const post = <T = ErrorBody>(body: object, key = freshKey(), by = dashboard): Promise<Answer<T>> =>
  by.post(path, { body, headers: { "Idempotency-Key": key } })

/** Waits until a bulk act is done, and returns it. */
const doneOf = (id: string, by = dashboard): Promise<Bulk> =>
  eventually(`${id} to be done`, async () => {
    const { body } = await by.get<Bulk>(`${path}/${id}`)
    return body.state === "done" ? body : undefined
  })

/** Asks for a bulk act, and returns it once it is done. */
const bulk = async (body: object, by = dashboard): Promise<Bulk> => {
  const answer = await post<Bulk>(body, freshKey(), by)
  if (answer.status !== 202) throw new Error(`no bulk act: ${answer.text}`)
  return doneOf(answer.body.id, by)
}

const refundsOf = (client: Client, id: string) =>
  readAll<Refund>(client, "/v1/refunds", `transaction_id=${id}`)
const paid = (amounts: ReadonlyArray<number>, client = seller.test) =>
  Promise.all(amounts.map((amount) => payNow(client, amount)))
const idsOf = (charges: ReadonlyArray<Transaction>) => charges.map(({ id }) => id)

describe("bulk refunds", () => {
  it("what is left of each charge is refunded, and each row that cannot be says why", async () => {
    const [whole, part] = idsOf(await paid([5_000, 6_000]))
    await refund(seller.test, part ?? "", { amount: 1_000 })
    const pending = await makeCharge(seller.test, { amount: 7_000 })
    const [stranger] = idsOf(await paid([8_000], (await stage.newSeller()).test))
    const ids = [whole, part, whole, pending.id, stranger, unknownCharge]
    const answer = await post<Bulk>({ act: "refund", ids, reason: "Show cancelled" })
    expect(answer.status).toBe(202)
    expect(answer.body).toMatchObject({
      id: expect.stringMatching(/^blk_/),
      ...{ object: "bulk", mode: "test", act: "refund", state: "running", total: 5, done: 0, failed: [] },
    })
    expect(await doneOf(answer.body.id)).toEqual({
      ...answer.body,
      ...{ state: "done", done: 5 },
      failed: [
        { id: pending.id, code: "invalid_state" },
        { id: stranger, code: "resource_not_found" },
        { id: unknownCharge, code: "resource_not_found" },
      ],
    })
    expect(await refundsOf(seller.test, whole ?? "")).toMatchObject([
      { amount: 5_000, reason: "Show cancelled" },
    ])
    const amounts = (await refundsOf(seller.test, part ?? "")).map(({ amount }) => amount)
    expect(amounts.toSorted()).toEqual([1_000, 5_000])
    expect((await bulk({ act: "refund", ids: [whole] })).failed).toEqual([
      { id: whole, code: "invalid_state" },
    ])
  })

  it("the same Idempotency-Key answers the same bulk act, and another body under it is refused", async () => {
    const ids = idsOf(await paid([5_100]))
    const key = freshKey()
    const first = await post<Bulk>({ act: "refund", ids }, key)
    const again = await post<Bulk>({ act: "refund", ids }, key)
    expect([again.status, again.headers.get("idempotent-replayed")]).toEqual([202, "true"])
    expect(again.body).toEqual(first.body)
    await doneOf(first.body.id)
    const other = await post({ act: "refund", ids, reason: "other" }, key)
    expect(errorOf(other)).toMatchObject({ code: "idempotency_key_reused" })
    expect(await refundsOf(seller.test, ids[0] ?? "")).toHaveLength(1)
  })

  it("a filter names the charges that fit it when the act is asked for", async () => {
    const shop = await stage.newSeller()
    const by = await inMode("test", {}, shop)
    const charges = await paid([2_000, 3_000, 4_000], shop.test)
    const filter = { status: "paid", amount_min: "3000", amount_max: "3999" }
    const done = await bulk({ act: "refund", filter }, by)
    expect(done).toMatchObject({ total: 1, done: 1, failed: [] })
    expect(await refundsOf(shop.test, charges[1]?.id ?? "")).toHaveLength(1)
    const none = await post({ act: "refund", filter: { ...filter, amount_min: "3001" } }, freshKey(), by)
    expect([none.status, errorOf(none).param]).toEqual([400, "filter"])
  })

  it("a refund needs a step-up, as a single one does; sending again needs none", async () => {
    for (const act of ["refund", "cancel_withdrawal"]) {
      const refused = await post({ act, ids: [unknownCharge] }, freshKey(), withoutStepUp)
      expect([refused.status, errorOf(refused).code]).toEqual([403, "mfa_required"])
    }
    expect((await bulk({ act: "resend", ids: [unknownCharge] }, withoutStepUp)).failed).toEqual([
      { id: unknownCharge, code: "resource_not_found" },
    ])
  })

  it("the audit log tells the bulk act and each refund of it", async () => {
    const [id] = idsOf(await paid([5_200]))
    const { id: bulkId } = await bulk({ act: "refund", ids: [id, unknownCharge] })
    const { data } = (await dashboard.get<Page<SellerAuditEntry>>("/v1/me/audit")).body
    expect(data.slice(0, 2)).toMatchObject([
      {
        action: "transaction.refund_requested",
        resource_id: id,
        details: { mode: "test", amount: null, bulk_id: bulkId },
      },
      {
        action: "bulk.requested",
        resource_id: bulkId,
        details: { mode: "test", act: "refund", rows: 2 },
      },
    ])
    expect(data[0]?.actor).toEqual(data[1]?.actor)
  })
})

describe("the rows of a bulk act", () => {
  const someIds = (count: number) => Array.from({ length: count }, (_, i) => `no charge ${i}`)

  it("a thousand rows are taken, and one more is refused", async () => {
    const done = await bulk({ act: "refund", ids: someIds(1_000) })
    expect([done.total, done.failed.length]).toEqual([1_000, 1_000])
    const refused = await post({ act: "refund", ids: someIds(1_001) })
    expect([refused.status, errorOf(refused).param]).toEqual([400, "ids"])
  })

  it.each([
    ["ids", { act: "refund" }],
    ["ids", { act: "refund", ids: [] }],
    ["ids", { act: "refund", ids: ["a"], filter: {} }],
    ["ids.0", { act: "refund", ids: [""] }],
    ["act", { act: "pay", ids: ["a"] }],
    ["filter", { act: "cancel_withdrawal", filter: {} }],
    ["filter.endpoint_id", { act: "refund", filter: { endpoint_id: "we_1" } }],
    ["filter.amount_min", { act: "refund", filter: { amount_min: "-1" } }],
    ["filter.status", { act: "resend", filter: { status: "paid" } }],
    ["filter.limit", { act: "resend", filter: { limit: "1" } }],
    ["event_type", { act: "resend", filter: { event_type: "nothing.happened" } }],
    ["reason", { act: "resend", ids: ["a"], reason: "why" }],
    ["reason", { act: "refund", ids: ["a"], reason: "x".repeat(141) }],
  ])("400 at %s for %j", async (param, body) => {
    const answer = await post(body)
    expect([answer.status, errorOf(answer).param]).toEqual([400, param])
  })

  it("a bulk act is its seller's and its mode's alone", async () => {
    const { id } = await bulk({ act: "refund", ids: [unknownCharge] })
    const others = [await inMode("live"), await inMode("test", {}, await stage.newSeller())]
    for (const other of others) {
      expect((await other.get(`${path}/${id}`)).status).toBe(404)
    }
    expect((await dashboard.get(`${path}/blk_none`)).status).toBe(404)
  })
})

describe("bulk withdrawals and deliveries", () => {
  it("failed deliveries are sent again, by a filter one of each delivery", async () => {
    const shop = await stage.newSeller()
    const by = await inMode("test", {}, shop)
    await by.send("POST", "/v1/me/webhook-endpoints", {
      url: `${receiver.origin}/down`,
      events: ["transaction.paid"],
    })
    await paid([5_300, 5_400], shop.test)
    const dead = (rows: ReadonlyArray<Delivery>) => rows.filter(({ status }) => status === "dead")
    const first = dead(await rowsWhen(shop.test, (rows) => dead(rows).length === 2 && hasEnded(rows)))
    const one = await bulk({ act: "resend", ids: [first[0]?.id] }, by)
    expect(one).toMatchObject({ total: 1, failed: [] })
    await rowsWhen(shop.test, (rows) => dead(rows).length === 3)
    const all = await bulk({ act: "resend", filter: { status: "dead" } }, by)
    expect(all).toMatchObject({ total: 2, done: 2, failed: [] })
    await rowsWhen(shop.test, (rows) => dead(rows).length === 5)
  })
})
