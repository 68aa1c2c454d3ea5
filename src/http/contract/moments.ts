import { dayEndMillis, dayStartMillis } from "../../../actors/values/saoPauloDays.ts"

const datePattern = /^\d{4}-\d{2}-\d{2}$/

/**
 * The time in ms of a validated date-time text. A date alone is that whole day in America/Sao_Paulo: its first moment
 * as a `start`, its last millisecond as an `end`.
 */
export const momentOf = (text: string, edge: "start" | "end"): number => {
  if (!datePattern.test(text)) return Date.parse(text)
  return edge === "start" ? dayStartMillis(text) : dayEndMillis(text)
}
