/** The bounds of what is asked of payment partners and sent to them, a part of `limits`. */
export const partnerLimits = {
  /** Calls of one seller to a remote partner at once, of each kind: creations, polling, notices and payouts. */
  partnerCallsPerSellerMax: 64,
  /** Connections to a remote partner for each kind of call but creations; more calls wait, within their deadline. */
  partnerSocketsMax: 64,
  /** The same for creations: requests wait for these, and one seller's must leave room for other sellers'. */
  partnerCreationSocketsMax: 256,
  /** Tokens are asked for one at a time, and once more where that broke. */
  partnerTokenSocketsMax: 2,
  /** A payout's state is asked after 2 s, then after twice as long each time, up to a minute. */
  payoutPollMillisMin: 2_000,
  payoutPollMillisMax: 60_000,
  /** A payout that the partner does not know is sent again only after its last sending is surely over. */
  payoutResendAfterMillis: 60_000,
  /** Longest that a partner is waited for, whatever its adapter does; below the lease of a claimed key. */
  acquirerTimeoutMillis: 20_000,
  /** A timer that asks a partner, and perhaps tells it something after, is its process' own for so long. */
  partnerTimerLeaseMillis: 70_000,
  /** What was made with another partner account than the configured one is looked at again, and logged, after this. */
  otherAccountWaitMillis: 5 * 60 * 1000,
  /** A partner that did not answer is asked about a charge again after this. */
  silentPartnerAskMillis: 30_000,
  /** A charge that the partner would not take back, and does not show as paid, expires so much later. */
  refusedRemovalMillis: 5_000,
  /** An expired charge's partner is asked soon after, and for a day: a payment may have been on its way. */
  expiredChargeAskMillis: 5 * 60 * 1000,
  expiredChargeAskedForMillis: 24 * 60 * 60 * 1000,
} as const
