import { useEffect, useRef } from "preact/hooks"

/**
 * Does something again and again while the page can be seen, for what the feed has no events of, such as attempts of deliveries.
 * A page that comes back into sight does it at once.
 */
export const useEvery = (millis: number, act: () => unknown): void => {
  const latest = useRef(act)
  latest.current = act
  useEffect(() => {
    const actIfSeen = () => {
      if (document.visibilityState === "visible") latest.current()
    }
    const timer = setInterval(actIfSeen, millis)
    document.addEventListener("visibilitychange", actIfSeen)
    return () => {
      clearInterval(timer)
      document.removeEventListener("visibilitychange", actIfSeen)
    }
  }, [millis])
}
