import type { LedgerEntry } from "../../../../schema/resources/ledger.ts"
import type { Withdrawal } from "../../../../schema/resources/withdrawal.ts"
import { api, type Page } from "../../api/http.ts"
import { type Window, windowsOf } from "./windows.ts"

/** Nobody waits for more pages of a busy seller's ledger; the balance page has all of it. */
const pagesMax = 5

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
