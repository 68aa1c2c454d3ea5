import { computed, signal } from "@preact/signals"
import { dayMillis } from "./spans.ts"

/** Whose days and hours the pages show. */
export const timeZone = "America/Sao_Paulo"
const tickMillis = 60_000

/** `YYYY-MM-DD`, as the API takes days. */
const isoDay = new Intl.DateTimeFormat("en-CA", {
  timeZone,
  year: "numeric",
  month: "2-digit",
  day: "2-digit",
})

/** The day in São Paulo, as `YYYY-MM-DD`. */
export const dayOf = (at: Date): string => isoDay.format(at)

/** The day `days` before another, both as `YYYY-MM-DD`. */
export const dayBefore = (day: string, days: number): string =>
  new Date(Date.parse(`${day}T00:00:00Z`) - days * dayMillis).toISOString().slice(0, 10)

/** How far the seller's test clock is ahead of the true time; 0 in live mode, which has no other clock. */
export const aheadMillis = signal(0)

/** Now, in ms of Unix time: in test mode by the test clock. */
export const nowMillis = (): number => Date.now() + aheadMillis.value

const ticks = signal(0)

/** The day that pages call today, in São Paulo: in test mode by the test clock, as the times of charges, money and deliveries are. */
export const today = computed(() => {
  ticks.value
  return dayOf(new Date(nowMillis()))
})

/** The true day in São Paulo. Sessions, passkeys, keys and whatever else is of an account know no test clock. */
export const trueToday = computed(() => {
  ticks.value
  return dayOf(new Date())
})

/** Lets {@link today} and {@link trueToday} change while a page stays open over midnight. */
export const followToday = (): void => {
  setInterval(() => {
    ticks.value += 1
  }, tickMillis)
}
