import { Context, Effect } from "effect"
import type { PayoutGate } from "../../../actors/ports/payoutGate.ts"

/** Why the payouts of the history that runs now are frozen; undefined: they are not. Histories are told side by side. */
export class FrozenBy extends Context.Reference<() => Promise<string | undefined>>(
  "corrente/test/money/FrozenBy",
  { defaultValue: () => () => Promise.resolve(undefined) },
) {}

/** The gate of a process that tells histories: each is frozen by its own exceptions alone. */
export const gateOfHistories: (typeof PayoutGate)["Service"] = {
  frozen: () => Effect.flatMap(FrozenBy, (frozenBy) => Effect.promise(frozenBy)),
}
