/** Bounds of closings (`docs/contract/closings.md`). */
export const closingLimits = {
  /** A day is closed this long after its end: what the acquirer did just before midnight is booked by then. */
  delayMillis: 30 * 60 * 1000,
  /** A process that closes days and dies is replaced after this; it renews its lease with every page of sellers. */
  leaseMillis: 60_000,
  /** Sellers whose days are closed between two renewals. */
  sellersPerPage: 100,
  /** Ledger entries per read of a closing. */
  pageEntries: 500,
  /** Longest wait before it is looked again whether a day is due: the next one is due at a known time. */
  lookMillisMax: 10 * 60 * 1000,
  /** After a closing that failed, because Redis or the acquirer was away. */
  retryMillis: 60_000,
  /** Open exceptions per read. */
  exceptionsPerPage: 500,
} as const
