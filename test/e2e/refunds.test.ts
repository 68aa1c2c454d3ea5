import { Schema } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { Event } from "../../schema/resources/event.ts"
import { LedgerEntry } from "../../schema/resources/ledger.ts"
import { Refund } from "../../schema/resources/refund.ts"
import { signInAsOperator } from "../support/dashboard.ts"
import { startTlsReceiver, type TlsReceiver } from "../support/tlsReceiver.ts"
import { allEvents, chargeWhen, eventsOf, getCharge, makeCharge } from "./support/charges.ts"
import type { Client, ErrorBody, Page } from "./support/client.ts"
import { type DashboardClient, dashboardClient } from "./support/dashboardClient.ts"
import { rowsWhen, verify } from "./support/deliveries.ts"
import {
  getRefund,
  paidCharge,
  postRefund,
  refund,
  refundBuckets,
  refundWhen,
  typesOf,
} from "./support/refunds.ts"
import { openStage, receiverSettings, type Stage } from "./support/stage.ts"
import { changeSeller, errorOf, ledgerOf } from "./support/withdrawals.ts"

let stage: Stage
let receiver: TlsReceiver
let operator: DashboardClient
beforeAll(async () => {
  receiver = await startTlsReceiver()
  stage = await openStage({ SIMULATOR_DELAY_MS: "50", ...receiverSettings(receiver) })
  operator = dashboardClient(stage.service.url, await signInAsOperator(stage.service))
})
afterAll(async () => {
  await stage?.close()
  await receiver?.close()
})

/** A seller with a paid charge of 200.00 in test mode. */
const newShop = async (amount = 20_000) => {
  const seller = await stage.newSeller()
  return { seller, client: seller.test, charge: await paidCharge(seller.test, amount) }
}

/** A charge's ledger entries and those of its refunds, oldest first: kind, resource and postings. */
const movementsOf = async (client: Client) =>
  (await ledgerOf(client)).map(({ kind, resource_type, postings }) => [
    kind,
    resource_type,
    Object.fromEntries(postings.map(({ bucket, amount }) => [bucket, amount])),
  ])

const paidTypes = ["transaction.created", "transaction.paid"]

