import type { MemoryState } from "../../model/state.ts"
import { readAccount } from "../account.ts"
import { type Charge, type History, payoutOf, pixOf, type Refund, type Withdrawal } from "./history.ts"
import { sides } from "./twoAccounts.ts"

/** What histories with a restored backup must come to. */
export const restoredSights = [
  "a restored backup",
  "a charge that a backup forgot",
  "a withdrawal that a backup forgot",
  "a payout that had left",
  "a refund that had left",
] as const
export type RestoredSight = (typeof restoredSights)[number]

/** What lives in the processes, and is in no backup. */
const isLive = (name: string): boolean =>
  ["options", "hintListeners", "watchedFeeds", "sellerListeners", "wakeListeners"].includes(name) ||
  ["heldPartitions", "streamSlots", "announcements"].includes(name)

/** Backs a store in memory up; answers what restores it. */
export const backUpState = (state: MemoryState): (() => void) => {
  const kept = Object.fromEntries(Object.entries(state).filter(([name]) => !isLive(name)))
  const copied = structuredClone(kept)
  return () => {
    Object.assign(state, structuredClone(copied))
  }
}

const copiesOf = <A extends object>(things: ReadonlyArray<A>): ReadonlyArray<A> =>
  things.map((thing) => ({ ...thing }))

const replace = <A>(things: Array<A>, by: ReadonlyArray<A>): void => {
  things.splice(0, things.length, ...by)
}

/** What of a history is in a backup of our books: all that is ours. */
export interface Backup {
  readonly restoreState: () => void
  readonly charges: ReadonlyArray<Charge>
  readonly withdrawals: ReadonlyArray<Withdrawal>
  readonly refunds: ReadonlyArray<Refund>
  readonly acts: History["acts"]
  readonly touched: ReadonlySet<string>
  readonly nights: ReadonlyArray<number>
}

/** Backs our books up, in place of the backup before. */
export const backUp = (told: History): void => {
  const restoreState = told.backUpState?.()
  if (restoreState === undefined) return
  told.backup = {
    restoreState,
    ...{ charges: copiesOf(told.charges), withdrawals: copiesOf(told.withdrawals) },
    ...{ refunds: copiesOf(told.refunds), acts: [...told.acts] },
    ...{ touched: new Set(told.touched), nights: [...told.nights] },
  }
}

const isNew =
  (before: ReadonlyArray<{ readonly id: string }>) =>
  ({ id }: { readonly id: string }): boolean =>
    before.every((one) => one.id !== id)

/** What was begun since a backup is none of ours any more: the partner has it alone. Undecided payouts are made meanwhile. */
const forgetSince = (told: History, backup: Backup): void => {
  const forgotten = told.charges.filter(isNew(backup.charges))
  if (forgotten.length > 0) told.restored.add("a charge that a backup forgot")
  const known = new Set(sides.flatMap((side) => pixOf({ ...told, charges: [...backup.charges] }, side)))
  for (const { side, txid } of forgotten) {
    for (const pix of told.partner(side).payments.get(txid) ?? []) {
      if (!known.has(pix)) told.strangers.push(Object.assign(pix, { side }))
      known.add(pix)
    }
  }
  for (const withdrawal of told.withdrawals.filter(isNew(backup.withdrawals))) {
    const payout = payoutOf(told, withdrawal)
    if (payout === undefined) continue
    payout.lag = undefined
    if (payout.status === "processing") payout.status = "paid"
    if (payout.status === "paid") told.strangePayouts.push({ side: withdrawal.side, payout })
  }
}

/** What was handed over since a backup may be handed over again, under the same id. */
const allowAgain = (told: History, { withdrawals, refunds }: Backup): void => {
  for (const { side, payoutId } of withdrawals) told.partner(side).known.add(payoutId)
  for (const { side, refundId } of refunds) told.partner(side).known.add(refundId)
  for (const { side, endToEndId } of told.acts)
    if (endToEndId !== undefined) told.partner(side).known.add(endToEndId)
}

/**
 * Restores the last backup of our books, while the partner's go on, and starts anew: until a sweep has compared them, nothing is handed
 * over. Nothing where there is none, or where a payout that it has not came back: an exception of it says what went out alone.
 */
export const restore = async (told: History): Promise<void> => {
  const { backup } = told
  if (backup === undefined) return
  const forgotten = told.withdrawals.filter(isNew(backup.withdrawals))
  if (forgotten.some((withdrawal) => (payoutOf(told, withdrawal)?.returned ?? 0) > 0)) return
  backup.restoreState()
  forgetSince(told, backup)
  allowAgain(told, backup)
  replace(told.charges, copiesOf(backup.charges))
  replace(told.withdrawals, copiesOf(backup.withdrawals))
  replace(told.refunds, copiesOf(backup.refunds))
  replace(told.acts, backup.acts)
  replace(told.nights, backup.nights)
  told.touched.clear()
  for (const id of backup.touched) told.touched.add(id)
  for (const side of sides) told.uncompared.add(side)
  told.restored.add("a restored backup")
  if (forgotten.length > 0) told.restored.add("a withdrawal that a backup forgot")
  await told.restart()
  await lookAround(told)
}

/** Notes what the partner has of which the restored books say that it was never sent. */
const lookAround = async (told: History): Promise<void> => {
  const stored = await told.run(readAccount(told.principal))
  const isUnsent = ({ status }: { readonly status: string }) => status === "approved" || status === "pending"
  const unsent = new Set([...stored.withdrawals, ...stored.refunds].filter(isUnsent).map(({ id }) => id))
  if (told.withdrawals.some((one) => unsent.has(one.id) && payoutOf(told, one) !== undefined)) {
    told.restored.add("a payout that had left")
  }
  const returns = sides.flatMap((side) => pixOf(told, side).flatMap(({ backs }) => backs))
  if (
    told.refunds.some(({ id, refundId }) => unsent.has(id) && returns.some((back) => back.id === refundId))
  ) {
    told.restored.add("a refund that had left")
  }
}
