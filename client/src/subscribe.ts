import { CorrenteError } from "./errors.ts"
import { type Frame, frameReader } from "./frames.ts"
import { type CallOptions, headerText, type Transport } from "./transport.ts"
import type { Event, ReplayGap } from "./types.ts"
import { backoffMillis, pause, retryWaitMillis, withDeadline } from "./waiting.ts"

/** What a subscription's connection has come to: open, or broken and tried again after `retryMillis`. */
export type ConnectionState =
  | {
      readonly isOpen: true
      /** The event that it goes on after; null in a feed without events, and after a gap. */
      readonly lastEventId: string | null
    }
  | {
      readonly isOpen: false
      /** Why; undefined where the service ended the stream. */
      readonly error: CorrenteError | undefined
      readonly retryMillis: number
    }

/** What to follow. */
export interface SubscribeOptions extends CallOptions {
  /** Exact types or families such as `transaction.*`; all by default. */
  readonly types?: string | ReadonlyArray<string> | undefined
  /**
   * The id of the last event that you have; null if there was none yet, to begin with the feed's first. Without it the first event
   * is the next one to happen.
   */
  readonly after?: string | null | undefined
  /** How long nothing may come before the connection counts as dead: 45,000 by default, three of the service's heartbeats. */
  readonly silenceMillisMax?: number | undefined
  /** Told whenever the connection opens or breaks; for people who watch, as nothing needs to be done. */
  readonly onConnection?: ((state: ConnectionState) => void) | undefined
}

const defaultSilenceMillis = 45_000
const defaultRetryMillis = 3_000
const reconnectMillisMax = 30_000

/** Not an id of ours, so that the stream begins with the oldest event, and says that there is a gap: see {@link isTrimmed}. */
const beforeFirst = "0"

/** Where a subscription is. */
interface Position {
  /** Sent as `Last-Event-ID`. */
  lastEventId: string | undefined
  /** The position whose gap has been reported. */
  toldGapAt: string | undefined
  /** Whether it began in a feed without events, which has no id to resume from. */
  beganEmpty: boolean
  /** Whether the service has ever answered. */
  hasOpened: boolean
  /** Connections since then that gave nothing. */
  failures: number
  retryMillis: number
}

const dataOf = ({ event, data }: Frame): unknown => {
  try {
    return JSON.parse(data ?? "")
  } catch (cause) {
    throw new CorrenteError({
      code: "unexpected_answer",
      message: `A frame "${event}" of the event stream has no JSON.`,
      cause,
    })
  }
}

const beginAt = (position: Position, lastEventId: string | null) => {
  position.hasOpened = true
  position.failures = 0
  if (position.lastEventId !== undefined) return
  // What happens in an empty feed while the connection is broken is not to be lost either.
  position.beganEmpty = lastEventId === null
  position.lastEventId = lastEventId ?? beforeFirst
}

/**
 * Whether the gap that follows {@link beforeFirst} is one: events before the oldest one kept are gone. A feed counts its events
 * from 1.
 */
const isTrimmed = async (
  transport: Transport,
  oldestId: string | null,
  signal: AbortSignal | undefined,
): Promise<boolean> => {
  if (oldestId === null) return false
  try {
    const path = `/v1/events/${oldestId}`
    return (await transport.send<Event>({ method: "GET", path, options: { signal } })).seq > 1
  } catch (error) {
    if (error instanceof CorrenteError && error.status === 404) return true
    throw error
  }
}

/** What a frame gives to the subscriber, if anything (`docs/contract/events.md#frames`). */
const take = async (
  frame: Frame,
  position: Position,
  transport: Transport,
  { signal, onConnection }: SubscribeOptions,
): Promise<Event | ReplayGap | undefined> => {
  const retryMillis = Number(frame.retry)
  if (frame.retry !== undefined && retryMillis >= 0) position.retryMillis = retryMillis
  if (frame.event === "ready") {
    const { last_event_id: lastEventId = null } = dataOf(frame) as { last_event_id?: string | null }
    beginAt(position, lastEventId)
    onConnection?.({ isOpen: true, lastEventId })
  }
  if (frame.event === "replay_gap") {
    const gap = dataOf(frame) as Omit<ReplayGap, "type">
    const isTold = position.toldGapAt === position.lastEventId
    if (isTold || (position.beganEmpty && !(await isTrimmed(transport, gap.oldest_event_id, signal)))) return
    position.toldGapAt = position.lastEventId
    return { ...gap, type: "replay_gap" }
  }
  if (!frame.id || frame.data === undefined) return undefined
  const event = dataOf(frame) as Event
  position.lastEventId = frame.id
  position.beganEmpty = false
  return event
}

