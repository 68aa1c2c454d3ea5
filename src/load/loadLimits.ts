/** The bounds that concern the admission of requests alone, each with its reason. */
export const loadLimits = {
  /**
   * Requests that a process works on at once; the next wait for their turn, undecoded. Four times as many as Redis needs
   * to write them in groups, and still a small part of what a request may wait.
   */
  requestsRunningMax: 256,
  /** Bodies of those that wait for their turn: charges have 1 KiB, and a queue of the largest must not fill the memory. */
  requestBytesWaitingMax: 32 * 1024 * 1024,
} as const
