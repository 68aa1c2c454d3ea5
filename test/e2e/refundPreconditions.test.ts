import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { signInAsOperator } from "../support/dashboard.ts"
import { makePixKey } from "../support/pixKey.ts"
import { makeCharge } from "./support/charges.ts"
import type { Client } from "./support/client.ts"
import { type DashboardClient, dashboardClient } from "./support/dashboardClient.ts"
import { payNow, postRefund, refund, refundBuckets } from "./support/refunds.ts"
import { openStage, type Seller, type Stage } from "./support/stage.ts"
import { changeSeller, errorOf, ledgerOf, postWithdrawal } from "./support/withdrawals.ts"

const unknownCharge = "txn_00000000000000000000000000"
const hourSeconds = 60 * 60
const daySeconds = 24 * hourSeconds

let stage: Stage
let operator: DashboardClient
// Refunds stay under way while the tests run, and the test control pays charges.
beforeAll(async () => {
  stage = await openStage({ SIMULATOR_DELAY_MS: String(hourSeconds * 1_000) })
  operator = dashboardClient(stage.service.url, await signInAsOperator(stage.service))
})
afterAll(() => stage?.close())

let seller: Seller
let client: Client
beforeEach(async () => {
  // With a document, without which no identification can be approved again.
  seller = await stage.newSeller({ document: "52998224725" })
  client = seller.test
})

/** Asks for a refund that must be refused and move nothing; the error. */
const refusalOf = async (chargeId: string, body?: object, by = client) => {
  const before = await refundBuckets(by)
  const answer = await postRefund(by, chargeId, body)
  expect(answer.status, answer.text).not.toBe(201)
  expect(await refundBuckets(by)).toEqual(before)
  return errorOf(answer)
}

const advance = async (seconds: number): Promise<void> => {
  const { status, text } = await client.post("/v1/test/clock/advance", { body: { seconds } })
  if (status !== 200) throw new Error(`the clock was not advanced: ${text}`)
}

/** Withdraws from test mode, so that less is available. */
const withdrawAll = async (amount: number): Promise<void> => {
  const pixKey = await makePixKey(stage, seller, "test")
  const answer = await postWithdrawal(client, { amount, pix_key_id: pixKey })
  if (answer.status !== 201) throw new Error(`nothing was withdrawn: ${answer.text}`)
}

const conflict = { status: 409, type: "invalid_request_error", param: undefined } as const
const forbidden = { status: 403, type: "permission_error", param: undefined, details: undefined } as const

describe("the preconditions of a refund", () => {
  it("a refund's preconditions are checked in the order of the contract's table", async () => {
    const pending = await makeCharge(client)
    const charge = await payNow(client, 20_000)
    await withdrawAll(15_000)
    await changeSeller(operator, seller, "status", { status: "suspended" })
    expect(await refusalOf(unknownCharge)).toEqual({ ...forbidden, code: "seller_not_allowed" })
    expect(await refusalOf(charge.id)).toEqual({ ...forbidden, code: "seller_not_allowed" })
    await changeSeller(operator, seller, "status", { status: "active" })

    const tooMuch = { amount: 20_001 }
    expect(await refusalOf(unknownCharge, tooMuch)).toMatchObject({ status: 404, code: "resource_not_found" })
    expect(await refusalOf(pending.id, tooMuch)).toEqual({
      ...conflict,
      code: "invalid_state",
      details: { status: "pending", paid_at: null },
    })
    expect(await refusalOf(charge.id, tooMuch)).toEqual({
      status: 400,
      type: "invalid_request_error",
      code: "validation_failed",
      param: "amount",
      details: { left: 20_000 },
    })
    expect(await refusalOf(charge.id, { amount: 4_901 })).toEqual({
      ...conflict,
      code: "insufficient_balance",
      param: "amount",
      details: { available: 4_900, reserve: 0, amount: 4_901 },
    })
    expect((await refund(client, charge.id, { amount: 4_900 })).status).toBe("pending")
  })

  it("a live refund needs an approved identification, which is checked before the charge", async () => {
    const charge = await makeCharge(seller.live)
    await changeSeller(operator, seller, "kyc", { status: "rejected" })
    for (const id of [charge.id, unknownCharge]) {
      const refused = await refusalOf(id, undefined, seller.live)
      expect(refused).toEqual({ ...forbidden, code: "kyc_required" })
    }
    await changeSeller(operator, seller, "kyc", { status: "approved" })
    expect(await refusalOf(charge.id, undefined, seller.live)).toMatchObject({ code: "invalid_state" })
    expect(await refusalOf(unknownCharge, undefined, seller.live)).toMatchObject({ status: 404 })
  })

  it("a refused refund leaves no ledger entry, no event and no refund", async () => {
    const charge = await payNow(client, 20_000)
    const before = await ledgerOf(client)
    await refusalOf(charge.id, { amount: 20_001 })
    await refusalOf(unknownCharge)
    await withdrawAll(19_900)
    await refusalOf(charge.id)
    expect((await ledgerOf(client)).slice(before.length).map(({ kind }) => kind)).toEqual(["withdrawal_held"])
    expect((await client.get("/v1/events?types=refund.*")).body).toEqual({ data: [], next_cursor: null })
    expect((await client.get("/v1/refunds")).body).toEqual({ data: [], next_cursor: null })
  })

  it("a payout lock does not forbid refunds", async () => {
    const charge = await payNow(client, 20_000)
    await changeSeller(operator, seller, "payout-lock", {
      until: new Date(Date.now() + 60_000).toISOString(),
    })
    expect((await refund(client, charge.id)).amount).toBe(20_000)
  })
})

