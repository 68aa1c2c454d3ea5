import { Effect } from "effect"
import type { AcquirerUnavailable, BooksPage, BooksWindow } from "../../../actors/ports/acquirer.ts"
import { limits } from "../../../schema/limits.ts"

/** A page as the acquirer numbers it, and how long it says that the list is. */
export interface NumberedPage<A> extends Omit<BooksPage<A>, "next"> {
  readonly pageCount: number
  readonly itemCount: number
}

/** Reads a page of a list; pages are numbered from 0. */
type ReadPage<A> = (window: BooksWindow, page: number) => Effect.Effect<NumberedPage<A>, AcquirerUnavailable>

/** The page to read next: of which part of the window, and how many items that part had on the page before. */
interface Place extends BooksWindow {
  readonly page: number
  readonly itemCount: number | undefined
}

/** `2/1204` is page 2 of a list of 1,204 items. Where only a part of the window is listed, its times follow. */
const nameOf = ({ page, itemCount, ...part }: Place, window: BooksWindow): string => {
  const name = `${page}/${itemCount ?? "-"}`
  const isWhole = part.fromMillis === window.fromMillis && part.toMillis === window.toMillis
  const timeOf = (millis: number) => new Date(millis).toISOString()
  return isWhole ? name : `${name}/${timeOf(part.fromMillis)}/${timeOf(part.toMillis)}`
}

const placeOf = (name: string | undefined, window: BooksWindow): Place => {
  const [page = "0", itemCount = "-", from, to] = (name ?? "").split("/")
  return {
    page: Number(page),
    itemCount: itemCount === "-" ? undefined : Number(itemCount),
    fromMillis: from === undefined ? window.fromMillis : Date.parse(from),
    toMillis: to === undefined ? window.toMillis : Date.parse(to),
  }
}

const placeAfter = (
  place: Place,
  { pageCount, itemCount }: NumberedPage<unknown>,
  window: BooksWindow,
): Place | undefined => {
  const millis = place.toMillis - place.fromMillis
  const hasShifted = place.itemCount !== undefined && place.itemCount !== itemCount
  const isTooLong = pageCount > limits.acquirerBooksPagesMax
  if ((hasShifted || isTooLong) && millis > limits.acquirerBooksPartMillisMin) {
    const toMillis = place.fromMillis + Math.ceil(millis / 2)
    return { fromMillis: place.fromMillis, toMillis, page: 0, itemCount: undefined }
  }
  if (place.page + 1 < pageCount) return { ...place, page: place.page + 1, itemCount }
  if (place.toMillis >= window.toMillis) return undefined
  const toMillis = Math.min(place.toMillis + 2 * millis, window.toMillis)
  return { fromMillis: place.toMillis, toMillis, page: 0, itemCount: undefined }
}

/**
 * Reads a list by numbered pages so that none of its items is passed over (docs/partner.md#pages-that-shift).
 *
 * 1. Pages are read in order, and each says how many items the list has.
 * 2. Another number than on the page before means that items moved from page to page. Then the first half of the window is
 *    read by itself, from its first page, and halved again where it moves too: a list of a single page cannot.
 * 3. After a part that stood still, the next one is twice as long, up to the end of the window.
 *
 * Items that were read before a shift are read again, as are those at the common end of two parts.
 */
export const readSteadily =
  <A>(readPage: ReadPage<A>) =>
  (window: BooksWindow, name: string | undefined): Effect.Effect<BooksPage<A>, AcquirerUnavailable> => {
    const place = placeOf(name, window)
    const { page, itemCount: _, ...part } = place
    return Effect.map(readPage(part, page), (read) => {
      const { pageCount: _pages, itemCount: _items, ...found } = read
      const next = placeAfter(place, read, window)
      return { ...found, next: next && nameOf(next, window) }
    })
  }
