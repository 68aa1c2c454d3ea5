import { useLayoutEffect, useRef } from "preact/hooks"

/** What keys do, by the name of the key as `KeyboardEvent.key` has it; with Ctrl or Command `Ctrl+k`. */
export type KeyActs = Readonly<Record<string, (event: KeyboardEvent) => void>>

interface Holder {
  readonly acts: KeyActs
}

/** Those who take keys now. The newest of those who know a key has it: a panel before the list it was opened from. */
const holders: Array<{ readonly current: Holder }> = []

const textInputs = "input:not([type=checkbox], [type=radio]), textarea, select, [contenteditable]"

/** Whether the key is somebody else's: typed into a field, meant for an open dialog, or handled already. */
const isTaken = (event: KeyboardEvent): boolean =>
  event.defaultPrevented ||
  event.isComposing ||
  (event.target instanceof Element && event.target.closest(textInputs) !== null) ||
  document.querySelector("dialog[open]") !== null

/** Undefined for combinations that no page uses. Layouts that have a character only with AltGr report Ctrl and Alt beside it. */
const nameOf = (event: KeyboardEvent): string | undefined => {
  if (event.getModifierState("AltGraph")) return event.key
  if (event.altKey) return undefined
  return event.ctrlKey || event.metaKey ? `Ctrl+${event.key.toLowerCase()}` : event.key
}

const onKeyDown = (event: KeyboardEvent): void => {
  const name = nameOf(event)
  if (name === undefined || isTaken(event)) return
  const act = holders.findLast(({ current }) => Object.hasOwn(current.acts, name))?.current.acts[name]
  if (act === undefined) return
  event.preventDefault()
  act(event)
}

/**
 * Takes keys of the whole page while a component is shown (docs/dashboard.md#keys). They do nothing while somebody types in a field
 * or a dialog is open.
 */
export const useKeys = (acts: KeyActs): void => {
  const latest = useRef<Holder>({ acts })
  latest.current = { acts }
  // Before the first paint: whoever sees a page or a panel may press a key of it at once.
  useLayoutEffect(() => {
    if (holders.length === 0) document.addEventListener("keydown", onKeyDown)
    holders.push(latest)
    return () => {
      holders.splice(holders.indexOf(latest), 1)
      if (holders.length === 0) document.removeEventListener("keydown", onKeyDown)
    }
  }, [])
}

/** Moves the focus to the link of the next row that opens something, or of the one before; from outside to the first. */
const walkRows = (step: 1 | -1): void => {
  const rows = [...document.querySelectorAll("main [data-opens]")]
  const current = rows.findIndex((row) => row.contains(document.activeElement))
  const next = rows[current === -1 ? 0 : current + step]
  next?.querySelector<HTMLElement>("a[href]")?.focus()
}

/** Takes `j` and `k`, which go through the rows of a list; Enter opens the one that has the focus. */
export const useRowKeys = (): void => useKeys({ j: () => walkRows(1), k: () => walkRows(-1) })
