const dayMillis = 24 * 60 * 60 * 1000
const sweepReturnsMillis = 120 * dayMillis
const sweepUnreadableMax = 100
const sweepAcceptedMax = 1_000

/** Limits of calls to acquirers; part of `limits`. */
export const acquirerLimits = {
  /** Concurrent calls per seller to a remote acquirer, of each kind: creations, polling, notices and payouts. */
  acquirerCallsPerSellerMax: 64,
  /**
   * Connections to a remote acquirer for each kind of call except creations; further calls wait within their
   * deadline.
   */
  acquirerSocketsMax: 64,
  /** The same for creations: requests wait for these, and one seller's must leave room for other sellers'. */
  acquirerCreationSocketsMax: 256,
  /** Tokens are fetched one at a time; the second connection is for a retry after a broken one. */
  acquirerTokenSocketsMax: 2,
  /** The books are read page by page, by one process; the second connection is for a retry after a broken one. */
  acquirerBooksSocketsMax: 2,
  /** Items asked for on a page of the books: the Central Bank's API allows 1,000. */
  acquirerBooksPageItems: 500,
  /** An answer with so many items, each with returns, fits in this. */
  acquirerBooksPageBytesMax: 8 * 1024 * 1024,
  /** Pages of one list: five million items; a longer one is read in parts of its window. */
  acquirerBooksPagesMax: 10_000,
  /** The shortest part of a window that is read by itself: an account never has more than a page of items in a second. */
  acquirerBooksPartMillisMin: 1_000,
  /** A sweep reads the books from so long before the end of the last complete one: lists lag behind. */
  sweepOverlapMillis: 60 * 60 * 1000,
  /** Once a day a sweep reads 90 days: so long the lists have everything. */
  sweepLongMillis: 90 * dayMillis,
  /** The daily sweep reads returns of Pix this old: MED gives payers 80 days and banks 11 more; the rest is margin. */
  sweepReturnsMillis,
  sweepLongEveryMillis: 24 * 60 * 60 * 1000,
  /** How often a process looks whether a sweep is due: two small reads. */
  sweepLookMillis: 1_000,
  /** Another process sweeps once the one that did has not renewed its lease for so long. */
  sweepLeaseMillis: 15_000,
  sweepRenewMillis: 5_000,
  /** A sweep that was not complete is repeated after 5 s, doubling to a minute. */
  sweepRetryMillisMin: 5_000,
  sweepRetryMillisMax: 60_000,
  /** Records read at once to compare a page of the books with: a few ms of Redis, and of ours. */
  sweepReadAtOnce: 100,
  /** Differences that a sweep puts right at once; each may call the acquirer. */
  sweepActsAtOnce: 16,
  /** Items of an account's books that no sweep can read are remembered up to here, for operators; more are counted. */
  sweepUnreadableMax,
  /** So many of them an operator may have accepted; where there are more, the adapter reads the books wrongly. */
  sweepAcceptedMax,
  /** A sweep looks at so many: one that nobody accepted is among them, however many were. */
  sweepUnreadableReadMax: sweepUnreadableMax + sweepAcceptedMax,
  /** An acceptance may make room for another after this: by then no sweep reads that far back. */
  sweepAcceptedMillis: sweepReturnsMillis + 10 * dayMillis,
  /** An item that only the list has is an exception after so many sweeps and so long: lists and queries lag behind each other. */
  unconfirmedSweepsMin: 5,
  unconfirmedMillisMin: 10 * 60 * 1000,
  /** So many of them are remembered; a sweep that meets more is not complete. */
  sweepUnconfirmedMax: 1_000,
  /** A charge that the acquirer says was paid, and names no payment of, is asked about at this interval before it expires. */
  concludedChargeAskMillis: 2 * 60 * 1000,
  /** A sweep reads so far beyond our own time: the acquirer's clock may be ahead. */
  acquirerClockAheadMillis: 10 * 60 * 1000,
  /** Setting RECONCILE_INTERVAL_SECONDS. */
  reconcileSecondsMin: 1,
  reconcileSecondsMax: 24 * 60 * 60,
  reconcileSecondsDefault: 300,
  /** A payout's state is polled after 2 s, then at doubling intervals up to a minute. */
  payoutPollMillisMin: 2_000,
  payoutPollMillisMax: 60_000,
  /** A withdrawal that operators pay is looked at so often: whether its account has payouts by API again. */
  manualPayoutWaitMillis: 5 * 60 * 1000,
  /** A payout unknown to the acquirer is sent again only once its last sending is certainly over. */
  payoutResendAfterMillis: 60_000,
  /** A payout that our account at the acquirer could not pay for is sent again after 1 min, then twice as long, up to 10 min. */
  payoutWithoutFundsMillisMin: 60_000,
  payoutWithoutFundsMillisMax: 10 * 60 * 1000,
  /** A payout or refund unknown to the acquirer is sent again at each poll for so long, and then every ten minutes at most. */
  resendOftenMillis: 60 * 60 * 1000,
  resendMillisMin: 10 * 60 * 1000,
  /** An exception's refund that was refused ends once the acquirer has said for so long that it never heard of it. */
  refundUnknownMillisMax: 60 * 60 * 1000,
  /** Of one call, so many are resolved at a time. */
  exceptionsAtOnceMax: 8,
  /** Longest wait for an acquirer, whatever its adapter does; shorter than the lease of an idempotency key. */
  acquirerTimeoutMillis: 20_000,
  /** Lease of a timer that asks an acquirer and may act on the answer. */
  acquirerTimerLeaseMillis: 70_000,
  /**
   * Resources created with another acquirer account than the configured one are checked again, and logged, after
   * this.
   */
  otherAccountWaitMillis: 5 * 60 * 1000,
  /** A payout or refund that may not be handed over during a freeze looks again after this. */
  frozenWaitMillis: 5_000,
  /** How long a process may believe that nothing is frozen, or that something is. */
  frozenCacheMillis: 1_000,
  /** Minimum time between two log lines about what a freeze holds up. */
  frozenReportMillis: 60_000,
  /** An acquirer that did not answer is asked about a charge again after this. */
  silentAcquirerAskMillis: 30_000,
  /** A charge as old as this is no longer asked about before its expiry where the acquirer has books: sweeps find it. */
  sweptChargeAgeMillis: 60_000,
  /** A charge that the acquirer would not cancel, and does not show as paid, expires this much later. */
  refusedRemovalMillis: 5_000,
  /**
   * The acquirer of an expired charge is asked soon after expiry, and for a day: a payment may have been on its way.
   */
  expiredChargeAskMillis: 5 * 60 * 1000,
  expiredChargeAskedForMillis: 24 * 60 * 60 * 1000,
} as const
