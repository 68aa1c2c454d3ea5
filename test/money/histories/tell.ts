import { fireTimers, performAtOurs, sweep, sweepForLong } from "./atOurs.ts"
import { agree, performAtPartner, transfer } from "./atPartner.ts"
import { frozenBy } from "./freeze.ts"
import { addCharge, beginHistory, type History, pixOf } from "./history.ts"
import { deliver, processNotices } from "./notices.ts"
import { endStuck } from "./operators.ts"
import { price, type Told } from "./steps.ts"
import { otherSide, type Side, type TwoAccounts } from "./twoAccounts.ts"

/** A payment makes what the seller can withdraw. */
const fund = async (told: History): Promise<void> => {
  const [charge] = told.charges
  if (charge !== undefined) transfer(told, charge, price, { times: 1, isForged: false, place: 0 })
  await deliver(told)
  await processNotices(told)
}

/** From now on an account answers whatever it is asked. */
const hearAll = (told: History, side: Side): void => {
  const { hearings, silent } = told.partner(side)
  const payouts = told.withdrawals.map(({ payoutId }) => payoutId)
  const refunds = told.refunds.map(({ refundId }) => refundId)
  for (const id of [...payouts, ...refunds, ...pixOf(told, side).map(({ endToEndId }) => endToEndId)]) {
    hearings.delete(id)
    silent.delete(id)
  }
}

/**
 * Configures an account and lets what is left come to its end there; answers the failures of two sweeps, before which whatever list and
 * query tell differently for good has become an exception.
 */
const conclude = async (told: History, side: Side): Promise<ReadonlyArray<number>> => {
  told.at = side
  hearAll(told, side)
  await processNotices(told)
  told.aheadMillis += 61_000
  await fireTimers(told)
  await sweepForLong(told)
  await endStuck(told)
  return [await sweep(told), await sweep(told)]
}

/**
 * Tells a history to its end: all notices arrive, and each account is configured once more, so that the sweeps find what no notice
 * told of. Answers the history, and the failures of these sweeps.
 */
export const tell = async (world: TwoAccounts, { first, steps }: Told) => {
  const told = await beginHistory(world, first, frozenBy)
  await fund(told)
  await addCharge(told)
  for (const step of steps) if (!performAtPartner(told, step)) await performAtOurs(told, step)
  agree(told)
  await deliver(told)
  const here = told.at
  const failures = [...(await conclude(told, otherSide(here))), ...(await conclude(told, here))]
  return { told, failures }
}
