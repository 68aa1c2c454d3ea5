import type { Effect } from "effect"
import type { Principal } from "../../../actors/values/principal.ts"
import { payoutIdOf, txidOf } from "../../../schema/ids.ts"
import type { ExceptionAct, ExceptionKind } from "../../../schema/resources/exception.ts"
import { createCharge } from "../fund.ts"
import { makeSeller } from "../process.ts"
import type { Backup, RestoredSight } from "./backups.ts"
import type { PartnerAccount, Payout, Pix } from "./partnerAccount.ts"
import { price } from "./steps.ts"
import type { HistoryServices, Side, TwoAccounts } from "./twoAccounts.ts"

/** A charge of a history. */
export interface Charge {
  readonly id: string
  readonly txid: string
  readonly side: Side
  isExpired: boolean
  /** How an operator ended it. */
  ended: "settle" | "fail" | undefined
}

/** A withdrawal of a history. */
export interface Withdrawal {
  readonly id: string
  readonly payoutId: string
  readonly side: Side
  readonly amount: number
  ended: "settle" | "fail" | undefined
}

/** A refund that the seller asked for. */
export interface Refund {
  readonly id: string
  /** The partner's id of it, and of the Pix that it is of. */
  readonly refundId: string
  readonly endToEndId: string
  readonly amount: number
  readonly side: Side
  /** How an operator ended it. */
  ended: "settle" | "fail" | undefined
}

/** A payout that nobody here asked for. */
export interface StrangePayout {
  readonly side: Side
  readonly payout: Payout
}

/** A notice that waits to be delivered. */
export interface Waiting {
  readonly body: string
  readonly isForged: boolean
  readonly place: number
}

/** An operator's act that was done, or is under way. */
export interface Act {
  readonly exceptionId: string
  readonly kind: ExceptionKind
  readonly act: ExceptionAct
  readonly side: Side
  readonly endToEndId: string | undefined
}

/** A history as it is told: one seller, whose charges and payouts belong to one of two accounts, and what the partner's books have of them. */
export interface History {
  readonly principal: Principal
  readonly pixKeyId: string
  /** The configured account. */
  at: Side
  readonly charges: Array<Charge>
  readonly withdrawals: Array<Withdrawal>
  readonly refunds: Array<Refund>
  readonly strangers: Array<Pix & { readonly side: Side }>
  readonly strangePayouts: Array<StrangePayout>
  readonly notices: Array<Waiting>
  /** Rightly signed notices that were or will be delivered, by what they are about. */
  readonly bodies: Map<string, Set<string>>
  /** Ids that the other account was configured for when we had to do something about them. */
  readonly touched: Set<string>
  /** What operators did. */
  readonly acts: Array<Act>
  /** Answers to operators that the contract does not have. */
  readonly oddAnswers: Array<string>
  /** How often something that might have been handed to the partner waited for the end of a freeze. */
  frozenTimes: number
  /** How often a payout waited for the end of its seller's debt. */
  debtTimes: number
  /** What the bank's word refused, and what was done without it. */
  readonly bankWords: Set<"refused" | "without bank">
  /** How far its time is ahead. */
  aheadMillis: number
  /** How many ledger entries there were at the end of each day. */
  readonly nights: Array<number>
  /** Makes names unique. */
  count: number
  /** Backs the store up, where its world can: then no other history is told in it. */
  readonly backUpState: (() => () => void) | undefined
  backup: Backup | undefined
  /** Accounts whose books no sweep has compared since a backup was restored. */
  readonly uncompared: Set<Side>
  /** What came of restoring. */
  readonly restored: Set<RestoredSight>
  /** Starts the processes anew. */
  readonly restart: () => Promise<void>
  readonly partner: (side: Side) => PartnerAccount
  readonly timers: (side: Side) => TwoAccounts["timers"][Side]
  /** Runs a program where the configured account is. */
  readonly run: <A, E>(program: Effect.Effect<A, E, HistoryServices>) => Promise<A>
}

/** The time of a history, in ms. */
export const nowMillisOf = ({ aheadMillis }: History): number => Date.now() + aheadMillis

/** The one of some things that a step means, counted from the newest; undefined where there are none. */
export const pick = <A>(things: ReadonlyArray<A>, nth: number): A | undefined =>
  things[things.length - 1 - (nth % things.length)]

