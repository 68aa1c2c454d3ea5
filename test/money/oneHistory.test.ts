import { afterAll, beforeAll, expect, it } from "vitest"
import { startTestRedis, type TestRedis } from "../support/redis.ts"
import { outcomeOf } from "./histories/outcome.ts"
import type { Told } from "./histories/steps.ts"
import { tell } from "./histories/tell.ts"
import { modelTwoAccounts, startTwoAccounts } from "./histories/twoAccounts.ts"

let redis: TestRedis
beforeAll(async () => {
  redis = await startTestRedis({ appendfsync: "no" })
})
afterAll(() => redis.stop())

type Step = Told["steps"][number]

const toCharge: Step = {
  ...{ kind: "transfer", nth: 0, amount: 10_000, nameless: undefined },
  delivery: { times: 3, isForged: false, place: 429 },
  hiding: { from: "query", isForGood: false },
}
const byOperator = (actNth: number): Step => ({
  ...{ kind: "operator", nth: 0, actNth, hearings: [], isBold: false },
})
const takenBack = (isHidden: boolean): Step => ({
  ...{ kind: "giveBack", nth: 0, isOfOther: false, amount: 1, how: "chargeback", isBeyond: true },
  delivery: { times: 0, isForged: false, place: 277 },
  hiding: isHidden ? { from: "query", isForGood: true } : undefined,
})

it.each([true, false])(
  "what goes back of a Pix that an operator credited is an exception, where the charge's own of it was dismissed, too; in the list alone: %s",
  async (isHidden) => {
    const world = await modelTwoAccounts()
    const steps: ReadonlyArray<Step> = [
      ...[toCharge, { kind: "hours" } as const, byOperator(2), { kind: "agreement" } as const],
      ...[{ kind: "sweep" } as const, takenBack(isHidden), byOperator(672)],
    ]
    const { told, failures } = await tell(world, { first: "b", steps: [...steps] } satisfies Told)
    const { found, expected } = await outcomeOf(told, failures)
    await world.stop()
    expect(found.credits).toHaveLength(1)
    expect(found).toEqual(expected)
  },
)

it("the exception of a Pix that another charge claims while the first is committed names that charge", async () => {
  const world = await startTwoAccounts(redis.url)
  const steps: ReadonlyArray<Step> = [
    { ...takenBack(false), nth: 799, amount: 2_500, how: "refund" } as Step,
    { ...toCharge, nth: 666, hiding: undefined } as Step,
    { kind: "twoNames", nth: 615 },
    { kind: "hours" },
  ]
  const { told, failures } = await tell(world, { first: "a", steps: [...steps] })
  const { found, expected } = await outcomeOf(told, failures)
  await world.stop()
  expect(found).toEqual(expected)
})

it("a Pix that an unconfirmed payment's refund has sent back is neither refunded nor credited once more", async () => {
  const world = await modelTwoAccounts()
  const steps: ReadonlyArray<Step> = [
    { ...toCharge, amount: 9_999 } as Step,
    ...[{ kind: "hours" } as const, { ...byOperator(1), isBold: true } as Step],
    ...[{ kind: "agreement" } as const, { kind: "timers", silentNth: 0, afterMillis: 3_700_000 } as const],
    { kind: "verdict", nth: 0, delivery: { times: 4, isForged: false, place: 536 }, more: 0, isDone: true },
    { kind: "timers", silentNth: undefined, afterMillis: 3_700_000 },
    ...[byOperator(2), byOperator(1)],
  ]
  const { told, failures } = await tell(world, { first: "b", steps: [...steps] })
  const { found, expected } = await outcomeOf(told, failures)
  await world.stop()
  expect(told.acts.filter(({ act }) => act === "refund")).toHaveLength(1)
  expect(found).toEqual(expected)
})

it("what goes back of a Pix counts once where an operator dismissed it as nobody's before its charge named it", async () => {
  const world = await modelTwoAccounts()
  const steps: ReadonlyArray<Step> = [
    { ...toCharge, nth: 1, hiding: { from: "query", isForGood: false }, nameless: "nobody" } as Step,
    { ...takenBack(false), isOfOther: true, amount: 2_500, isBeyond: false } as Step,
    ...[{ kind: "sweep" } as const, { ...byOperator(0), nth: 1 } as Step],
  ]
  const { told, failures } = await tell(world, { first: "b", steps: [...steps] })
  const { found, expected } = await outcomeOf(told, failures)
  await world.stop()
  expect(told.acts.map(({ kind, act }) => `${act} of ${kind}`)).toEqual(["dismiss of payment_unknown"])
  expect(found).toEqual(expected)
})
