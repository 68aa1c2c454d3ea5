import { Effect } from "effect"
import type { Acquirer, ListBooks } from "../../actors/ports/acquirer.ts"

/** A list without what happened before `fromMillis`; a window before it is not asked for. Items without a time stay. */
const listFrom =
  <A>(list: ListBooks<A>, fromMillis: number, millisOf: (item: A) => number | undefined): ListBooks<A> =>
  ({ fromMillis: wantedMillis, toMillis }, page) => {
    if (toMillis < fromMillis) return Effect.succeed({ items: [], next: undefined })
    const window = { fromMillis: Math.max(wantedMillis, fromMillis), toMillis }
    return Effect.map(list(window, page), (found) => ({
      ...found,
      items: found.items.filter((item) => (millisOf(item) ?? fromMillis) >= fromMillis),
    }))
  }

/**
 * An acquirer whose books begin at `fromMillis`, for an account that was in use before the service came to it
 * (docs/partner.md#an-account-with-a-past). Undefined: its books are all compared.
 */
export const booksFrom = (acquirer: Acquirer, fromMillis: number | undefined): Acquirer => {
  const { books } = acquirer
  if (books === undefined || fromMillis === undefined) return acquirer
  const { listReturned, listSent } = books
  return {
    ...acquirer,
    books: {
      ...books,
      listReceived: listFrom(books.listReceived, fromMillis, ({ receivedMillis }) => receivedMillis),
      listReturned:
        listReturned && listFrom(listReturned, fromMillis, ({ receivedMillis }) => receivedMillis),
      listSent: listSent && listFrom(listSent, fromMillis, ({ sentMillis }) => sentMillis),
    },
  }
}
