import { dayBefore } from "../text/today.ts"

/** A period of a list, as the address and the API have it: days in São Paulo, both included. */
export interface Period {
  readonly from?: string | undefined
  readonly to?: string | undefined
}

/** The periods that a list offers by name. */
export const periodNames = ["all", "today", "7d", "30d", "month", "lastMonth", "custom"] as const
export type PeriodName = (typeof periodNames)[number]

const daysBack = { today: 0, "7d": 6, "30d": 29 } as const

const monthOf = (day: string): string => day.slice(0, 7)

/** The days of a named period: one that ends today, or the month before. */
export const periodOf = (name: Exclude<PeriodName, "custom">, today: string): Period => {
  if (name === "all") return {}
  const firstDay = `${monthOf(today)}-01`
  if (name === "month") return { from: firstDay, to: today }
  if (name !== "lastMonth") return { from: dayBefore(today, daysBack[name]), to: today }
  const to = dayBefore(firstDay, 1)
  return { from: `${monthOf(to)}-01`, to }
}

/** The name of a period: `custom` for days that no other name has. */
export const periodName = ({ from = "", to = "" }: Period, today: string): PeriodName => {
  if (from === "" && to === "") return "all"
  const known = (["today", "7d", "30d", "month", "lastMonth"] as const).find((name) => {
    const period = periodOf(name, today)
    return period.from === from && period.to === to
  })
  return known ?? "custom"
}

/** Midnight of a day in UTC; undefined where the text names no day that exists. */
export const millisOfDay = (day: string): number | undefined => {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(day)) return undefined
  const millis = Date.parse(`${day}T00:00:00Z`)
  // The 30th of February would be read as a day of March.
  return Number.isNaN(millis) || new Date(millis).toISOString().slice(0, 10) !== day ? undefined : millis
}

/** Days of the address that the API takes; what is no day is left out, so that an old or wrong link still shows the list. */
export const readPeriod = (query: URLSearchParams): Period => {
  const day = (name: string) => {
    const text = query.get(name) ?? ""
    return millisOfDay(text) === undefined ? undefined : text
  }
  return { from: day("from"), to: day("to") }
}
