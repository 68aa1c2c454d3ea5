import { Clock, Effect } from "effect"
import { Ledger } from "../../ports/ledger.ts"
import { SellerStore } from "../../ports/sellerStore.ts"
import {
  type StoredWithdrawal,
  WithdrawalStore,
  type WithdrawalTransition,
} from "../../ports/withdrawalStore.ts"
import { decideAndCommit, stale } from "../../runtime/decideAndCommit.ts"
import type { StoreUnavailable } from "../../values/storeUnavailable.ts"
import { balanceFull } from "../decisions/movements.ts"
import type { SellerTime } from "../decisions/sellerTime.ts"
import { decideAct, type WithdrawalAct } from "../decisions/withdrawalActs.ts"
import { approvalRefusal, debtRefusal } from "../decisions/withdrawalDecisions.ts"
import { afterTransition, decideProcessing } from "../decisions/withdrawalTransitions.ts"
import { makeWithStuckPayoutResolved } from "./stuckEnds.ts"

/**
 * A withdrawal after a decision; undefined where there is none. `isApplied`: our transition was committed. `isContended`:
 * none could be, because others kept changing the withdrawal or a balance has no room.
 */
export type AppliedWithdrawal =
  | { readonly stored: StoredWithdrawal; readonly isApplied: boolean; readonly isContended: boolean }
  | undefined

/** Makes the same as `makeApplyWithdrawal` for a decision that reads something first, or may refuse. */
export const makeApplyDecision = Effect.gen(function* () {
  const store = yield* WithdrawalStore
  const withStuckResolved = yield* makeWithStuckPayoutResolved

  return <E>(
    known: StoredWithdrawal,
    decide: (stored: StoredWithdrawal) => Effect.Effect<WithdrawalTransition | undefined, E>,
  ): Effect.Effect<AppliedWithdrawal, E | StoreUnavailable> =>
    decideAndCommit({
      known,
      read: store.load(known.id),
      attempt: Effect.fnUntraced(function* (stored: StoredWithdrawal | undefined) {
        if (stored === undefined) return undefined
        const decided = yield* decide(stored)
        if (decided === undefined) return { stored, isApplied: false, isContended: false }
        const transition = yield* withStuckResolved(decided)
        const { kind } = yield* store.transition(transition)
        switch (kind) {
          case "applied":
            return { stored: afterTransition(stored, transition), isApplied: true, isContended: false }
          case "stale":
            return stale
          case "missing":
            return undefined
          case "overflow":
            yield* Effect.logError(`${known.id} stays ${stored.status}: ${balanceFull}`)
            return { stored, isApplied: false, isContended: true }
        }
      }),
      giveUp: (stored) =>
        Effect.succeed(stored === undefined ? undefined : { stored, isApplied: false, isContended: true }),
    })
})

/** Makes the program that decides a withdrawal's transition and commits it. A decision of `undefined` changes nothing. */
export const makeApplyWithdrawal = Effect.map(
  makeApplyDecision,
  (apply) =>
    (
      known: StoredWithdrawal,
      decide: (stored: StoredWithdrawal) => WithdrawalTransition | undefined,
    ): Effect.Effect<AppliedWithdrawal, StoreUnavailable> =>
      apply(known, (stored) => Effect.succeed(decide(stored))),
)

/**
 * Makes the decision about an act. An approval depends on the seller and its balance as they are now: 409 `invalid_state` where the
 * withdrawal would be refused by now.
 */
export const makeDecideAct = Effect.gen(function* () {
  const sellers = yield* SellerStore
  const ledger = yield* Ledger

  return Effect.fnUntraced(function* (
    stored: StoredWithdrawal,
    act: WithdrawalAct,
    reason: string | undefined,
    time: SellerTime,
  ) {
    const transition = decideAct(stored, act, reason, time)
    if (act !== "approve" || transition === undefined) return transition
    const seller = yield* sellers.get(stored.sellerId)
    const available = yield* ledger.available(stored)
    const refused = approvalRefusal(seller, stored, available, yield* Clock.currentTimeMillis)
    if (refused !== undefined) return yield* refused
    return { ...transition, sellerVersion: seller?.version }
  })
})

/** Makes the decision to hand a withdrawal to the acquirer: 409 `invalid_state` while its seller is in debt. */
export const makeDecideHandOver = Effect.map(Ledger, (ledger) =>
  Effect.fnUntraced(function* (stored: StoredWithdrawal, firstPollMillis: number, time: SellerTime) {
    const transition = decideProcessing(stored, firstPollMillis, time)
    if (transition === undefined) return undefined
    const refused = debtRefusal(stored, yield* ledger.available(stored), "handed to the bank")
    return refused === undefined ? transition : yield* refused
  }),
)
