import { crc32 } from "node:zlib"
import { type DeliveryRound, deliveriesOf, eventOfBody, type SeenDeliveries } from "./deliveryProtocol.ts"

/** Digests ids in any order: two different sets of ids have different digests. */
export const digestOf = (ids: Iterable<string>): number => {
  let sum = 0
  for (const id of ids) sum += crc32(id)
  return sum
}

/** Attempts are numbered from 1 to 6 (docs/contract/deliveries.md#retries). */
const attemptsMax = 6

/** A received request. */
export interface ArrivedDelivery {
  /** The number of the endpoint that received it. */
  readonly endpoint: number
  readonly attempt: number
  readonly deliveryId: string
  readonly body: Buffer
  /** On the monotonic clock. */
  readonly atMillis: number
}

/** Records the deliveries of one round. */
export class DeliveryLog {
  readonly round: DeliveryRound
  readonly #groupOf = new Map<number, number>()
  readonly #positionOf = new Map<number, number>()
  readonly #perEvent: number
  /** Requests by delivery, one array per attempt number. */
  readonly #counts: ReadonlyArray<Uint8Array>
  readonly #arrivalsMillis: Float64Array
  #requests = 0
  #foreign = 0
  #digest = 0
  #bodyBytes = 0
  #lastMillis = Number.NaN

  constructor(round: DeliveryRound) {
    this.round = round
    this.#perEvent = round.groups[0]?.length ?? 0
    for (const [group, endpoints] of round.groups.entries()) {
      for (const [position, endpoint] of endpoints.entries()) {
        this.#groupOf.set(endpoint, group)
        this.#positionOf.set(endpoint, position)
      }
    }
    const deliveries = deliveriesOf(round)
    this.#counts = Array.from({ length: attemptsMax }, () => new Uint8Array(deliveries))
    this.#arrivalsMillis = new Float64Array(deliveries).fill(Number.NaN)
  }

  get requestCount(): number {
    return this.#requests
  }

  add({ endpoint, attempt, deliveryId, body, atMillis }: ArrivedDelivery): void {
    this.#requests += 1
    this.#digest += crc32(deliveryId)
    this.#bodyBytes += body.length
    this.#lastMillis = atMillis
    const delivery = this.#deliveryOf(endpoint, body)
    const counts = this.#counts[attempt - 1]
    if (delivery === undefined || counts === undefined) {
      this.#foreign += 1
      return
    }
    const before = counts[delivery] ?? 0
    if (before < 255) counts[delivery] = before + 1
    if (attempt === 1 && before === 0) this.#arrivalsMillis[delivery] = atMillis
  }

  /** Everything received; the receiver adds the rest of the answer. */
  seen(): Omit<SeenDeliveries, "verified" | "badSignatures" | "atOnceMax"> {
    const firsts = this.#counts[0] ?? new Uint8Array()
    let repeated = 0
    const byAttempt = this.#counts.map((counts) => {
      let requests = 0
      for (const count of counts) {
        requests += count
        repeated += Math.max(0, count - 1)
      }
      return requests
    })
    return {
      requests: this.#requests,
      byAttempt,
      missing: firsts.reduce((sum, count) => sum + (count === 0 ? 1 : 0), 0),
      repeated,
      foreign: this.#foreign,
      digest: this.#digest,
      bodyBytes: this.#bodyBytes,
      lastMillis: this.#lastMillis,
      arrivalsMillis: this.#arrivalsMillis,
    }
  }

  #deliveryOf(endpoint: number, body: Buffer): number | undefined {
    const found = eventOfBody(body)
    if (found === undefined || found.run !== this.round.run || found.event >= this.round.events) {
      return undefined
    }
    const position = this.#positionOf.get(endpoint)
    if (position === undefined || this.#groupOf.get(endpoint) !== found.event % this.round.groups.length) {
      return undefined
    }
    return found.event * this.#perEvent + position
  }
}
