import type { LedgerKind } from "./names.ts"

/** What an entry did to `available`, in centavos. */
export interface StatementMove {
  readonly kind: LedgerKind
  readonly resourceId: string
  readonly gain: number
}

/** What came in and went out. */
export interface StatementSums {
  readonly gained: number
  readonly lost: number
  /** What left for a withdrawal or a refund that did not happen, and came back: neither in `gained` nor in `lost`. */
  readonly returned: number
}

const heldBy: Readonly<Partial<Record<LedgerKind, LedgerKind>>> = {
  withdrawal_returned: "withdrawal_held",
  refund_returned: "refund_held",
}

/** Whether an entry gives back what was held for a withdrawal or a refund that did not happen. */
export const isReturn = (kind: LedgerKind): boolean => heldBy[kind] !== undefined

const keyOf = (kind: LedgerKind, resourceId: string): string => `${kind} ${resourceId}`

/**
 * What entries come to, in any order. Money that went out among them and came back among them, all of it, is neither income nor
 * expense, so `gained` less `lost` stays what the balance gained.
 */
export const statementSums = (moves: ReadonlyArray<StatementMove>): StatementSums => {
  const gains = new Map(moves.map(({ kind, resourceId, gain }) => [keyOf(kind, resourceId), gain]))
  const undone = new Set(
    moves.flatMap(({ kind, resourceId, gain }) => {
      const held = heldBy[kind]
      if (held === undefined || gains.get(keyOf(held, resourceId)) !== -gain) return []
      return [keyOf(kind, resourceId), keyOf(held, resourceId)]
    }),
  )
  const sums = { gained: 0, lost: 0, returned: 0 }
  for (const { kind, resourceId, gain } of moves) {
    if (undone.has(keyOf(kind, resourceId))) sums.returned += Math.max(gain, 0)
    else if (gain > 0) sums.gained += gain
    else sums.lost -= gain
  }
  return sums
}
