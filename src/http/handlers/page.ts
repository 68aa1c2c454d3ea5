import { Effect } from "effect"
import { ApiError } from "../../../schema/errors.ts"
import { limits } from "../../../schema/limits.ts"
import { momentOf } from "../contract/moments.ts"
import type { JsonReply } from "../server/request.ts"

/** The page's size as asked for (spec 4: 1 to 100, default 50). */
export const pageSize = (limit: string | undefined): number =>
  limit === undefined ? limits.pageSizeDefault : Number(limit)

/** `from` and `to` in ms; both ends count, and a date counts from its first moment to its last. */
export const windowOf = (query: { readonly from?: string; readonly to?: string }) => ({
  fromMillis: query.from === undefined ? undefined : momentOf(query.from, "start"),
  toMillis: query.to === undefined ? undefined : momentOf(query.to, "end"),
})

/** A page's reply from the JSON texts of its items. */
export const pageReply = (items: ReadonlyArray<string>, nextCursor: string | undefined): JsonReply => ({
  status: 200,
  body: `{"data":[${items.join(",")}],"next_cursor":${nextCursor === undefined ? "null" : `"${nextCursor}"`}}`,
})

/**
 * A page's reply from what was found for it: where that is one more than its size, there is a next page, and `cursorAfter`
 * names it by the last item of this one.
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

/** Takes a value that may be an error: the error ends the request. */
export const orFail = <A>(value: A | ApiError): Effect.Effect<A, ApiError> =>
  value instanceof ApiError ? Effect.fail(value) : Effect.succeed(value)

/** 401: the key was revoked since it was first seen. */
export const keyRevoked = (): ApiError =>
  new ApiError({
    code: "invalid_api_key",
    message:
      "This API key is no longer valid: it was revoked or rotated. Use a current key of the same seller.",
  })
