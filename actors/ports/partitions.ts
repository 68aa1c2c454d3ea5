import { Context, type Effect, type Scope } from "effect"
import type { StoreUnavailable } from "../values/storeUnavailable.ts"

/** A reason to look at a partition before its next regular look. */
export type Wake =
  | { readonly kind: "delivery"; readonly partition: number; readonly destinationId: string }
  | { readonly kind: "timer"; readonly partition: number; readonly dueMillis: number }
  /** Wakes may be lost: look at everything. */
  | { readonly kind: "lookAgain" }

/** When something of a partition is due, in ms from now: 0 where it is due, undefined where nothing will be. */
export interface NextDue {
  readonly partition: number
  readonly timersInMillis: number | undefined
  readonly deliveriesInMillis: number | undefined
}

/**
 * The partitions whose timers and deliveries this process runs: leases, shared evenly among the living processes. They are
 * advice only: claims are fenced, so two owners do no harm (docs/decisions/0006-partition-leases.md).
 */
export class Partitions extends Context.Service<
  Partitions,
  {
    /** Takes, keeps and gives up partitions so that each living process has its share; answers those held now. */
    readonly rebalance: Effect.Effect<ReadonlySet<number>, StoreUnavailable>
    /** Gives up all partitions, for the others to take at once. */
    readonly releaseAll: Effect.Effect<void>
    /**
     * Reads when something of partitions is due next, leased and waiting ones included: in as few reads as the store allows,
     * each of which answers or fails by itself.
     */
    readonly nextDue: (
      partitions: ReadonlyArray<number>,
    ) => ReadonlyArray<Effect.Effect<ReadonlyArray<NextDue>, StoreUnavailable>>
    /** Calls `listener` for wakes of the held partitions until the scope closes. The listener must not block. */
    readonly listen: (listener: (wake: Wake) => void) => Effect.Effect<void, never, Scope.Scope>
  }
>()("corrente/actors/Partitions") {}
