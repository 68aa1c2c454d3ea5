import type { OperatorWithdrawal } from "../../../../schema/api/operatorWithdrawals.ts"
import { dayMillis } from "../../text/spans.ts"

/** What a seller's withdrawals before one say about it. Amounts in centavos. */
export interface History {
  readonly count: number
  readonly successful: number
  readonly successfulAmount: number
  /** Those that the bank did not pay. */
  readonly failed: number
  readonly rejected: number
  /** Those that the bank gave back after it had paid them. */
  readonly returned: number
  readonly largest: number
  readonly newest: ReadonlyArray<OperatorWithdrawal>
  /** Whether there are older ones, which do not count here. */
  readonly isCut: boolean
  /** Whether any of them was paid to the same Pix key. */
  readonly paidThisKey: boolean
}

const newestMax = 3

/** Sums up what a seller withdrew before, from a page of its withdrawals, newest first. */
export const historyOf = (
  withdrawal: Pick<OperatorWithdrawal, "id" | "pix_key_id">,
  page: { readonly data: ReadonlyArray<OperatorWithdrawal>; readonly next_cursor: string | null },
): History => {
  const before = page.data.filter(({ id }) => id !== withdrawal.id)
  const successful = before.filter(({ status }) => status === "successful")
  const counted = (wanted: OperatorWithdrawal["status"]) =>
    before.filter(({ status }) => status === wanted).length
  return {
    count: before.length,
    successful: successful.length,
    successfulAmount: successful.reduce((sum, { amount }) => sum + amount, 0),
    failed: counted("failed"),
    rejected: counted("rejected"),
    returned: before.filter(({ returned_at }) => returned_at != null).length,
    largest: Math.max(0, ...successful.map(({ amount }) => amount)),
    newest: before.slice(0, newestMax),
    isCut: page.next_cursor !== null,
    paidThisKey: successful.some(({ pix_key_id }) => pix_key_id === withdrawal.pix_key_id),
  }
}

/** Whole days between a moment and now. */
export const ageDays = (at: string, nowMillis: number): number =>
  Math.max(0, Math.floor((nowMillis - Date.parse(at)) / dayMillis))

/** Runs at most `max` of the given tasks at a time, the others in order once one has ended. */
export const makeQueue = (max: number) => {
  const waiting: Array<() => void> = []
  let running = 0
  const next = () => {
    running -= 1
    waiting.shift()?.()
  }
  return async <A>(task: () => Promise<A>): Promise<A> => {
    if (running >= max) await new Promise<void>((resolve) => waiting.push(resolve))
    running += 1
    try {
      return await task()
    } finally {
      next()
    }
  }
}
