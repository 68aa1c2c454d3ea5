import { effect, signal } from "@preact/signals"
import { Corrente } from "../../../client/src/corrente.ts"
import { CorrenteError } from "../../../client/src/errors.ts"
import type { Event, ReplayGap } from "../../../client/src/types.ts"
import { api } from "./http.ts"
import { loseSession, type Mode, mode, user } from "./session.ts"

/** The event stream of this page: `offline` where the service does not answer. */
export type LiveState = "live" | "connecting" | "offline"

export const liveState = signal<LiveState>("connecting")

/** An event of the feed of the page's seller and mode, whatever its type. */
export type FeedEvent = Event

type EventListener = (event: FeedEvent) => void

const eventListeners = new Set<EventListener>()
const resyncListeners = new Set<() => void>()

/** Tells a listener every event from now on; returns what ends that. */
export const onEvent = (listener: EventListener): (() => void) => {
  eventListeners.add(listener)
  return () => eventListeners.delete(listener)
}

/** Tells a listener when events were missed for good, so that what it shows must be read again; returns what ends that. */
export const onResync = (listener: () => void): (() => void) => {
  resyncListeners.add(listener)
  return () => resyncListeners.delete(listener)
}

/** What the tab that holds the stream tells the other tabs of the browser, and what they ask it. */
type Message =
  | { readonly kind: "event"; readonly event: FeedEvent }
  | { readonly kind: "state"; readonly state: LiveState }
  | { readonly kind: "resync" }
  | { readonly kind: "hello" }

/** The client's requests, under the session instead of a key. */
const sessionFetch =
  (feedMode: Mode): typeof globalThis.fetch =>
  (input, init) => {
    const url = new URL(String(input))
    url.pathname = url.pathname.replace(/^\/v1\//, "/v1/me/")
    if (url.pathname === "/events") url.searchParams.set("mode", feedMode)
    const headers = new Headers(init?.headers)
    headers.delete("authorization")
    headers.set("x-mode", feedMode)
    return fetch(url, { ...init, headers, credentials: "same-origin" })
  }

const pauseMillis = 2_000

const pause = (signal: AbortSignal) =>
  new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, pauseMillis)
    signal.addEventListener("abort", () => {
      clearTimeout(timer)
      resolve()
    })
  })

/** Finds out whether the session has ended, or its cookie was only renewed meanwhile. */
const checkSession = async (signal: AbortSignal): Promise<void> => {
  try {
    if ((await api.get("/v1/me/auth/get-session", undefined, { signal })) === null) loseSession()
  } catch {
    // Not known: the next attempt to follow the feed asks again.
  }
}

/** Follows one feed until the signal aborts. */
const follow = async (
  feedMode: Mode,
  signal: AbortSignal,
  position: { lastEventId: string | undefined },
  tell: (message: Message) => void,
): Promise<void> => {
  const corrente = new Corrente({
    apiKey: "session",
    baseUrl: location.origin,
    fetch: sessionFetch(feedMode),
  })
  while (!signal.aborted) {
    let isRefused = false
    try {
      const items: AsyncIterable<FeedEvent | ReplayGap> = corrente.events.subscribe({
        after: position.lastEventId,
        signal,
        onConnection: (state) =>
          tell({ kind: "state", state: state.isOpen ? "live" : state.error ? "offline" : "connecting" }),
      })
      for await (const item of items) {
        if (item.type === "replay_gap") tell({ kind: "resync" })
        else tell({ kind: "event", event: item })
      }
    } catch (error) {
      // Refused: the session has ended, or the seller has its ten streams already.
      tell({ kind: "state", state: "offline" })
      isRefused = error instanceof CorrenteError && error.code === "session_required"
    }
    await pause(signal)
    if (isRefused && !signal.aborted) await checkSession(signal)
  }
}

/**
 * Joins the feed of a seller and mode. All tabs of a browser share one stream, since a seller has ten: the tab that holds the
 * lock reads it and tells the others, and the next one goes on from the last event when that tab is closed.
 */
const join = (feed: string, feedMode: Mode): (() => void) => {
  const controller = new AbortController()
  const channel = new BroadcastChannel(feed)
  const position: { lastEventId: string | undefined } = { lastEventId: undefined }
  let isHolder = false
  liveState.value = "connecting"

  const take = (message: Message): void => {
    if (message.kind === "event") {
      position.lastEventId = message.event.id
      for (const listener of eventListeners) listener(message.event)
    }
    if (message.kind === "state") liveState.value = message.state
    if (message.kind === "resync") for (const listener of resyncListeners) listener()
  }
  channel.onmessage = ({ data }: MessageEvent<Message>) => {
    if (data.kind !== "hello") take(data)
    else if (isHolder) channel.postMessage({ kind: "state", state: liveState.value } satisfies Message)
  }
  channel.postMessage({ kind: "hello" } satisfies Message)
  navigator.locks
    .request(feed, { signal: controller.signal }, () => {
      isHolder = true
      return follow(feedMode, controller.signal, position, (message) => {
        take(message)
        channel.postMessage(message)
      })
    })
    // The wait for the lock was aborted.
    .catch(() => {})
  return () => {
    controller.abort()
    channel.close()
  }
}

/** Follows the feed of whoever is signed in, in the mode that they chose, for as long as the page is open. */
export const followFeed = (): void => {
  let feed = ""
  let leave = () => {}
  effect(() => {
    const sellerId = user.value?.seller_id ?? ""
    const next = sellerId === "" ? "" : `corrente.feed.${sellerId}.${mode.value}`
    if (next === feed) return
    leave()
    feed = next
    leave = next === "" ? () => {} : join(next, mode.value)
  })
}
