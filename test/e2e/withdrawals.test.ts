import { Schema } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { Event } from "../../schema/resources/event.ts"
import { LedgerEntry } from "../../schema/resources/ledger.ts"
import { Withdrawal, type WithdrawalStatus } from "../../schema/resources/withdrawal.ts"
import { signInAsOperator } from "../support/dashboard.ts"
import { makePixKey } from "../support/pixKey.ts"
import { startTlsReceiver, type TlsReceiver } from "../support/tlsReceiver.ts"
import { getCharge } from "./support/charges.ts"
import type { ErrorBody, Page } from "./support/client.ts"
import { type DashboardClient, dashboardClient } from "./support/dashboardClient.ts"
import { verify } from "./support/deliveries.ts"
import { openStage, receiverSettings, type Seller, type Stage } from "./support/stage.ts"
import {
  balanceOf,
  cancel,
  changeSeller,
  errorOf,
  fund,
  getWithdrawal,
  ledgerOf,
  mustCancel,
  postWithdrawal,
  withdraw,
  withdrawalEvents,
  withdrawalWhen,
} from "./support/withdrawals.ts"

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

/** A seller with 200.00 in both modes, and a verified key in each. */
const newShop = async () => {
  const seller = await stage.newSeller()
  const [live, test] = await Promise.all([
    makePixKey(stage, seller, "live"),
    makePixKey(stage, seller, "test"),
    fund(seller.live, 20_000),
    fund(seller.test, 20_000),
  ])
  return { seller, pixKeys: { live, test } }
}

const approve = (id: string) => operator.send("POST", `/v1/admin/withdrawals/${id}/approve`)

const statusesOf = (events: ReadonlyArray<Event>) =>
  events.map(({ type, data }) => {
    expect(Schema.is(Withdrawal)(data.object), type).toBe(true)
    expect(type).toBe(`withdrawal.${data.object.status}`)
    return data.object.status
  })

/** The balance by bucket, in centavos. */
const buckets = async (seller: Seller, mode: "live" | "test") => {
  const { available, reserve, pending_withdraw } = await balanceOf(seller[mode])
  return { available, reserve, pending_withdraw }
}

