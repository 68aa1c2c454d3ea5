import { Context, type Effect } from "effect"
import type { EventType } from "../../schema/events.ts"
import type { Feed, Mode } from "../../schema/ids.ts"
import type { ExceptionKind, ExceptionState } from "../../schema/resources/exception.ts"
import type { StoreUnavailable } from "../values/storeUnavailable.ts"
import type { Timer } from "../values/timer.ts"
import type { LedgerMovement } from "./ledger.ts"

/** An exception to be recorded. Its partition is its resource's, or, without one, derived from `fact`. */
export interface NewException {
  /** `exc_…` */
  readonly id: string
  /** What makes it one of a kind in its partition: `double_payment:<end-to-end id>`; a fact is recorded once, for ever. */
  readonly fact: string
  readonly kind: ExceptionKind
  readonly mode: Mode
  readonly sellerId: string | undefined
  /** The acquirer account that it is about. */
  readonly account: string | undefined
  /** The wire's JSON text. */
  readonly document: string
}

/** An exception as stored. */
export interface StoredException extends NewException {
  readonly state: ExceptionState
  /** Counts its commits, from 1. */
  readonly version: number
  /** An act under way or awaiting a second operator, as JSON text of `PendingAct`; "" where there is none. */
  readonly pending: string
}

/** A change of an exception, decided on `exception`. */
export interface ExceptionChange {
  readonly exception: StoredException
  readonly to: ExceptionState
  readonly document: string
  readonly pending: string
}

/** What a commit of a charge, withdrawal or refund does to an exception of the same partition besides. */
export type ExceptionEffect =
  /** Records it, unless its fact is recorded already: then the exception stays as it is, and the rest is committed. */
  | { readonly kind: "open"; readonly exception: NewException }
  /** Changes it; a version other than the one decided on makes the whole commit `stale`. */
  | { readonly kind: "change"; readonly change: ExceptionChange }

/** An act on an exception whose commit changes no charge, withdrawal or refund. */
export interface ExceptionCommit {
  readonly change: ExceptionChange
  /** Timers of the exception to set, and names of those to drop. */
  readonly timers: ReadonlyArray<Timer>
  readonly timersDone: ReadonlyArray<string>
}

/**
 * Money for a seller from an exception that may lie in another partition. Committed in the seller's partition, once per
 * exception: `applied` again where it was applied before.
 */
export interface ExceptionCredit {
  readonly exceptionId: string
  readonly feed: Feed
  readonly movement: LedgerMovement
  readonly eventType: EventType
  /** The event's resource id and data. */
  readonly resourceId: string
  readonly document: string
}

/** A page of exceptions of all sellers, newest first by id. */
export interface ExceptionPage {
  readonly state: ExceptionState | undefined
  readonly kind: ExceptionKind | undefined
  readonly beforeId: string | undefined
  readonly limit: number
}

/** Exceptions: where the acquirer's books differ from ours, and how operators resolved that. */
export class ExceptionStore extends Context.Service<
  ExceptionStore,
  {
    /** Records an exception without another commit. `exists`: its fact was recorded before, under `id`. */
    readonly open: (
      exception: NewException,
    ) => Effect.Effect<{ readonly kind: "opened" | "exists"; readonly id: string }, StoreUnavailable>
    readonly load: (id: string) => Effect.Effect<StoredException | undefined, StoreUnavailable>
    /** The exception of a fact in the partition of `idOfPartition` (any id of that partition). */
    readonly findFact: (
      idOfPartition: string,
      fact: string,
    ) => Effect.Effect<StoredException | undefined, StoreUnavailable>
    readonly commit: (
      commit: ExceptionCommit,
    ) => Effect.Effect<{ readonly kind: "applied" | "stale" | "missing" }, StoreUnavailable>
    readonly credit: (
      credit: ExceptionCredit,
    ) => Effect.Effect<{ readonly kind: "applied" | "overflow" | "missing" }, StoreUnavailable>
    readonly list: (page: ExceptionPage) => Effect.Effect<ReadonlyArray<StoredException>, StoreUnavailable>
    /** How many exceptions of these kinds are open in live, over all partitions. */
    readonly countOpen: (kinds: ReadonlyArray<ExceptionKind>) => Effect.Effect<number, StoreUnavailable>
  }
>()("corrente/actors/ExceptionStore") {}
