import { CorrenteError } from "../../../client/src/errors.ts"
import { type ConnectionState, subscribe } from "../../../client/src/subscribe.ts"
import { makeTransport, type Transport } from "../../../client/src/transport.ts"
import type { Event, ReplayGap } from "../../../client/src/types.ts"
import { backoffMillis, pause } from "../../../client/src/waiting.ts"
import { prefix } from "../prefix.ts"
import { call } from "./http.ts"
import type { Mode } from "./session.ts"

/** An event of a feed, whatever its type. */
export type FeedEvent = Event

/** The event stream of this page: `offline` where it cannot be had for now. */
export type LiveState = "live" | "connecting" | "offline"

/** Why a stream is offline: nobody answers, the service cannot serve it, or the seller has its ten streams already. */
export type OfflineReason = "unreachable" | "unavailable" | "tooManyStreams"

/** The state of a stream, with the reason where it is offline. */
export interface LiveStatus {
  readonly state: LiveState
  readonly reason?: OfflineReason | undefined
}

/** Told what happens to the stream, in order. */
export interface FeedReader {
  /** The event to go on after; undefined begins with the next event to happen. */
  readonly lastEventId: () => string | undefined
  readonly onEvent: (event: FeedEvent) => void
  readonly onStatus: (status: LiveStatus) => void
  /** The stream begins with the event after this one, so that what happened just before is unknown. */
  readonly onFreshOpen: (lastEventId: string | null) => void
  /** The event to go on after is no longer kept; the stream begins again. */
  readonly onGap: () => void
  /** The session has ended; nothing follows. */
  readonly onSessionEnded: () => void
}

const waitMillisMax = 30_000

/** The client's requests, under the session instead of a key. */
const sessionTransport = (feedMode: Mode): Transport =>
  makeTransport({
    apiKey: "session",
    baseUrl: location.origin + prefix,
    // Every refusal is told first; the next try comes after it.
    maxRetries: 0,
    fetch: (input, init) => {
      const url = new URL(String(input))
      const path = url.pathname.slice(prefix.length)
      url.pathname = prefix + path.replace(/^\/v1\//, "/v1/me/")
      if (path === "/events") url.searchParams.set("mode", feedMode)
      const headers = new Headers(init?.headers)
      headers.delete("authorization")
      headers.set("x-mode", feedMode)
      return fetch(url, { ...init, headers, credentials: "same-origin" })
    },
  })

/** Why there is no stream after a failure. */
const reasonOf = ({ code, status = 0 }: CorrenteError): OfflineReason => {
  if (status === 429) return "tooManyStreams"
  return code === "network_error" || code === "timeout" ? "unreachable" : "unavailable"
}

/**
 * The status that each word of the connection comes to. The service turns streams away by opening and closing them, so one that
 * closes before it was ready is no ordinary reconnect.
 */
const statusReader = (): ((connection: ConnectionState) => LiveStatus) => {
  let isOpen = false
  return (connection) => {
    const wasOpen = isOpen
    isOpen = connection.isOpen
    if (connection.isOpen) return { state: "live" }
    if (connection.error !== undefined) return { state: "offline", reason: reasonOf(connection.error) }
    return wasOpen ? { state: "connecting" } : { state: "offline", reason: "unavailable" }
  }
}

/** Waits; ends early when the signal aborts. */
const wait = (millis: number, signal: AbortSignal): Promise<void> => pause(millis, signal).catch(() => {})

/** Reads the stream until it fails or the signal aborts; returns the failure. */
const readOnce = async (
  transport: Transport,
  signal: AbortSignal,
  reader: FeedReader,
): Promise<CorrenteError | undefined> => {
  const after = reader.lastEventId()
  const statusOf = statusReader()
  let isFresh = after === undefined
  try {
    const items: AsyncIterable<FeedEvent | ReplayGap> = subscribe(transport, {
      after,
      signal,
      onConnection: (connection) => {
        if (connection.isOpen && isFresh) {
          isFresh = false
          reader.onFreshOpen(connection.lastEventId)
        }
        reader.onStatus(statusOf(connection))
      },
    })
    for await (const item of items) {
      if (item.type === "replay_gap") {
        reader.onGap()
        break
      }
      reader.onEvent(item)
    }
    return undefined
  } catch (error) {
    return error instanceof CorrenteError
      ? error
      : new CorrenteError({ code: "defect", message: String(error), cause: error })
  }
}

const hasNoSession = async (signal: AbortSignal): Promise<boolean> => {
  try {
    return (await call("GET /v1/me/auth/get-session", { signal })) === null
  } catch {
    return false
  }
}

/** How long an answer that brings another cookie may come after the stream of the cookie before has ended. */
const newCookieMillis = 2_000

/** Whether the session has ended, or was only given another cookie while the stream reconnected; unknown counts as going on. */
const hasSessionEnded = async (signal: AbortSignal): Promise<boolean> => {
  if (!(await hasNoSession(signal))) return false
  await wait(newCookieMillis, signal)
  return hasNoSession(signal)
}

/**
 * Follows a feed until the signal aborts or the session ends. It heals by itself from everything else: refusals are tried again
 * after what the service asks for, and at once when `wakes` says that it is worth it (the network is back, the tab is shown).
 */
export const followStream = async (
  feedMode: Mode,
  signal: AbortSignal,
  wakes: (wake: () => void) => () => void,
  reader: FeedReader,
): Promise<void> => {
  const transport = sessionTransport(feedMode)
  let isLive = false
  let attempt = new AbortController()
  const told: FeedReader = {
    ...reader,
    onStatus: (status) => {
      isLive = status.state === "live"
      reader.onStatus(status)
    },
  }
  const stopWaking = wakes(() => {
    if (!isLive) attempt.abort()
  })
  for (let failures = 0; !signal.aborted; ) {
    attempt = new AbortController()
    const either = AbortSignal.any([signal, attempt.signal])
    const failure = await readOnce(transport, either, told)
    if (failure?.code === "session_required" && (await hasSessionEnded(either))) {
      reader.onSessionEnded()
      break
    }
    if (failure === undefined) {
      failures = 0
      continue
    }
    told.onStatus({ state: "offline", reason: reasonOf(failure) })
    const askedMillis = (failure.retryAfterSeconds ?? 0) * 1_000
    await wait(Math.max(askedMillis, backoffMillis(failures++, waitMillisMax)), either)
  }
  stopWaking()
}
