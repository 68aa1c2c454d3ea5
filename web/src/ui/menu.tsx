import type { ComponentChildren } from "preact"
import { useEffect, useRef, useState } from "preact/hooks"
import { Button } from "./button.tsx"
import { Icon } from "./icons.tsx"
import { uiTexts } from "./texts.ts"

/** An act of a {@link Menu}. */
interface MenuEntry {
  readonly name: string
  readonly icon?: ComponentChildren
  readonly onClick: () => unknown
  readonly testId?: string
}

interface MenuProps {
  readonly entries: ReadonlyArray<MenuEntry>
  /** What its button is called; by default, more acts. */
  readonly label?: string
  readonly icon?: "more" | "down"
  readonly testId?: string
}

/** Acts that are wanted seldom, behind a button of three dots. Escape, a press elsewhere, or leaving it by keyboard closes it. */
export const Menu = ({ entries, label, icon: drawing = "more", testId = "more-acts" }: MenuProps) => {
  const [isOpen, setOpen] = useState(false)
  const root = useRef<HTMLDivElement>(null)
  const close = () => {
    setOpen(false)
    root.current?.querySelector("button")?.focus()
  }
  useEffect(() => {
    if (!isOpen) return
    const closeOutside = ({ target }: Event) => {
      if (target instanceof Node && root.current?.contains(target) === false) setOpen(false)
    }
    const closeByKey = ({ key }: KeyboardEvent) => {
      if (key === "Escape") close()
    }
    addEventListener("pointerdown", closeOutside)
    addEventListener("focusin", closeOutside)
    addEventListener("keydown", closeByKey)
    return () => {
      removeEventListener("pointerdown", closeOutside)
      removeEventListener("focusin", closeOutside)
      removeEventListener("keydown", closeByKey)
    }
  }, [isOpen])
  return (
    <div ref={root} class="more-acts">
      <Button
        aria-label={label ?? uiTexts.value.moreActs}
        aria-expanded={isOpen}
        data-testid={testId}
        onClick={() => setOpen(!isOpen)}
      >
        <Icon name={drawing} />
      </Button>
      {isOpen && (
        <ul>
          {entries.map(({ name, icon, onClick, testId: entryTestId }) => (
            <li key={name}>
              <Button
                kind="quiet"
                {...(entryTestId === undefined ? {} : { "data-testid": entryTestId })}
                onClick={() => {
                  close()
                  return onClick()
                }}
              >
                {icon} {name}
              </Button>
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}
