import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { Withdrawal } from "../../schema/resources/withdrawal.ts"
import { signInAsOperator } from "../support/dashboard.ts"
import { makePixKey } from "../support/pixKey.ts"
import { makeCharge } from "./support/charges.ts"
import { type Client, type ErrorBody, eventually } from "./support/client.ts"
import { dashboardClient } from "./support/dashboardClient.ts"
import { openStage, type Seller, type Stage } from "./support/stage.ts"
import {
  balanceOf,
  changeSeller,
  getWithdrawal,
  ledgerOf,
  withdraw,
  withdrawalEvents,
  withdrawalWhen,
} from "./support/withdrawals.ts"

const hourSeconds = 60 * 60
const daySeconds = 24 * hourSeconds

let stage: Stage
// Only the payout worker acts by itself while the tests run.
beforeAll(async () => {
  stage = await openStage({ SIMULATOR_DELAY_MS: String(hourSeconds * 1_000) })
})
afterAll(() => stage?.close())

/** Gives a seller money by a charge that is paid at once. */
const payCharge = async ({ test }: Pick<Seller, "test">, amount: number): Promise<void> => {
  const { id } = await makeCharge(test, { amount })
  const { status, text } = await test.post(`/v1/test/transactions/${id}/pay`)
  if (status !== 200) throw new Error(`the charge was not paid: ${text}`)
}

/** A seller with 200.00 in test mode and a verified key. */
const newShop = async () => {
  const seller = await stage.newSeller()
  const pixKey = await makePixKey(stage, seller, "test")
  await payCharge(seller, 20_000)
  return { client: seller.test, pixKey }
}

const decide = <T = Withdrawal>(client: Client, id: string, act: string) =>
  client.post<T>(`/v1/test/withdrawals/${id}/${act}`)

const advance = async (client: Client, seconds: number): Promise<void> => {
  const { status, text } = await client.post("/v1/test/clock/advance", { body: { seconds } })
  if (status !== 200) throw new Error(`the clock was not advanced: ${text}`)
}

/** The balance by bucket, in centavos. */
const moneyOf = async (client: Client) => {
  const { available, reserve, pending_withdraw } = await balanceOf(client)
  return { available, reserve, pending_withdraw }
}
const held = { available: 14_900, reserve: 0, pending_withdraw: 5_100 }
const returned = { available: 20_000, reserve: 0, pending_withdraw: 0 }
const settled = { available: 14_900, reserve: 0, pending_withdraw: 0 }

const typesOf = async (client: Client, id: string): Promise<ReadonlyArray<string>> =>
  (await withdrawalEvents(client, id)).map(({ type }) => type.replace("withdrawal.", ""))

