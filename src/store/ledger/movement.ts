import type { LedgerMovement } from "../../../actors/ports/ledger.ts"

/** The arguments that describe a movement, as functions that move money name them; '' if no money moves. */
export const movementArguments = (movement: LedgerMovement | undefined) => ({
  movement_kind: movement?.kind ?? "",
  movement_resource_type: movement?.resourceType ?? "",
  postings_count: movement?.postings.length ?? 0,
})

/** The postings of a movement as pairs (bucket, amount). */
export const postingArguments = (movement: LedgerMovement | undefined): ReadonlyArray<string | number> =>
  movement?.postings.flatMap(({ bucket, amount }) => [bucket, amount]) ?? []
