/** The keys of a bare queue (bareQueue.lua); `queue` is its name. */
export const bareKeys = (queue: string) => ({
  queue: `bare:${queue}`,
  attemptsMade: `bare-attempts:${queue}`,
  eventPrefix: `bare-event:${queue}:`,
  wake: `bare-wake:${queue}`,
})
