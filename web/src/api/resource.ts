import { type ReadonlySignal, signal } from "@preact/signals"
import { useEffect, useMemo } from "preact/hooks"
import { CorrenteError } from "../../../client/src/errors.ts"
import { healing } from "./healing.ts"
import { callAny, type Request } from "./http.ts"
import { type FeedEvent, onEvent, onResync } from "./live.ts"
import type { Answer, Given, Item, ListRoute, Page, Route } from "./routes.ts"
import { mode } from "./session.ts"

/** A failure as pages show it; what is no failure of the API is a defect, and is told as one. */
export const failureOf = (error: unknown): CorrenteError =>
  error instanceof CorrenteError
    ? error
    : new CorrenteError({ code: "defect", message: String(error), cause: error })

/** Something read from the service. `value` stays while it is read again, so that pages do not flicker. */
export interface Resource<A> {
  readonly value: ReadonlySignal<A | undefined>
  readonly error: ReadonlySignal<CorrenteError | undefined>
  readonly isLoading: ReadonlySignal<boolean>
  /** Reads it again; ends when that is done, whether or not it failed. */
  readonly reload: () => Promise<void>
  /** The same in the background: not while it is being read already, and without asking for a second factor. */
  readonly refresh: () => Promise<void>
  /** Shows something newer, such as the answer of a change. */
  readonly set: (value: A) => void
}

interface Stored<A> extends Resource<A> {
  readonly close: () => void
}

/** How something is read. */
export interface ReadOptions {
  readonly signal: AbortSignal
  /** False in the background, where nobody waits for the answer. */
  readonly asksStepUp: boolean
}

type Read<A> = (signal: AbortSignal, options: ReadOptions) => Promise<A>

const makeResource = <A>(read: Read<A>): Stored<A> => {
  const value = signal<A | undefined>(undefined)
  const error = signal<CorrenteError | undefined>(undefined)
  const isLoading = signal(true)
  let current = new AbortController()
  const readAgain = async (asksStepUp: boolean) => {
    current.abort()
    const mine = new AbortController()
    current = mine
    isLoading.value = true
    try {
      const next = await read(mine.signal, { signal: mine.signal, asksStepUp })
      if (mine.signal.aborted) return
      value.value = next
      error.value = undefined
    } catch (cause) {
      if (mine.signal.aborted) return
      error.value = failureOf(cause)
    }
    isLoading.value = false
  }
  return {
    value,
    error,
    isLoading,
    reload: () => readAgain(true),
    refresh: async () => {
      if (!isLoading.peek()) await readAgain(false)
    },
    set: (next) => {
      value.value = next
    },
    close: () => current.abort(),
  }
}

/** When something is read again by itself, or changes without being read. */
export interface LiveOptions<A> {
  /** Whether an event of the feed changes it. Default: none does. Lists wait a moment, so that a burst is one reading. */
  readonly reloadsOn?: (event: FeedEvent) => boolean
  /** What is shown after an event that tells it; undefined where it must be read. Asked of events that `reloadsOn` names. */
  readonly applies?: (shown: A, event: FeedEvent) => A | undefined
  /** How long it waits before it is read again. Default: 250. */
  readonly delayMillis?: number
}

const reloadDelayMillis = 250

const useReloading = <A>(
  resource: Stored<A>,
  { reloadsOn, applies, delayMillis = reloadDelayMillis }: LiveOptions<A>,
): void => {
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    let isWanted = false
    const soon = () => {
      timer ??= setTimeout(() => {
        timer = undefined
        // Events that come faster than it is read would end each reading by the next one: this one ends first.
        isWanted = resource.isLoading.peek()
        if (!isWanted) void resource.reload()
      }, delayMillis)
    }
    void resource.reload()
    const leaveReading = resource.isLoading.subscribe((isLoading) => {
      if (isLoading || !isWanted) return
      isWanted = false
      soon()
    })
    /** While it is being read, the answer may be older than the event: then it is read once more. */
    const appliedTo = (event: FeedEvent): A | undefined => {
      const shown = resource.value.peek()
      return shown === undefined || resource.isLoading.peek() ? undefined : applies?.(shown, event)
    }
    const leaveEvents = onEvent((event) => {
      if (!reloadsOn?.(event)) return
      const next = appliedTo(event)
      if (next === undefined) soon()
      else resource.set(next)
    })
    const leaveResync = onResync(soon)
    const leaveHealing = healing(resource.error, resource.refresh)
    return () => {
      clearTimeout(timer)
      leaveReading()
      leaveHealing()
      leaveEvents()
      leaveResync()
      resource.close()
    }
  }, [resource])
}

/**
 * Reads something for a page: when the page opens, when `key` or the mode changes, when events say so, and after a gap in
 * the feed. `key` names all that `read` depends on.
 */
export const useResource = <A>(key: string, read: Read<A>, options: LiveOptions<A> = {}): Resource<A> => {
  const resource = useMemo(() => makeResource(read), [key, mode.value])
  useReloading(resource, options)
  return resource
}

/** Reads a route for a page, as {@link useResource} does. */
export const useRead = <R extends Route>(
  route: R,
  given: Given<R>,
  options?: LiveOptions<Answer<R>>,
): Resource<Answer<R>> =>
  useResource(
    JSON.stringify([route, given]),
    (_signal, how) => callAny<Answer<R>>(route, { ...(given as Request), ...how }),
    options,
  )

/** A list of the API, of which more is read on request. */
export interface List<A> extends Resource<Page<A>> {
  /** Reads the next page, if there is one. */
  readonly more: () => Promise<void>
  /** Why the next page could not be read. */
  readonly moreError: ReadonlySignal<CorrenteError | undefined>
}

/** Reads a list for a page. When it is read again, it has as many entries as were shown. */
export const useList = <R extends ListRoute>(
  route: R,
  given: Given<R>,
  options: LiveOptions<Page<Item<R>>> = {},
): List<Item<R>> => {
  const request = given as Request
  const key = JSON.stringify([route, request])
  const list = useMemo(() => {
    const moreError = signal<CorrenteError | undefined>(undefined)
    let isReadingMore = false
    let pagesShown = 1
    const readPage = (cursor: string | undefined, options: Partial<ReadOptions>) =>
      callAny<Page<Item<R>>>(route, { ...request, query: { ...request.query, cursor }, ...options })
    const resource = makeResource(async (_signal, options) => {
      let page = await readPage(undefined, options)
      for (let shown = 1; shown < pagesShown && page.next_cursor !== null; shown++) {
        const next = await readPage(page.next_cursor, options)
        page = { data: [...page.data, ...next.data], next_cursor: next.next_cursor }
      }
      return page
    })
    const more = async () => {
      const shown = resource.value.peek()
      if (shown === undefined || shown.next_cursor === null || isReadingMore) return
      isReadingMore = true
      moreError.value = undefined
      try {
        const next = await readPage(shown.next_cursor, {})
        pagesShown += 1
        const now = resource.value.peek()
        if (now !== undefined && now.next_cursor === shown.next_cursor)
          resource.set({ data: [...now.data, ...next.data], next_cursor: next.next_cursor })
        // It was read again meanwhile: this page follows what is no longer shown.
        else await resource.reload()
      } catch (cause) {
        moreError.value = failureOf(cause)
      }
      isReadingMore = false
    }
    return { ...resource, more, moreError }
  }, [key, mode.value])
  useReloading(list, options)
  return list
}