describe("a withdrawal", () => {
  it("a requested withdrawal is answered in full, and holds amount and fee", async () => {
    const { seller, pixKeys } = await newShop()
    const made = await withdraw(seller.live, pixKeys.live, 5_000, { description: "November" })
    expect(made).toEqual({
      id: expect.stringMatching(/^wd_[0-9A-Z]{26}$/),
      object: "withdrawal",
      trace_id: expect.stringMatching(/^[0-9a-f]{32}$/),
      mode: "live",
      status: "awaiting",
      amount: 5_000,
      fee: 100,
      total: 5_100,
      currency: "BRL",
      description: "November",
      pix_key_id: pixKeys.live,
      pix_key: { type: "email", value: "***@example.com" },
      end_to_end_id: null,
      failure_reason: null,
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      updated_at: made.created_at,
      approved_at: null,
      processing_at: null,
      completed_at: null,
    })
    const later = ["returned_at", "returned_amount", "debited_amount"]
    expect([...Object.keys(made), ...later]).toEqual(Object.keys(Withdrawal.fields))
    expect(await getWithdrawal(seller.live, made.id)).toEqual(made)
    expect(await buckets(seller, "live")).toEqual({
      available: 14_900,
      reserve: 0,
      pending_withdraw: 5_100,
    })
    expect(await buckets(seller, "test")).toEqual({ available: 20_000, reserve: 0, pending_withdraw: 0 })
  })

  it("a successful withdrawal goes through awaiting, approved, processing and successful", async () => {
    const { seller, pixKeys } = await newShop()
    const made = await withdraw(seller.test, pixKeys.test, 5_000)
    const done = await withdrawalWhen(seller.test, made.id, "successful")
    expect(done).toEqual({
      ...made,
      status: "successful",
      end_to_end_id: expect.stringMatching(/^E\d{8}\d{12}[0-9A-Za-z]{11}$/),
      updated_at: done.completed_at,
      approved_at: expect.any(String),
      processing_at: expect.any(String),
      completed_at: expect.any(String),
    })
    const events = await withdrawalEvents(seller.test, made.id)
    expect(statusesOf(events)).toEqual(["awaiting", "approved", "processing", "successful"])
    expect(events[0]?.data.object).toEqual(made)
    expect(events.at(-1)?.data.object).toEqual(done)
    expect(events.slice(1, 3).map(({ data }) => data.object.end_to_end_id)).toEqual([null, null])
    expect(await buckets(seller, "test")).toEqual({ available: 14_900, reserve: 0, pending_withdraw: 0 })
  })

  it("a test withdrawal whose amount ends in 02 fails, and all its money is returned", async () => {
    const { seller, pixKeys } = await newShop()
    const { id } = await withdraw(seller.test, pixKeys.test, 5_002)
    const failed = await withdrawalWhen(seller.test, id, "failed")
    expect(failed).toMatchObject({ failure_reason: "AC03", end_to_end_id: null })
    expect(failed.completed_at).toBe(failed.updated_at)
    const events = await withdrawalEvents(seller.test, id)
    expect(statusesOf(events)).toEqual(["awaiting", "approved", "processing", "failed"])
    expect(events.at(-1)?.data.object).toEqual(failed)
    expect(await buckets(seller, "test")).toEqual({ available: 20_000, reserve: 0, pending_withdraw: 0 })
  })

  it("a test withdrawal whose amount ends in 03 is rejected, and all its money is returned", async () => {
    const { seller, pixKeys } = await newShop()
    const { id } = await withdraw(seller.test, pixKeys.test, 5_003)
    const rejected = await withdrawalWhen(seller.test, id, "rejected")
    expect(rejected).toMatchObject({ approved_at: null, processing_at: null, end_to_end_id: null })
    const events = await withdrawalEvents(seller.test, id)
    expect(statusesOf(events)).toEqual(["awaiting", "rejected"])
    expect(events.at(-1)?.data.object).toEqual(rejected)
    expect(await buckets(seller, "test")).toEqual({ available: 20_000, reserve: 0, pending_withdraw: 0 })
  })

  it("a test withdrawal whose amount ends in 01 stays processing, holds its money and blocks the next", async () => {
    const { seller, pixKeys } = await newShop()
    const { id } = await withdraw(seller.test, pixKeys.test, 5_001)
    await withdrawalWhen(seller.test, id, "processing")
    const other = await withdrawalOfOther()
    // A later one has ended by now.
    expect((await getWithdrawal(seller.test, id)).status).toBe("processing")
    expect(await buckets(seller, "test")).toEqual({ available: 14_899, reserve: 0, pending_withdraw: 5_101 })
    expect(statusesOf(await withdrawalEvents(seller.test, id))).toEqual([
      "awaiting",
      "approved",
      "processing",
    ])
    expect(errorOf(await cancel(seller.test, id))).toMatchObject({ status: 409, code: "invalid_state" })
    const next = await postWithdrawal(seller.test, { amount: 100, pix_key_id: pixKeys.test })
    expect(errorOf(next)).toMatchObject({
      code: "invalid_state",
      details: { reason: "withdrawal_in_progress", withdrawal_id: id },
    })
    expect(other.status).toBe("successful")
  })

  /** Requests a withdrawal of another seller, and waits until it is successful. */
  const withdrawalOfOther = async () => {
    const { seller, pixKeys } = await newShop()
    const { id } = await withdraw(seller.test, pixKeys.test, 100)
    return withdrawalWhen(seller.test, id, "successful")
  }

  it("a withdrawal with automatic approval skips awaiting", async () => {
    const { seller, pixKeys } = await newShop()
    await changeSeller(operator, seller, "settings", { withdrawal_auto_approval: true })
    const made = await withdraw(seller.live, pixKeys.live, 5_000)
    expect(made).toMatchObject({ status: "approved", approved_at: made.created_at })
    const done = await withdrawalWhen(seller.live, made.id, "successful")
    const events = await withdrawalEvents(seller.live, made.id)
    expect(statusesOf(events)).toEqual(["approved", "processing", "successful"])
    expect(events.map(({ data }) => data.object).at(0)).toEqual(made)
    expect(events.map(({ data }) => data.object).at(-1)).toEqual(done)
    // Not even amounts that the simulated operator would refuse wait for it.
    const refusedElsewhere = await withdraw(seller.test, pixKeys.test, 5_003)
    expect(refusedElsewhere.status).toBe("approved")
  })
})

