import { Effect } from "effect"
import { Ledger, type StoredLedgerEntry } from "../../../actors/ports/ledger.ts"
import type { Principal } from "../../../actors/values/principal.ts"
import { limits } from "../../../schema/limits.ts"
import type { LedgerKind } from "../../../schema/names.ts"
import type { StatementSummary } from "../../../schema/resources/ledger.ts"
import { type StatementMove, statementSums } from "../../../schema/statementSums.ts"
import { gainOf } from "../../exports/statementTable.ts"
import { makeClockWindows } from "./clockWindows.ts"
import { keyRevoked } from "./page.ts"
import type { ShownSpan } from "./statementExport.ts"

const moveOf = (entry: StoredLedgerEntry): StatementMove => ({
  kind: entry.kind,
  resourceId: entry.resourceId,
  gain: gainOf(entry),
})

/**
 * Makes the function that says what a stretch of a statement comes to. Entries are numbered, so its first and its last one tell how many
 * there are: a stretch that is too long is not read.
 */
export const makeStatementSummary = Effect.gen(function* () {
  const ledger = yield* Ledger
  const { windowIn } = yield* makeClockWindows

  const newestOf = Effect.fnUntraced(function* (
    principal: Principal,
    span: { readonly fromMillis: number | undefined; readonly toMillis: number },
  ) {
    const found = yield* ledger.list(principal, { ...span, beforeEntryId: undefined, limit: 1 })
    return "kind" in found ? yield* keyRevoked() : found[0]
  })

  const readSpan = Effect.fnUntraced(function* (
    principal: Principal,
    span: { readonly fromMillis: number; readonly toMillis: number },
    after: Pick<StoredLedgerEntry, "entryId"> | undefined,
    entriesMax: number,
  ) {
    const page = yield* ledger.readSpan(principal, { ...span, afterEntryId: after?.entryId, entriesMax })
    return "kind" in page ? yield* keyRevoked() : page
  })

  return Effect.fnUntraced(function* (
    principal: Principal,
    shown: ShownSpan,
    kinds: ReadonlySet<LedgerKind> | undefined,
  ) {
    const { fromMillis = 0, toMillis = shown.toMillis } = yield* windowIn(principal, shown)
    const span = { fromMillis, toMillis }
    const common = { object: "statement_summary", mode: principal.mode } as const
    const [first] = yield* readSpan(principal, span, undefined, 1)
    const last = first && (yield* newestOf(principal, span))
    if (first === undefined || last === undefined) {
      const before = yield* newestOf(principal, { fromMillis: undefined, toMillis })
      const available = before?.balance.available ?? 0
      const none: StatementSummary = {
        ...common,
        opening: available,
        closing: available,
        ...statementSums([]),
      }
      return none
    }
    const opening = first.balance.available - gainOf(first)
    const closing = last.balance.available
    if (last.seq - first.seq >= limits.statementSummaryEntriesMax) {
      const tooLong: StatementSummary = {
        ...common,
        opening,
        closing,
        gained: null,
        lost: null,
        returned: null,
      }
      return tooLong
    }
    const moves = [moveOf(first)]
    let position = first
    while (position.seq < last.seq) {
      const page = yield* readSpan(principal, span, position, limits.statementPageEntries)
      const next = page.at(-1)
      if (next === undefined) break
      moves.push(...page.filter(({ seq }) => seq <= last.seq).map(moveOf))
      position = next
    }
    const wanted = moves.filter(({ kind, gain }) => gain !== 0 && (kinds === undefined || kinds.has(kind)))
    const whole: StatementSummary = { ...common, opening, closing, ...statementSums(wanted) }
    return whole
  })
})
