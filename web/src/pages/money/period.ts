/** Days of São Paulo, `YYYY-MM-DD`, both included. */
export interface Period {
  readonly from: string
  readonly to: string
}

/** The most days that a statement has (`docs/contract/statement.md#limits`). */
export const periodDaysMax = 366

const dayPattern = /^\d{4}-\d{2}-\d{2}$/
const dayMillis = 24 * 60 * 60 * 1000

/** Midnight of a day in UTC; undefined where the text names no day that exists. */
const millisOf = (day: string): number | undefined => {
  if (!dayPattern.test(day)) return undefined
  const millis = Date.parse(`${day}T00:00:00Z`)
  return Number.isNaN(millis) || new Date(millis).toISOString().slice(0, 10) !== day ? undefined : millis
}

/** The period of an address: its `from` and `to`, or else this month up to `today`. */
export const periodOf = (query: URLSearchParams, today: string): Period => ({
  from: query.get("from") ?? `${today.slice(0, 8)}01`,
  to: query.get("to") ?? today,
})

/** Why a period cannot be shown; undefined where it can. */
export const problemOf = ({ from, to }: Period): "noDay" | "reversed" | "tooLong" | undefined => {
  const first = millisOf(from)
  const last = millisOf(to)
  if (first === undefined || last === undefined) return "noDay"
  if (last < first) return "reversed"
  return (last - first) / dayMillis + 1 > periodDaysMax ? "tooLong" : undefined
}

/** The name of a statement's file. */
export const statementFile = (mode: string, { from, to }: Period, ending: string): string =>
  `corrente-${mode}-${from}-${to}.${ending}`
