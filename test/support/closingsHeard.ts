/**
 * Completes when this process has read what its sockets had received. The service closes connections that are idle for 10 s; a test
 * process that stalled for so long runs its timers first, and what they send on such a connection gets no answer.
 */
export const closingsHeard = (): Promise<void> => new Promise((heard) => setImmediate(heard))
