/** Limits of admission, each with its reason. */
export const loadLimits = {
  /**
   * Requests a process runs concurrently; the next ones wait undecoded. Four times as many as Redis needs to write in
   * groups, and still a small part of what a request may wait.
   */
  requestsRunningMax: 256,
  /** Bodies of waiting requests: a charge has 1 KiB, and a queue of the largest bodies must not fill the memory. */
  requestBytesWaitingMax: 32 * 1024 * 1024,
  /** Longest `Retry-After` of a refusal. A crowd spread over ten seconds returns slowly; whoever waits longer gives up. */
  retryAfterSecondsMax: 10,
} as const
