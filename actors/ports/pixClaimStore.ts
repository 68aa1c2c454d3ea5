import { Context, type Effect } from "effect"
import type { StoreUnavailable } from "../values/storeUnavailable.ts"

/** A Pix that came in at an acquirer account. */
export interface ReceivedPixId {
  readonly account: string
  readonly endToEndId: string
}

/**
 * Which charge or exception each received Pix belongs to (docs/decisions/0101-pix-are-claimed-before-they-count.md). A claim is
 * written before the commit that uses it, because both may lie in different slots, and is kept for ever.
 */
export class PixClaimStore extends Context.Service<
  PixClaimStore,
  {
    /**
     * Claims a Pix for `claimant`, the id of a charge or an exception, and answers who has it: the claimant, or whoever was first.
     * `insteadOf` takes it from that claimant, if it still has it.
     */
    readonly claim: (
      pix: ReceivedPixId,
      claimant: string,
      insteadOf?: string,
    ) => Effect.Effect<string, StoreUnavailable>
    /** Finds who has each Pix of an account, in their order; undefined for one that nobody has. */
    readonly findAll: (
      account: string,
      endToEndIds: ReadonlyArray<string>,
    ) => Effect.Effect<ReadonlyArray<string | undefined>, StoreUnavailable>
  }
>()("corrente/actors/PixClaimStore") {}
