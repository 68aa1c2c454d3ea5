import { Effect } from "effect"
import fc from "fast-check"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { initialSettings } from "../../actors/seller/decisions/newSeller.ts"
import { startTestRedis, type TestRedis } from "../support/redis.ts"
import { sizes } from "../support/sizes.ts"
import { readAccount } from "./account.ts"
import { makeAcquirerBooks } from "./acquirerBooks.ts"
import { type Act, act, settings } from "./acts.ts"
import { Model } from "./model.ts"
import { type Disagreement, perform } from "./perform.ts"
import { startMoneyProcess } from "./process.ts"
import { makeSellerDriver } from "./sellerDriver.ts"

const sequences = sizes.moneySequences
/** Sequences that are played side by side, each on a seller of its own. */
const sideBySide = 20
const actsMax = 50

let redis: TestRedis
let money: ReturnType<typeof startMoneyProcess>
const books = makeAcquirerBooks()
beforeAll(async () => {
  redis = await startTestRedis({ appendfsync: "no" })
  money = startMoneyProcess(redis.url, books, "whole-seller")
})
afterAll(async () => {
  await money.dispose()
  await redis.stop()
})

/** Plays a sequence on a new seller. Returns what the store holds (`found`) and what the model does (`expected`). */
const play = Effect.fnUntraced(function* (sequence: ReadonlyArray<Act>, given: Partial<Model["settings"]>) {
  const all = { ...initialSettings, ...given }
  const model = new Model(all)
  const driver = yield* makeSellerDriver(all, books)
  const disagreements: Array<Disagreement> = []
  for (const next of sequence) {
    const found = yield* perform(next, model, driver)
    if (found !== undefined) disagreements.push(found)
  }
  const account = yield* readAccount(driver.principal)
  const statusOf = (items: ReadonlyArray<{ readonly id: string; readonly status: string }>, id: string) =>
    items.find((item) => item.id === id)?.status
  return {
    found: {
      disagreements,
      faults: account.faults,
      balance: account.balance,
      charges: driver.chargeIds.map((id) => [statusOf(account.charges, id), account.eventsOf(id)]),
      withdrawals: driver.withdrawalIds.map((id) => [
        statusOf(account.withdrawals, id),
        account.eventsOf(id),
      ]),
      refunds: driver.refundIds.map((id) => [statusOf(account.refunds, id), account.eventsOf(id)]),
    },
    expected: {
      disagreements: [],
      faults: [],
      balance: model.balance,
      charges: model.charges.map(({ status, events }) => [status, events]),
      withdrawals: model.withdrawals.map(({ status, events }) => [status, events]),
      refunds: model.refunds.map(({ status, events }) => [status, events]),
    },
  }
})

describe("a seller's money", () => {
  it(`a seller's stored money is the model's after each of ${sequences} sequences of up to ${actsMax} acts`, {
    timeout: 600_000,
  }, async () => {
    const sequence = fc.tuple(fc.array(act, { maxLength: actsMax, size: "max" }), settings)
    await fc.assert(
      fc.asyncProperty(
        fc.array(sequence, { minLength: sideBySide, maxLength: sideBySide }),
        async (played) => {
          const outcomes = await money.runPromise(
            Effect.forEach(played, ([acts, given]) => play(acts, given), { concurrency: sideBySide }),
          )
          for (const { found, expected } of outcomes) expect(found).toEqual(expected)
        },
      ),
      { numRuns: Math.ceil(sequences / sideBySide), endOnFailure: true },
    )
  })
})
