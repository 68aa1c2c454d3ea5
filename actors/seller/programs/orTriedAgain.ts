import { Effect } from "effect"
import type { ActorFailed } from "../../runtime/actor.ts"
import type { MailboxFull } from "../../runtime/registry.ts"
import type { StoreUnavailable } from "../../values/storeUnavailable.ts"
import type { ReconcileAnswer } from "../decisions/noticeAnswer.ts"

/** Answers `unavailable` where a notice could not be reconciled, so that it is tried again. */
export const orTriedAgain = (
  reconciled: Effect.Effect<ReconcileAnswer, StoreUnavailable | MailboxFull | ActorFailed>,
): Effect.Effect<ReconcileAnswer> =>
  Effect.catch(reconciled, (error) =>
    Effect.succeed({
      kind: "unavailable",
      reason: error._tag === "StoreUnavailable" ? error.reason : "the seller's actor is overloaded",
    } as const),
  )
