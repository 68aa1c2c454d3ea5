import { Context, type Effect, type Scope } from "effect"

/** What is told of sellers over all processes. Hints are only hints: the seller's record is the truth. */
export type SellerHint =
  /** A seller's record was changed. */
  | { readonly kind: "changed"; readonly sellerId: string }
  /** The connection that carries hints broke: hints may have been lost. */
  | { readonly kind: "dropped" }
  /** It is back. */
  | { readonly kind: "restored" }

/** Tells which sellers were changed, by whatever process. */
export class SellerHints extends Context.Service<
  SellerHints,
  {
    /** Calls `listener` for every hint until the scope closes. The listener must not block. */
    readonly listen: (listener: (hint: SellerHint) => void) => Effect.Effect<void, never, Scope.Scope>
  }
>()("corrente/actors/SellerHints") {}
