/** The names of a bare queue's keys, see bareQueue.lua; `queue` tells it from others. */
export const bareKeys = (queue: string) => ({
  queue: `bare:${queue}`,
  attemptsMade: `bare-attempts:${queue}`,
  eventPrefix: `bare-event:${queue}:`,
  wake: `bare-wake:${queue}`,
})
