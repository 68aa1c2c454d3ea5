import { type ReadonlySignal, signal } from "@preact/signals"
import { useEffect, useMemo } from "preact/hooks"
import type { CorrenteError } from "../../../../client/src/errors.ts"
import { formLimits } from "../../../../schema/formLimits.ts"
import { useHealing } from "../../api/healing.ts"
import { call } from "../../api/http.ts"
import { type FeedEvent, onEvent, onResync } from "../../api/live.ts"
import { failureOf } from "../../api/resource.ts"
import {
  addNewer,
  addOlder,
  begin,
  emptyFeed,
  type Feed,
  isOfTypes,
  newestSeq,
  release,
  rowsMax,
  rowsReadMax,
} from "./feed.ts"

/** The feed of the page's seller and mode, as it goes on. */
export interface LiveFeed {
  readonly feed: ReadonlySignal<Feed<FeedEvent>>
  /** Whether the first events were read, or could not be. */
  readonly isReady: ReadonlySignal<boolean>
  /** Why the newest events could not be read. */
  readonly error: ReadonlySignal<CorrenteError | undefined>
  /** Why older events could not be read. */
  readonly olderError: ReadonlySignal<CorrenteError | undefined>
  /** Whether the search for older events ended before it found one or the end of the list. */
  readonly isSearchCut: ReadonlySignal<boolean>
  /** Reads the newest events, and what was missed. */
  readonly reload: () => Promise<void>
  /** Reads older events, if there are any. */
  readonly more: () => Promise<void>
  /** While held, new events wait; when no longer, they are shown. */
  readonly hold: (isHeld: boolean) => void
}

/** A filtered page may have few events, or none, and still go on. */
const emptyPagesMax = 5

interface Stored extends LiveFeed {
  readonly open: () => () => void
}

const makeLiveFeed = (types: ReadonlyArray<string>): Stored => {
  const feed = signal<Feed<FeedEvent>>(emptyFeed)
  const isReady = signal(false)
  const error = signal<CorrenteError | undefined>(undefined)
  const olderError = signal<CorrenteError | undefined>(undefined)
  const isSearchCut = signal(false)
  let isHeld = false
  let arrived: Array<FeedEvent> = []
  let frame = 0
  /** The newest event before those that may have been missed; undefined where none were. */
  let missedAfter: number | undefined
  let older: { readonly to: string | undefined; readonly cursor: string | undefined } | undefined
  let isReadingOlder = false
  let current = new AbortController()

  const readPage = (cursor: string | undefined, to?: string, abort?: AbortSignal) =>
    call("GET /v1/me/events", {
      query: { types: types.join(","), limit: formLimits.pageSizeMax, cursor, to },
      ...(abort === undefined ? {} : { signal: abort }),
    })

  const take = (change: (feed: Feed<FeedEvent>) => Feed<FeedEvent>) => {
    const before = feed.value
    const next = change(before)
    if (before.shown.at(-1) !== next.shown.at(-1)) older = undefined
    feed.value = next
  }
  /** Adds what has arrived since the last frame, at once: a burst is one change. */
  const flush = () => {
    frame = 0
    const events = arrived.reverse()
    arrived = []
    const isWaiting = isHeld || !isReady.value
    take((old) => (isWaiting ? addNewer(old, events) : release(addNewer(old, events))))
  }
  const flushSoon = () => {
    if (frame === 0) frame = requestAnimationFrame(flush)
  }

  const readNewest = async (abort: AbortSignal): Promise<void> => {
    const known = missedAfter
    let events: ReadonlyArray<FeedEvent> = []
    let cursor: string | null | undefined
    let isJoined = false
    let pages = 0
    while (!isJoined && cursor !== null && events.length < rowsMax) {
      const page = await readPage(cursor, undefined, abort)
      events = [...events, ...page.data]
      cursor = page.next_cursor
      pages += 1
      isJoined =
        known === undefined
          ? events.length > 0 || pages === emptyPagesMax
          : page.data.some(({ seq }) => seq <= known)
    }
    if (abort.aborted) return
    const isEnd = cursor === null
    take((old) => {
      // Too much was missed to join what is shown.
      const base = isJoined || isEnd ? old : { ...old, shown: [], hasOlder: true }
      const read = base.shown.length === 0 ? begin(base, events, !isEnd) : addNewer(base, events)
      return isHeld ? read : release(read)
    })
    missedAfter = undefined
    isSearchCut.value = feed.value.shown.length === 0 && !isEnd
    if (isSearchCut.value) older = { to: undefined, cursor: cursor ?? undefined }
  }
  const reload = async (): Promise<void> => {
    current.abort()
    const mine = new AbortController()
    current = mine
    try {
      await readNewest(mine.signal)
      if (!mine.signal.aborted) error.value = undefined
    } catch (cause) {
      if (!mine.signal.aborted) error.value = failureOf(cause)
    }
    if (mine.signal.aborted) return
    isReady.value = true
    flushSoon()
  }

  const more = async (): Promise<void> => {
    if (isReadingOlder || !feed.value.hasOlder || feed.value.shown.length >= rowsReadMax) return
    isReadingOlder = true
    olderError.value = undefined
    let isCut = true
    try {
      for (let pages = 0; pages < emptyPagesMax; pages++) {
        const bottom = feed.value.shown.at(-1)
        const from = older ?? { to: bottom?.created_at, cursor: undefined }
        const page = await readPage(from.cursor, from.to)
        // What is shown has changed below: this page does not follow it.
        isCut = feed.value.shown.at(-1) === bottom
        if (!isCut) break
        take((old) => addOlder(old, page.data, page.next_cursor !== null))
        older = { to: from.to, cursor: page.next_cursor ?? undefined }
        isCut = feed.value.shown.at(-1) === bottom && page.next_cursor !== null
        if (!isCut) break
      }
    } catch (cause) {
      olderError.value = failureOf(cause)
    }
    isReadingOlder = false
    isSearchCut.value = isCut
  }

  return {
    feed,
    isReady,
    error,
    olderError,
    isSearchCut,
    reload,
    more,
    hold: (next) => {
      isHeld = next
      if (!next) flushSoon()
    },
    open: () => {
      const leaveEvents = onEvent((event) => {
        if (!isOfTypes(event.type, types)) return
        arrived.push(event)
        // No frames come while the tab is hidden.
        if (arrived.length >= rowsMax) flush()
        else flushSoon()
      })
      const leaveResync = onResync(() => {
        flush()
        missedAfter ??= newestSeq(feed.value)
        void reload()
      })
      void reload()
      return () => {
        leaveEvents()
        leaveResync()
        cancelAnimationFrame(frame)
        current.abort()
      }
    },
  }
}

/** Follows the feed for a page; `types` are exact types or families, none for all. */
export const useLiveFeed = (types: ReadonlyArray<string>): LiveFeed => {
  const key = types.join(",")
  const live = useMemo(() => makeLiveFeed(types), [key])
  useEffect(() => live.open(), [live])
  useHealing(live.error, live.reload)
  return live
}
