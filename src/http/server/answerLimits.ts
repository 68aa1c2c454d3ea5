/** Bounds of what answers may cost whose client does not read them. */
export const answerLimits = {
  /** A caller who takes longer to read one answer is cut: 450 kB, more than a document has, take so long at 7.5 kB/s. */
  unsentMillis: 60_000,
  /**
   * Answers made at once, without waiting for anything, in one turn of the event loop; the next waits for the turn to
   * end. They take 20 ms, and one connection's pipelined requests must not hold the loop for longer.
   */
  perTurnMax: 2_048,
  /**
   * An answer without a body cannot tell whether the client reads. So one of so many, chosen at random, ends the
   * connection: 300 kB of them on average, which fit the kernel's buffer, are all that a client can leave unread.
   */
  bodilessPerProbe: 1_024,
  /** Characters of a body that are handed to uWebSockets.js whole, where the connection ends with it. */
  handedOverMax: 16 * 1024,
} as const
