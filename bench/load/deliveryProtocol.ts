import type { Feed } from "../../schema/ids.ts"

/**
 * Endpoints by groups of one size; event n of a round is owed to those of group n modulo the number of groups. An
 * endpoint is a number: that of its receiver. It stands in one group at most.
 */
export type EndpointGroups = ReadonlyArray<ReadonlyArray<number>>

/** What a round's deliveries are: all of `events` events, each to every endpoint of its group. */
export interface DeliveryRound {
  /** Tells it from other rounds; below 100,000. */
  readonly run: number
  readonly events: number
  readonly groups: EndpointGroups
}

/** How many deliveries a round has. */
export const deliveriesOf = ({ events, groups }: DeliveryRound): number => events * (groups[0]?.length ?? 0)

const runDigits = 5
const eventDigits = 9

/** The charge that event n of a round speaks of: an id that tells both. */
export const resourceIdOf = (run: number, event: number): string =>
  `txn_01ARZ3NDEK00${String(run).padStart(runDigits, "0")}${String(event).padStart(eventDigits, "0")}`

const resourceMarker = Buffer.from('"object":{"id":"txn_01ARZ3NDEK00')

/** Which round and event a delivery's body is of; undefined where it is of none. */
export const eventOfBody = (body: Buffer): { readonly run: number; readonly event: number } | undefined => {
  const at = body.indexOf(resourceMarker)
  if (at < 0) return undefined
  const start = at + resourceMarker.length
  const digits = body.toString("latin1", start, start + runDigits + eventDigits)
  if (!/^\d{14}$/.test(digits)) return undefined
  return { run: Number(digits.slice(0, runDigits)), event: Number(digits.slice(runDigits)) }
}

/** An endpoint's URL and the secret that its deliveries are signed with. */
export interface ReceiverEndpoint {
  readonly url: string
  readonly secret: string
}

/** What receivers answer. */
export interface ReceiverBehaviour {
  readonly status: 200 | 503
  /** How long each answer is held back, ms. */
  readonly holdMillis: number
  /** Endpoints that never answer. */
  readonly hanging: ReadonlyArray<number>
}

/** What the receivers' process is asked. */
export type ReceiverRequest =
  /** Starts so many endpoints, each on a port of its own. */
  | { readonly kind: "listen"; readonly endpoints: number }
  /** What comes from now on is of this round. */
  | { readonly kind: "expect"; readonly round: DeliveryRound; readonly behaviour: ReceiverBehaviour }
  /** From now on they answer so; requests that hang and no longer should are answered. */
  | { readonly kind: "behave"; readonly behaviour: ReceiverBehaviour }
  /** Waits for so many requests of the round in all. */
  | { readonly kind: "await"; readonly requests: number; readonly timeoutMillis: number }
  /** Tells what came of the round. */
  | { readonly kind: "take" }

/** What came of a round. */
export interface SeenDeliveries {
  readonly requests: number
  /** Requests by attempt number; the first is attempt 1. */
  readonly byAttempt: ReadonlyArray<number>
  /** Deliveries without a first attempt. */
  readonly missing: number
  /** Requests beyond one a delivery and attempt. */
  readonly repeated: number
  /** Requests of another round, to another endpoint than they were owed to, or that cannot be read. */
  readonly foreign: number
  /** `digestOf` the ids of all attempts. */
  readonly digest: number
  readonly bodyBytes: number
  /** Requests whose signature was verified, and what was wrong with the first of those that failed. */
  readonly verified: number
  readonly badSignatures: ReadonlyArray<string>
  /** Most requests that one endpoint had at once. */
  readonly atOnceMax: number
  /** When the last request came, on the monotonic clock. */
  readonly lastMillis: number
  /**
   * When the first attempt of each delivery came, on the monotonic clock; NaN where none did. The deliveries of an event
   * stand together, in the order of its group.
   */
  readonly arrivalsMillis: Float64Array
}

export interface ReceiverAnswer {
  /** Of the round, so far. */
  readonly requests: number
  readonly listening?: { readonly endpoints: ReadonlyArray<ReceiverEndpoint>; readonly caFile: string }
  readonly seen?: SeenDeliveries
}

/** What all events are made of: a charge as the service stores it, and as it shows it; both with `placeholderId`. */
export interface DeliveryTemplate {
  readonly type: string
  readonly stored: string
  readonly shown: string
}

/** The id in a template that each event replaces by its own. */
export const placeholderId = resourceIdOf(0, 0)

/** Contenders that deliver. */
export const delivererNames = ["corrente", "bare", "bullmq"] as const
export type DelivererName = (typeof delivererNames)[number]

/** What the source of events is asked. */
export type DeliverySourceRequest =
  | {
      readonly kind: "connect"
      readonly name: DelivererName
      readonly url: string
      /** Peers: the queue's name. */
      readonly queue: string
      /** BullMQ: whether jobs that are done are kept, as it does unless it is told. */
      readonly isKeeping: boolean
      readonly template: DeliveryTemplate
    }
  | {
      readonly kind: "owe"
      readonly name: DelivererName
      readonly queue: string
      readonly round: DeliveryRound
      /** Of the round's events, those from one until before another. */
      readonly fromEvent: number
      readonly toEvent: number
      /** By group. */
      readonly feeds: ReadonlyArray<Feed>
      /** Open loop: each due at its time, whatever became of those before. Undefined: one after the other, at once. */
      readonly ratePerSecond: number | undefined
      /** Peers: Unix time in ms at which all deliveries are due. Undefined: now. */
      readonly dueAtMillis?: number
    }

export interface DeliverySourceAnswer {
  /** When the first event was due, on the monotonic clock; the others follow at the interval of the rate. */
  readonly startMillis: number
  /** How late the source itself was, p99 in ms; 0 without a rate. */
  readonly latenessMillis: number
}
