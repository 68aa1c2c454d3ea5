import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest"
import type { Withdrawal } from "../../schema/resources/withdrawal.ts"
import { signInAsOperator } from "../support/dashboard.ts"
import { makePixKey } from "../support/pixKey.ts"
import { mailedToken, makeSellerPerson } from "./support/accountPeople.ts"
import { chargeBody, makeCharge, postCharge } from "./support/charges.ts"
import { type ErrorBody, eventually, makeClient } from "./support/client.ts"
import { type DashboardClient, dashboardClient } from "./support/dashboardClient.ts"
import { openStage, type Seller, type Stage } from "./support/stage.ts"
import {
  balanceOf,
  changeSeller,
  errorOf,
  fund,
  ledgerOf,
  mustCancel,
  postWithdrawal,
  withdraw,
} from "./support/withdrawals.ts"

const unknownKey = "pk_00000000000000000000000000"

let stage: Stage
let operator: DashboardClient
beforeAll(async () => {
  stage = await openStage({ SIMULATOR_DELAY_MS: "50" })
  operator = dashboardClient(stage.service.url, await signInAsOperator(stage.service))
})
afterAll(() => stage?.close())

let seller: Seller
/** A live key, because the simulated operator would decide on test withdrawals. */
let pixKey: string
beforeEach(async () => {
  // With a document, without which no identification can be approved again.
  seller = await stage.newSeller({ document: "52998224725" })
  pixKey = await makePixKey(stage, seller, "live")
  await fund(seller.live, 20_000)
})

const ask = (amount: unknown, changes: object = {}) =>
  postWithdrawal(seller.live, { amount, pix_key_id: pixKey, ...changes })

/** Asks for a withdrawal that must be refused and move nothing; the error. */
const refusalOf = async (amount: number, changes: object = {}) => {
  const before = await balanceOf(seller.live)
  const answer = await ask(amount, changes)
  expect(answer.status, answer.text).not.toBe(201)
  expect(await balanceOf(seller.live)).toEqual(before)
  return errorOf(answer)
}

const inMillis = (millis: number) => new Date(Date.now() + millis).toISOString()

const conflict = { status: 409, type: "invalid_request_error", param: undefined } as const
const forbidden = { status: 403, type: "permission_error", param: undefined, details: undefined } as const

describe("the preconditions of a withdrawal", () => {
  it("a withdrawal's preconditions are checked in the order of the contract's table", async () => {
    const open = await withdraw(seller.live, pixKey, 1_000)
    const until = inMillis(3_600_000)
    await changeSeller(operator, seller, "settings", { withdrawal_daily_value: 1_499 })
    await changeSeller(operator, seller, "payout-lock", { until })
    await changeSeller(operator, seller, "kyc", { status: "rejected" })
    await changeSeller(operator, seller, "status", { status: "suspended" })

    const worst = [1_000_000, { pix_key_id: unknownKey }] as const
    expect(await refusalOf(...worst)).toEqual({ ...forbidden, code: "seller_not_allowed" })
    await changeSeller(operator, seller, "status", { status: "active" })
    expect(await refusalOf(...worst)).toEqual({ ...forbidden, code: "kyc_required" })
    await changeSeller(operator, seller, "kyc", { status: "approved" })
    expect(await refusalOf(...worst)).toEqual({
      ...forbidden,
      code: "payout_locked",
      details: { locked_until: until },
    })
    await changeSeller(operator, seller, "payout-lock", { until: null })
    expect(await refusalOf(...worst)).toEqual({
      ...conflict,
      code: "pix_key_not_verified",
      param: "pix_key_id",
      details: undefined,
    })
    expect(await refusalOf(1_000_000)).toEqual({
      ...conflict,
      code: "insufficient_balance",
      param: "amount",
      details: { available: 18_900, amount: 1_000_000, fee: 100, total: 1_000_100, minimum: 100 },
    })
    expect(await refusalOf(500)).toEqual({
      ...conflict,
      code: "daily_limit_exceeded",
      details: { reason: "daily_value_limit", limit: 1_499, used: 1_000 },
    })
    await changeSeller(operator, seller, "settings", { withdrawal_daily_value: 1_500 })
    expect(await refusalOf(500)).toEqual({
      ...conflict,
      code: "invalid_state",
      details: { reason: "withdrawal_in_progress", withdrawal_id: open.id },
    })
    await mustCancel(seller.live, open.id)
    expect((await ask(500)).status).toBe(201)
  })

  it("a refused withdrawal leaves no ledger entry, no event and no withdrawal", async () => {
    const before = await ledgerOf(seller.live)
    await refusalOf(19_901)
    await refusalOf(99)
    await refusalOf(100, { pix_key_id: unknownKey })
    expect(await ledgerOf(seller.live)).toEqual(before)
    const events = await seller.live.get("/v1/events?types=withdrawal.*")
    expect(events.body).toEqual({ data: [], next_cursor: null })
    expect((await seller.live.get("/v1/withdrawals")).body).toEqual({ data: [], next_cursor: null })
  })
})

