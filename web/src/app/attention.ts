/** Without a touch for so long, nobody is taken to look at the page. */
const awayAfterMillis = 15 * 60_000

let touchedAtMillis = Date.now()
const comers = new Set<() => void>()

/**
 * Whether somebody may be looking: the page is visible, and was touched in the last quarter of an hour. Pages of operators read nothing
 * by themselves otherwise, so that a session that nobody uses ends (docs/contract/accounts.md#sessions).
 */
export const isAttended = (): boolean =>
  document.visibilityState === "visible" && Date.now() - touchedAtMillis < awayAfterMillis

const tell = (): void => {
  for (const comer of comers) comer()
}

const onTouch = (): void => {
  const wasAttended = isAttended()
  touchedAtMillis = Date.now()
  if (!wasAttended) tell()
}

const touches = ["pointerdown", "pointermove", "keydown", "wheel"] as const

/** Calls back whenever somebody comes or goes; returns what ends that. */
export const onAttention = (call: () => void): (() => void) => {
  if (comers.size === 0) {
    touchedAtMillis = Date.now()
    for (const touch of touches) addEventListener(touch, onTouch, { capture: true, passive: true })
    document.addEventListener("visibilitychange", tell)
  }
  comers.add(call)
  return () => {
    comers.delete(call)
    if (comers.size > 0) return
    for (const touch of touches) removeEventListener(touch, onTouch, { capture: true })
    document.removeEventListener("visibilitychange", tell)
  }
}
