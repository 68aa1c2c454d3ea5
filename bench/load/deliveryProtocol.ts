import type { Feed } from "../../schema/ids.ts"

/**
 * Endpoints in groups of equal size. Event n of a round is owed to group n modulo the number of groups. An endpoint is
 * the number of its receiver, and belongs to at most one group.
 */
export type EndpointGroups = ReadonlyArray<ReadonlyArray<number>>

/** The deliveries of a round: `events` events, each to every endpoint of its group. */
export interface DeliveryRound {
  /** Tells rounds apart; below 100,000. */
  readonly run: number
  readonly events: number
  readonly groups: EndpointGroups
}

/** Number of deliveries in a round. */
export const deliveriesOf = ({ events, groups }: DeliveryRound): number => events * (groups[0]?.length ?? 0)

const runDigits = 5
const eventDigits = 9

/** The charge of event n of a round: its id contains both numbers. */
export const resourceIdOf = (run: number, event: number): string =>
  `txn_01ARZ3NDEK00${String(run).padStart(runDigits, "0")}${String(event).padStart(eventDigits, "0")}`

const resourceMarker = Buffer.from('"object":{"id":"txn_01ARZ3NDEK00')

/** The round and event of a delivery's body; undefined if it has none. */
export const eventOfBody = (body: Buffer): { readonly run: number; readonly event: number } | undefined => {
  const at = body.indexOf(resourceMarker)
  if (at < 0) return undefined
  const start = at + resourceMarker.length
  const digits = body.toString("latin1", start, start + runDigits + eventDigits)
  if (!/^\d{14}$/.test(digits)) return undefined
  return { run: Number(digits.slice(0, runDigits)), event: Number(digits.slice(runDigits)) }
}

/** An endpoint's URL and the secret that signs its deliveries. */
export interface ReceiverEndpoint {
  readonly url: string
  readonly secret: string
}

/** How receivers answer. */
export interface ReceiverBehaviour {
  readonly status: 200 | 503
  /** How long each answer is withheld, in ms. */
  readonly holdMillis: number
  /** Endpoints that never answer. */
  readonly hanging: ReadonlyArray<number>
}

/** Requests to the receivers' process. */
export type ReceiverRequest =
  /** Starts `endpoints` endpoints, each on its own port. */
  | { readonly kind: "listen"; readonly endpoints: number }
  /** Everything received from now on belongs to this round. */
  | { readonly kind: "expect"; readonly round: DeliveryRound; readonly behaviour: ReceiverBehaviour }
  /** Sets the behaviour from now on, and answers requests that should no longer hang. */
  | { readonly kind: "behave"; readonly behaviour: ReceiverBehaviour }
  /** Waits until the round has that many requests in total. */
  | { readonly kind: "await"; readonly requests: number; readonly timeoutMillis: number }
  /** Returns what was received in the round. */
  | { readonly kind: "take" }

/** What was received in a round. */
export interface SeenDeliveries {
  readonly requests: number
  /** Requests by attempt number, from 1. */
  readonly byAttempt: ReadonlyArray<number>
  /** Deliveries without a first attempt. */
  readonly missing: number
  /** Requests beyond one per delivery and attempt. */
  readonly repeated: number
  /** Requests of another round, at a wrong endpoint, or unreadable. */
  readonly foreign: number
  /** `digestOf` of the ids of all attempts. */
  readonly digest: number
  readonly bodyBytes: number
  /** Number of verified signatures, and the first few failures. */
  readonly verified: number
  readonly badSignatures: ReadonlyArray<string>
  /** Most concurrent requests at one endpoint. */
  readonly atOnceMax: number
  /** When the last request arrived, on the monotonic clock. */
  readonly lastMillis: number
  /**
   * When each delivery's first attempt arrived, on the monotonic clock; NaN if none did. The deliveries of an event are
   * adjacent, in the order of its group.
   */
  readonly arrivalsMillis: Float64Array
}

export interface ReceiverAnswer {
  /** Requests of the round so far. */
  readonly requests: number
  readonly listening?: { readonly endpoints: ReadonlyArray<ReceiverEndpoint>; readonly caFile: string }
  readonly seen?: SeenDeliveries
}

/** The content of every event: a charge as the service stores it and as it shows it, both with `placeholderId`. */
export interface DeliveryTemplate {
  readonly type: string
  /** With `placeholderDocument`, too. */
  readonly stored: string
  readonly shown: string
  /** `ENCRYPTION_KEY` of the service, under which the source seals each event's document. */
  readonly encryptionKey: string
}

/** The id in a template that each event replaces with its own. */
export const placeholderId = resourceIdOf(0, 0)

/** The ciphertext in a template's stored form, which each event replaces with one for its own id: it opens nowhere else. */
export const placeholderDocument = "sealed document"

/** What is sealed: the document of the template's customer. */
export const templateDocument = "52998224725"

/** Contenders that deliver. */
export const delivererNames = ["corrente", "bare", "bullmq"] as const
export type DelivererName = (typeof delivererNames)[number]

/** Requests to the source of events. */
export type DeliverySourceRequest =
  | {
      readonly kind: "connect"
      readonly name: DelivererName
      readonly url: string
      /** The peers' queue. */
      readonly queue: string
      /** Whether BullMQ keeps jobs that are done, which is its default. */
      readonly isKeeping: boolean
      readonly template: DeliveryTemplate
    }
  | {
      readonly kind: "owe"
      readonly name: DelivererName
      readonly queue: string
      readonly round: DeliveryRound
      /** The range of the round's events to owe, without `toEvent`. */
      readonly fromEvent: number
      readonly toEvent: number
      /** By group. */
      readonly feeds: ReadonlyArray<Feed>
      /**
       * Open loop: each event is due at its time, regardless of earlier ones. Undefined: one after the other, without
       * pauses.
       */
      readonly ratePerSecond: number | undefined
      /** For peers: Unix time in ms at which all deliveries are due. Undefined: now. */
      readonly dueAtMillis?: number
    }

export interface DeliverySourceAnswer {
  /** When the first event was due, on the monotonic clock; the others follow at the rate's interval. */
  readonly startMillis: number
  /** Lateness of the source itself, p99 in ms; 0 without a rate. */
  readonly latenessMillis: number
}
