/** What a job of the queue is: the event's body as it is sent, and to whom. */
export interface DeliveryJob {
  readonly endpoint: number
  readonly eventId: string
  readonly body: string
}

/** As many attempts as the service makes. What is dead stays to be looked at. */
export const jobOptions = { attempts: 6, backoff: { type: "custom" } } as const
