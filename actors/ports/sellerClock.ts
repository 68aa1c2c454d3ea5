import { Context, type Effect } from "effect"
import type { StoreUnavailable } from "./store.ts"

/**
 * The clock of a seller's test mode (decisions 3): ahead of the true one by what the seller advanced it. Live never
 * differs from the true time.
 */
export class SellerClock extends Context.Service<
  SellerClock,
  {
    /** How far ahead the seller's test mode is, in ms. */
    readonly offsetMillis: (sellerId: string) => Effect.Effect<number, StoreUnavailable>
    /**
     * Advances it, and moves what the seller's test mode waits for: timers of charges and withdrawals, and delivery
     * retries. What is leased just now stays. Answers the offset there is then.
     */
    readonly advance: (sellerId: string, millis: number) => Effect.Effect<number, StoreUnavailable>
  }
>()("corrente/actors/SellerClock") {}
