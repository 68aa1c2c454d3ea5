import { Effect } from "effect"
import fc from "fast-check"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { InboxStore } from "../../actors/ports/inboxStore.ts"
import { type ExceptionKind, exceptionKinds } from "../../schema/resources/exception.ts"
import { verifyAll } from "../../src/audit/verify.ts"
import { RedisClient } from "../../src/store/redis/redisClient.ts"
import { startTestRedis, type TestRedis } from "../support/redis.ts"
import { sizes } from "../support/sizes.ts"
import { type RestoredSight, restoredSights } from "./histories/backups.ts"
import { closingFaults } from "./histories/closings.ts"
import { outcomeOf } from "./histories/outcome.ts"
import { type Sight, sights } from "./histories/sights.ts"
import { history, restoredHistory, type Told } from "./histories/steps.ts"
import { tell } from "./histories/tell.ts"
import { modelTwoAccounts, startTwoAccounts, type TwoAccounts } from "./histories/twoAccounts.ts"

const histories = sizes.moneyHistories
/** Histories on the model, which takes a fifth of the time. With the sample on Redis they are 2,000. */
const modelHistories = 1_900
/** Histories in whose middle a backup of our books is restored, on the model alone, each in a store of its own. */
const restoredHistories = 400
/** Histories that are told side by side, each of a seller of its own. */
const sideBySide = 20
/** For a hang, not for a busy machine: alone a history takes about a tenth of it. */
const timeoutMillis = Math.max(600_000, histories * 900)

let redis: TestRedis
let onRedis: Awaited<ReturnType<typeof startTwoAccounts>>
beforeAll(async () => {
  redis = await startTestRedis({ appendfsync: "no" })
  onRedis = await startTwoAccounts(redis.url)
})
afterAll(async () => {
  await onRedis.stop()
  await redis.stop()
})

const play = async (world: TwoAccounts, input: Told) => {
  const { told, failures } = await tell(world, input)
  return { told, ...(await outcomeOf(told, failures)) }
}

/** What many histories came across. */
const makeSeen = () => ({
  kinds: new Set<ExceptionKind>(),
  sights: new Set<Sight>(),
  restored: new Set<RestoredSight>(),
})

/** Holds each of some histories to the books of its accounts, and all to their closings. */
const expectTrue = async (
  inputs: ReadonlyArray<Told>,
  outcomes: ReadonlyArray<Awaited<ReturnType<typeof play>>>,
  seen: ReturnType<typeof makeSeen>,
): Promise<void> => {
  for (const [i, outcome] of outcomes.entries()) {
    for (const kind of outcome.kinds) seen.kinds.add(kind)
    for (const sight of outcome.seen) seen.sights.add(sight)
    for (const sight of outcome.told.restored) seen.restored.add(sight)
    expect(outcome.found, JSON.stringify(inputs[i])).toEqual(outcome.expected)
  }
  const ledgers = outcomes.map(({ told, account: { entries, balance } }) => ({
    ...{ entries, balance, nights: told.nights },
  }))
  expect(await Effect.runPromise(closingFaults(ledgers))).toEqual([])
}

/** Tells histories side by side in one world. */
const tellIn = async (
  world: TwoAccounts,
  inputs: ReadonlyArray<Told>,
  seen: ReturnType<typeof makeSeen>,
): Promise<void> => expectTrue(inputs, await Promise.all(inputs.map((input) => play(world, input))), seen)

/** Tells so many histories in groups; answers what they came across. */
const tellGroups = async (
  count: number,
  one: fc.Arbitrary<Told>,
  tellGroup: (inputs: ReadonlyArray<Told>, seen: ReturnType<typeof makeSeen>) => Promise<void>,
) => {
  const seen = makeSeen()
  const groups = fc.array(one, { minLength: sideBySide, maxLength: sideBySide })
  await fc.assert(
    fc.asyncProperty(groups, (inputs) => tellGroup(inputs, seen)),
    { numRuns: Math.ceil(count / sideBySide), endOnFailure: true },
  )
  return seen
}

/** Tells so many histories, and expects each kind of exception and each rarer thing in them; few may miss one. */
const tellAll = async (
  count: number,
  tellGroup: (inputs: ReadonlyArray<Told>, seen: ReturnType<typeof makeSeen>) => Promise<void>,
): Promise<void> => {
  const seen = await tellGroups(count, history, tellGroup)
  if (count < 200) return
  expect([...seen.kinds].sort()).toEqual([...exceptionKinds].sort())
  expect([...seen.sights].sort()).toEqual([...sights].sort())
}

describe("two accounts at a partner", () => {
  it(
    `in ${modelHistories} histories on the model, every centavo at the partner is in a ledger or in an exception`,
    {
      timeout: timeoutMillis,
    },
    () =>
      tellAll(modelHistories, async (inputs, seen) => {
        const world = await modelTwoAccounts()
        await tellIn(world, inputs, seen)
        await world.stop()
      }),
  )

  it(`in ${restoredHistories} histories with a restored backup, every centavo at the partner is in a ledger or in an exception`, {
    timeout: timeoutMillis,
  }, async () => {
    const seen = await tellGroups(restoredHistories, restoredHistory, async (inputs, met) => {
      const outcomes: Array<Awaited<ReturnType<typeof play>>> = []
      for (const input of inputs) {
        const world = await modelTwoAccounts()
        outcomes.push(await play(world, input))
        await world.stop()
      }
      await expectTrue(inputs, outcomes, met)
    })
    expect([...seen.restored].sort()).toEqual([...restoredSights].sort())
  })

  it(`in ${histories} histories of payments, payouts, notices, sweeps and operators' acts, every centavo at the partner is in a ledger or in an exception`, {
    timeout: timeoutMillis,
  }, async () => {
    await tellAll(histories, (inputs, seen) => tellIn(onRedis, inputs, seen))
    // What went back beyond a charge, too, is as the audit of every hash, event and entry expects it.
    await onRedis.run(
      "a",
      Effect.flatMap(RedisClient, (client) => verifyAll(client, true)),
    )
    const kept = await onRedis.run(
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
