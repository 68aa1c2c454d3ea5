/** Limits for answers whose client does not read them. */
export const answerLimits = {
  /**
   * A caller who takes longer to read one answer is disconnected: 1.3 MB, the reference's script and the longest answer,
   * take this long at 21 kB/s.
   */
  unsentMillis: 60_000,
  /**
   * Immediate answers per turn of the event loop; the next one waits for the following turn. They take 20 ms, and
   * pipelined requests of one connection must not block the loop for longer.
   */
  perTurnMax: 2_048,
  /**
   * Answers without a body cannot reveal whether the client reads. So one in this many, chosen at random, ends the
   * connection: a client can leave 300 kB unread on average, which fit into the kernel's buffer.
   */
  bodilessPerProbe: 1_024,
  /** Longest body, in characters, that uWebSockets.js gets whole when the connection ends with it. */
  handedOverMax: 16 * 1024,
} as const
