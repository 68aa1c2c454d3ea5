import { Context, type Effect } from "effect"
import type { Feed } from "../../schema/ids.ts"
import type { Principal } from "../values/principal.ts"
import type { StoreUnavailable } from "../values/storeUnavailable.ts"

/** A customer with at least one charge, and all that was merged into it. */
export interface StoredCustomer {
  /** What its charges name it with (actors/ports/customerDigests.ts): its own document's first, then those of the merged ones. */
  readonly digests: readonly [string, ...ReadonlyArray<string>]
  readonly charges: number
  /** In centavos: the amounts of its charges that were paid, also of those that went back. */
  readonly paidAmount: number
  /** In centavos: what went back to the payer. */
  readonly refundedAmount: number
  readonly firstChargeId: string
  readonly lastChargeId: string
  /** Its newest charge with its own document, which says who it is; where there is none, the newest of a merged one. */
  readonly shownById: string
}

/** The outcome of a merge. `same`: the two are one customer already. `full`: more would be one than may be. */
export interface MergeOutcome {
  readonly kind: "merged" | "same" | "full"
}

/**
 * Customers (docs/contract/customers.md). Commits of charges and refunds keep their sums; all else follows from the charges, so
 * nothing creates a customer, and one whose last charge is deleted or erased is gone, with its part in merges.
 */
export class CustomerStore extends Context.Service<
  CustomerStore,
  {
    /** The customers that some digests name, in their order, each as the one that it was merged into; undefined where no charge has it. */
    readonly read: (
      principal: Principal,
      digests: ReadonlyArray<string>,
    ) => Effect.Effect<
      ReadonlyArray<StoredCustomer | undefined> | { readonly kind: "keyInvalid" },
      StoreUnavailable
    >
    /** Makes a customer, with all that was merged into it, a part of another; of at most `mergedMax` others. */
    readonly merge: (
      feed: Feed,
      merge: { readonly from: string; readonly into: string; readonly mergedMax: number },
    ) => Effect.Effect<MergeOutcome, StoreUnavailable>
  }
>()("corrente/actors/CustomerStore") {}
