import type { BooksWindow } from "../../actors/ports/acquirer.ts"
import type { BankAccess } from "./bank.ts"

/** One sweep, in a process of its own. */
export interface SweepJob {
  readonly redisUrl: string
  readonly bank: BankAccess
  readonly window: BooksWindow
}

/** What it read and took. */
export interface SweepDone {
  readonly items: number
  readonly differences: number
  /** What was not put right, or could not be read. */
  readonly failures: number
  readonly wallMillis: number
  /** User and system, all threads. */
  readonly cpuMillis: number
  /** Resident memory before the sweep, and at its peak. */
  readonly residentMiB: number
  readonly peakMiB: number
}
