import type { ComponentChildren } from "preact"
import { useEffect, useRef, useState } from "preact/hooks"

/** How new rows wait. */
export interface Waiting<A> {
  /** Begins with the time of the row's creation, as all ids of the API do. */
  readonly idOf: (row: A) => string
  /** What the button says of so many rows. */
  readonly label: (count: number) => string
  /** Whether they wait at the top of the page too: the reader is choosing among the rows. Default: false. */
  readonly isHeld?: boolean
}

interface WaitingRowsProps<A> {
  /** Newest first. */
  readonly rows: ReadonlyArray<A>
  /** Undefined: none wait. */
  readonly waiting: Waiting<A> | undefined
  readonly children: (shown: ReadonlyArray<A>) => ComponentChildren
}

/** A reader who has scrolled further than this has left the top of the page. */
const topPixels = 120

const isAway = (): boolean => scrollY > topPixels

/**
 * Shows rows; what arrives while the reader has scrolled, or chooses among them, waits behind a button, so that nothing moves under
 * their eyes. It shows them, and so does scrolling back to the top.
 */
export const WaitingRows = <A,>({ rows, waiting, children }: WaitingRowsProps<A>) => {
  const [, setScrolled] = useState(isAway)
  const [, setAsked] = useState("")
  useEffect(() => {
    const look = () => setScrolled(isAway())
    addEventListener("scroll", look, { passive: true })
    return () => removeEventListener("scroll", look)
  }, [])
  /** The newest row that was there when the reader left the top. */
  const newest = useRef<string | undefined>(undefined)
  const [first] = rows
  if (waiting === undefined || first === undefined) return <>{children(rows)}</>
  // Scrolling may be told later than a row arrives.
  if (!(isAway() || waiting.isHeld) || newest.current === undefined) newest.current = waiting.idOf(first)
  const { current } = newest
  const shown = rows.filter((row) => waiting.idOf(row) <= current)
  const count = rows.length - shown.length
  return (
    <>
      <div role="status">
        {count > 0 && (
          <button
            type="button"
            class="waiting-rows"
            data-testid="waiting-rows"
            onClick={() => {
              newest.current = waiting.idOf(first)
              setAsked(newest.current)
              scrollTo({ top: 0 })
            }}
          >
            {waiting.label(count)}
          </button>
        )}
      </div>
      {children(shown)}
    </>
  )
}
