/** Limits of due work (timers, deliveries, audits), which yields to requests; part of `limits`. */
export const dueWorkLimits = {
  /** Sellers that are indexed side by side, while all of them are looked through. */
  sellersIndexedAtOnce: 16,
  /** Destinations returned by one look at a partition; later looks skip these to see more. */
  dueDestinationsPerLook: 500,
  /** Timers claimed at once: enough to be cheap, few enough that a request can run between two claims. */
  timersPerClaim: 32,
  /**
   * Due timers a process has claimed and not yet fired; a new request may find this many ahead of it. The minimum
   * costs a request a few milliseconds and drains a backlog at half the speed of the maximum.
   */
  dueTimersInHandMin: 9,
  dueTimersInHandMax: 256,
  /**
   * Attempts that have begun and neither ended nor started to wait for their receiver; minimum and maximum as above.
   */
  attemptsBegunMin: 13,
  attemptsBegunMax: 512,
  /** A destination claim needs room for this many attempts: claiming fewer would cost as much. */
  attemptsWorthAClaim: 8,
  /** After this, an attempt still waiting for its receiver costs requests nothing, and the next may begin. */
  attemptBegunMillis: 100,
  /**
   * Requests waiting longer than this mean that the process is busy, even if none is in the making; how often that is
   * checked.
   */
  dueWorkYieldsAboveMillis: 6,
  /** Where no request has begun for so long, due work may fill the event loop. */
  dueWorkQuietMillis: 1_000,
  /**
   * Due work that may run for each concurrent request. Requests that wait for each other leave due work its share;
   * with much more, requests that wait for due work would make room for even more of it.
   */
  dueWorkPerRequest: 2,
  dueWorkLookMillis: 20,
  /** Without requests, due work regains its full room after this many looks. */
  dueWorkGrowthLooks: 32,
  /** Destinations that wait for room for an attempt; others are found once these have it. */
  destinationsWaitingMax: 1_024,
  /** If the process that claimed a timer dies, the timer fires again after this. */
  timerLeaseMillis: 10_000,
  /** Rows of a bulk act at once, and between two records of how far it is: few, so that the seller's own requests go in between. */
  bulkRowsAtOnce: 4,
  /** If the process that carries out a bulk act dies, another goes on after this: longer than a few rows take. */
  bulkLeaseMillis: 20_000,
  /** Bulk acts that a process carries out at a time; others wait in their timers. */
  bulkActsInProcessMax: 16,
  /** How long an ended bulk act can be read. */
  bulkKeptMillis: 7 * 24 * 60 * 60 * 1000,
  /** Pages of deliveries that the filter of a bulk act is looked for in. */
  bulkPagesMax: 100,
  /** Alerts of a seller that are sent at once. */
  alertsPerClaim: 8,
  /** If the process that sends an alert dies, another sends it after this: longer than a mail may take. */
  alertLeaseMillis: 60_000,
  alertMailTimeoutMillis: 30_000,
  /** Sellers whose alerts a process sends at a time; others wait in their timers. */
  alertSellersInProcessMax: 16,
  /** If the process that mails a report dies, another goes on after this: longer than one mail may take. */
  reportLeaseMillis: 60_000,
  /** Reports that a process mails at a time; others wait in their timers. */
  reportsInProcessMax: 8,
  /** When reports go out, after their period has ended: a quiet hour, in which each report has a minute of its own. */
  reportHourMillis: 5 * 60 * 60 * 1000,
  reportSpreadMillis: 60 * 60 * 1000,
  /** Events examined in one step of recovering what an endpoint missed: half a millisecond of Redis. */
  missedEventsPerStep: 100,
  /**
   * Periods of an endpoint's disabling that are known apart; where there are more, the two oldest count as one, with what lies
   * between. `src/store/endpoints/prelude.lua` repeats it.
   */
  endpointOutagesMax: 100,
  /** How often a page of an audit, a sweep or a recovery waits for a moment without waiting requests; after that it is read anyway. */
  auditYieldLooksMax: 10,
  /** Retention trims indexes once an hour: attempts that end sooner than this may be in one index and not in another. */
  auditTrimLagMillis: 2 * 60 * 60 * 1000,
  /**
   * How often each partition drops what is past retention, and how often a process looks whether one is due. Events of an
   * idle feed stay at most this much longer than their retention.
   */
  trimIntervalMillis: 3_600_000,
  trimLookMillis: 10_000,
  /** Sellers and events of one step of it: a millisecond or so of Redis. */
  trimmedSellersMax: 25,
  trimmedEventsMax: 1_000,
  /**
   * Days that test mode keeps what has ended. No fewer than `auditWithdrawalDaysMillis`: by then no withdrawal counts in the sums
   * of a day any more.
   */
  testRetentionDaysMin: 9,
  testRetentionDaysMax: 3_650,
  testRetentionDaysDefault: 90,
  /** Charges or withdrawals of one step of deleting test data, and ledger entries: a few milliseconds of Redis. */
  trimmedTestResourcesMax: 100,
  trimmedTestEntriesMax: 1_000,
  /** Resources and entries that one run deletes of a partition; the next run goes on there. */
  trimmedTestRunMax: 100_000,
  /** Open exceptions of a kind whose resources stay; where a partition has more in test mode, all its resources do. */
  trimmedTestExceptionsMax: 1_000,
} as const
