import { Effect } from "effect"
import type { AcquirerUnavailable, BooksPage, BooksWindow } from "../../../actors/ports/acquirer.ts"
import { limits } from "../../../schema/limits.ts"

/** A page as the acquirer numbers it, and how long it says that the list is. */
export interface NumberedPage<A> extends Omit<BooksPage<A>, "next"> {
  readonly pageCount: number
  readonly itemCount: number
}

/** A list of the acquirer. */
export interface List<A> {
  /** Reads a page of a part of the list; pages are numbered from 0. */
  readonly readPage: (
    window: BooksWindow,
    page: number,
  ) => Effect.Effect<NumberedPage<A>, AcquirerUnavailable>
  /** The longest window that the acquirer lists, in ms. */
  readonly windowMillisMax: number
  /** An item's id, and when it was listed as having happened, in ms; undefined for one without. */
  readonly momentOf: (item: A) => { readonly id: string; readonly millis: number } | undefined
}

/** The page to read next: of which part of the window, and how many items that part had on the page before. */
interface Place extends BooksWindow {
  readonly page: number
  readonly itemCount: number | undefined
  /** Items of the part before at the instant at which it ends and this part begins. */
  readonly before: ReadonlyArray<string>
  /** Items of this part, so far, at the instant at which it ends. */
  readonly atEnd: ReadonlyArray<string>
}

/** More items at one instant are listed twice: a name does not grow without end. */
const edgeItemsMax = 50

const wholeSecondBefore = (millis: number): number => Math.floor(millis / 1_000) * 1_000
const wholeSecondAfter = (millis: number): number => Math.ceil(millis / 1_000) * 1_000

/** Where a part ends that begins at `fromMillis`: windows are asked for in whole seconds. */
const endOfPart = (fromMillis: number, toMillis: number, windowMillisMax: number): number => {
  const latest = wholeSecondBefore(fromMillis) + windowMillisMax
  return wholeSecondAfter(toMillis) <= latest ? toMillis : latest
}

const idsOf = (text: string | undefined): ReadonlyArray<string> =>
  text === undefined || text === "" ? [] : text.split(",")

/** `2/1204` is page 2 of a list of 1,204 items. Where only a part of the window is listed, its times follow, and items at its edges. */
const nameOf = ({ page, itemCount, before, atEnd, ...part }: Place, window: BooksWindow): string => {
  const name = `${page}/${itemCount ?? "-"}`
  const isWhole = part.fromMillis === window.fromMillis && part.toMillis === window.toMillis
  if (isWhole) return name
  const timeOf = (millis: number) => new Date(millis).toISOString()
  const edges = before.length + atEnd.length === 0 ? "" : `/${before.join()}/${atEnd.join()}`
  return `${name}/${timeOf(part.fromMillis)}/${timeOf(part.toMillis)}${edges}`
}

const placeOf = (name: string | undefined, window: BooksWindow, windowMillisMax: number): Place => {
  const [page = "0", itemCount = "-", from, to, before, atEnd] = (name ?? "").split("/")
  const { fromMillis, toMillis } = window
  return {
    page: Number(page),
    itemCount: itemCount === "-" ? undefined : Number(itemCount),
    fromMillis: from === undefined ? fromMillis : Date.parse(from),
    toMillis: to === undefined ? endOfPart(fromMillis, toMillis, windowMillisMax) : Date.parse(to),
    before: idsOf(before),
    atEnd: idsOf(atEnd),
  }
}

const placeAfter = (
  place: Place,
  { pageCount, itemCount }: NumberedPage<unknown>,
  window: BooksWindow,
  windowMillisMax: number,
): Place | undefined => {
  const { fromMillis, toMillis } = place
  const millis = toMillis - fromMillis
  const hasShifted = place.itemCount !== undefined && place.itemCount !== itemCount
  const isTooLong = pageCount > limits.acquirerBooksPagesMax
  const half = wholeSecondAfter(fromMillis + millis / 2)
  if ((hasShifted || isTooLong) && millis > limits.acquirerBooksPartMillisMin && half < toMillis) {
    return { ...place, toMillis: half, page: 0, itemCount: undefined, atEnd: [] }
  }
  if (place.page + 1 < pageCount) return { ...place, page: place.page + 1, itemCount }
  if (toMillis >= window.toMillis) return undefined
  const end = Math.min(wholeSecondAfter(toMillis + 2 * millis), window.toMillis)
  return {
    fromMillis: toMillis,
    toMillis: endOfPart(toMillis, end, windowMillisMax),
    page: 0,
    itemCount: undefined,
    before: place.atEnd,
    atEnd: [],
  }
}

/**
 * Reads a list by numbered pages so that none of its items is passed over (docs/partner.md#pages-that-shift).
 *
 * 1. A window that is longer than the acquirer lists is cut into parts of that length, which share the instant between them. An
 *    item at that instant is told once.
 * 2. Pages are read in order, and each says how many items the list has.
 * 3. Another number than on the page before means that items moved from page to page. Then the first half of the part is
 *    read by itself, from its first page, and halved again where it moves too: a list of a single page cannot.
 * 4. After a part that stood still, the next one is twice as long, up to the acquirer's longest or the end of the window.
 *
 * Items that were read before a shift are read again.
 */
export const readSteadily =
  <A>({ readPage, windowMillisMax, momentOf }: List<A>) =>
  (window: BooksWindow, name: string | undefined): Effect.Effect<BooksPage<A>, AcquirerUnavailable> => {
    const place = placeOf(name, window, windowMillisMax)
    const { fromMillis, toMillis, page, before } = place
    return Effect.map(readPage({ fromMillis, toMillis }, page), (read) => {
      const { pageCount: _pages, itemCount: _items, items, ...found } = read
      const isNew = (item: A): boolean => !before.includes(momentOf(item)?.id ?? "")
      const endsNow = items.flatMap((item) => {
        const moment = momentOf(item)
        return moment?.millis === toMillis ? [moment.id] : []
      })
      const atEnd = [...place.atEnd, ...endsNow].slice(0, edgeItemsMax)
      const next = placeAfter({ ...place, atEnd }, read, window, windowMillisMax)
      return { items: items.filter(isNew), ...found, next: next && nameOf(next, window) }
    })
  }
