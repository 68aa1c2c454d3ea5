import { Context, type Effect, type Scope } from "effect"

/** A hint about a seller. The seller's record is the truth. */
export type SellerHint =
  /** A seller's record was changed. */
  | { readonly kind: "changed"; readonly sellerId: string }
  /** The connection that carries hints broke: some may be lost. */
  | { readonly kind: "dropped" }
  /** The connection is back. */
  | { readonly kind: "restored" }

/** Tells which sellers were changed, across all processes. */
export class SellerHints extends Context.Service<
  SellerHints,
  {
    /** Calls `listener` for every hint until the scope closes. The listener must not block. */
    readonly listen: (listener: (hint: SellerHint) => void) => Effect.Effect<void, never, Scope.Scope>
  }
>()("corrente/actors/SellerHints") {}
