import type { AuditDifference } from "./difference.ts"

/** What a repair has mended so far, as texts for operators, and what it found and must leave. */
export interface RepairReport {
  /** Names of the timers that were set. */
  readonly timers: Array<string>
  /** `<index> gains <id>` or `<index> loses <id>`. */
  readonly indexes: Array<string>
  /** `<balance>: <counter> was <before>`. */
  readonly counters: Array<string>
  /** Damage that cannot be derived from other data: money, lost documents. */
  readonly refused: Array<AuditDifference>
}

/** A report of a repair that has not begun. */
export const emptyReport = (): RepairReport => ({ timers: [], indexes: [], counters: [], refused: [] })