describe("a withdrawal and the balance", () => {
  it("amount and fee of a withdrawal may use up the balance, and not one centavo more", async () => {
    expect(await refusalOf(19_901)).toMatchObject({
      code: "insufficient_balance",
      details: { available: 20_000, amount: 19_901, fee: 100, total: 20_001, minimum: 100 },
    })
    expect(await refusalOf(20_000)).toMatchObject({ code: "insufficient_balance" })
    const made = await withdraw(seller.live, pixKey, 19_900)
    expect(made).toMatchObject({ amount: 19_900, fee: 100, total: 20_000 })
    expect(await balanceOf(seller.live)).toMatchObject({ available: 0, pending_withdraw: 20_000 })
  })

  it("a withdrawal of less than 100 centavos is refused", async () => {
    expect(await refusalOf(99)).toEqual({
      ...conflict,
      code: "insufficient_balance",
      param: "amount",
      details: { available: 20_000, amount: 99, fee: 100, total: 199, minimum: 100 },
    })
    expect(await refusalOf(1)).toMatchObject({ code: "insufficient_balance" })
    expect((await ask(100)).status).toBe(201)
  })

  it("a withdrawal is charged the seller's own fee", async () => {
    await changeSeller(operator, seller, "settings", { withdrawal_fee: 0 })
    const free = await withdraw(seller.live, pixKey, 20_000)
    expect(free).toMatchObject({ fee: 0, total: 20_000 })
    await mustCancel(seller.live, free.id)
    await changeSeller(operator, seller, "settings", { withdrawal_fee: 250 })
    expect(await refusalOf(19_751)).toMatchObject({ details: { fee: 250, total: 20_001 } })
    expect(await withdraw(seller.live, pixKey, 19_750)).toMatchObject({ fee: 250, total: 20_000 })
  })

  it("the available balance counts paid charges of its mode, and no pending ones", async () => {
    await makeCharge(seller.live, { amount: 50_001 })
    await fund(seller.test, 90_000)
    expect(await refusalOf(30_000)).toMatchObject({ details: { available: 20_000 } })
  })
})

