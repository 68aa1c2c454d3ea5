import { computed } from "@preact/signals"
import { formatDocument, maskedDocument } from "../../../schema/chargeTexts.ts"
import { language, textsOf } from "./i18n.ts"
import { dayMillis, hourMillis, minuteMillis } from "./spans.ts"
import { dayBefore, dayOf, timeZone } from "./today.ts"

const money = computed(() => new Intl.NumberFormat(language.value, { style: "currency", currency: "BRL" }))
const moneyInShort = computed(
  () =>
    new Intl.NumberFormat(language.value, {
      style: "currency",
      currency: "BRL",
      notation: "compact",
      minimumFractionDigits: 0,
      maximumFractionDigits: 2,
    }),
)
const count = computed(() => new Intl.NumberFormat(language.value))
const percent = computed(
  () => new Intl.NumberFormat(language.value, { style: "percent", maximumFractionDigits: 1 }),
)
const month = computed(() => new Intl.DateTimeFormat(language.value, { timeZone, month: "short" }))
const clock = computed(
  () =>
    new Intl.DateTimeFormat(language.value, {
      timeZone,
      hour: "2-digit",
      minute: "2-digit",
      second: "2-digit",
      hourCycle: "h23",
    }),
)
const hour = computed(
  () =>
    new Intl.DateTimeFormat(language.value, {
      timeZone,
      hour: "2-digit",
      minute: "2-digit",
      hourCycle: "h23",
    }),
)
const dayAndMonth = computed(
  () => new Intl.DateTimeFormat(language.value, { timeZone, day: "2-digit", month: "2-digit" }),
)

/** Centavos as `R$ 12,90`, with a minus as wide as a plus. */
export const formatMoney = (centavos: number): string => money.value.format(centavos / 100).replace("-", "−")

/** Centavos as `R$ 12 mil`, for axes. */
export const formatMoneyInShort = (centavos: number): string => moneyInShort.value.format(centavos / 100)

/** A number with separators of thousands. */
export const formatCount = (value: number): string => count.value.format(value)

/** A CPF with its outer digits hidden, as banks show it: `***.982.247-**`; a CNPJ is public, and any other text stays. */
export const maskDocument = (text: string): string =>
  /^\d{11}$/.test(text) ? maskedDocument(text) : formatDocument(text)

const spanUnits = [
  ["day", dayMillis],
  ["hour", hourMillis],
  ["minute", minuteMillis],
  ["second", 1_000],
] as const

/** A length of time in its largest unit, rounded down: `1 s`, `5 min`, `2 dias`. */
export const formatSpan = (millis: number): string => {
  const [unit, length] = spanUnits.find(([, one]) => millis >= one) ?? ["second", 1_000]
  const style = { style: "unit", unit, unitDisplay: "short" } as const
  return new Intl.NumberFormat(language.value, style).format(Math.floor(Math.max(0, millis) / length))
}

/** A share of 0 to 1 as `97,5%`. */
export const formatPercent = (share: number): string => percent.value.format(share)

/** A date-time of the API as the time of day in São Paulo. */
export const formatClock = (at: string): string => clock.value.format(new Date(at))

/** A date-time of the API as hour and minute in São Paulo. */
export const formatHour = (at: string): string => hour.value.format(new Date(at))

/** A date-time of the API as day and month in São Paulo, for axes. */
export const formatDayAndMonth = (at: string): string => dayAndMonth.value.format(new Date(at))

const dayMonth = (at: Date): string => {
  const [, , day = ""] = dayOf(at).split("-")
  // Portuguese shortens months with a dot, which says nothing here.
  return `${Number(day)} ${month.value.format(at).replace(".", "")}`
}

/** A date-time of the API as the date in São Paulo: `28 nov 2026`. */
export const formatDate = (at: string): string => {
  const moment = new Date(at)
  return `${dayMonth(moment)} ${dayOf(moment).slice(0, 4)}`
}

/** A date-time of the API as date and time in São Paulo, to the second: `28 nov 2026, 04:55:12`. */
export const formatMoment = (at: string): string => `${formatDate(at)}, ${formatClock(at)}`

const nearDays = textsOf({
  "pt-BR": { yesterday: "ontem", today: "hoje", tomorrow: "amanhã", on: "em" },
  en: { yesterday: "yesterday", today: "today", tomorrow: "tomorrow", on: "on" },
})

/**
 * A date-time of the API in the one form that lists use, in São Paulo, seen from a day (`YYYY-MM-DD`): `hoje 04:55`, `ontem 18:02`,
 * `21 nov`, and with the year where it is another.
 */
export const formatWhen = (at: string, seenFrom: string): string => {
  const moment = new Date(at)
  const day = dayOf(moment)
  const { yesterday, today, tomorrow } = nearDays.value
  if (day === seenFrom) return `${today} ${formatHour(at)}`
  if (day === dayBefore(seenFrom, 1)) return `${yesterday} ${formatHour(at)}`
  if (day === dayBefore(seenFrom, -1)) return `${tomorrow} ${formatHour(at)}`
  return day.slice(0, 4) === seenFrom.slice(0, 4) ? dayMonth(moment) : formatDate(at)
}

/** A day of São Paulo (`YYYY-MM-DD`) as a heading, seen from another: `hoje, 28 nov`, `27 nov`, and with the year where it is another. */
export const formatDay = (day: string, seenFrom: string): string => {
  const moment = new Date(`${day}T12:00:00-03:00`)
  const { yesterday, today } = nearDays.value
  const text = day.slice(0, 4) === seenFrom.slice(0, 4) ? dayMonth(moment) : formatDate(moment.toISOString())
  if (day === seenFrom) return `${today}, ${text}`
  return day === dayBefore(seenFrom, 1) ? `${yesterday}, ${text}` : text
}

/** The day of a date-time of the API within a sentence, seen from a day: `hoje`, `ontem`, `em 21 nov`. */
export const formatDayInSentence = (at: string, seenFrom: string): string => {
  const { yesterday, today, on } = nearDays.value
  const day = dayOf(new Date(at))
  if (day === seenFrom) return today
  return day === dayBefore(seenFrom, 1) ? yesterday : `${on} ${formatWhen(at, seenFrom)}`
}
