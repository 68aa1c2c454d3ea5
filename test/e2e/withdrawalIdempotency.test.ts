import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest"
import type { Withdrawal } from "../../schema/resources/withdrawal.ts"
import { idempotencyKey, pixKeyKey } from "../../src/store/keys.ts"
import { signInAsOperator, signInAsSeller } from "../support/dashboard.ts"
import { makePixKey } from "../support/pixKey.ts"
import { chargeBody, freshKey, postCharge } from "./support/charges.ts"
import { type Answer, makeClient, type Page } from "./support/client.ts"
import { type DashboardClient, dashboardClient } from "./support/dashboardClient.ts"
import { openStage, type Seller, type Stage } from "./support/stage.ts"
import { balanceOf, changeSeller, errorOf, fund, mustCancel, postWithdrawal } from "./support/withdrawals.ts"

let stage: Stage
let operator: DashboardClient
beforeAll(async () => {
  stage = await openStage({ SIMULATOR_DELAY_MS: "50" })
  operator = dashboardClient(stage.service.url, await signInAsOperator(stage.service))
})
afterAll(() => stage?.close())

let seller: Seller
let pixKey: string
let key: string
beforeEach(async () => {
  key = freshKey()
  seller = await stage.newSeller()
  pixKey = await makePixKey(stage, seller, "live")
  await fund(seller.live, 20_000)
})

const ask = (changes: object = {}, underKey = key) =>
  postWithdrawal(seller.live, { amount: 1_000, pix_key_id: pixKey, ...changes }, underKey)

const idOf = ({ text }: Answer<unknown>) => (JSON.parse(text) as Withdrawal).id

const expectReplay = (first: Answer<unknown>, again: Answer<unknown>) => {
  expect(first.headers.get("idempotent-replayed")).toBeNull()
  expect(again.headers.get("idempotent-replayed")).toBe("true")
  expect([again.status, again.text]).toEqual([first.status, first.text])
}

describe("a repeated withdrawal request", () => {
  it("a repeated withdrawal request is answered byte for byte as the first, even after its cancellation", async () => {
    const first = await ask()
    expect(first.status).toBe(201)
    expectReplay(first, await ask())
    await mustCancel(seller.live, idOf(first))
    expectReplay(first, await ask())
    expect((await seller.live.get<Page<Withdrawal>>("/v1/withdrawals")).body.data.length).toBe(1)
    expect(await balanceOf(seller.live)).toMatchObject({ available: 20_000, pending_withdraw: 0 })
  })

  it("one of 16 simultaneous withdrawal requests under one key is executed", async () => {
    const answers = await Promise.all(Array.from({ length: 16 }, () => ask()))
    const made = answers.filter(({ status }) => status === 201)
    expect(made.length).toBeGreaterThan(0)
    expect(new Set(made.map(({ text }) => text)).size).toBe(1)
    expect(made.filter(({ headers }) => headers.get("idempotent-replayed") === null).length).toBe(1)
    for (const answer of answers.filter(({ status }) => status !== 201)) {
      expect(errorOf(answer)).toMatchObject({ status: 409, code: "idempotency_in_progress" })
      expect(answer.headers.get("retry-after")).toBe("1")
    }
    expect(await balanceOf(seller.live)).toMatchObject({ available: 18_900, pending_withdraw: 1_100 })
  })

  it("a withdrawal's idempotency record is kept until it ends, and for a day after", async () => {
    const record = idempotencyKey(seller.id, "live", "withdrawals", key)
    const first = await ask()
    expect(await stage.redis("PTTL", record)).toBe(-1)
    await mustCancel(seller.live, idOf(first))
    const left = Number(await stage.redis("PTTL", record))
    expect(left).toBeGreaterThan(86_000_000)
    expect(left).toBeLessThanOrEqual(86_400_000)
  })
})

