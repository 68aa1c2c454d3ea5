import { Context, type Effect } from "effect"
import type { StoreUnavailable } from "../values/storeUnavailable.ts"
import type { StoredTransaction } from "./transactionStore.ts"

/** A due timer, leased to the caller. Committing its transition ends it; after a crash it fires again. */
export interface DueTimer {
  readonly name: string
  readonly resourceId: string
  /** When the lease ends, by the store's clock; identifies the lease. */
  readonly leaseEndMillis: number
}

/** The charge of a claimed timer. */
export interface ClaimedCharge {
  /** As it was when the timer was claimed; a commit on it is `stale` if it has changed. */
  readonly transaction: StoredTransaction
  /** How far ahead the seller's test clock was, in ms; 0 in live. */
  readonly offsetMillis: number
}

/** A claimed timer; `charge` is undefined for a timer of something else, and where the charge does not exist. */
export interface ClaimedTimer extends DueTimer {
  readonly charge: ClaimedCharge | undefined
}

/** A timer to drop. With a lease, it is dropped only if it was neither claimed nor set since. */
export interface TimerToDrop {
  readonly name: string
  readonly resourceId: string
  readonly leaseEndMillis?: number
}

/** The timers of a partition. Time is the store's, so that two processes agree. */
export class TimerQueue extends Context.Service<
  TimerQueue,
  {
    /** Leases up to `timersMax` due timers (0: none), and says in how many ms the next is due (undefined: none). */
    readonly claim: (
      partition: number,
      timersMax: number,
    ) => Effect.Effect<
      { readonly due: ReadonlyArray<ClaimedTimer>; readonly nextInMillis: number | undefined },
      StoreUnavailable
    >
    /** Drops a timer that has nothing to do any more. */
    readonly drop: (timer: TimerToDrop) => Effect.Effect<void, StoreUnavailable>
    /**
     * Lets a leased timer fire again after `delayMillis`, and extends the lease until then. Answers the timer under its new
     * lease; undefined where another has claimed or set it since.
     */
    readonly postpone: (
      timer: DueTimer,
      delayMillis: number,
    ) => Effect.Effect<DueTimer | undefined, StoreUnavailable>
  }
>()("corrente/actors/TimerQueue") {}