describe("a refund", () => {
  it("a requested refund is answered in full, and holds its amount", async () => {
    const { client, charge } = await newShop()
    const made = await refund(client, charge.id, { amount: 5_001, reason: "one of two shirts" })
    expect(made).toEqual({
      id: expect.stringMatching(/^rfd_[0-9A-Z]{26}$/),
      object: "refund",
      trace_id: expect.stringMatching(/^[0-9a-f]{32}$/),
      transaction_id: charge.id,
      mode: "test",
      amount: 5_001,
      currency: "BRL",
      status: "pending",
      reason: "one of two shirts",
      origin: "seller",
      failure_code: null,
      failure_reason: null,
      return_id: null,
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      updated_at: made.created_at,
      completed_at: null,
    })
    expect(Object.keys(made)).toEqual(Object.keys(Refund.fields))
    expect(await refundBuckets(client)).toEqual({ available: 14_999, reserve: 0, pending_refund: 5_001 })
  })

  it("a refund without a body returns the whole charge, which is then refunded", async () => {
    const { client, charge } = await newShop()
    const made = await refund(client, charge.id)
    expect(made).toMatchObject({ amount: 20_000, reason: null })
    const done = await refundWhen(client, made.id, "succeeded")
    expect(done).toEqual({
      ...made,
      status: "succeeded",
      return_id: done.return_id,
      updated_at: done.completed_at,
      completed_at: expect.any(String),
    })
    const after = (await getCharge(client, charge.id)).body
    expect(after).toEqual({
      ...charge,
      status: "refunded",
      refunded_amount: 20_000,
      refunds: [
        {
          id: made.id,
          kind: "refund",
          amount: 20_000,
          return_id: done.return_id,
          created_at: expect.any(String),
        },
      ],
      refunded_at: expect.any(String),
    })
    expect(await refundBuckets(client)).toEqual({ available: 0, reserve: 0, pending_refund: 0 })
    expect(await typesOf(client, charge.id)).toEqual([...paidTypes, "transaction.refunded"])
    expect((await eventsOf(client, charge.id)).at(-1)?.data.object).toEqual(after)
  })

  it("parts of a charge go back one by one, and the last one ends it", async () => {
    const { client, charge } = await newShop()
    const first = await refund(client, charge.id, { amount: 3_000 })
    const { return_id } = await refundWhen(client, first.id, "succeeded")
    const part = (await getCharge(client, charge.id)).body
    expect(part).toEqual({
      ...charge,
      refunded_amount: 3_000,
      refunds: [{ id: first.id, kind: "refund", amount: 3_000, return_id, created_at: expect.any(String) }],
    })
    const second = await refund(client, charge.id, { amount: null, reason: null })
    expect(second.amount).toBe(17_000)
    await refundWhen(client, second.id, "succeeded")
    const whole = await chargeWhen(client, charge.id, "refunded")
    expect(whole.refunds.map(({ id, amount }) => [id, amount])).toEqual([
      [first.id, 3_000],
      [second.id, 17_000],
    ])
    expect(await typesOf(client, charge.id)).toEqual([
      ...paidTypes,
      "transaction.partially_refunded",
      "transaction.refunded",
    ])
    const events = await eventsOf(client, charge.id)
    expect(events.slice(2).map(({ data }) => data.object)).toEqual([part, whole])
  })

  it("a test refund whose amount ends in 02 fails, and its money is available again", async () => {
    const { client, charge } = await newShop()
    const { id } = await refund(client, charge.id, { amount: 5_002 })
    const failed = await refundWhen(client, id, "failed")
    expect(failed).toMatchObject({ failure_code: "AM09", return_id: null })
    expect(failed.completed_at).toBe(failed.updated_at)
    expect((await getCharge(client, charge.id)).body).toEqual(charge)
    expect(await typesOf(client, charge.id)).toEqual(paidTypes)
    expect(await refundBuckets(client)).toEqual({ available: 20_000, reserve: 0, pending_refund: 0 })
    // What failed is left again.
    expect((await refund(client, charge.id)).amount).toBe(20_000)
  })

  it("a test refund whose amount ends in 01 stays processing, holds its money, and is not left any more", async () => {
    const { client, charge } = await newShop()
    const { id } = await refund(client, charge.id, { amount: 5_001 })
    await refundWhen(client, id, "processing")
    const later = await refund(client, charge.id, { amount: 100 })
    await refundWhen(client, later.id, "succeeded")
    expect((await getRefund(client, id)).status).toBe("processing")
    expect(await refundBuckets(client)).toEqual({ available: 14_899, reserve: 0, pending_refund: 5_001 })
    expect((await getCharge(client, charge.id)).body.refunded_amount).toBe(100)
    const refused = errorOf(await postRefund(client, charge.id, { amount: 14_900 }))
    expect(refused).toMatchObject({ status: 400, param: "amount", details: { left: 14_899 } })
    expect(await typesOf(client, id)).toEqual(["refund.created"])
  })

  it("a live refund takes the money of live mode alone", async () => {
    const { live, test } = await stage.newSeller()
    const charge = await paidCharge(live, 20_000)
    const { id, mode } = await refund(live, charge.id, { amount: 4_000 })
    expect(mode).toBe("live")
    await refundWhen(live, id, "succeeded")
    expect(await refundBuckets(live)).toEqual({ available: 16_000, reserve: 0, pending_refund: 0 })
    expect((await test.get<ErrorBody>(`/v1/refunds/${id}`)).status).toBe(404)
    expect(errorOf(await postRefund(test, charge.id))).toMatchObject({ status: 404 })
  })
})

describe("a refund's events", () => {
  it("a refund's events show it as it was, internal at first, and come before its charge's", async () => {
    const { client, charge } = await newShop()
    const made = await refund(client, charge.id, { amount: 300 })
    const done = await refundWhen(client, made.id, "succeeded")
    const own = await eventsOf(client, made.id)
    expect(own.map(({ type, internal }) => [type, internal])).toEqual([
      ["refund.created", true],
      ["refund.succeeded", false],
    ])
    expect(own.map(({ data }) => data.object)).toEqual([made, done])
    for (const { data } of own) expect(Schema.is(Refund)(data.object)).toBe(true)
    const feed = await allEvents(client)
    expect(feed.map(({ type }) => type)).toEqual([
      ...paidTypes,
      "refund.created",
      "refund.succeeded",
      "transaction.partially_refunded",
    ])
    expect(feed.map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5])
    const filtered = await client.get<Page<Event>>("/v1/events?resource_type=refund")
    expect(filtered.body.data).toEqual(own.toReversed())
  })

  it("endpoints get what they subscribe to, and a charge's postback only its charge's events", async () => {
    const [endpointUrl, postback] = [`${receiver.origin}/endpoint`, `${receiver.origin}/postback`]
    const seller = await stage.newSeller({ endpoints: [{ url: endpointUrl, events: ["*"] }] })
    const charge = await paidCharge(seller.test, 20_000, { postback_url: postback })
    const { id } = await refund(seller.test, charge.id, { amount: 500 })
    await refundWhen(seller.test, id, "succeeded")
    const rest = await refund(seller.test, charge.id)
    await refundWhen(seller.test, rest.id, "succeeded")
    await rowsWhen(seller.test, (rows) => rows.length === 8)
    const on = (path: string) => receiver.requests.filter((request) => request.path === path)
    const typesAt = (path: string) => on(path).map(({ headers }) => String(headers["x-event-type"]))
    const ofCharge = ["transaction.paid", "transaction.partially_refunded", "transaction.refunded"]
    expect(typesAt("/postback").toSorted()).toEqual(ofCharge)
    expect(typesAt("/endpoint").toSorted()).toEqual(["refund.succeeded", "refund.succeeded", ...ofCharge])
    for (const request of on("/endpoint")) verify(request, seller.endpoints[0]?.secret ?? "")
    const shown = on("/endpoint").map(({ body }) => ({ ...(JSON.parse(body) as Event), internal: false }))
    const feed = (await allEvents(seller.test)).filter(({ internal }) => !internal)
    const byId = (all: ReadonlyArray<Event>) => all.toSorted((a, b) => (a.id < b.id ? -1 : 1))
    expect(byId(shown)).toEqual(byId(feed))
  })
})

