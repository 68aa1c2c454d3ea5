/** An event as it reached somebody. */
export interface SeenEvent {
  readonly id: string
  readonly type: string
  /** The charge's. */
  readonly transactionId: string
  readonly amount: number
  /** When it was committed, by Redis' clock, cut to whole ms of Unix time. */
  readonly createdAtMillis: number
  /** When its last byte was read, as Unix time in ms with a fraction. */
  readonly seenAtMillis: number
  readonly seq: number
}

/** What an observer (SSE client, receiver) is asked. */
export type ObserverRequest =
  /** SSE: opens the stream and answers once it is ready. */
  | { readonly kind: "follow"; readonly port: number; readonly apiKey: string }
  /** Receiver: starts it. */
  | { readonly kind: "listen" }
  /** How many events came since the last `take`. */
  | { readonly kind: "count" }
  /** Hands them over and forgets them. `secret`, for a receiver: the endpoint's, to verify signatures with. */
  | { readonly kind: "take"; readonly secret?: string }

export interface ObserverAnswer {
  readonly count: number
  readonly events: ReadonlyArray<SeenEvent>
  /** What was wrong: a broken stream, a bad signature. */
  readonly problems: ReadonlyArray<string>
  /** Receiver: where it listens, and the CA file that senders need. */
  readonly listening?: { readonly url: string; readonly origin: string; readonly caFile: string }
}

/** Reads an event's envelope (spec 2). */
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