describe("the daily limits of withdrawals", () => {
  it("the daily value limit may be reached, and not exceeded by one centavo", async () => {
    await changeSeller(operator, seller, "settings", {
      withdrawal_daily_value: 5_000,
      withdrawal_auto_approval: true,
    })
    const first = await withdraw(seller.live, pixKey, 3_000)
    await over(first)
    expect(await refusalOf(2_001)).toEqual({
      ...conflict,
      code: "daily_limit_exceeded",
      details: { reason: "daily_value_limit", limit: 5_000, used: 3_000 },
    })
    await over(await withdraw(seller.live, pixKey, 2_000))
    expect(await refusalOf(100)).toMatchObject({ details: { used: 5_000 } })
  })

  it("the daily value limit counts amounts without fees, and none that was returned", async () => {
    await changeSeller(operator, seller, "settings", { withdrawal_daily_value: 5_000 })
    for (let round = 0; round < 2; round++) {
      const { id } = await withdraw(seller.live, pixKey, 5_000)
      await mustCancel(seller.live, id)
    }
    const rejected = await withdraw(seller.live, pixKey, 5_000)
    await operator.send("POST", `/v1/admin/withdrawals/${rejected.id}/reject`)
    await changeSeller(operator, seller, "settings", { withdrawal_auto_approval: true })
    await over(await withdraw(seller.live, pixKey, 4_902), "failed")
    expect((await ask(5_000)).status).toBe(201)
  })

  it("the daily count limit allows twenty withdrawals, cancelled ones included, and no more", async () => {
    for (let count = 0; count < 20; count++) {
      const { id } = await withdraw(seller.live, pixKey, 100)
      await mustCancel(seller.live, id)
    }
    expect(await refusalOf(100)).toEqual({
      ...conflict,
      code: "daily_limit_exceeded",
      details: { reason: "daily_count_limit", limit: 20, used: 20 },
    })
    expect((await balanceOf(seller.live)).available).toBe(20_000)
  })

  it("the daily count limit counts each mode on its own", async () => {
    await changeSeller(operator, seller, "settings", { withdrawal_daily_count: 1 })
    const { id } = await withdraw(seller.live, pixKey, 100)
    await mustCancel(seller.live, id)
    expect(await refusalOf(100)).toMatchObject({
      code: "daily_limit_exceeded",
      details: { limit: 1, used: 1 },
    })
    await fund(seller.test, 20_000)
    await withdraw(seller.test, await makePixKey(stage, seller, "test"), 100)
  })

  /** Waits until a withdrawal has ended. */
  const over = ({ id }: Withdrawal, status = "successful") =>
    eventually(`${id} to be ${status}`, async () => {
      const { body } = await seller.live.get<Withdrawal>(`/v1/withdrawals/${id}`)
      return body.status === status ? body : undefined
    })
})

describe("the PIX key of a withdrawal", () => {
  it.each(["pending_approval", "refused", "removed"] as const)(
    "a withdrawal to a PIX key that is %s is refused",
    async (status) => {
      const id = await makePixKey(stage, seller, "live", status)
      expect(await refusalOf(100, { pix_key_id: id })).toMatchObject({ code: "pix_key_not_verified" })
    },
  )

  it("a withdrawal to a PIX key of another seller or mode, or to no PIX key's id, is refused", async () => {
    const other = await stage.newSeller()
    const ids = [
      await makePixKey(stage, other, "live"),
      await makePixKey(stage, seller, "test"),
      unknownKey,
      "ana@example.com",
      "x",
    ]
    for (const id of ids) {
      const refused = await refusalOf(100, { pix_key_id: id })
      expect(refused).toMatchObject({ status: 409, code: "pix_key_not_verified" })
    }
  })
})

describe("one withdrawal at a time", () => {
  it("one of 12 simultaneous withdrawals is made, and the others are 409 with its id", async () => {
    const answers = await Promise.all(Array.from({ length: 12 }, () => ask(100)))
    const made = answers.filter(({ status }) => status === 201)
    expect(made.length).toBe(1)
    const { id } = JSON.parse(made[0]?.text ?? "{}") as Withdrawal
    for (const answer of answers.filter(({ status }) => status !== 201)) {
      expect(errorOf(answer)).toEqual({
        ...conflict,
        code: "invalid_state",
        details: { reason: "withdrawal_in_progress", withdrawal_id: id },
      })
    }
    expect(await balanceOf(seller.live)).toMatchObject({ available: 19_800, pending_withdraw: 200 })
  })

  it("a withdrawal under way in one mode does not hold up the other mode", async () => {
    await withdraw(seller.live, pixKey, 100)
    await fund(seller.test, 20_000)
    await withdraw(seller.test, await makePixKey(stage, seller, "test"), 101)
  })
})

