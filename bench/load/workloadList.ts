import type { Workload, WorkloadTarget } from "./workload.ts"
import { describe, headers } from "./workloadParts.ts"

/** Start of a charge in a list; ids appear nowhere else. */
const itemStart = '{"id":"txn_'

/** GET of the newest charges: each response must show exactly the charges of `ids`, in order. */
export const makeLists = (ids: ReadonlyArray<string>, target: WorkloadTarget): Workload => {
  const request = Buffer.from(`GET /v1/transactions?limit=${ids.length} HTTP/1.1\r\n${headers(target)}\r\n`)
  const items = ids.map((id) => Buffer.from(`{"id":"${id}"`))
  const pageStart = Buffer.from('{"data":[')
  let answered = 0

  const isRight = (bytes: Buffer, start: number, end: number): boolean => {
    if (bytes.indexOf(pageStart, start) !== start) return false
    let at = start + pageStart.length
    for (const item of items) {
      // The next charge must be this one.
      at = bytes.indexOf(itemStart, at)
      if (at < 0 || at + item.length > end) return false
      if (bytes.compare(item, 0, item.length, at, at + item.length) !== 0) return false
      at += item.length
    }
    const next = bytes.indexOf(itemStart, at)
    return next < 0 || next >= end
  }

  return {
    next: () => request,
    check: (_, status, bytes, start, end) => {
      if (status !== 200 || !isRight(bytes, start, end)) return describe(status, bytes, start, end)
      answered += 1
      return undefined
    },
    summary: () => ({ answered, amountSum: 0, created: 0, createdSum: 0, charges: [] }),
  }
}
