import { Effect, Result } from "effect"
import { resolveException } from "../../../actors/seller/operations/resolveException.ts"
import { SellerActors } from "../../../actors/seller/sellerActor.ts"
import { ApiError } from "../../../schema/errors.ts"
import { actsOfKind, type ExceptionAct } from "../../../schema/resources/exception.ts"
import { exceptionsOf, type Found } from "./exceptions.ts"
import { type Charge, type History, paymentsOf, pick } from "./history.ts"
import type { Step } from "./steps.ts"

/** Why an act that its kind has may be refused (docs/contract/exceptions.md#resolve), besides what it is about having ended. */
const refusals: ReadonlySet<unknown> = new Set([
  "account_configured",
  "act_under_way",
  "nothing_left",
  "resource_state",
  "not_credited",
  "end_to_end_id_claimed",
])

/** Who asks, and whether the partner's word is waited for. */
interface Asking {
  readonly operatorId: string
  readonly isWithoutBank: boolean
}
const alone: Asking = { operatorId: "operator", isWithoutBank: false }

const ask = (told: History, { stored }: Found, act: ExceptionAct, asking = alone) =>
  told.run(
    Effect.flatMap(SellerActors, (actors) =>
      Effect.result(
        actors.ask(resolveException, {
          ...{ exceptionId: stored.id, act, reason: "as the history tells", ...asking },
          sellerId:
            stored.kind === "payment_unknown" && act === "credit" ? told.principal.sellerId : undefined,
        }),
      ),
    ),
  )

/** Asks again, as two operators, for an act of which the partner says nothing. */
const askWithoutBank = async (told: History, found: Found, act: ExceptionAct) => {
  await ask(told, found, act, { operatorId: "operator", isWithoutBank: true })
  const answer = await ask(told, found, act, { operatorId: "second operator", isWithoutBank: true })
  if (Result.isSuccess(answer)) told.bankWords.add("without bank")
  return answer
}

/** Whether something went back of a payment to a charge: then nobody ends the charge by hand. */
const hasGoneBack = (told: History, charge: Charge): boolean =>
  paymentsOf(told, charge).some(({ backs }) => backs.length > 0)

/** Whether the partner was asked first, and said otherwise or nothing (docs/contract/exceptions.md#the-bank-is-asked-first). */
const isByBank = ({ stored: { kind } }: Found, { code, details }: ApiError): boolean =>
  (kind === "payout_stuck" || kind === "refund_stuck") &&
  (code === "service_unavailable" || details?.bank_says !== undefined)

/** What an operator does about an exception. */
const actFor = (told: History, { stored, about }: Found, actNth: number): ExceptionAct => {
  const act = pick(actsOfKind[stored.kind], actNth) ?? "dismiss"
  if (stored.kind === "refund_stuck") return act
  // A refund waits for its account: an operator's guess about it is no part of these books.
  if (told.refunds.some(({ id }) => id === about)) return "dismiss"
  const charge = told.charges.find(({ id }) => id === about)
  return charge !== undefined && hasGoneBack(told, charge) ? "dismiss" : act
}

/** An operator acts on one of the open exceptions. */
export const operate = async (
  told: History,
  { nth, actNth, hearings, isBold }: Extract<Step, { readonly kind: "operator" }>,
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
  const first = await ask(told, found, act)
  const isSilent =
    Result.isFailure(first) &&
    first.failure instanceof ApiError &&
    first.failure.code === "service_unavailable"
  const answer = isSilent && isBold ? await askWithoutBank(told, found, act) : first
  if (Result.isFailure(answer)) {
    const { failure } = answer
    if (failure instanceof ApiError && failure.details?.bank_says !== undefined) told.bankWords.add("refused")
    const isKnown =
      failure instanceof ApiError && (refusals.has(failure.details?.reason) || isByBank(found, failure))
    if (!isKnown) told.oddAnswers.push(`${act} of a ${stored.kind}: ${failure}`)
    return
  }
  told.acts.push({ exceptionId: stored.id, kind: stored.kind, act, side, endToEndId })
  const ended = [...told.charges, ...told.withdrawals, ...told.refunds].find(({ id }) => id === about)
  if (ended !== undefined && (act === "settle" || act === "fail")) ended.ended = act
}

/**
 * Ends the payouts and refunds of the configured account that are still stuck: whatever became of them meanwhile, and whatever the partner says, one of the two
 * acts does.
 */
export const endStuck = async (told: History): Promise<void> => {
  const open = (await exceptionsOf(told)).filter(
    ({ stored, side }) => stored.state === "open" && side === told.at,
  )
  for (const found of open) {
    const { kind } = found.stored
    if (kind !== "payout_stuck" && kind !== "refund_stuck") continue
    const ended = [...told.withdrawals, ...told.refunds].find(({ id }) => id === found.about)
    const acts = ["settle", "fail"] as const
    let done: (typeof acts)[number] | undefined
    for (const asked of [ask, askWithoutBank])
      for (const act of acts)
        if (done === undefined && Result.isSuccess(await asked(told, found, act))) done = act
    if (ended !== undefined) ended.ended = done
    if (done === undefined) told.oddAnswers.push(`nothing ends ${found.stored.fact}`)
  }
}
