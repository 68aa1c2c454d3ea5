import type { Case } from "../../../schema/api/queue.ts"

type Waiting = Pick<Case, "amount" | "created_at">

const dayMillis = 86_400_000

/**
 * The order of operators' queue (`docs/contract/admin.md#queue`): money before what moves none, then what has waited for more whole days,
 * then the larger amount, then the older.
 */
export const byUrgency = (nowMillis: number) => {
  const daysOf = ({ created_at }: Waiting) => Math.floor((nowMillis - Date.parse(created_at)) / dayMillis)
  return (one: Waiting, other: Waiting): number =>
    Number(one.amount === null) - Number(other.amount === null) ||
    daysOf(other) - daysOf(one) ||
    (other.amount ?? 0) - (one.amount ?? 0) ||
    Date.parse(one.created_at) - Date.parse(other.created_at)
}
