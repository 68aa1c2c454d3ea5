import type { LedgerEntry } from "../../../../schema/resources/ledger.ts"
import type { Withdrawal } from "../../../../schema/resources/withdrawal.ts"
import { api, type Page } from "../../api/http.ts"

/** A stretch of time, in milliseconds since 1970. */
interface Window {
  readonly fromMillis: number
  readonly toMillis: number
}

/** An entry is written in the same step as the change that it belongs to, which may have read its clock a little earlier. */
const slackMillis = 2_000
/** Nobody waits for more pages of a busy seller's ledger; the balance page has all of it. */
const pagesMax = 5

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

const readWindow = async (id: string, window: Window, signal: AbortSignal) => {
  const found: Array<LedgerEntry> = []
  const from = new Date(window.fromMillis).toISOString()
  const to = new Date(window.toMillis).toISOString()
  let cursor: string | undefined
  for (let page = 0; page < pagesMax; page++) {
    const read = await api.get<Page<LedgerEntry>>(
      "/v1/me/ledger",
      { from, to, limit: 100, cursor },
      { signal },
    )
    found.push(...read.data.filter(({ resource_id }) => resource_id === id))
    if (read.next_cursor === null) break
    cursor = read.next_cursor
  }
  return found
}

/** The ledger entries of a withdrawal, newest first. */
export const readEntries = async (
  withdrawal: Withdrawal,
  signal: AbortSignal,
): Promise<ReadonlyArray<LedgerEntry>> => {
  const windows = windowsOf(withdrawal).toReversed()
  const found = await Promise.all(windows.map((window) => readWindow(withdrawal.id, window, signal)))
  return found.flat()
}