describe("the charge of a refund", () => {
  it.each(["expire", "fail", "refund", "chargeback"])(
    "a charge that the test control %s has ended cannot be refunded",
    async (act) => {
      const needsPayment = act === "refund" || act === "chargeback"
      const { id } = needsPayment ? await payNow(client, 20_000) : await makeCharge(client)
      const answer = await client.post<{ status: string; paid_at: string | null }>(
        `/v1/test/transactions/${id}/${act}`,
      )
      expect(answer.status).toBe(200)
      const { status, paid_at } = answer.body
      expect(await refusalOf(id)).toEqual({
        ...conflict,
        code: "invalid_state",
        details: { status, paid_at },
      })
    },
  )

  it("a charge can be refunded until ninety days after its payment, and not a moment later", async () => {
    const charge = await payNow(client, 20_000)
    // A minute less than ninety days: the tests themselves take some of it.
    await advance(90 * daySeconds - 60)
    await refund(client, charge.id, { amount: 1_000 })
    await advance(60)
    expect(await refusalOf(charge.id, { amount: 1_000 })).toEqual({
      ...conflict,
      code: "invalid_state",
      details: { status: "paid", paid_at: charge.paid_at },
    })
  })

  it("refunds under way count as gone, and where nothing is left the state forbids another", async () => {
    const charge = await payNow(client, 20_000)
    await refund(client, charge.id, { amount: 12_000 })
    expect(await refusalOf(charge.id, { amount: 8_001 })).toMatchObject({
      status: 400,
      details: { left: 8_000 },
    })
    await refund(client, charge.id, { amount: 8_000 })
    for (const body of [undefined, {}, { amount: 1 }]) {
      expect(await refusalOf(charge.id, body)).toMatchObject({
        status: 409,
        code: "invalid_state",
        details: { status: "paid", paid_at: charge.paid_at },
      })
    }
  })

  it("a charge has two hundred refunds and no more, failed ones included", async () => {
    const charge = await payNow(client, 20_000)
    const failing = await refund(client, charge.id, { amount: 3 })
    expect((await client.post(`/v1/test/refunds/${failing.id}/fail`)).status).toBe(200)
    for (let count = 1; count < 200; count++) await refund(client, charge.id, { amount: 3 })
    expect(await refusalOf(charge.id, { amount: 3 })).toEqual({
      ...conflict,
      code: "invalid_state",
      details: { status: "paid", paid_at: charge.paid_at, refunds_limit: 200 },
    })
    expect(await refundBuckets(client)).toMatchObject({ pending_refund: 199 * 3 })
  })

  it("one of twelve simultaneous refunds of a whole charge is made", async () => {
    const charge = await payNow(client, 20_000)
    await payNow(client, 50_000)
    const answers = await Promise.all(Array.from({ length: 12 }, () => postRefund(client, charge.id)))
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, ...Array(11).fill(409)])
    expect(await refundBuckets(client)).toEqual({ available: 50_000, reserve: 0, pending_refund: 20_000 })
  })
})

describe("a refund and the balance", () => {
  it("a refund may use up the charge's reserve and the balance, and not one centavo more", async () => {
    await changeSeller(operator, seller, "settings", { reserve_bps: 1_000, reserve_days: 30 })
    await payNow(client, 7_000)
    const charge = await payNow(client, 20_000)
    await withdrawAll(14_300)
    expect(await refundBuckets(client)).toEqual({ available: 9_900, reserve: 2_700, pending_refund: 0 })
    expect(await refusalOf(charge.id, { amount: 11_901 })).toMatchObject({
      code: "insufficient_balance",
      details: { available: 9_900, reserve: 2_000, amount: 11_901 },
    })
    await refund(client, charge.id, { amount: 11_900 })
    // The other charge's reserve is not for this one.
    expect(await refundBuckets(client)).toEqual({ available: 0, reserve: 700, pending_refund: 11_900 })
    expect(await refusalOf(charge.id, { amount: 1 })).toMatchObject({
      details: { available: 0, reserve: 0, amount: 1 },
    })
  })

  it("money that a refund holds cannot be withdrawn", async () => {
    const charge = await payNow(client, 20_000)
    await refund(client, charge.id, { amount: 15_000 })
    const pixKey = await makePixKey(stage, seller, "test")
    const refused = errorOf(await postWithdrawal(client, { amount: 4_901, pix_key_id: pixKey }))
    expect(refused).toMatchObject({ code: "insufficient_balance", details: { available: 5_000 } })
  })
})

describe("the body of a refund", () => {
  it.each([
    ["an amount of zero", { amount: 0 }, "amount"],
    ["a negative amount", { amount: -1 }, "amount"],
    ["an amount with a fraction", { amount: 1.5 }, "amount"],
    ["an amount as text", { amount: "100" }, "amount"],
    ["an amount beyond any charge's", { amount: 1_000_000_000_000 }, "amount"],
    ["a reason of 141 characters", { reason: "x".repeat(141) }, "reason"],
    ["a reason of two lines", { reason: "a\nb" }, "reason"],
    ["a reason that is a number", { reason: 1 }, "reason"],
  ])("a refund with %s is refused before its charge is looked for", async (_, body, param) => {
    const refused = await refusalOf(unknownCharge, body)
    expect(refused).toMatchObject({ status: 400, code: "validation_failed", param })
  })

  it("a refund's reason may have 140 characters, and its amount may be all of the charge", async () => {
    const charge = await payNow(client, 20_000)
    const body = { amount: 20_000, reason: "ç".repeat(140) }
    expect(await refund(client, charge.id, body)).toMatchObject(body)
  })
})
