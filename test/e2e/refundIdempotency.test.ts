import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest"
import type { Refund } from "../../schema/resources/refund.ts"
import type { Transaction } from "../../schema/resources/transaction.ts"
import { idempotencyKey } from "../../src/store/keys.ts"
import { signInAsOperator, signInAsSeller } from "../support/dashboard.ts"
import { makePixKey } from "../support/pixKey.ts"
import { freshKey, getCharge, makeCharge } from "./support/charges.ts"
import { type Answer, makeClient, type Page } from "./support/client.ts"
import { dashboardClient } from "./support/dashboardClient.ts"
import { payNow, postRefund, refundBuckets } from "./support/refunds.ts"
import { openStage, type Seller, type Stage } from "./support/stage.ts"
import { errorOf, withdraw } from "./support/withdrawals.ts"

let stage: Stage
// Refunds stay under way while the tests run.
beforeAll(async () => {
  stage = await openStage({ SIMULATOR_DELAY_MS: "3600000" })
})
afterAll(() => stage?.close())

let seller: Seller
let charge: Transaction
let key: string
beforeEach(async () => {
  key = freshKey()
  seller = await stage.newSeller()
  charge = await payNow(seller.test, 20_000)
})

const ask = (body: unknown = { amount: 1_000 }, underKey = key, about = charge.id) =>
  postRefund(seller.test, about, body, underKey)
const askWithoutBody = (underKey = key) => postRefund(seller.test, charge.id, undefined, underKey)

const idOf = ({ text }: Answer<unknown>) => (JSON.parse(text) as Refund).id
const end = (answer: Answer<unknown>, act: "succeed" | "fail") =>
  seller.test.post<Refund>(`/v1/test/refunds/${idOf(answer)}/${act}`)

const expectReplay = (first: Answer<unknown>, again: Answer<unknown>) => {
  expect(first.headers.get("idempotent-replayed")).toBeNull()
  expect(again.headers.get("idempotent-replayed")).toBe("true")
  expect([again.status, again.text]).toEqual([first.status, first.text])
}

const reused = { status: 422, code: "idempotency_key_reused", param: "Idempotency-Key" }

describe("a repeated refund request", () => {
  it("a repeated refund request is answered byte for byte as the first, even after its end", async () => {
    const first = await ask()
    expect(first.status).toBe(201)
    expectReplay(first, await ask())
    expect((await end(first, "succeed")).status).toBe(200)
    expectReplay(first, await ask())
    expect((await seller.test.get<Page<Refund>>("/v1/refunds")).body.data.length).toBe(1)
    expect(await refundBuckets(seller.test)).toMatchObject({ available: 19_000, pending_refund: 0 })
  })

  it("a refund request without a body is repeated without a body, or with an empty object", async () => {
    const first = await askWithoutBody()
    expect(first.status).toBe(201)
    expectReplay(first, await askWithoutBody())
    expectReplay(first, await ask({}))
    expect(errorOf(await ask({ amount: 20_000 }))).toMatchObject(reused)
    expect(await refundBuckets(seller.test)).toMatchObject({ available: 0, pending_refund: 20_000 })
  })

  it("one of 16 simultaneous refund requests under one key is executed", async () => {
    const answers = await Promise.all(Array.from({ length: 16 }, () => ask()))
    const made = answers.filter(({ status }) => status === 201)
    expect(made.length).toBeGreaterThan(0)
    expect(new Set(made.map(({ text }) => text)).size).toBe(1)
    expect(made.filter(({ headers }) => headers.get("idempotent-replayed") === null).length).toBe(1)
    for (const answer of answers.filter(({ status }) => status !== 201)) {
      expect(errorOf(answer)).toMatchObject({ status: 409, code: "idempotency_in_progress" })
    }
    expect(await refundBuckets(seller.test)).toMatchObject({ available: 19_000, pending_refund: 1_000 })
  })

  it.each(["succeed", "fail"] as const)(
    "a refund's idempotency record is kept until the test control %s ends it, and for a day after",
    async (act) => {
      const record = idempotencyKey(seller.id, "test", "refunds", key)
      const first = await ask()
      expect(await stage.redis("PTTL", record)).toBe(-1)
      await end(first, act)
      const left = Number(await stage.redis("PTTL", record))
      expect(left).toBeGreaterThan(86_000_000)
      expect(left).toBeLessThanOrEqual(86_400_000)
    },
  )
})

