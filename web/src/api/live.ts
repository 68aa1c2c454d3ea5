import { effect, signal } from "@preact/signals"
import type { Transaction } from "../../../schema/resources/transaction.ts"
import { type FeedPosition, learn, nowhere, stepTo } from "./feedPosition.ts"
import { type FeedEvent, followStream, type LiveState, type LiveStatus } from "./feedStream.ts"
import { loseSession, type Mode, mode, user } from "./session.ts"
import { shareAmongTabs } from "./sharedStream.ts"

export type { FeedEvent, LiveState, OfflineReason } from "./feedStream.ts"

export const liveState = signal<LiveState>("connecting")

/** Why {@link liveState} is `offline`; undefined otherwise. */
export const offlineReason = signal<LiveStatus["reason"]>(undefined)

/** The charge that an event tells of, as it is after it; undefined where the event is about something else. */
export const chargeOf = ({ data }: FeedEvent): Transaction | undefined =>
  data.object.object === "transaction" ? data.object : undefined

type EventListener = (event: FeedEvent) => void

const eventListeners = new Set<EventListener>()
const resyncListeners = new Set<() => void>()

/** Tells a listener every event from now on, each once and in order; returns what ends that. */
export const onEvent = (listener: EventListener): (() => void) => {
  eventListeners.add(listener)
  return () => eventListeners.delete(listener)
}

/**
 * Tells a listener when events may have been missed, so that what it shows must be read again; returns what ends that. It is told
 * before the first event that follows the gap.
 */
export const onResync = (listener: () => void): (() => void) => {
  resyncListeners.add(listener)
  return () => resyncListeners.delete(listener)
}

/** What the tab that has the stream tells the other tabs of the browser. */
type Message =
  | { readonly kind: "event"; readonly event: FeedEvent }
  | { readonly kind: "status"; readonly status: LiveStatus; readonly position: FeedPosition }
  | { readonly kind: "resync" }
  | { readonly kind: "sessionEnded" }

const showStatus = ({ state, reason }: LiveStatus): void => {
  liveState.value = state
  offlineReason.value = reason
}

/** When a broken stream is worth another try at once: the network is back, or somebody looks at the page. */
const wakes = (wake: () => void): (() => void) => {
  const onShown = () => {
    if (!document.hidden) wake()
  }
  addEventListener("online", wake)
  document.addEventListener("visibilitychange", onShown)
  return () => {
    removeEventListener("online", wake)
    document.removeEventListener("visibilitychange", onShown)
  }
}

/** What a tab has been told of its feed, and tells its pages. */
const makeTab = () => {
  let position = nowhere
  const resync = () => {
    for (const listener of resyncListeners) listener()
  }
  const takeEvent = (event: FeedEvent) => {
    const step = stepTo(position, event)
    if (step === "repeated") return
    if (step === "gap") resync()
    position = { id: event.id, seq: event.seq }
    for (const listener of eventListeners) listener(event)
  }
  return {
    position: () => position,
    /** Goes to a place in the feed, or nowhere. */
    moveTo: (next: FeedPosition) => {
      position = next
    },
    take: (message: Message): void => {
      switch (message.kind) {
        case "event":
          takeEvent(message.event)
          break
        case "status":
          position = learn(position, message.position)
          showStatus(message.status)
          break
        case "resync":
          position = nowhere
          resync()
          break
        case "sessionEnded":
          loseSession()
      }
    },
  }
}

/** The name that tabs share a feed by. Its number is the messages': tabs of another version have a stream of their own. */
const nameOf = (sellerId: string, feedMode: Mode) => `corrente.feed.1.${sellerId}.${feedMode}`

/**
 * Joins a feed. All tabs of a browser share one stream, since a seller has ten: the tab that leads reads it and tells the others, and
 * the next one goes on after the last event that it was told. Where tabs cannot share, each has a stream of its own.
 */
const join = (name: string, feedMode: Mode): (() => void) => {
  const tab = makeTab()
  showStatus({ state: "connecting" })
  const statusMessage = (status: LiveStatus): Message => ({
    kind: "status",
    status,
    position: tab.position(),
  })
  const follow = (signal: AbortSignal, tellOthers: (message: Message) => void): Promise<void> => {
    const tell = (message: Message) => {
      tab.take(message)
      tellOthers(message)
    }
    tell(statusMessage({ state: "connecting" }))
    return followStream(feedMode, signal, wakes, {
      lastEventId: () => tab.position().id,
      onEvent: (event) => tell({ kind: "event", event }),
      onStatus: (status) => tell(statusMessage(status)),
      // Pages read again instead of being told all that the service has kept.
      onGap: () => tab.moveTo(nowhere),
      onFreshOpen: (lastEventId) => {
        // What pages read before the stream was open may lack what happened in between.
        tell({ kind: "resync" })
        tab.moveTo({ id: lastEventId ?? undefined, seq: undefined })
      },
      onSessionEnded: () => tell({ kind: "sessionEnded" }),
    })
  }
  const shared = shareAmongTabs<Message>(name, {
    lead: (signal) => follow(signal, (message) => shared?.tell(message)),
    onMessage: tab.take,
    greeting: () => statusMessage({ state: liveState.value, reason: offlineReason.value }),
  })
  if (shared !== undefined) return shared.leave
  const alone = new AbortController()
  void follow(alone.signal, () => {})
  return () => alone.abort()
}

/** Follows the feed of whoever is signed in, in the mode that they chose, for as long as the page is open. */
export const followFeed = (): void => {
  let name = ""
  let leave = () => {}
  effect(() => {
    const sellerId = user.value?.seller_id ?? ""
    const next = sellerId === "" ? "" : nameOf(sellerId, mode.value)
    if (next === name) return
    leave()
    name = next
    leave = next === "" ? () => {} : join(next, mode.value)
  })
}
