import { millisOfDay } from "../../ui/period.ts"

/** Days of São Paulo, `YYYY-MM-DD`, both included. */
export interface Period {
  readonly from: string
  readonly to: string
}

/** The most days that a statement has (`docs/contract/statement.md#limits`). */
export const periodDaysMax = 366

const dayMillis = 24 * 60 * 60 * 1000

/** The period of an address: its `from` and `to`, or else this month up to `today`. */
export const periodOf = (query: URLSearchParams, today: string): Period => ({
  from: query.get("from") ?? `${today.slice(0, 8)}01`,
  to: query.get("to") ?? today,
})

/** Why a period cannot be shown; undefined where it can. */
export const problemOf = ({ from, to }: Period): "noDay" | "reversed" | "tooLong" | undefined => {
  const first = millisOfDay(from)
  const last = millisOfDay(to)
  if (first === undefined || last === undefined) return "noDay"
  if (last < first) return "reversed"
  return (last - first) / dayMillis + 1 > periodDaysMax ? "tooLong" : undefined
}

/** The name of a statement's file. */
export const statementFile = (mode: string, { from, to }: Period, ending: string): string =>
  `corrente-${mode}-${from}-${to}.${ending}`