async function* readStream(
  response: Response,
  position: Position,
  transport: Transport,
  options: SubscribeOptions,
): AsyncGenerator<Event | ReplayGap, void, undefined> {
  const { signal, silenceMillisMax = defaultSilenceMillis } = options
  const reader = response.body?.getReader()
  const isOfEvents = response.headers.get("content-type")?.startsWith("text/event-stream") ?? false
  if (reader === undefined || !isOfEvents) {
    reader?.cancel().catch(() => {})
    const message = "The answer is no stream of events. Check baseUrl."
    throw new CorrenteError({ code: "unexpected_answer", message, status: response.status })
  }
  const frames = frameReader()
  try {
    for (;;) {
      const { done, value } = await withDeadline(silenceMillisMax, signal, () => reader.read())
      if (done) return
      for (const frame of frames.push(value)) {
        const item = await take(frame, position, transport, options)
        if (item !== undefined) yield item
      }
    }
  } finally {
    // Ends the connection, also where the subscriber has left its loop. It may be broken already.
    reader.cancel().catch(() => {})
  }
}

/**
 * How long to wait before the next connection after a failure; undefined where there is none. Before the first answer a subscription
 * fails as any other call does. From then on only a refusal (4xx but 429) ends it: a proxy may answer 5xx during a deploy.
 */
const reconnectWaitMillis = (
  error: CorrenteError,
  position: Position,
  maxRetries: number,
): number | undefined => {
  const failures = position.failures++
  if (!position.hasOpened) {
    return failures < maxRetries ? retryWaitMillis(error, failures, true) : undefined
  }
  const { code, status = 0, retryAfterSeconds = 0 } = error
  const isOfNetwork = code === "network_error" || code === "timeout"
  if (!isOfNetwork && status !== 429 && status < 500) return undefined
  return Math.max(retryAfterSeconds * 1_000, backoffMillis(failures, reconnectMillisMax))
}

const callOf = ({ types, signal }: SubscribeOptions, lastEventId: string | undefined) =>
  ({
    method: "GET",
    path: "/events",
    query: { types },
    headers: {
      accept: "text/event-stream",
      ...(lastEventId === undefined ? {} : { "last-event-id": headerText("after", lastEventId) }),
    },
    options: { signal },
  }) as const

/**
 * Follows the event feed and reconnects by itself, from the last event that it gave: none is missed and none comes twice, as long as
 * the service keeps them. Ends when the signal aborts; fails where the service refuses (a wrong key or filter), or cannot be reached
 * at first.
 */
export async function* subscribe(
  transport: Transport,
  options: SubscribeOptions,
): AsyncGenerator<Event | ReplayGap, void, undefined> {
  const { signal, after, onConnection } = options
  const position: Position = {
    lastEventId: after === null ? beforeFirst : after,
    toldGapAt: undefined,
    beganEmpty: after === null,
    hasOpened: false,
    failures: 0,
    retryMillis: defaultRetryMillis,
  }
  for (;;) {
    try {
      const call = callOf(options, position.lastEventId)
      yield* readStream(await transport.open(call), position, transport, options)
      position.hasOpened = true
      onConnection?.({ isOpen: false, error: undefined, retryMillis: position.retryMillis })
      await pause(position.retryMillis, signal)
    } catch (error) {
      if (signal?.aborted) return
      if (!(error instanceof CorrenteError)) throw error
      const waitMillis = reconnectWaitMillis(error, position, transport.maxRetries)
      if (waitMillis === undefined) throw error
      onConnection?.({ isOpen: false, error, retryMillis: waitMillis })
      try {
        await pause(waitMillis, signal)
      } catch {
        return
      }
    }
  }
}
