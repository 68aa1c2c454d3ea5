import type { ComponentChildren } from "preact"
import { useEffect, useId, useLayoutEffect, useRef, useState } from "preact/hooks"
import { useKeys } from "./keys.ts"
import { isNearEnd, renderedRange, rowAfterKey, scrollTopFor } from "./visibleRange.ts"

interface VirtualListProps<A> {
  readonly label: string
  readonly items: ReadonlyArray<A>
  readonly keyOf: (item: A) => string
  /** The height of every row, in CSS pixels. */
  readonly rowHeight: number
  readonly children: (item: A) => ComponentChildren
  /** Attributes of a row's element. */
  readonly attributesOf?: (item: A) => Readonly<Record<`data-${string}`, string | number>>
  /** The key of the row that is chosen. */
  readonly chosen?: string | undefined
  /** A row was pressed, or Enter or Space while it was the active one. */
  readonly onChoose: (item: A) => void
  /** Whether somebody reads: scrolled away from the top, or going through the rows by keyboard. */
  readonly onReading?: (isReading: boolean) => void
  /** The end of the list is near. */
  readonly onNearEnd?: () => void
  /** Another value scrolls the list to its top. */
  readonly topSignal?: number
}

/**
 * A list of any length of which only the rows near the visible ones are in the document. It is a listbox: Tab leads to it; the arrows,
 * Page Up, Page Down, Home and End, and `j` and `k` from anywhere, go through its rows; Enter or Space chooses one.
 */
export const VirtualList = <A,>(props: VirtualListProps<A>) => {
  const { label, items, keyOf, rowHeight, chosen, onChoose, onReading, onNearEnd, topSignal } = props
  const element = useRef<HTMLDivElement>(null)
  const id = useId()
  const [scrollTop, setScrollTop] = useState(0)
  const [height, setHeight] = useState(0)
  const [active, setActive] = useState<string | undefined>(undefined)
  const [isByKeyboard, setByKeyboard] = useState(false)
  const viewport = { scrollTop, height, rowHeight, count: items.length }

  useLayoutEffect(() => {
    const list = element.current
    if (list === null) return
    const measure = () => setHeight(list.clientHeight)
    const observer = new ResizeObserver(measure)
    observer.observe(list)
    measure()
    return () => observer.disconnect()
  }, [])
  useEffect(() => {
    if (topSignal === undefined || element.current === null) return
    element.current.scrollTop = 0
    setByKeyboard(false)
  }, [topSignal])
  useEffect(() => onReading?.(scrollTop >= rowHeight || isByKeyboard), [scrollTop >= rowHeight, isByKeyboard])
  const wantsMore = height > 0 && isNearEnd(viewport)
  useEffect(() => {
    if (wantsMore) onNearEnd?.()
  }, [wantsMore, items.length])

  const { start, end } = renderedRange(viewport)
  const rendered = items.slice(start, end)
  const rowId = (key: string) => `${id}-${key}`
  const hasActive = active !== undefined && rendered.some((item) => keyOf(item) === active)

  const indexOfActive = () => (active === undefined ? -1 : items.findIndex((item) => keyOf(item) === active))
  /** Makes the row active that a key leads to from another; false where it leads to none. */
  const walk = (key: string, from: number): boolean => {
    const next = rowAfterKey(key, from, viewport)
    const item = next === undefined ? undefined : items[next]
    if (next === undefined || item === undefined || element.current === null) return false
    setActive(keyOf(item))
    setByKeyboard(true)
    element.current.scrollTop = scrollTopFor(next, viewport)
    return true
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return
    const index = indexOfActive()
    const current = items[index]
    if ((event.key === "Enter" || event.key === " ") && current !== undefined) {
      event.preventDefault()
      return onChoose(current)
    }
    if (walk(event.key, index)) event.preventDefault()
  }
  const walkByLetter = (key: "ArrowDown" | "ArrowUp") => () => {
    element.current?.focus({ preventScroll: true })
    walk(key, indexOfActive())
  }
  useKeys({ j: walkByLetter("ArrowDown"), k: walkByLetter("ArrowUp") })

  return (
    <div
      ref={element}
      class="virtual-list"
      role="listbox"
      tabIndex={0}
      aria-label={label}
      aria-activedescendant={hasActive ? rowId(active) : undefined}
      onScroll={(event) => setScrollTop(event.currentTarget.scrollTop)}
      onKeyDown={onKeyDown}
      onBlur={() => setByKeyboard(false)}
    >
      <div class="virtual-space" role="presentation" style={{ height: `${items.length * rowHeight}px` }}>
        <div
          class="virtual-rows"
          role="presentation"
          style={{ transform: `translateY(${start * rowHeight}px)` }}
        >
          {rendered.map((item, offset) => {
            const key = keyOf(item)
            return (
              // biome-ignore lint/a11y/useKeyWithClickEvents: the listbox has the focus, and takes the keys.
              // biome-ignore lint/a11y/useFocusableInteractive: the listbox names its active option instead.
              <div
                {...props.attributesOf?.(item)}
                key={key}
                id={rowId(key)}
                class="virtual-row"
                role="option"
                aria-selected={key === chosen}
                aria-posinset={start + offset + 1}
                aria-setsize={items.length}
                data-active={key === active ? "true" : undefined}
                style={{ height: `${rowHeight}px` }}
                onClick={() => {
                  setActive(key)
                  onChoose(item)
                }}
              >
                {props.children(item)}
              </div>
            )
          })}
        </div>
      </div>
    </div>
  )
}
