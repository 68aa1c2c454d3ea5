import { Context, type Effect } from "effect"
import type { StoreUnavailable } from "./store.ts"
import type { StoredTransaction } from "./transactionStore.ts"

/** A timer that is due and now leased to the caller; committing its transition ends it, a crash lets it fire again. */
export interface DueTimer {
  readonly name: string
  readonly resourceId: string
  /** When the lease ends, by the store's clock; names the lease. */
  readonly leaseEndMillis: number
}

/** What a charge's timer is claimed with. */
export interface ClaimedCharge {
  /** As it was then: whoever commits is told when it has changed. */
  readonly transaction: StoredTransaction
  /** How far ahead the clock of its seller's test mode was; 0 in live. */
  readonly offsetMillis: number
}

/** A claimed timer; `charge` is undefined where it is of none, or its charge does not exist. */
export interface ClaimedTimer extends DueTimer {
  readonly charge: ClaimedCharge | undefined
}

/** A timer to drop: with a lease, only while that lease is the timer's last; a later claim or setting keeps it. */
export interface TimerToDrop {
  readonly name: string
  readonly resourceId: string
  readonly leaseEndMillis?: number
}

/** The timers of a partition (expiry, simulator; design 3). Time is the store's, so that two processes agree. */
export class TimerQueue extends Context.Service<
  TimerQueue,
  {
    /** Leases up to `timersMax` due timers (0: none), and says how many ms until the next one is due (undefined: none). */
    readonly claim: (
      partition: number,
      timersMax: number,
    ) => Effect.Effect<
      { readonly due: ReadonlyArray<ClaimedTimer>; readonly nextInMillis: number | undefined },
      StoreUnavailable
    >
    /** Drops a timer whose transition no longer applies. */
    readonly drop: (timer: TimerToDrop) => Effect.Effect<void, StoreUnavailable>
    /**
     * Lets a leased timer fire again after so long, unless another has claimed or set it since. Answers the timer as it is
     * leased then, which whoever needs longer holds it by; undefined where it is no longer the caller's.
     */
    readonly postpone: (
      timer: DueTimer,
      delayMillis: number,
    ) => Effect.Effect<DueTimer | undefined, StoreUnavailable>
  }
>()("corrente/actors/TimerQueue") {}
