/** A job of the queue: the event's body as sent, and its endpoint. */
export interface DeliveryJob {
  readonly endpoint: number
  readonly eventId: string
  readonly body: string
}

/** As many attempts as the service makes. Dead jobs stay for inspection. */
export const jobOptions = { attempts: 6, backoff: { type: "custom" } } as const
