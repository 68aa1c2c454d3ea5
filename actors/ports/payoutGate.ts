import { Context, Effect } from "effect"
import type { Mode } from "../../schema/ids.ts"
import type { StoreUnavailable } from "../values/storeUnavailable.ts"

/**
 * Whether payouts and refunds may be handed to the acquirer (docs/contract/exceptions.md#freeze). `frozen` answers why not, as
 * one line that anyone may read, or undefined. Open by default and always in test mode.
 */
export class PayoutGate extends Context.Reference<{
  readonly frozen: (mode: Mode) => Effect.Effect<string | undefined, StoreUnavailable>
}>("corrente/actors/PayoutGate", {
  defaultValue: () => ({ frozen: () => Effect.succeed(undefined) }),
}) {}
