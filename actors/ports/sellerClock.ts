import { Context, type Effect } from "effect"
import type { ClockStep } from "../values/clockSteps.ts"
import type { StoreUnavailable } from "../values/storeUnavailable.ts"

/**
 * The clock of a seller's test mode: ahead of the true time by what the seller advanced it. Live always has the true time
 * (docs/contract/test-controls.md#clock).
 */
export class SellerClock extends Context.Service<
  SellerClock,
  {
    /** How far ahead test mode is, in ms. */
    readonly offsetMillis: (sellerId: string) => Effect.Effect<number, StoreUnavailable>
    /** The clock's newest steps, up to `limits.clockStepsMax`, oldest first; none where it was never advanced. */
    readonly steps: (sellerId: string) => Effect.Effect<ReadonlyArray<ClockStep>, StoreUnavailable>
    /**
     * Advances the clock and moves what test mode waits for: timers of charges and withdrawals, and delivery retries. What is
     * leased right now stays. Answers the new offset in ms.
     */
    readonly advance: (sellerId: string, millis: number) => Effect.Effect<number, StoreUnavailable>
  }
>()("corrente/actors/SellerClock") {}
