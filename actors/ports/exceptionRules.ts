import { Context } from "effect"

/** What is set about exceptions (docs/operations.md#settings). */
export class ExceptionRules extends Context.Service<
  ExceptionRules,
  {
    /** How long a withdrawal may be processing before it is an exception, in ms (`PAYOUT_STUCK_SECONDS`). */
    readonly payoutStuckMillis: number
    /** How many operators an act needs that moves live money (`OPERATOR_APPROVALS`): 1 or 2. */
    readonly operatorApprovals: number
  }
>()("corrente/actors/ExceptionRules") {}
