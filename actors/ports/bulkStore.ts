import { Context, type Effect } from "effect"
import type { ErrorCode } from "../../schema/errorCodes.ts"
import type { Mode } from "../../schema/ids.ts"
import type { BulkAct } from "../../schema/names.ts"
import type { IdempotencyAnswer, IdempotencyScope } from "../values/idempotency.ts"
import type { AccessRefusal, Principal } from "../values/principal.ts"
import type { SellerAct } from "../values/sellerAct.ts"
import type { StoreUnavailable } from "../values/storeUnavailable.ts"

/** A row to which nothing was done, and the error that says why. */
export interface FailedRow {
  readonly id: string
  readonly code: ErrorCode
}

/** One act on many rows (docs/contract/bulk.md). */
export interface StoredBulk {
  readonly id: string
  readonly sellerId: string
  readonly mode: Mode
  /** Who asked for it. */
  readonly userId: string
  /** What the user was in the seller's team; left out in those made before there were teams. */
  readonly memberId?: string
  /** The same as the seller's audit log has it. */
  readonly by: Pick<SellerAct, "actor" | "ipAddress" | "keptMillis">
  readonly act: BulkAct
  readonly reason: string | undefined
  /** Fixed when it is made; each once. */
  readonly ids: ReadonlyArray<string>
  /** How many rows were tried, in the order of `ids`. */
  readonly done: number
  readonly failed: ReadonlyArray<FailedRow>
  /** By the clock of its mode. */
  readonly createdAt: string
}

/** Bulk acts. One that has rows left has a timer, so that any process can go on with it. */
export class BulkStore extends Context.Service<
  BulkStore,
  {
    /**
     * Keeps a new one, its timer due now, and saves the answer under the Idempotency-Key. `running`: the seller has another under way
     * in this mode.
     */
    readonly create: (
      principal: Principal,
      idempotency: IdempotencyScope,
      bulk: StoredBulk,
      answer: string,
    ) => Effect.Effect<
      { readonly kind: "created" } | { readonly kind: "running" } | IdempotencyAnswer | AccessRefusal,
      StoreUnavailable
    >
    /** Undefined: there is none, or it ended too long ago. */
    readonly load: (id: string) => Effect.Effect<StoredBulk | undefined, StoreUnavailable>
    /**
     * Records that the rows up to `done` were tried, and extends the lease of its timer. `finished`: that was the last, and another may
     * begin. `stale`: it was recorded by somebody else, or there is none.
     */
    readonly advance: (
      bulk: StoredBulk,
      done: number,
      failed: ReadonlyArray<FailedRow>,
    ) => Effect.Effect<{ readonly kind: "advanced" | "finished" | "stale" }, StoreUnavailable>
  }
>()("corrente/actors/BulkStore") {}
