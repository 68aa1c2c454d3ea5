import type { Workload, WorkloadTarget } from "./workload.ts"
import { describe, headers } from "./workloadParts.ts"

/** GET /health. */
export const makeHealthChecks = (target: WorkloadTarget): Workload => {
  const request = Buffer.from(`GET /health HTTP/1.1\r\n${headers(target)}\r\n`)
  let answered = 0
  return {
    next: () => request,
    check: (_, status, bytes, start, end) => {
      const isRight = status === 200 && bytes.toString("latin1", start, end).startsWith('{"status":"ok"')
      if (!isRight) return describe(status, bytes, start, end)
      answered += 1
      return undefined
    },
    summary: () => ({ answered, amountSum: 0, created: 0, createdSum: 0, charges: [] }),
  }
}