describe("a refund's money", () => {
  it("the ledger has an entry for every movement of a refund, with its event and the balance it left", async () => {
    const { client, charge } = await newShop()
    const done = await refund(client, charge.id, { amount: 3_000 })
    await refundWhen(client, done.id, "succeeded")
    const failed = await refund(client, charge.id, { amount: 3_002 })
    await refundWhen(client, failed.id, "failed")
    expect(await movementsOf(client)).toEqual([
      ["charge_paid", "transaction", { external: -20_000, available: 20_000 }],
      ["refund_held", "refund", { available: -3_000, pending_refund: 3_000 }],
      ["refund_settled", "refund", { pending_refund: -3_000, external: 3_000 }],
      ["refund_held", "refund", { available: -3_002, pending_refund: 3_002 }],
      ["refund_returned", "refund", { pending_refund: -3_002, available: 3_002 }],
    ])
    const entries = await ledgerOf(client)
    expect(entries.map(({ balance }) => [balance.available, balance.pending_refund])).toEqual([
      [20_000, 0],
      [17_000, 3_000],
      [17_000, 0],
      [13_998, 3_002],
      [17_000, 0],
    ])
    for (const entry of entries) {
      expect(Schema.is(LedgerEntry)(entry)).toBe(true)
      const { body: event } = await client.get<Event>(`/v1/events/${entry.event_id}`)
      expect(event.data.object.id).toBe(entry.resource_id)
    }
  })

  it("a refund takes what its charge has in the reserve first, and what fails goes back there", async () => {
    const seller = await stage.newSeller()
    const client = seller.test
    await changeSeller(operator, seller, "settings", { reserve_bps: 1_000, reserve_days: 30 })
    const charge = await paidCharge(client, 20_000)
    expect(await refundBuckets(client)).toEqual({ available: 18_000, reserve: 2_000, pending_refund: 0 })
    const failing = await refund(client, charge.id, { amount: 3_002 })
    await refundWhen(client, failing.id, "failed")
    const within = await refund(client, charge.id, { amount: 1_500 })
    await refundWhen(client, within.id, "succeeded")
    expect(await refundBuckets(client)).toEqual({ available: 18_000, reserve: 500, pending_refund: 0 })
    expect((await getCharge(client, charge.id)).body.reserve).toMatchObject({
      amount: 500,
      released_at: null,
    })
    const across = await refund(client, charge.id, { amount: 700 })
    await refundWhen(client, across.id, "succeeded")
    expect((await movementsOf(client)).slice(1)).toEqual([
      ["refund_held", "refund", { reserve: -2_000, available: -1_002, pending_refund: 3_002 }],
      ["refund_returned", "refund", { pending_refund: -3_002, reserve: 2_000, available: 1_002 }],
      ["refund_held", "refund", { reserve: -1_500, pending_refund: 1_500 }],
      ["refund_settled", "refund", { pending_refund: -1_500, external: 1_500 }],
      ["refund_held", "refund", { reserve: -500, available: -200, pending_refund: 700 }],
      ["refund_settled", "refund", { pending_refund: -700, external: 700 }],
    ])
  })

  it("the service keeps its fee of a refunded charge, which costs the seller the whole amount", async () => {
    const seller = await stage.newSeller()
    const client = seller.test
    await changeSeller(operator, seller, "settings", { charge_fee_fixed: 500 })
    const charge = await paidCharge(client, 20_000)
    await paidCharge(client, 10_000)
    const { id } = await refund(client, charge.id)
    await refundWhen(client, id, "succeeded")
    expect(await refundBuckets(client)).toEqual({ available: 9_000, reserve: 0, pending_refund: 0 })
  })
})

