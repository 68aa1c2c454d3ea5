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
  /** A payout's state is polled after 2 s, then at doubling intervals up to a minute. */
  payoutPollMillisMin: 2_000,
  payoutPollMillisMax: 60_000,
  /** A payout unknown to the acquirer is sent again only once its last sending is certainly over. */
  payoutResendAfterMillis: 60_000,
  /** Longest wait for an acquirer, whatever its adapter does; shorter than the lease of an idempotency key. */
  acquirerTimeoutMillis: 20_000,
  /** Lease of a timer that asks an acquirer and may act on the answer. */
  acquirerTimerLeaseMillis: 70_000,
  /**
   * Resources created with another acquirer account than the configured one are checked again, and logged, after
   * this.
   */
  otherAccountWaitMillis: 5 * 60 * 1000,
  /** An acquirer that did not answer is asked about a charge again after this. */
  silentAcquirerAskMillis: 30_000,
  /** A charge that the acquirer would not cancel, and does not show as paid, expires this much later. */
  refusedRemovalMillis: 5_000,
  /**
   * The acquirer of an expired charge is asked soon after expiry, and for a day: a payment may have been on its way.
   */
  expiredChargeAskMillis: 5 * 60 * 1000,
  expiredChargeAskedForMillis: 24 * 60 * 60 * 1000,
} as const