describe("a refused withdrawal request", () => {
  /** What causes each refusal, and what removes the cause. */
  const causes = {
    payout_locked: {
      make: () =>
        changeSeller(operator, seller, "payout-lock", { until: new Date(Date.now() + 60_000).toISOString() }),
      end: () => changeSeller(operator, seller, "payout-lock", { until: null }),
    },
    pix_key_not_verified: {
      make: async () => {
        pixKey = await makePixKey(stage, seller, "live", "pending_approval")
      },
      end: () => stage.redis("HSET", pixKeyKey(pixKey), "status", "verified"),
    },
    insufficient_balance: {
      make: () => changeSeller(operator, seller, "settings", { withdrawal_fee: 20_000 }),
      end: () => changeSeller(operator, seller, "settings", { withdrawal_fee: 100 }),
    },
    daily_limit_exceeded: {
      make: () => changeSeller(operator, seller, "settings", { withdrawal_daily_value: 999 }),
      end: () => changeSeller(operator, seller, "settings", { withdrawal_daily_value: 1_000 }),
    },
    invalid_state: {
      make: async () => {
        open = idOf(await ask({ amount: 100 }, freshKey()))
      },
      end: () => mustCancel(seller.live, open),
    },
  } as const
  let open = ""

  for (const [code, { make, end }] of Object.entries(causes)) {
    it(`a withdrawal refused with ${code} is saved, and answered again once its cause is gone`, async () => {
      await make()
      const first = await ask()
      expect(errorOf(first)).toMatchObject({ code })
      await end()
      expectReplay(first, await ask())
      expect((await ask({}, freshKey())).status).toBe(201)
    })
  }

  it("a validation error is not saved under the idempotency key", async () => {
    expect(errorOf(await ask({ amount: "1000" }))).toMatchObject({ status: 400 })
    const made = await ask()
    expect([made.status, made.headers.get("idempotent-replayed")]).toEqual([201, null])
  })

  it("an authentication error is not saved under the idempotency key", async () => {
    const stranger = makeClient(stage.service.url, `sk_live_${"0".repeat(43)}`)
    const answer = await postWithdrawal(stranger, { amount: 1_000, pix_key_id: pixKey }, key)
    expect(errorOf(answer)).toMatchObject({ status: 401, code: "invalid_api_key" })
    expect((await ask()).status).toBe(201)
  })
})

describe("a withdrawal's idempotency key", () => {
  it("an idempotency key under another body is 422, and still replays the first answer", async () => {
    const first = await ask()
    for (const changes of [{ amount: 1_001 }, { description: "other" }]) {
      expect(errorOf(await ask(changes))).toEqual({
        status: 422,
        code: "idempotency_key_reused",
        type: "idempotency_error",
        param: "Idempotency-Key",
        details: undefined,
      })
    }
    const spaced = `{ "amount": 1000, "pix_key_id": "${pixKey}" }`
    expect(errorOf(await postWithdrawal(seller.live, spaced, key))).toMatchObject({ status: 422 })
    expectReplay(first, await ask())
  })

  it("a withdrawal requires an idempotency key of the allowed form", async () => {
    const body = { amount: 1_000, pix_key_id: pixKey }
    const missing = await seller.live.post<never>("/v1/withdrawals", { body })
    expect(errorOf(missing)).toMatchObject({ status: 400, code: "missing_idempotency_key" })
    for (const bad of ["with space", "x".repeat(256), "a/b"]) {
      expect(errorOf(await ask({}, bad))).toMatchObject({
        status: 400,
        code: "validation_failed",
        param: "Idempotency-Key",
      })
    }
    expect((await ask({}, `A-z_0:9.${"x".repeat(247)}`)).status).toBe(201)
  })

  it("an idempotency key counts for its seller, mode and route alone", async () => {
    const first = await ask()
    const charge = await postCharge(seller.live, chargeBody(), key)
    expect(charge.status).toBe(201)
    await fund(seller.test, 20_000)
    const testKey = await makePixKey(stage, seller, "test")
    const inTest = await postWithdrawal<Withdrawal>(seller.test, { amount: 1_001, pix_key_id: testKey }, key)
    expect([inTest.status, inTest.body.mode]).toEqual([201, "test"])
    const other = await stage.newSeller()
    const elsewhere = await postWithdrawal(other.live, { amount: 1_000, pix_key_id: pixKey }, key)
    expect(errorOf(elsewhere)).toMatchObject({ code: "pix_key_not_verified" })
    expectReplay(first, await ask())
  })

  it("an idempotency key is shared by the seller's API keys and sessions", async () => {
    const session = await signInAsSeller(stage.service, seller.id)
    const dashboard = dashboardClient(stage.service.url, session, "live")
    const first = await ask()
    const again = await postWithdrawal(
      dashboard,
      { amount: 1_000, pix_key_id: pixKey },
      key,
      "/v1/me/withdrawals",
    )
    expectReplay(first, again)
  })
})
