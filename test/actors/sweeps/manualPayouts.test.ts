import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { SentPayout } from "../../../actors/ports/acquirer.ts"
import { PixClaimStore } from "../../../actors/ports/pixClaimStore.ts"
import { makeComparisons } from "../../../actors/sweeps/comparisons.ts"
import { makeId, payoutIdOf } from "../../../schema/ids.ts"
import type { Withdrawal, WithdrawalStatus } from "../../../schema/resources/withdrawal.ts"
import { MemoryStore } from "../../model/state.ts"
import { sweepWorld } from "../support/books.ts"
import { nowMillis } from "../support/charges.ts"
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
