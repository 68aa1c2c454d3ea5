import { Effect, Result } from "effect"
import { resolveException } from "../../../actors/seller/operations/resolveException.ts"
import { SellerActors } from "../../../actors/seller/sellerActor.ts"
import { ApiError } from "../../../schema/errors.ts"
import { actsOfKind, type ExceptionAct } from "../../../schema/resources/exception.ts"
import { exceptionsOf, type Found } from "./exceptions.ts"
import { type Charge, type History, pick } from "./history.ts"
import type { Step } from "./steps.ts"

/** Why an act that its kind has may be refused (docs/contract/exceptions.md#resolve), besides what it is about having ended. */
const refusals: ReadonlySet<unknown> = new Set([
  "account_configured",
  "act_under_way",
  "nothing_left",
  "resource_state",
])

const ask = (told: History, { stored }: Found, act: ExceptionAct) =>
  told.run(
    Effect.flatMap(SellerActors, (actors) =>
      Effect.result(
        actors.ask(resolveException, {
          ...{ exceptionId: stored.id, act, reason: "as the history tells", operatorId: "operator" },
          sellerId:
            stored.kind === "payment_unknown" && act === "credit" ? told.principal.sellerId : undefined,
        }),
      ),
    ),
  )

/** Whether something went back of a payment to a charge: then nobody ends the charge by hand. */
const hasGoneBack = (told: History, { side, txid }: Charge): boolean =>
  (told.partner(side).payments.get(txid) ?? []).some(({ backs }) => backs.length > 0)

/** What an operator does about an exception. */
const actFor = (told: History, { stored, about }: Found, actNth: number): ExceptionAct => {
  const act = pick(actsOfKind[stored.kind], actNth) ?? "dismiss"
  // A refund waits for its account: an operator's guess about it is no part of these books.
  if (told.refunds.some(({ id }) => id === about)) return "dismiss"
  const charge = told.charges.find(({ id }) => id === about)
  return charge !== undefined && hasGoneBack(told, charge) ? "dismiss" : act
}

/** An operator acts on one of the open exceptions. */
export const operate = async (
  told: History,
  { nth, actNth, hearings }: Extract<Step, { readonly kind: "operator" }>,
): Promise<void> => {
  const open = (await exceptionsOf(told)).filter(({ stored }) => stored.state === "open")
  const found = pick(open, nth)
  if (found === undefined) return
  const { stored, side, about, exception } = found
  const act = actFor(told, found, actNth)
  const { end_to_end_id: named } = exception.details
  const endToEndId = typeof named === "string" ? named : undefined
  if (act === "refund" && endToEndId !== undefined) {
    told.partner(side).hearings.set(endToEndId, [...hearings])
  }
  const answer = await ask(told, found, act)
  if (Result.isFailure(answer)) {
    const { failure } = answer
    const isKnown = failure instanceof ApiError && refusals.has(failure.details?.reason)
    if (!isKnown) told.oddAnswers.push(`${act} of a ${stored.kind}: ${failure}`)
    return
  }
  told.acts.push({ exceptionId: stored.id, kind: stored.kind, act, side, endToEndId })
  const ended = [...told.charges, ...told.withdrawals].find(({ id }) => id === about)
  if (ended !== undefined && (act === "settle" || act === "fail")) ended.ended = act
}

/** Ends the payouts that are still stuck: whatever became of the withdrawal meanwhile, one of the two acts does. */
export const endStuck = async (told: History): Promise<void> => {
  const open = (await exceptionsOf(told)).filter(({ stored }) => stored.state === "open")
  for (const found of open.filter(({ stored }) => stored.kind === "payout_stuck")) {
    const withdrawal = told.withdrawals.find(({ id }) => id === found.about)
    const acts = ["settle", "fail"] as const
    let done: (typeof acts)[number] | undefined
    for (const act of acts)
      if (done === undefined && Result.isSuccess(await ask(told, found, act))) done = act
    if (withdrawal !== undefined) withdrawal.ended = done
    if (done === undefined) told.oddAnswers.push(`nothing ends ${found.stored.fact}`)
  }
}
