/** How long the service keeps events and attempts. */
export const retentionMillis = 30 * 24 * 60 * 60 * 1_000

/** The name of BullMQ's queue. */
export const bullmqQueue = "deliveries"

/** The keys of the bare queue (bareQueue.lua). */
export const bareKeys = {
  queue: "bare:queue",
  attemptsMade: "bare:attempts-made",
  eventPrefix: "bare:event:",
  wake: "bare:wake",
} as const

/** A job of BullMQ's queue: the event's body as sent, and its endpoint. */
export interface DeliveryJob {
  readonly endpoint: number
  readonly eventId: string
  readonly body: string
}

/** As many attempts as the service makes. Done jobs go, dead ones stay for inspection. */
export const jobOptions = { attempts: 6, backoff: { type: "custom" }, removeOnComplete: true } as const
