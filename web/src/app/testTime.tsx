import { useEffect } from "preact/hooks"
import { call } from "../api/http.ts"
import { mode } from "../api/session.ts"
import { textsOf } from "../text/i18n.ts"
import { dayMillis, hourMillis, minuteMillis } from "../text/spans.ts"
import { aheadMillis } from "../text/today.ts"
import { Icon } from "../ui/icons.tsx"
import { Link } from "./router.tsx"

const texts = textsOf({
  "pt-BR": { title: "Relógio de teste à frente do tempo real" },
  en: { title: "The test clock is ahead of the true time" },
})

/** `+1 d`, `+2 h`, `+30 min`: the largest unit that says how far. */
const aheadText = (millis: number): string => {
  if (millis >= dayMillis) return `+${Math.floor(millis / dayMillis)} d`
  return millis >= hourMillis
    ? `+${Math.floor(millis / hourMillis)} h`
    : `+${Math.floor(millis / minuteMillis)} min`
}

/** Reads how far the seller's test clock is ahead, which decides what pages call today. */
const readAhead = async (signal: AbortSignal): Promise<void> => {
  const { advanced_seconds } = await call("GET /v1/me/test/clock", { signal })
  aheadMillis.value = advanced_seconds * 1_000
}

/** Says in the header that the test clock is ahead, and leads to it; nothing while it tells the true time. */
export const TestTime = () => {
  const isTest = mode.value === "test"
  useEffect(() => {
    aheadMillis.value = 0
    if (!isTest) return
    const leaving = new AbortController()
    // Dates are told by the true day until it is known.
    readAhead(leaving.signal).catch(() => undefined)
    return () => {
      leaving.abort()
      // Who signs in next has another clock, or none.
      aheadMillis.value = 0
    }
  }, [isTest])
  if (aheadMillis.value < minuteMillis) return null
  return (
    <Link to="/test" class="test-time" aria-label={`${texts.value.title}: ${aheadText(aheadMillis.value)}`}>
      <Icon name="clock" /> {aheadText(aheadMillis.value)}
    </Link>
  )
}
