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
export const orFail = <A>(value: A | ApiError): Effect.Effect<A, ApiError> =>
  value instanceof ApiError ? Effect.fail(value) : Effect.succeed(value)

/** 401: the key was revoked since it was authenticated. */
export const keyRevoked = (): ApiError =>
  new ApiError({
    code: "invalid_api_key",
    message:
      "This API key is no longer valid: it was revoked or rotated. Use a valid key of the same seller.",
  })
