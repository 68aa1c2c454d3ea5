/** What a list of rows of one height shows, from where it is scrolled to. */
export interface Viewport {
  readonly scrollTop: number
  readonly height: number
  readonly rowHeight: number
  readonly count: number
}

/** Rows above and below the visible ones that are in the document as well, so that scrolling shows no blank. */
const overscan = 12

/** The rows that are in the document: from `start` to before `end`. */
export const renderedRange = ({ scrollTop, height, rowHeight, count }: Viewport) => {
  const first = Math.floor(Math.max(0, scrollTop) / rowHeight)
  const last = Math.ceil((Math.max(0, scrollTop) + height) / rowHeight)
  const end = Math.min(count, last + overscan)
  return { start: Math.max(0, Math.min(first - overscan, end)), end }
}

/** Whether the end of the list is near enough that more of it should be read. */
export const isNearEnd = ({ scrollTop, height, rowHeight, count }: Viewport): boolean =>
  scrollTop + 2 * height >= count * rowHeight

/** Where to scroll to so that a row is wholly visible, as little as possible. */
export const scrollTopFor = (index: number, { scrollTop, height, rowHeight }: Viewport): number => {
  const top = index * rowHeight
  return Math.max(Math.min(scrollTop, top), top + rowHeight - height)
}

/** The row that a key leads to from the row at `index` (-1: none yet); undefined where the key is not the list's. */
export const rowAfterKey = (
  key: string,
  index: number,
  { height, rowHeight, count }: Viewport,
): number | undefined => {
  if (count === 0) return undefined
  const page = Math.max(1, Math.floor(height / rowHeight) - 1)
  const moves: Readonly<Record<string, number>> = {
    ArrowDown: index + 1,
    ArrowUp: index - 1,
    PageDown: index + page,
    PageUp: index - page,
    Home: 0,
    End: count - 1,
  }
  const wanted = moves[key]
  return wanted === undefined ? undefined : Math.max(0, Math.min(count - 1, wanted))
}