describe("deliveries of withdrawal events", () => {
  it("an endpoint gets the withdrawal events that it subscribes to, as the feed has them", async () => {
    const events = ["withdrawal.approved", "withdrawal.successful", "withdrawal.failed"]
    const seller = await stage.newSeller({ endpoints: [{ url: receiver.url, events }] })
    const secret = seller.endpoints[0]?.secret ?? ""
    await fund(seller.test, 20_000)
    const { id } = await withdraw(seller.test, await makePixKey(stage, seller, "test"), 5_000)
    await withdrawalWhen(seller.test, id, "successful")
    await receiver.waitFor(2)
    const feed = await seller.test.get<Page<Event>>(
      "/v1/events?types=withdrawal.approved,withdrawal.successful",
    )
    const delivered = receiver.requests.map((request) => {
      verify(request, secret)
      return { ...(JSON.parse(request.body) as Event), internal: false }
    })
    const byType = (all: ReadonlyArray<Event>) => all.toSorted((a, b) => a.type.localeCompare(b.type))
    expect(byType(delivered)).toEqual(byType(feed.body.data))
    expect(delivered.map(({ data }) => data.object.id)).toEqual([id, id])
  })
})

describe("cancelling a withdrawal", () => {
  it("cancelling an awaiting withdrawal returns all its money, and needs no idempotency key", async () => {
    const { seller, pixKeys } = await newShop()
    const made = await withdraw(seller.live, pixKeys.live, 5_000)
    const answer = await cancel<Withdrawal>(seller.live, made.id)
    expect(answer.status).toBe(200)
    expect(answer.body).toEqual({
      ...made,
      status: "cancelled",
      updated_at: answer.body.completed_at,
      completed_at: expect.any(String),
    })
    expect(await getWithdrawal(seller.live, made.id)).toEqual(answer.body)
    const events = await withdrawalEvents(seller.live, made.id)
    expect(statusesOf(events)).toEqual(["awaiting", "cancelled"])
    expect(events.at(-1)?.data.object).toEqual(answer.body)
    expect(await buckets(seller, "live")).toEqual({ available: 20_000, reserve: 0, pending_withdraw: 0 })
    await withdraw(seller.live, pixKeys.live, 5_000)
  })

  it("cancelling a withdrawal that is processing or has ended is refused", async () => {
    const { seller, pixKeys } = await newShop()
    const ends: ReadonlyArray<readonly [amount: number, end: WithdrawalStatus]> = [
      [200, "successful"],
      [202, "failed"],
      [203, "rejected"],
      [201, "processing"],
    ]
    for (const [amount, end] of ends) {
      const { id } = await withdraw(seller.test, pixKeys.test, amount)
      const ended = await withdrawalWhen(seller.test, id, end)
      const refused = errorOf(await cancel(seller.test, id))
      expect(refused).toEqual({
        status: 409,
        code: "invalid_state",
        type: "invalid_request_error",
        param: undefined,
        details: { status: end },
      })
      expect(await getWithdrawal(seller.test, id)).toEqual(ended)
    }
    const { id } = await withdraw(seller.live, pixKeys.live, 200)
    await mustCancel(seller.live, id)
    expect(errorOf(await cancel(seller.live, id))).toMatchObject({ details: { status: "cancelled" } })
    expect((await buckets(seller, "live")).available).toBe(20_000)
  })

  it("one of ten simultaneous cancellations and approvals of a withdrawal succeeds", async () => {
    const { seller, pixKeys } = await newShop()
    const { id } = await withdraw(seller.live, pixKeys.live, 5_000)
    const answers = await Promise.all([
      ...Array.from({ length: 5 }, () => cancel(seller.live, id)),
      ...Array.from({ length: 5 }, () => approve(id)),
    ])
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(9).fill(409)])
    const { status } = await getWithdrawal(seller.live, id)
    const wanted = status === "cancelled" ? ["awaiting", "cancelled"] : ["awaiting", "approved"]
    expect(statusesOf(await withdrawalEvents(seller.live, id)).slice(0, 2)).toEqual(wanted)
  })
})