/** The Pix that the partner received for a history at an account, funding included. */
export const pixOf = (
  { charges, strangers, partner }: Pick<History, "charges" | "strangers" | "partner">,
  side: Side,
): ReadonlyArray<Pix> => [
  // Two charges may name one Pix.
  ...new Set(
    charges.filter((one) => one.side === side).flatMap(({ txid }) => partner(side).payments.get(txid) ?? []),
  ),
  ...strangers.filter((one) => one.side === side),
]

/** The Pix that the partner's books have of a charge, whatever its answers show. */
export const paymentsOf = ({ partner }: History, { side, txid }: Charge): ReadonlyArray<Pix> =>
  partner(side).payments.get(txid) ?? []

/** The charges that name a Pix. */
export const chargesOf = (told: History, pix: Pix): ReadonlyArray<Charge> =>
  told.charges.filter((charge) => paymentsOf(told, charge).includes(pix))

/** A withdrawal's payout, where the partner has it. */
export const payoutOf = ({ partner }: History, { side, payoutId }: Withdrawal): Payout | undefined =>
  partner(side).payouts.get(payoutId)

/** A withdrawal whose payout the partner has. */
export interface Paid {
  readonly withdrawal: Withdrawal
  readonly payout: Payout
}

/** The withdrawals whose payouts the partner has, at both accounts. */
export const heldPayouts = (told: History): ReadonlyArray<Paid> =>
  told.withdrawals.flatMap((withdrawal) => {
    const payout = payoutOf(told, withdrawal)
    return payout === undefined ? [] : [{ withdrawal, payout }]
  })

/** The partner's payouts for a history at an account. */
export const payoutsOf = (told: History, side: Side): ReadonlyArray<Payout> => [
  ...heldPayouts(told)
    .filter(({ withdrawal }) => withdrawal.side === side)
    .map(({ payout }) => payout),
  ...told.strangePayouts.filter((one) => one.side === side).map(({ payout }) => payout),
]

/** Whether an operator alone says that a refund was made: the partner has not. */
export const isSaidOnly = (told: History, { ended, refundId, side }: Refund): boolean =>
  ended === "settle" &&
  !pixOf(told, side).some(({ backs }) => backs.some(({ id, status }) => id === refundId && status === "done"))

/** Makes a charge with the configured account. */
export const addCharge = async (told: History): Promise<Charge> => {
  const id = await told.run(createCharge(told.principal, price))
  const charge: Charge = { id, txid: txidOf(id), side: told.at, isExpired: false, ended: undefined }
  told.partner(told.at).payments.set(charge.txid, [])
  told.charges.push(charge)
  return charge
}

/** A withdrawal that was made with the configured account. */
export const addWithdrawal = (told: History, id: string, amount: number): Withdrawal => {
  const withdrawal: Withdrawal = {
    ...{ id, payoutId: payoutIdOf(id), side: told.at, amount, ended: undefined },
  }
  told.withdrawals.push(withdrawal)
  return withdrawal
}

/** Begins a history with a new seller, who has a charge and nothing else; `frozenBy` says what freezes its payouts. */
export const beginHistory = async (
  world: TwoAccounts,
  first: Side,
  frozenBy: (told: History) => Promise<string | undefined>,
): Promise<History> => {
  const { principal, pixKeyId } = await world.run(first, makeSeller({ withdrawalAutoApproval: true }, "live"))
  const told: History = {
    ...{ principal, pixKeyId, at: first },
    ...{
      charges: [],
      withdrawals: [],
      refunds: [],
      strangers: [],
      strangePayouts: [],
      notices: [],
      acts: [],
    },
    ...{
      bodies: new Map(),
      touched: new Set(),
      oddAnswers: [],
      frozenTimes: 0,
      debtTimes: 0,
      bankWords: new Set(),
      aheadMillis: 0,
      nights: [],
      count: 0,
    },
    ...{ backUpState: world.backUpState, backup: undefined, restart: world.restart },
    ...{ uncompared: new Set(), restored: new Set() },
    partner: (side) => world.accounts[side],
    timers: (side) => world.timers[side],
    run: (program) => world.run(told.at, program, () => frozenBy(told)),
  }
  await addCharge(told)
  return told
}