describe("a withdrawal under the test controls", () => {
  const ends = [
    { act: "succeed", status: "successful", money: settled },
    { act: "fail", status: "failed", money: returned },
  ] as const
  for (const { act, status, money } of ends) {
    it(`the test control ${act} ends an approved withdrawal as ${status}, once`, async () => {
      const { client, pixKey } = await newShop()
      const { id } = await withdraw(client, pixKey, 5_000)
      const early = await decide<ErrorBody>(client, id, act)
      expect([early.status, early.body.error.code]).toEqual([409, "invalid_state"])
      expect((await decide(client, id, "approve")).body.status).toBe("approved")
      expect((await decide<ErrorBody>(client, id, "approve")).status).toBe(409)
      expect(await moneyOf(client)).toEqual(held)
      await withdrawalWhen(client, id, "processing")

      const ended = await decide(client, id, act)
      expect([ended.status, ended.body.status]).toEqual([200, status])
      expect(ended.body).toEqual(await getWithdrawal(client, id))
      expect(await moneyOf(client)).toEqual(money)
      expect(await typesOf(client, id)).toEqual(["awaiting", "approved", "processing", status])
      for (const late of ["approve", "reject", "succeed", "fail"]) {
        const { status: refused, body } = await decide<ErrorBody>(client, id, late)
        expect([late, refused, body.error.code]).toEqual([late, 409, "invalid_state"])
      }
      expect(await moneyOf(client)).toEqual(money)
      // It has ended, so the next one may begin.
      expect((await withdraw(client, pixKey, 100)).status).toBe("awaiting")
    })
  }

  it("the test control reject ends a withdrawal as rejected, and returns its money", async () => {
    const { client, pixKey } = await newShop()
    const { id } = await withdraw(client, pixKey, 5_000)
    const rejected = await decide(client, id, "reject")
    expect([rejected.status, rejected.body.status]).toEqual([200, "rejected"])
    expect(await typesOf(client, id)).toEqual(["awaiting", "rejected"])
    expect(await moneyOf(client)).toEqual(returned)
  })

  it("test controls find neither another seller's withdrawal nor an unknown id", async () => {
    const { client, pixKey } = await newShop()
    const other = await stage.newSeller()
    const { id } = await withdraw(client, pixKey, 5_000)
    for (const act of ["approve", "reject", "succeed", "fail"]) {
      for (const [asking, about] of [
        [other.test, id],
        [client, "nothing"],
      ] as const) {
        const { status, body } = await decide<ErrorBody>(asking, about, act)
        expect([status, body.error.code]).toEqual([404, "resource_not_found"])
      }
    }
    expect((await getWithdrawal(client, id)).status).toBe("awaiting")
  })
})

describe("money under a test clock", () => {
  it("the simulated operator approves and the simulated bank pays a withdrawal on the test clock", async () => {
    const { client, pixKey } = await newShop()
    const { id } = await withdraw(client, pixKey, 5_000)
    await advance(client, hourSeconds)
    await withdrawalWhen(client, id, "processing")
    await advance(client, hourSeconds)
    const { completed_at } = await withdrawalWhen(client, id, "successful")
    const aheadMillis = Date.parse(completed_at ?? "") - Date.now()
    expect(Math.round(aheadMillis / 60_000)).toBe(120)
    expect(await moneyOf(client)).toEqual(settled)
  })

  it("a withdrawal that its bank leaves undecided stays processing, however far the test clock goes", async () => {
    const { client, pixKey } = await newShop()
    const { id } = await withdraw(client, pixKey, 5_001)
    await decide(client, id, "approve")
    await withdrawalWhen(client, id, "processing")
    await advance(client, 30 * daySeconds)
    await advance(client, 30 * daySeconds)
    expect((await getWithdrawal(client, id)).status).toBe("processing")
    expect((await decide(client, id, "succeed")).body.status).toBe("successful")
  })

  it("a reserve is released when the test clock reaches the end of its days", async () => {
    const operator = dashboardClient(stage.service.url, await signInAsOperator(stage.service))
    const seller = await stage.newSeller()
    const client = seller.test
    await changeSeller(operator, seller, "settings", { reserve_bps: 1_000, reserve_days: 30 })
    await payCharge(seller, 20_000)
    const reserved = { available: 18_000, reserve: 2_000, pending_withdraw: 0 }
    expect(await moneyOf(client)).toEqual(reserved)
    await advance(client, 29 * daySeconds)
    await payCharge(seller, 10_000)
    expect(await moneyOf(client)).toEqual({ available: 27_000, reserve: 3_000, pending_withdraw: 0 })
    await advance(client, daySeconds)
    await eventually("the first reserve to be released", async () => {
      const { reserve } = await balanceOf(client)
      return reserve < 3_000 ? reserve : undefined
    })
    expect(await moneyOf(client)).toEqual({ available: 29_000, reserve: 1_000, pending_withdraw: 0 })
    expect((await ledgerOf(client)).map(({ kind }) => kind)).toEqual([
      "charge_paid",
      "charge_paid",
      "reserve_released",
    ])
  })
})
