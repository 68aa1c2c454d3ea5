/** An event as an observer received it. */
export interface SeenEvent {
  readonly id: string
  readonly type: string
  /** The charge's id. */
  readonly transactionId: string
  readonly amount: number
  /** When it was committed, by Redis' clock, truncated to whole ms of Unix time. */
  readonly createdAtMillis: number
  /** When its last byte was read, as Unix time in ms with a fraction. */
  readonly seenAtMillis: number
  readonly seq: number
}

/** Requests to an observer (SSE client or receiver). */
export type ObserverRequest =
  /** SSE: opens the stream and answers once it is ready. */
  | { readonly kind: "follow"; readonly port: number; readonly apiKey: string }
  /** Starts a receiver. */
  | { readonly kind: "listen" }
  /** Counts the events since the last `take`. */
  | { readonly kind: "count" }
  /** Returns the events and forgets them. A receiver verifies signatures with the endpoint's `secret`. */
  | { readonly kind: "take"; readonly secret?: string }

export interface ObserverAnswer {
  readonly count: number
  readonly events: ReadonlyArray<SeenEvent>
  /** Problems: a broken stream, a wrong signature. */
  readonly problems: ReadonlyArray<string>
  /** Where a receiver listens, and the CA file that senders need. */
  readonly listening?: { readonly url: string; readonly origin: string; readonly caFile: string }
}

/** Parses an event's envelope (docs/contract/events.md#envelope). */
export const readEnvelope = (json: string, seenAtMillis: number): SeenEvent => {
  const event = JSON.parse(json) as {
    readonly id: string
    readonly type: string
    readonly created_at: string
    readonly seq: number
    readonly data: { readonly object: { readonly id: string; readonly amount: number } }
  }
  return {
    id: event.id,
    type: event.type,
    transactionId: event.data.object.id,
    amount: event.data.object.amount,
    createdAtMillis: Date.parse(event.created_at),
    seenAtMillis,
    seq: event.seq,
  }
}
