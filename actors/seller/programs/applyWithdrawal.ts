import { Effect } from "effect"
import type { StoreUnavailable } from "../../ports/store.ts"
import {
  type StoredWithdrawal,
  WithdrawalStore,
  type WithdrawalTransition,
} from "../../ports/withdrawalStore.ts"
import { decideAndCommit, stale } from "../../runtime/decideAndCommit.ts"
import { balanceFull } from "../decisions/movements.ts"
import { afterTransition } from "../decisions/withdrawalTransitions.ts"

/**
 * What has become of a withdrawal: `isApplied` says whether by us, `isContended` that nothing was
 * decided, since others changed it all the while or a balance has no room. Undefined: there is none.
 */
export type AppliedWithdrawal =
  | { readonly stored: StoredWithdrawal; readonly isApplied: boolean; readonly isContended: boolean }
  | undefined

/** Makes the same as `makeApplyWithdrawal` for a decision that has to read something first, or may refuse. */
export const makeApplyDecision = Effect.gen(function* () {
  const store = yield* WithdrawalStore

  return <E>(
    known: StoredWithdrawal,
    decide: (stored: StoredWithdrawal) => Effect.Effect<WithdrawalTransition | undefined, E>,
  ): Effect.Effect<AppliedWithdrawal, E | StoreUnavailable> =>
    decideAndCommit({
      known,
      read: store.load(known.id),
      attempt: Effect.fnUntraced(function* (stored: StoredWithdrawal | undefined) {
        if (stored === undefined) return undefined
        const transition = yield* decide(stored)
        if (transition === undefined) return { stored, isApplied: false, isContended: false }
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

/**
 * Makes the program that decides a withdrawal's transition on what is stored and applies it; where another came first it
 * decides again on what is there now, `limits.decisionsMax` times. A decision of `undefined` leaves it as it is.
 */
export const makeApplyWithdrawal = Effect.map(
  makeApplyDecision,
  (apply) =>
    (
      known: StoredWithdrawal,
      decide: (stored: StoredWithdrawal) => WithdrawalTransition | undefined,
    ): Effect.Effect<AppliedWithdrawal, StoreUnavailable> =>
      apply(known, (stored) => Effect.succeed(decide(stored))),
)