describe("the body of a withdrawal", () => {
  it.each([
    [{ amount: 0 }, "amount"],
    [{ amount: -100 }, "amount"],
    [{ amount: 100.5 }, "amount"],
    [{ amount: "100" }, "amount"],
    [{ amount: null }, "amount"],
    [{ amount: 1_000_000_000_000 }, "amount"],
    [{ pix_key_id: "" }, "pix_key_id"],
    [{ pix_key_id: 5 }, "pix_key_id"],
    [{ description: "x".repeat(141) }, "description"],
    [{ description: 5 }, "description"],
  ])("a withdrawal with %j is 400, even from a suspended seller", async (changes, param) => {
    await changeSeller(operator, seller, "status", { status: "suspended" })
    expect(await refusalOf(100, changes)).toMatchObject({ status: 400, code: "validation_failed", param })
  })

  it.each(["amount", "pix_key_id"])("a withdrawal without %s is refused", async (param) => {
    expect(await refusalOf(100, { [param]: undefined })).toMatchObject({ code: "validation_failed", param })
  })

  it.each([
    ["140 ASCII letters", "x".repeat(140)],
    ["140 accented letters", "é".repeat(140)],
    ["140 emoji", "🏦".repeat(140)],
    ["empty", ""],
    ["null", null],
  ])("a withdrawal's description may be %s", async (_, description) => {
    const made = await withdraw(seller.live, pixKey, 100, { description })
    expect(made.description).toBe(description)
  })

  it("a withdrawal keeps its description verbatim, and ignores a status and fee in the body", async () => {
    const description = '","customer":{"document":"enc:v2:0:x"}'
    const made = await withdraw(seller.live, pixKey, 100, { description, status: "successful", fee: 0 })
    expect(made).toMatchObject({ description, status: "awaiting", fee: 100 })
    expect((await seller.live.get<Withdrawal>(`/v1/withdrawals/${made.id}`)).body).toEqual(made)
  })
})

describe("locks on withdrawals", () => {
  it("an operator's payout lock ends by itself at its time", async () => {
    await changeSeller(operator, seller, "payout-lock", { until: inMillis(1_000) })
    expect(await refusalOf(100)).toMatchObject({ status: 403, code: "payout_locked" })
    await eventually("the lock to end", async () => ((await ask(100)).status === 201 ? true : undefined))
  })

  it("a payout lock holds in test mode too, and a rejected identification does not", async () => {
    await changeSeller(operator, seller, "kyc", { status: "rejected" })
    await fund(seller.test, 20_000)
    const testKey = await makePixKey(stage, seller, "test")
    await withdraw(seller.test, testKey, 101)
    await changeSeller(operator, seller, "payout-lock", { until: inMillis(3_600_000) })
    const refused = await postWithdrawal(seller.test, { amount: 100, pix_key_id: testKey })
    expect(errorOf(refused)).toMatchObject({ status: 403, code: "payout_locked" })
  })

  it("a rejected identification stops live charges and withdrawals until it is approved again", async () => {
    await changeSeller(operator, seller, "kyc", { status: "rejected" })
    expect(await refusalOf(100)).toMatchObject({ status: 403, code: "kyc_required" })
    const charge = await postCharge(seller.live, chargeBody())
    expect(errorOf(charge)).toMatchObject({ status: 403, code: "kyc_required", type: "permission_error" })
    expect((await postCharge(seller.test, chargeBody())).status).toBe(201)
    await changeSeller(operator, seller, "kyc", { status: "approved" })
    expect((await postCharge(seller.live, chargeBody())).status).toBe(201)
    expect((await ask(100)).status).toBe(201)
  })

  it("a suspended seller can read and cancel a withdrawal, and not request one", async () => {
    const { id } = await withdraw(seller.live, pixKey, 100)
    await changeSeller(operator, seller, "status", { status: "suspended" })
    expect(await refusalOf(100)).toMatchObject({ status: 403, code: "seller_not_allowed" })
    expect((await seller.live.get(`/v1/withdrawals/${id}`)).status).toBe(200)
    await mustCancel(seller.live, id)
  })

  it("recovering the second factor locks withdrawals until the time it answers", async () => {
    const { email, password, ...person } = await makeSellerPerson(stage)
    const client = makeClient(stage.service.url, person.keys.live)
    const page = makeClient(stage.service.url)
    const path = "/v1/me/auth/two-factor/recovery"
    const token = await mailedToken(stage, email, "recover_two_factor", () =>
      page.post(`${path}/request`, { body: { email, password } }),
    )
    const confirmed = await page.post<{ withdrawals_locked_until: string }>(`${path}/confirm`, {
      body: { token },
    })
    expect(confirmed.status, confirmed.text).toBe(200)
    const refused = await postWithdrawal<ErrorBody>(client, { amount: 100, pix_key_id: unknownKey })
    expect(errorOf(refused)).toEqual({
      ...forbidden,
      code: "payout_locked",
      details: { locked_until: confirmed.body.withdrawals_locked_until },
    })
  })
})
