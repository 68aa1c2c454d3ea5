import type { Withdrawal } from "../../../../schema/resources/withdrawal.ts"

/** A stretch of time, in milliseconds since 1970. */
export interface Window {
  readonly fromMillis: number
  readonly toMillis: number
}

/** An entry is written in the same step as the change that it belongs to, which may have read its clock a little earlier. */
const slackMillis = 2_000

/** When a withdrawal moved money: the ledger is searched there alone, since it cannot be asked for one resource. */
export const windowsOf = (withdrawal: Withdrawal): ReadonlyArray<Window> => {
  const { created_at, completed_at, returned_at, updated_at, debited_amount } = withdrawal
  const moments = [created_at, completed_at, returned_at, debited_amount === undefined ? null : updated_at]
  const windows: Array<{ fromMillis: number; toMillis: number }> = []
  for (const moment of moments) {
    if (moment === null || moment === undefined) continue
    const fromMillis = Date.parse(moment) - slackMillis
    const toMillis = Date.parse(moment) + slackMillis
    const last = windows.at(-1)
    if (last !== undefined && fromMillis <= last.toMillis) last.toMillis = Math.max(last.toMillis, toMillis)
    else windows.push({ fromMillis, toMillis })
  }
  return windows
}
