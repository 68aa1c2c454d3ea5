import { Context, type Effect, type Scope } from "effect"
import type { StoreUnavailable } from "./store.ts"

/** What wakes a partition's work before its next look. */
export type Wake =
  | { readonly kind: "delivery"; readonly partition: number; readonly destinationId: string }
  | { readonly kind: "timer"; readonly partition: number; readonly dueMillis: number }
  /** Wakes may have been lost: look at everything. */
  | { readonly kind: "lookAgain" }

/**
 * Which partitions' timers and deliveries this process runs: leases, shared evenly over the living processes.
 * Advice only: claims are fenced, so two owners do no harm (design 3).
 */
export class Partitions extends Context.Service<
  Partitions,
  {
    /** Takes, keeps and gives up partitions so that each living process has its share; the ones held now. */
    readonly rebalance: Effect.Effect<ReadonlySet<number>, StoreUnavailable>
    /** Gives all up, for the others to take at once. */
    readonly releaseAll: Effect.Effect<void>
    /** Calls `listener` for wakes of the held partitions until the scope closes. It must not block. */
    readonly listen: (listener: (wake: Wake) => void) => Effect.Effect<void, never, Scope.Scope>
  }
>()("corrente/actors/Partitions") {}