describe("the ledger", () => {
  it("the ledger has an entry for every movement, with its postings and the balance it left", async () => {
    const { seller, pixKeys } = await newShop()
    const done = await withdraw(seller.test, pixKeys.test, 5_000)
    await withdrawalWhen(seller.test, done.id, "successful")
    const failed = await withdraw(seller.test, pixKeys.test, 5_002)
    await withdrawalWhen(seller.test, failed.id, "failed")

    const entries = await ledgerOf(seller.test)
    expect(entries.map(({ kind }) => kind)).toEqual([
      "charge_paid",
      "withdrawal_held",
      "withdrawal_settled",
      "withdrawal_held",
      "withdrawal_returned",
    ])
    expect(entries.map(({ postings }) => postings)).toEqual([
      [
        { bucket: "external", amount: -20_000 },
        { bucket: "available", amount: 20_000 },
      ],
      [
        { bucket: "available", amount: -5_100 },
        { bucket: "pending_withdraw", amount: 5_100 },
      ],
      [
        { bucket: "pending_withdraw", amount: -5_100 },
        { bucket: "external", amount: 5_000 },
        { bucket: "fees", amount: 100 },
      ],
      [
        { bucket: "available", amount: -5_102 },
        { bucket: "pending_withdraw", amount: 5_102 },
      ],
      [
        { bucket: "pending_withdraw", amount: -5_102 },
        { bucket: "available", amount: 5_102 },
      ],
    ])
    expect(entries.map(({ balance }) => balance)).toEqual([
      { available: 20_000, reserve: 0, pending_withdraw: 0, pending_refund: 0 },
      { available: 14_900, reserve: 0, pending_withdraw: 5_100, pending_refund: 0 },
      { available: 14_900, reserve: 0, pending_withdraw: 0, pending_refund: 0 },
      { available: 9_798, reserve: 0, pending_withdraw: 5_102, pending_refund: 0 },
      { available: 14_900, reserve: 0, pending_withdraw: 0, pending_refund: 0 },
    ])
    for (const entry of entries) {
      expect(Schema.is(LedgerEntry)(entry)).toBe(true)
      expect(entry.id).toMatch(/^le_[0-9A-Z]{26}$/)
      expect(entry).toMatchObject({ object: "ledger_entry", mode: "test" })
      const { body: event } = await seller.test.get<Event>(`/v1/events/${entry.event_id}`)
      expect(event.data.object.id).toBe(entry.resource_id)
    }
    expect(entries.map(({ resource_type }) => resource_type)).toEqual([
      "transaction",
      ...Array(4).fill("withdrawal"),
    ])
    expect((await getCharge(seller.test, entries[0]?.resource_id ?? "")).body.status).toBe("paid")
    expect(await balanceOf(seller.test)).toEqual({
      object: "balance",
      mode: "test",
      currency: "BRL",
      available: 14_900,
      reserve: 0,
      pending_withdraw: 0,
      pending_refund: 0,
    })
  })

  it("the ledger is empty and the balance zero before any money has moved", async () => {
    const { test } = await stage.newSeller()
    expect((await test.get("/v1/ledger")).body).toEqual({ data: [], next_cursor: null })
    expect(await balanceOf(test)).toMatchObject({ available: 0, reserve: 0, pending_withdraw: 0 })
  })
})

describe("withdrawals of another seller or mode", () => {
  it("another seller or mode can neither read nor cancel a withdrawal, nor see its events", async () => {
    const { seller, pixKeys } = await newShop()
    const other = await stage.newSeller()
    const { id } = await withdraw(seller.live, pixKeys.live, 5_000)
    for (const client of [seller.test, other.live, other.test]) {
      const read = await client.get<ErrorBody>(`/v1/withdrawals/${id}`)
      for (const answer of [read, await cancel(client, id)]) {
        expect(errorOf(answer)).toMatchObject({ status: 404, code: "resource_not_found" })
      }
      expect(await withdrawalEvents(client, id)).toEqual([])
    }
    expect((await getWithdrawal(seller.live, id)).status).toBe("awaiting")
  })

  it.each(["wd_0", "wd_00000000000000000000000000", "txn_00000000000000000000000000", "%00"])(
    "the unknown withdrawal %s is 404 when read or cancelled",
    async (id) => {
      const { test } = await stage.newSeller()
      const read = await test.get<ErrorBody>(`/v1/withdrawals/${id}`)
      for (const answer of [read, await cancel(test, id)]) {
        expect(errorOf(answer)).toMatchObject({ status: 404, code: "resource_not_found" })
      }
    },
  )
})
