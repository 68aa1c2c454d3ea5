import { Effect, type Scope } from "effect"
import { EventSource } from "eventsource"
import { Agent, fetch } from "undici"
import type { Event } from "../../schema/resources/event.ts"

/** A follower of the feed, like a merchant's back office. */
export interface Follower {
  /** Every received event, in order. */
  readonly events: ReadonlyArray<Event>
  /** Number of streams opened so far. */
  readonly opened: () => number
  /** The `Last-Event-ID` of the last connection; undefined for the first. */
  readonly lastEventIdSent: () => string | undefined
  /** Breaks the connection, like a bad network; the client reconnects by itself. */
  readonly cut: () => void
}

/** Follows GET /events with the `eventsource` package; calls `onEvent` for each event of the types. Ends with the scope. */
export const follow = (
  url: string,
  key: string,
  types: ReadonlyArray<string>,
  onEvent: (event: Event) => void,
): Effect.Effect<Follower, never, Scope.Scope> =>
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(() => open(url, key, types, onEvent)),
      ({ close }) => Effect.promise(close),
    ),
    ({ follower }) => follower,
  )

const open = (url: string, key: string, types: ReadonlyArray<string>, onEvent: (event: Event) => void) => {
  const events: Array<Event> = []
  let opened = 0
  let lastEventIdSent: string | undefined
  let connection = new Agent()
  const source = new EventSource(`${url}/events`, {
    fetch: (target, init) => {
      connection = new Agent()
      lastEventIdSent = (init.headers as Readonly<Record<string, string>>)["Last-Event-ID"]
      return fetch(target, {
        headers: { ...init.headers, Authorization: `Bearer ${key}` },
        signal: init.signal ?? null,
        dispatcher: connection,
      })
    },
  })
  source.addEventListener("ready", () => {
    opened++
  })
  for (const type of types) {
    source.addEventListener(type, ({ data }) => {
      const event = JSON.parse(data) as Event
      events.push(event)
      onEvent(event)
    })
  }
  const follower: Follower = {
    events,
    opened: () => opened,
    lastEventIdSent: () => lastEventIdSent,
    cut: () => void connection.destroy(),
  }
  const close = async () => {
    source.close()
    await connection.destroy()
  }
  return { follower, close }
}
