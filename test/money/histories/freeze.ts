import { Effect } from "effect"
import { Ledger } from "../../../actors/ports/ledger.ts"
import { freezingKinds } from "../../../schema/resources/exception.ts"
import { exceptionsOf } from "./exceptions.ts"
import type { History } from "./history.ts"
import { sides } from "./twoAccounts.ts"

/** The fact of an open exception that freezes a history, or that it awaits its first sweep; undefined where nothing does. */
export const frozenBy = async (told: History): Promise<string | undefined> =>
  told.uncompared.has(told.at)
    ? "the books are not compared yet"
    : (await exceptionsOf(told)).find(
        ({ stored }) => stored.state === "open" && freezingKinds.includes(stored.kind),
      )?.stored.fact

/** How often something was handed to the partner for a history: payouts, and refunds of any kind. */
const sendingsOf = (told: History): number => {
  const ids = [
    ...told.withdrawals.map(({ payoutId }) => payoutId),
    ...told.refunds.map(({ refundId }) => refundId),
    ...told.acts.flatMap(({ endToEndId }) => endToEndId ?? []),
  ]
  return sides.reduce((sum, side) => {
    const { sendings } = told.partner(side)
    return sum + ids.reduce((count, id) => count + (sendings.get(id) ?? 0), 0)
  }, 0)
}

/**
 * Fires a timer that may hand money to the partner, and notes it where it did so during a freeze. `fire` answers the status of what
 * it was about before; undefined where there was nothing to fire.
 */
export const whileWatched = async (
  told: History,
  fire: () => Promise<string | undefined>,
): Promise<boolean> => {
  const frozen = await frozenBy(told)
  const before = sendingsOf(told)
  const status = await fire()
  if (frozen !== undefined && sendingsOf(told) > before) {
    told.oddAnswers.push(`money was handed over, frozen by ${frozen}`)
  }
  if (frozen !== undefined && (status === "approved" || status === "pending")) told.frozenTimes += 1
  return status !== undefined
}

/** Fires a timer that may hand over a payout, and notes it where it did so while its seller was in debt. */
export const whileSolvent = async (
  told: History,
  fire: () => Promise<string | undefined>,
): Promise<string | undefined> => {
  const owed = { sellerId: told.principal.sellerId, mode: "live" } as const
  const available = await told.run(Effect.flatMap(Ledger, (ledger) => ledger.available(owed)))
  const before = sendingsOf(told)
  const status = await fire()
  if (available >= 0) return status
  if (sendingsOf(told) > before) told.oddAnswers.push(`a payout was handed over with ${available} available`)
  if (status === "approved") told.debtTimes += 1
  return status
}
