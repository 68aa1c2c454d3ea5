import { type ReadonlySignal, signal } from "@preact/signals"
import { useEffect, useMemo } from "preact/hooks"
import { CorrenteError } from "../../../client/src/errors.ts"
import { healing } from "./healing.ts"
import { api, type Page, type Query } from "./http.ts"
import { type FeedEvent, onEvent, onResync } from "./live.ts"
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

/** When something is read again by itself. */
export interface LiveOptions {
  /** Whether an event of the feed changes it. Default: none does. Lists wait a moment, so that a burst is one reading. */
  readonly reloadsOn?: (event: FeedEvent) => boolean
}

const reloadDelayMillis = 250

const useReloading = <A>(resource: Stored<A>, { reloadsOn }: LiveOptions): void => {
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    let isWanted = false
    const soon = () => {
      timer ??= setTimeout(() => {
        timer = undefined
        // Events that come faster than it is read would end each reading by the next one: this one ends first.
        isWanted = resource.isLoading.peek()
        if (!isWanted) void resource.reload()
      }, reloadDelayMillis)
    }
    void resource.reload()
    const leaveReading = resource.isLoading.subscribe((isLoading) => {
      if (isLoading || !isWanted) return
      isWanted = false
      soon()
    })
    const leaveEvents = onEvent((event) => {
      if (reloadsOn?.(event)) soon()
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
export const useResource = <A>(key: string, read: Read<A>, options: LiveOptions = {}): Resource<A> => {
  const resource = useMemo(() => makeResource(read), [key, mode.value])
  useReloading(resource, options)
  return resource
}

/** A list of the API, of which more is read on request. */
export interface List<A> extends Resource<Page<A>> {
  /** Reads the next page, if there is one. */
  readonly more: () => Promise<void>
  /** Why the next page could not be read. */
  readonly moreError: ReadonlySignal<CorrenteError | undefined>
}

/** Reads a list for a page, by its path and filters. When it is read again, it has as many entries as were shown. */
export const useList = <A>(path: string, query: Query, options: LiveOptions = {}): List<A> => {
  const key = JSON.stringify([path, query])
  const list = useMemo(() => {
    const moreError = signal<CorrenteError | undefined>(undefined)
    let isReadingMore = false
    let pagesShown = 1
    const readPage = (cursor: string | undefined, options: Partial<ReadOptions>) =>
      api.get<Page<A>>(path, { ...query, cursor }, options)
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
        if (resource.value.peek() === shown)
          resource.set({ data: [...shown.data, ...next.data], next_cursor: next.next_cursor })
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