describe("a refused refund request", () => {
  it("a refund refused because of its charge's state is saved, and answered again once that has changed", async () => {
    const pending = await makeCharge(seller.test, { amount: 5_000 })
    const first = await ask({}, key, pending.id)
    expect(errorOf(first)).toMatchObject({ status: 409, code: "invalid_state" })
    await seller.test.post(`/v1/test/transactions/${pending.id}/pay`)
    expectReplay(first, await ask({}, key, pending.id))
    expect((await ask({}, freshKey(), pending.id)).status).toBe(201)
  })

  it("a refund refused for want of money is saved, and answered again once the money is back", async () => {
    const pixKey = await makePixKey(stage, seller, "test")
    const { id } = await withdraw(seller.test, pixKey, 19_900)
    const first = await ask()
    expect(errorOf(first)).toMatchObject({ status: 409, code: "insufficient_balance" })
    expect((await seller.test.post(`/v1/test/withdrawals/${id}/reject`)).status).toBe(200)
    expectReplay(first, await ask())
    expect((await ask(undefined, freshKey())).status).toBe(201)
  })

  it("a refund of an unknown charge is not saved under the idempotency key", async () => {
    const unknown = "txn_00000000000000000000000000"
    expect(errorOf(await ask(undefined, key, unknown))).toMatchObject({ status: 404 })
    const made = await ask()
    expect([made.status, made.headers.get("idempotent-replayed")]).toEqual([201, null])
  })

  it("a refund above what is left, or with a broken body, is not saved under the idempotency key", async () => {
    expect(errorOf(await ask({ amount: 20_001 }))).toMatchObject({ status: 400, param: "amount" })
    expect(errorOf(await ask({ amount: "1000" }))).toMatchObject({ status: 400, param: "amount" })
    const made = await ask()
    expect([made.status, made.headers.get("idempotent-replayed")]).toEqual([201, null])
  })

  it("an authentication error is not saved under a refund's idempotency key", async () => {
    const stranger = makeClient(stage.service.url, `sk_test_${"0".repeat(43)}`)
    const answer = await postRefund(stranger, charge.id, { amount: 1_000 }, key)
    expect(errorOf(answer)).toMatchObject({ status: 401, code: "invalid_api_key" })
    expect((await ask()).status).toBe(201)
  })
})

describe("a refund's idempotency key", () => {
  it("an idempotency key under another body or another charge is 422, and still replays the first answer", async () => {
    const first = await ask()
    const other = await payNow(seller.test, 20_000)
    for (const answer of [
      await ask({ amount: 1_001 }),
      await ask({ amount: 1_000, reason: "other" }),
      await ask('{ "amount": 1000 }'),
      await askWithoutBody(),
      await ask({ amount: 1_000 }, key, other.id),
    ]) {
      expect(errorOf(answer)).toMatchObject(reused)
    }
    expectReplay(first, await ask())
    expect((await getCharge(seller.test, other.id)).body).toEqual(other)
  })

  it("a refund requires an idempotency key of the allowed form, with every credential", async () => {
    const session = dashboardClient(stage.service.url, await signInAsSeller(stage.service, seller.id), "test")
    const operator = dashboardClient(stage.service.url, await signInAsOperator(stage.service))
    for (const [client, path] of [
      [seller.test, "/v1/transactions"],
      [session, "/v1/me/transactions"],
      [operator, "/v1/admin/transactions"],
    ] as const) {
      const missing = await client.post<never>(`${path}/${charge.id}/refunds`)
      expect(errorOf(missing), path).toMatchObject({ status: 400, code: "missing_idempotency_key" })
      for (const bad of ["with space", "x".repeat(256), "a/b"]) {
        const refused = errorOf(await postRefund(client, charge.id, undefined, bad, path))
        expect(refused, path).toMatchObject({ status: 400, param: "Idempotency-Key" })
      }
    }
    expect((await ask({ amount: 100 }, `A-z_0:9.${"x".repeat(247)}`)).status).toBe(201)
  })

  it("a refund's idempotency key is shared by the seller's API keys and sessions, and not by operators", async () => {
    const session = dashboardClient(stage.service.url, await signInAsSeller(stage.service, seller.id), "test")
    const operator = dashboardClient(stage.service.url, await signInAsOperator(stage.service))
    const first = await ask()
    expectReplay(first, await postRefund(session, charge.id, { amount: 1_000 }, key, "/v1/me/transactions"))
    const path = "/v1/admin/transactions"
    const byOperator = await postRefund<Refund>(operator, charge.id, { amount: 1_000 }, key, path)
    expect([byOperator.status, byOperator.body.origin]).toEqual([201, "operator"])
    expectReplay(byOperator, await postRefund(operator, charge.id, { amount: 1_000 }, key, path))
    expect(await refundBuckets(seller.test)).toMatchObject({ pending_refund: 2_000 })
  })
})
