/** Bounds of work that is owed by time (timers, deliveries, audits), which yields to requests; part of `limits`. */
export const dueWorkLimits = {
  /** Destinations one look at a partition names; more are seen by skipping these. */
  dueDestinationsPerLook: 500,
  /** Timers a claim takes at once: many enough to be cheap, few enough that a request can go between two claims. */
  timersPerClaim: 32,
  /**
   * Due timers that a process has in hand, claimed and not yet fired: so many of them a request may find before it. The
   * least costs a request a few ms, and drains a backlog at half of the speed of the most.
   */
  dueTimersInHandMin: 9,
  dueTimersInHandMax: 256,
  /** Attempts that were begun and have neither ended nor waited for their receiver for a while; fewer and more likewise. */
  attemptsBegunMin: 13,
  attemptsBegunMax: 512,
  /** Room for so many has the next destination claim: fewer would cost as much. */
  attemptsWorthAClaim: 8,
  /** An attempt that waits for its receiver for so long takes nothing from requests, and the next may begin. */
  attemptBegunMillis: 100,
  /** Requests that wait for longer are not done, though none is in the making now; so often is looked. */
  dueWorkYieldsAboveMillis: 6,
  /** Where no request has begun for so long, due work may fill the event loop. */
  dueWorkQuietMillis: 1_000,
  /**
   * Many requests wait for each other: beside them due work has its share by so much. With much more, requests that wait for
   * due work would make room for more of it.
   */
  dueWorkPerRequest: 2,
  dueWorkLookMillis: 20,
  /** Without requests, due work has all the room again after so many looks. */
  dueWorkGrowthLooks: 32,
  /** Destinations that wait for room for an attempt; others are found when they have it. */
  destinationsWaitingMax: 1_024,
  /** A claimed timer whose process died fires again after this. */
  timerLeaseMillis: 10_000,
  /** A page of an audit waits so often for a moment without requests that wait; then it is read all the same. */
  auditYieldLooksMax: 10,
} as const
