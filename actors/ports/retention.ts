import { Context, type Effect } from "effect"
import type { StoreUnavailable } from "../values/storeUnavailable.ts"

/** What one step of trimming has dropped. */
export interface TrimmedStep {
  readonly events: number
  /** Ids of attempts in the indexes; their rows expire by themselves. */
  readonly attempts: number
  /** Where the next step goes on; undefined: the partition is done. */
  readonly next: string | undefined
}

/** What one step has deleted of test mode. */
export interface TrimmedTestStep {
  /** Charges, refunds and withdrawals. */
  readonly resources: number
  readonly ledgerEntries: number
  /** Where the next step goes on; undefined: the partition is done. */
  readonly next: string | undefined
}

/** Drops what is past retention, a bounded step at a time; `from` is undefined or the last step's `next`. */
export class Retention extends Context.Service<
  Retention,
  {
    /**
     * Drops what is past retention in feeds and indexes that nobody writes to any more, and so nobody trims, of a partition's
     * sellers and both modes of each (docs/contract/events.md#retention).
     */
    readonly trim: (
      partition: number,
      from: string | undefined,
    ) => Effect.Effect<TrimmedStep, StoreUnavailable>
    /**
     * Deletes what ended in test mode longer ago than its retention, and the ledger entries of that
     * (docs/decisions/0073-test-data-ends.md). Live is never touched.
     */
    readonly trimTest: (
      partition: number,
      from: string | undefined,
    ) => Effect.Effect<TrimmedTestStep, StoreUnavailable>
  }
>()("corrente/actors/Retention") {}
