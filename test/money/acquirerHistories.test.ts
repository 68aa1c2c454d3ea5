import { Effect } from "effect"
import fc from "fast-check"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { InboxStore } from "../../actors/ports/inboxStore.ts"
import { type ExceptionKind, exceptionKinds } from "../../schema/resources/exception.ts"
import { verifyAll } from "../../src/audit/verify.ts"
import { RedisClient } from "../../src/store/redis/redisClient.ts"
import { startTestRedis, type TestRedis } from "../support/redis.ts"
import { sizes } from "../support/sizes.ts"
import { closingFaults } from "./histories/closings.ts"
import { outcomeOf, type Sight, sights } from "./histories/outcome.ts"
import { history, type Told } from "./histories/steps.ts"
import { tell } from "./histories/tell.ts"
import { startTwoAccounts, type TwoAccounts } from "./histories/twoAccounts.ts"

const histories = sizes.moneyHistories
/** Histories that are told side by side, each of a seller of its own. */
const sideBySide = 20
/** For a hang, not for a busy machine: alone a history takes about a tenth of it. */
const timeoutMillis = Math.max(600_000, histories * 900)

let redis: TestRedis
let world: TwoAccounts
beforeAll(async () => {
  redis = await startTestRedis({ appendfsync: "no" })
  world = await startTwoAccounts(redis.url)
})
afterAll(async () => {
  await world.stop()
  await redis.stop()
})

const play = async (input: Told) => {
  const { told, failures } = await tell(world, input)
  return { told, ...(await outcomeOf(told, failures)) }
}

describe("two accounts at a partner", () => {
  it(`in ${histories} histories of payments, payouts, notices, sweeps and operators' acts, every centavo at the partner is in a ledger or in an exception`, {
    timeout: timeoutMillis,
  }, async () => {
    const kinds = new Set<ExceptionKind>()
    const seen = new Set<Sight>()
    await fc.assert(
      fc.asyncProperty(
        fc.array(history, { minLength: sideBySide, maxLength: sideBySide }),
        async (inputs) => {
          const outcomes = await Promise.all(inputs.map(play))
          for (const [i, { found, expected }] of outcomes.entries()) {
            for (const kind of outcomes[i]?.kinds ?? []) kinds.add(kind)
            for (const sight of outcomes[i]?.seen ?? []) seen.add(sight)
            expect(found, JSON.stringify(inputs[i])).toEqual(expected)
          }
          const ledgers = outcomes.map(({ told, account: { entries, balance } }) => ({
            ...{ entries, balance, nights: told.nights },
          }))
          expect(await Effect.runPromise(closingFaults(ledgers))).toEqual([])
        },
      ),
      { numRuns: Math.ceil(histories / sideBySide), endOnFailure: true },
    )
    // Few histories may miss a kind; a sample does not.
    if (histories >= 200) {
      expect([...kinds].sort()).toEqual([...exceptionKinds].sort())
      expect([...seen].sort()).toEqual([...sights].sort())
    }
    // What went back beyond a charge, too, is as the audit of every hash, event and entry expects it.
    await world.run(
      "a",
      Effect.flatMap(RedisClient, (client) => verifyAll(client, true)),
    )
    const kept = await world.run(
      "a",
      Effect.flatMap(InboxStore, (store) =>
        store.list({ state: undefined, beforeId: undefined, limit: 2_000 }),
      ),
    )
    const forged = kept.filter(({ signatureValid }) => !signatureValid)
    expect(forged.length).toBeGreaterThan(0)
    expect(forged.filter(({ attempts, processedAt }) => attempts > 0 || processedAt !== undefined)).toEqual(
      [],
    )
  })
})
