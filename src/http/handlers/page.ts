import { Effect } from "effect"
import { ApiError } from "../../../schema/errors.ts"
import { limits } from "../../../schema/limits.ts"
import { compareEntryIds } from "../../feed/position.ts"
import { momentOf } from "../contract/moments.ts"
import type { JsonReply } from "../server/reply.ts"

/** The requested page size, or the default (`docs/contract/README.md#pagination`). */
export const pageSize = (limit: string | undefined): number =>
  limit === undefined ? limits.pageSizeDefault : Number(limit)

/** `from` and `to` in ms, both inclusive; a date spans its first moment to its last. */
export const windowOf = (query: { readonly from?: string; readonly to?: string }) => ({
  fromMillis: query.from === undefined ? undefined : momentOf(query.from, "start"),
  toMillis: query.to === undefined ? undefined : momentOf(query.to, "end"),
})

/** A page from the JSON texts of its items. */
export const pageReply = (items: ReadonlyArray<string>, nextCursor: string | undefined): JsonReply => ({
  status: 200,
  body: `{"data":[${items.join(",")}],"next_cursor":${nextCursor === undefined ? "null" : `"${nextCursor}"`}}`,
})

/**
 * A page from the items found for it. One more than `size` means that there is a next page; `cursorAfter` makes its
 * cursor from the last item of this one.
 */
export const pageOf = <Item>(
  found: ReadonlyArray<Item>,
  size: number,
  render: (item: Item) => string,
  cursorAfter: (last: Item) => string,
): JsonReply => {
  const last = found.length > size ? found[size - 1] : undefined
  return pageReply(found.slice(0, size).map(render), last === undefined ? undefined : cursorAfter(last))
}

/** A filtered page of entries, newest first; `next` is the entry before which the following one begins, if there may be one. */
export interface EntryPage<Entry> {
  readonly found: ReadonlyArray<Entry>
  readonly next: string | undefined
}

interface Scan<Entry, E> {
  /** The entry before which the page begins; undefined: the newest. */
  readonly before: string | undefined
  readonly size: number
  readonly matches: (entry: Entry) => boolean
  /** Reads at most `count` entries before one, newest first. */
  readonly read: (before: string | undefined, count: number) => Effect.Effect<ReadonlyArray<Entry>, E>
}

/** Reads entries back until the page is full, there are no more, or enough were examined; then the page is short. */
export const scanEntries = Effect.fnUntraced(function* <Entry extends { readonly entryId: string }, E>({
  before,
  size,
  matches,
  read,
}: Scan<Entry, E>): Effect.fn.Return<EntryPage<Entry>, E> {
  const found: Array<Entry> = []
  let position = before
  // Grows, because a filter that matches little must not cost a round trip for every few entries.
  let step = size + 1
  for (let scanned = 0; scanned < limits.filterScanEntriesMax; ) {
    const entries = yield* read(position, step)
    for (const entry of entries) {
      if (matches(entry)) {
        if (found.length === size) return { found, next: position }
        found.push(entry)
      }
      position = entry.entryId
    }
    if (entries.length < step) return { found, next: undefined }
    scanned += entries.length
    step = Math.min(step * 2, limits.replayBatchEntries)
  }
  return { found, next: position }
})

/**
 * Those of some entries of a stream that are older than the one that a cursor names; without a cursor, all. They are
 * compared by position, because the one named may have been trimmed since.
 */
export const entriesBefore = <Entry extends { readonly entryId: string }>(
  entries: ReadonlyArray<Entry>,
  beforeEntryId: string | undefined,
): ReadonlyArray<Entry> =>
  beforeEntryId === undefined
    ? entries
    : entries.filter(({ entryId }) => compareEntryIds(entryId, beforeEntryId) < 0)

/** Turns a value that may be an error into an effect. */
export const orFail = <A>(value: A): Effect.Effect<Exclude<A, ApiError>, Extract<A, ApiError>> =>
  value instanceof ApiError
    ? Effect.fail(value as Extract<A, ApiError>)
    : Effect.succeed(value as Exclude<A, ApiError>)

/** For callers with a session: no key of theirs can have been revoked. */
export const withoutKey = <A, E, R>(
  answer: Effect.Effect<A, E, R>,
): Effect.Effect<A, Exclude<E, ApiError<"invalid_api_key">>, R> =>
  Effect.catchIf(
    answer,
    (error): error is E & ApiError<"invalid_api_key"> =>
      error instanceof ApiError && error.code === "invalid_api_key",
    Effect.die,
  ) as Effect.Effect<A, Exclude<E, ApiError<"invalid_api_key">>, R>

/** 401: the key was revoked since it was authenticated. */
export const keyRevoked = (): ApiError<"invalid_api_key"> =>
  new ApiError({
    code: "invalid_api_key",
    message:
      "This API key is no longer valid: it was revoked or rotated. Use a valid key of the same seller.",
  })
