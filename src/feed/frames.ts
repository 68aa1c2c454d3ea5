import { type RenderCharge, renderEventFrame } from "../../actors/event/envelope.ts"
import type { EventEntry } from "../../actors/ports/eventLog.ts"
import { transactionEventType } from "../../schema/events.ts"
import type { Feed } from "../../schema/ids.ts"
import { type TransactionStatus, transactionStatuses } from "../../schema/resources/transaction.ts"
import { feedLimits } from "./feedLimits.ts"
import type { ReplayGap, StartPosition } from "./position.ts"

/**
 * Why a stream must reconnect: its age, a deployment, lost hints, or an unavailable store
 * (`docs/contract/events.md#reconnect`).
 */
export type ReconnectReason = "lifetime" | "deploy" | "interrupted" | "unavailable"

/**
 * A control frame. It has no `id:`, so that the client keeps its position, and always has data, because browsers drop
 * frames without.
 */
const controlText = (event: string, data: object): string =>
  `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`

const retryText = `retry: ${feedLimits.retryMillis}\n\n`

const reconnectText = (reason: ReconnectReason): string => controlText("reconnect", { reason })

/** `event: reconnect`, encoded. */
export const reconnectFrames: Readonly<Record<ReconnectReason, Uint8Array>> = {
  lifetime: Buffer.from(reconnectText("lifetime")),
  deploy: Buffer.from(reconnectText("deploy")),
  interrupted: Buffer.from(reconnectText("interrupted")),
  unavailable: Buffer.from(reconnectText("unavailable")),
}

/**
 * The whole answer to a client that cannot be served now: `retry` and `reconnect`
 * (`docs/decisions/0020-streams-answer-200.md`).
 */
export const turnAwayFrame: Uint8Array = Buffer.from(retryText + reconnectText("unavailable"))

/** The range over which clients that are turned away together come back, in equal steps. */
const spreadMillis = 6_000
const spreadFrames: ReadonlyArray<Uint8Array> = Array.from({ length: 61 }, (_, step) =>
  Buffer.from(
    `retry: ${feedLimits.retryMillis + (step * spreadMillis) / 60}\n\n${reconnectText("unavailable")}`,
  ),
)

/**
 * The same for one of many clients that cannot be served now. `random` (0 to 1) spreads their return; otherwise they
 * would all be too many again.
 */
export const crowdedFrame = (random: number): Uint8Array =>
  spreadFrames[Math.floor(random * spreadFrames.length)] ?? turnAwayFrame

/** The heartbeat comment. */
export const pingFrame: Uint8Array = Buffer.from(": ping\n\n")

/** `event: replay_gap`: events between the client's position and the next frame are no longer kept. */
export const gapText = (gap: ReplayGap): string => controlText("replay_gap", gap)

/** The start of every stream: `retry`, `ready`, and the gap if there is one. */
export const openingFrame = (feed: Feed, start: StartPosition): Uint8Array => {
  const ready = controlText("ready", { mode: feed.mode, last_event_id: start.lastEventId })
  return Buffer.from(retryText + ready + (start.gap === undefined ? "" : gapText(start.gap)))
}

/**
 * The frames of entries that are sent together. They are encoded once, on first use, into one buffer for all
 * connections: sent whole, or as views of it to streams with a filter.
 */
export class FrameBatch {
  readonly entries: ReadonlyArray<EventEntry>
  readonly #feed: Feed
  readonly #renderCharge: RenderCharge
  #bytes: Buffer | undefined = undefined
  readonly #ends: Array<number> = []

  constructor(feed: Feed, entries: ReadonlyArray<EventEntry>, renderCharge: RenderCharge) {
    this.#feed = feed
    this.entries = entries
    this.#renderCharge = renderCharge
  }

  /** All frames, in order. */
  whole(): Uint8Array {
    if (this.#bytes !== undefined) return this.#bytes
    let text = ""
    let end = 0
    for (const entry of this.entries) {
      const frame = renderEventFrame(this.#feed, entry, this.#renderCharge)
      text += frame
      if (this.entries.length > 1) end += Buffer.byteLength(frame)
      this.#ends.push(end)
    }
    this.#bytes = Buffer.from(text)
    return this.#bytes
  }

  /** The frame of one entry. */
  frame(index: number): Uint8Array {
    const whole = this.whole()
    if (this.entries.length === 1) return whole
    return whole.subarray(index === 0 ? 0 : this.#ends[index - 1], this.#ends[index])
  }
}

/** Approximate size of a frame without its data. */
const frameOverheadBytes = 300
/** Approximate size of a charge's picture, which its stored data leaves out. */
const pictureBytes = 1_200

const frameBytes = ({ type, data }: EventEntry): number =>
  data.length + frameOverheadBytes + (type.startsWith("transaction.") ? pictureBytes : 0)

/** The index after the last entry from `start` on that fits into `bytesMax`; includes at least one entry. */
export const chunkEnd = (entries: ReadonlyArray<EventEntry>, start: number, bytesMax: number): number => {
  let bytes = 0
  let end = start
  while (end < entries.length) {
    const entry = entries[end]
    if (entry !== undefined) bytes += frameBytes(entry)
    if (bytes > bytesMax && end > start) break
    end++
  }
  return end
}

const statusByType: ReadonlyMap<string, TransactionStatus> = new Map(
  transactionStatuses.map((status) => [transactionEventType(status), status]),
)

/** The status that a charge has reached by an event of this type; undefined where the event changes none. */
export const statusOfEvent = (type: string): TransactionStatus | undefined => statusByType.get(type)

/** Whether a payer may still wait for something: only `pending` turns into paid by itself (docs/contract/payment-page.md#stream). */
export const isFinal = (status: TransactionStatus): boolean => status !== "pending"

const frameTextOf = (status: TransactionStatus): string =>
  `event: status\ndata: ${JSON.stringify({ status })}\n\n`

const framesOf = (head: string): Readonly<Record<TransactionStatus, Uint8Array>> => {
  const frameOf = (status: TransactionStatus) => Buffer.from(head + frameTextOf(status))
  return {
    pending: frameOf("pending"),
    paid: frameOf("paid"),
    expired: frameOf("expired"),
    failed: frameOf("failed"),
    refunded: frameOf("refunded"),
    chargeback: frameOf("chargeback"),
  }
}

/** `event: status` with each status, and nothing else. */
export const statusFrames = framesOf("")

/** The same as a stream begins. */
export const firstStatusFrames = framesOf(`retry: ${feedLimits.retryMillis}\n\n`)
