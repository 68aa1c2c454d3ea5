import type { LedgerMovement } from "../../../actors/ports/ledger.ts"

/** A movement as ledger/prelude.lua takes it: kind, resource type, number of postings, then bucket and amount of each. */
export const movementArguments = (movement: LedgerMovement | undefined): ReadonlyArray<string | number> =>
  movement === undefined
    ? ["", "", 0]
    : [
        movement.kind,
        movement.resourceType,
        movement.postings.length,
        ...movement.postings.flatMap(({ bucket, amount }) => [bucket, amount]),
      ]