describe("refunds that begin at the acquirer", () => {
  const ends = [
    { amount: 2_004, status: "refunded", kind: "refund", reason: null },
    { amount: 2_005, status: "chargeback", kind: "chargeback", reason: "MED_FRAUDE" },
  ] as const
  for (const { amount, status, kind, reason } of ends) {
    it(`a charge whose amount ends in ${amount % 100} has a refund of the acquirer, with no hold`, async () => {
      const { test: client } = await stage.newSeller()
      const charge = await makeCharge(client, { amount })
      const after = await chargeWhen(client, charge.id, status)
      const { body } = await client.get<Page<Refund>>(`/v1/refunds?transaction_id=${charge.id}`)
      const [found, ...more] = body.data
      expect(more).toEqual([])
      expect(found).toMatchObject({ amount, status: "succeeded", origin: "partner", reason })
      expect(found?.completed_at).toEqual(expect.any(String))
      expect(Schema.is(Refund)(found)).toBe(true)
      expect(after.refunds).toMatchObject([{ id: found?.id, kind, amount, return_id: found?.return_id }])
      expect(await typesOf(client, found?.id ?? "")).toEqual(["refund.succeeded"])
      expect((await allEvents(client)).map(({ type }) => type)).toEqual([
        ...paidTypes,
        "refund.succeeded",
        `transaction.${status}`,
      ])
      const kinds = (await ledgerOf(client)).map(({ kind: entry, resource_type }) => [entry, resource_type])
      expect(kinds).toEqual([
        ["charge_paid", "transaction"],
        [`charge_${status}`, "transaction"],
      ])
    })
  }

  it("the test control refund returns what is left, as the acquirer would", async () => {
    const { client, charge } = await newShop()
    const first = await refund(client, charge.id, { amount: 4_000 })
    await refundWhen(client, first.id, "succeeded")
    const { status } = await client.post(`/v1/test/transactions/${charge.id}/refund`)
    expect(status).toBe(200)
    const { body } = await client.get<Page<Refund>>(`/v1/refunds?transaction_id=${charge.id}`)
    expect(body.data.map(({ amount, origin, status: of }) => [amount, origin, of]).toSorted()).toEqual([
      [16_000, "partner", "succeeded"],
      [4_000, "seller", "succeeded"],
    ])
    expect((await getCharge(client, charge.id)).body).toMatchObject({
      status: "refunded",
      refunded_amount: 20_000,
    })
    expect(await refundBuckets(client)).toEqual({ available: 0, reserve: 0, pending_refund: 0 })
  })
})

describe("a list of refunds", () => {
  it("with view=statement says who paid what for, and without it a refund as it is", async () => {
    const { client, charge } = await newShop()
    const made = await refundWhen(client, (await refund(client, charge.id, { amount: 500 })).id, "succeeded")
    const path = `/v1/refunds?transaction_id=${charge.id}`
    const [plain] = (await client.get<Page<Refund>>(path)).body.data
    expect(plain?.id).toBe(made.id)
    expect(plain).not.toHaveProperty("charge")
    const { body } = await client.get<Page<Refund>>(`${path}&view=statement`)
    expect(body).toEqual({
      data: [
        {
          ...plain,
          charge: {
            id: charge.id,
            customer: { name: charge.customer.name, document: charge.customer.document },
            reference: null,
            txid: charge.pix.txid,
            end_to_end_id: charge.end_to_end_id,
            amount: charge.amount,
            fee: charge.fee,
            net_amount: charge.net_amount,
          },
        },
      ],
      next_cursor: null,
    })
    const refused = await client.get<ErrorBody>(`${path}&view=all`)
    expect(errorOf(refused)).toMatchObject({ status: 400, param: "view" })
  })
})

describe("refunds of another seller or mode", () => {
  it("another seller or mode can neither refund a charge nor read its refunds or their events", async () => {
    const { seller, client, charge } = await newShop()
    const other = await stage.newSeller()
    const { id } = await refund(client, charge.id, { amount: 5_001 })
    for (const stranger of [seller.live, other.live, other.test]) {
      const read = await stranger.get<ErrorBody>(`/v1/refunds/${id}`)
      for (const answer of [read, await postRefund(stranger, charge.id, { amount: 100 })]) {
        expect(errorOf(answer)).toMatchObject({ status: 404, code: "resource_not_found" })
      }
      expect(await eventsOf(stranger, id)).toEqual([])
      const listed = await stranger.get(`/v1/refunds?transaction_id=${charge.id}`)
      expect(listed.body).toEqual({ data: [], next_cursor: null })
    }
  })

  it.each(["rfd_0", "rfd_00000000000000000000000000", "txn_00000000000000000000000000", "%00"])(
    "the unknown refund %s is 404, and so is a refund of an unknown charge",
    async (id) => {
      const { test } = await stage.newSeller()
      for (const answer of [await test.get<ErrorBody>(`/v1/refunds/${id}`), await postRefund(test, id)]) {
        expect(errorOf(answer)).toMatchObject({ status: 404, code: "resource_not_found" })
      }
    },
  )
})
