import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import type { SentPayout } from "../../../actors/ports/acquirer.ts"
import { ExceptionStore } from "../../../actors/ports/exceptionStore.ts"
import { PixClaimStore } from "../../../actors/ports/pixClaimStore.ts"
import { SweepStore } from "../../../actors/ports/sweepStore.ts"
import { readException } from "../../../actors/seller/decisions/exceptionDocument.ts"
import { makeComparisons } from "../../../actors/sweeps/comparisons.ts"
import { makeFollowUnconfirmed } from "../../../actors/sweeps/followUnconfirmed.ts"
import { makeSettleDifference } from "../../../actors/sweeps/settleDifference.ts"
import { makeId, payoutIdOf } from "../../../schema/ids.ts"
import { limits } from "../../../schema/limits.ts"
import type { Withdrawal, WithdrawalStatus } from "../../../schema/resources/withdrawal.ts"
import { MemoryStore } from "../../model/state.ts"
import { acquirerWith, emptyScript, sweepWorld } from "../support/books.ts"
import { nowMillis } from "../support/charges.ts"
import { pass } from "../support/settle.ts"
import { storedWithdrawal } from "../support/withdrawals.ts"

const account = "elsewhere:1"
const id = makeId("wd_", nowMillis, 6, new Uint8Array(14))

/** A payout that an operator made in the bank's own application: it has no id of ours. */
const byHand = (changes: Partial<SentPayout> = {}): SentPayout => ({
  ...{ payoutId: undefined, endToEndId: "E1", amount: 1_000, status: "paid", reason: undefined },
  ...{ returnedAmount: 0, sentMillis: nowMillis, ...changes },
})

/** The differences of a list's items from a withdrawal of 1,000 centavos that claims the Pix `E1`. */
const differences = (
  items: ReadonlyArray<SentPayout>,
  status: WithdrawalStatus,
  changes: Partial<Withdrawal> = {},
) =>
  Effect.gen(function* () {
    const { withdrawals } = yield* MemoryStore
    withdrawals.set(id, { ...storedWithdrawal(status, changes), id, mode: "live", account })
    yield* (yield* PixClaimStore).claim({ account, endToEndId: "E1" }, id)
    const comparison = yield* (yield* makeComparisons(account)).sent(items)
    return comparison.differences
  }).pipe(Effect.provide(sweepWorld().layer))

const settled = { end_to_end_id: "E1" }

describe("a payout of the sent list that an operator made by hand", () => {
  it.effect("it is the withdrawal's that was settled by it, and differs in nothing", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* differences([byHand()], "successful", settled), [])
    }),
  )

  it.effect.each([
    ["paid with another amount", { amount: 900 }],
    ["not paid", { status: "notPaid" }],
    ["paid and back in part", { returnedAmount: 100 }],
    ["paid and back", { status: "returned", returnedAmount: 1_000 }],
  ] satisfies ReadonlyArray<readonly [string, Partial<SentPayout>]>)(
    "the list's word against a settled withdrawal is asked about and followed: %s",
    ([, changes]) =>
      Effect.gen(function* () {
        const found = yield* differences([byHand(changes)], "successful", settled)
        assert.deepInclude(found[0], { kind: "listed" })
        assert.deepInclude(found[0]?.kind === "listed" ? found[0].item : {}, { withdrawalId: id })
      }),
  )

  it.effect("one that nobody has settled is unknown, and freezes payouts as any other", () =>
    Effect.gen(function* () {
      const found = yield* differences([byHand({ endToEndId: "E2" })], "successful", settled)
      assert.deepInclude(found[0], { kind: "unknownPayout" })
    }),
  )

  it.effect("one whose claim its withdrawal did not end by is unknown", () =>
    Effect.gen(function* () {
      const found = yield* differences([byHand()], "successful", { end_to_end_id: "E2" })
      assert.deepInclude(found[0], { kind: "unknownPayout" })
    }),
  )

  it.effect("one that names the withdrawal itself is compared with it, whatever its end-to-end id", () =>
    Effect.gen(function* () {
      const named = byHand({ payoutId: payoutIdOf(id), endToEndId: "E9" })
      assert.deepStrictEqual(yield* differences([named], "successful", settled), [])
    }),
  )
})

/** The end of a sweep that began with a Pix of which the list had nothing when its withdrawal was settled by it. */
const followed = Effect.fnUntraced(function* (subjects: ReadonlyArray<string>, sweepsBefore: number) {
  const { withdrawals } = yield* MemoryStore
  withdrawals.set(id, { ...storedWithdrawal("successful", settled), id, mode: "live", account })
  const acquirer = acquirerWith(emptyScript())
  const item = { kind: "payout", withdrawalId: id, endToEndId: "E1", amount: 1_000 } as const
  const absent = { ...item, returnedAmount: 0, status: "absent" } as const
  const before = [{ item: absent, sinceMillis: nowMillis, sweeps: sweepsBefore }]
  const { askAbout } = yield* makeSettleDifference(acquirer)
  const follow = yield* makeFollowUnconfirmed(acquirer, askAbout)
  const met = { subjects: new Set(subjects), outcomes: [] }
  const ending = yield* Effect.forkChild(follow(before, met, nowMillis + limits.unconfirmedMillisMin))
  yield* pass(10)
  yield* Fiber.join(ending)
  const page = { state: undefined, kind: undefined, beforeId: undefined, limit: 10 }
  const opened = (yield* (yield* ExceptionStore).list(page)).map(readException)
  return { opened, kept: yield* (yield* SweepStore).unconfirmed(account) }
})

const inWorld = <A, E, R>(program: Effect.Effect<A, E, R>) => {
  const { door, layer } = sweepWorld()
  door.answers.set(id, { kind: "pending", queryStatus: "silent" })
  return Effect.andThen(TestClock.setTime(nowMillis), program).pipe(Effect.provide(layer))
}

describe("a payout that an operator settled and the sent list does not have", () => {
  it.effect("before five sweeps and ten minutes it is remembered", () =>
    inWorld(
      Effect.gen(function* () {
        const { opened, kept } = yield* followed([], limits.unconfirmedSweepsMin - 2)
        assert.deepStrictEqual(opened, [])
        assert.lengthOf(kept, 1)
      }),
    ),
  )

  it.effect("after these it is a payout_returned, by which operators can give the money back", () =>
    inWorld(
      Effect.gen(function* () {
        const { opened } = yield* followed([], limits.unconfirmedSweepsMin - 1)
        assert.lengthOf(opened, 1)
        assert.deepInclude(opened[0], { kind: "payout_returned", resource_id: id, amount: 1_000 })
        assert.deepInclude(opened[0]?.details, { list_status: "absent", returned_amount: 1_000 })
      }),
    ),
  )

  it.effect("once the list has it, it is forgotten", () =>
    inWorld(
      Effect.gen(function* () {
        assert.deepStrictEqual(yield* followed([id], limits.unconfirmedSweepsMin), { opened: [], kept: [] })
      }),
    ),
  )
})
