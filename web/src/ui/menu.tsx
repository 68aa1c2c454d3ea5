import type { ComponentChildren } from "preact"
import { useEffect, useRef, useState } from "preact/hooks"
import { Button } from "./button.tsx"
import { Icon } from "./icons.tsx"
import { uiTexts } from "./texts.ts"

/** An act of a {@link Menu}. */
interface MenuEntry {
  readonly name: string
  readonly icon: ComponentChildren
  readonly onClick: () => unknown
}

/** Acts that are wanted seldom, behind a button of three dots. Escape, a press elsewhere, or leaving it by keyboard closes it. */
export const Menu = ({ entries }: { readonly entries: ReadonlyArray<MenuEntry> }) => {
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
        aria-label={uiTexts.value.moreActs}
        aria-expanded={isOpen}
        data-testid="more-acts"
        onClick={() => setOpen(!isOpen)}
      >
        <Icon name="more" />
      </Button>
      {isOpen && (
        <ul>
          {entries.map(({ name, icon, onClick }) => (
            <li key={name}>
              <Button
                kind="quiet"
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
