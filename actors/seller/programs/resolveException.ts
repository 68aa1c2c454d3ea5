import { Effect } from "effect"
import { resourceNotFound, validationFailed } from "../../../schema/errors.ts"
import { isId } from "../../../schema/ids.ts"
import { limits } from "../../../schema/limits.ts"
import { ExceptionRules } from "../../ports/exceptionRules.ts"
import { type ExceptionChange, ExceptionStore, type StoredException } from "../../ports/exceptionStore.ts"
import { SellerStore } from "../../ports/sellerStore.ts"
import { changedByOthers, decideAndCommit, stale } from "../../runtime/decideAndCommit.ts"
import { exceptionTimerName } from "../../values/exceptionTimers.ts"
import {
  decideAgreement,
  decideGoing,
  pixCountsElsewhere,
  type ResolveRequest,
  resolveRefusal,
} from "../decisions/exceptionActs.ts"
import { afterChange } from "../decisions/exceptionDocument.ts"
import { timerAt } from "../decisions/sellerTime.ts"
import { makeClaimForCredit } from "./chargeClaims.ts"
import { type ActContext, makeExceptionActs } from "./exceptionActs.ts"
import { makeEndAct } from "./exceptionProgress.ts"
import { makePixHolder } from "./pixHolder.ts"
import { makeReturnDebit } from "./returnDebit.ts"

/** An exception after an operator's call. */
export interface ResolveAnswer {
  /** `underWay`: the acquirer, or another partition, has still to do its part, which the exception's timer sees to. */
  readonly kind: "resolved" | "awaitingSecondOperator" | "underWay"
  readonly exception: StoredException
}

/** What the exception's seller and its acquirer have to say. */
export type Surroundings = Pick<ActContext, "settings" | "time" | "bankReference">

/**
 * Makes the program that resolves an exception: 404 where there is none, 409 `invalid_state` and 400 `validation_failed` where it
 * may not be resolved so. One commit does each act, but for a refund, which goes on at the acquirer, and the credit of a
 * `payment_unknown`, whose seller lies in another partition.
 */
export const makeResolveException = Effect.gen(function* () {
  const exceptions = yield* ExceptionStore
  const sellers = yield* SellerStore
  const { operatorApprovals } = yield* ExceptionRules
  const act = yield* makeExceptionActs
  const endAct = yield* makeEndAct
  const claimForCredit = yield* makeClaimForCredit
  const pixHolder = yield* makePixHolder
  const returnDebit = yield* makeReturnDebit

  const committed = Effect.fnUntraced(function* (
    change: ExceptionChange,
    kind: ResolveAnswer["kind"],
    timers: Parameters<typeof exceptions.commit>[0]["timers"] = [],
  ) {
    const outcome = yield* exceptions.commit({ change, timers, timersDone: [] })
    if (outcome.kind === "stale") return stale
    if (outcome.kind === "missing") return yield* resourceNotFound("exception", change.exception.id)
    return { kind, exception: afterChange(change) }
  })

  /** Stores that an act is under way, with the timer that carries it on. */
  const begin = (
    stored: StoredException,
    { resolution, time }: ActContext,
    sellerId: string | undefined,
    delayMillis: number,
  ) =>
    committed(decideGoing(stored, resolution, sellerId), "underWay", [
      timerAt(time, exceptionTimerName, stored.id, time.nowMillis + delayMillis),
    ])

  /** Books money of a seller who may lie in another partition, and then resolves the exception. */
  const book = Effect.fnUntraced(function* (
    stored: StoredException,
    context: ActContext,
    sellerId: string,
    act: "credit" | "debit",
  ) {
    // The timer is for the case that this process dies before the booking.
    const begun = yield* begin(stored, context, sellerId, limits.acquirerTimerLeaseMillis)
    if (begun === stale) return stale
    const isDone = yield* endAct.book(stored.id, act)
    const now = yield* exceptions.load(stored.id)
    return { ...begun, ...(isDone && now !== undefined ? { kind: "resolved" as const, exception: now } : {}) }
  })

  const creditUnknown = Effect.fnUntraced(function* (
    stored: StoredException,
    context: ActContext,
    sellerId: string,
  ) {
    const seller = isId("sel_", sellerId) ? yield* sellers.get(sellerId) : undefined
    if (seller === undefined) {
      return yield* validationFailed("seller_id", "No such seller. Use an id of GET /v1/admin/sellers.")
    }
    return yield* book(stored, context, sellerId, "credit")
  })

  const debitReturn = Effect.fnUntraced(function* (stored: StoredException, context: ActContext) {
    const debit = yield* returnDebit(stored, context)
    if (debit === stale) return stale
    if (debit.kind === "booked") {
      return { kind: "resolved", exception: afterChange(debit.change) } as const
    }
    return yield* book(stored, context, debit.sellerId, "debit")
  })

  const carryOut = Effect.fnUntraced(function* (
    stored: StoredException,
    context: ActContext,
    sellerId: string | undefined,
  ) {
    const { act: asked } = context.resolution
    if (asked === "refund" || asked === "credit") {
      // Its money would be gone and still count for somebody.
      const holder = yield* pixHolder(stored)
      const done = asked === "refund" ? "refunded" : "credited"
      if (holder !== undefined) return yield* pixCountsElsewhere(stored, done, holder)
    }
    if (asked === "refund") return yield* begin(stored, context, undefined, 0)
    if (asked === "credit") yield* claimForCredit(stored)
    if (stored.kind === "payment_unknown" && asked === "credit") {
      return yield* creditUnknown(stored, context, sellerId ?? "")
    }
    if (stored.kind === "payment_returned" && asked === "debit") {
      return yield* debitReturn(stored, context)
    }
    const done = yield* act(stored, context)
    return done === stale ? stale : ({ kind: "resolved", exception: afterChange(done) } as const)
  })

  return (exceptionId: string, request: ResolveRequest, surroundings: Surroundings) =>
    decideAndCommit({
      read: exceptions.load(exceptionId),
      attempt: Effect.fnUntraced(function* (stored: StoredException | undefined) {
        if (stored === undefined) return yield* resourceNotFound("exception", exceptionId)
        const refused = resolveRefusal(stored, request)
        if (refused !== undefined) return yield* refused
        const agreement = decideAgreement(stored, request, operatorApprovals)
        if (agreement.kind === "agreed") {
          return yield* carryOut(
            stored,
            { resolution: agreement.resolution, ...surroundings },
            request.sellerId,
          )
        }
        if (agreement.change !== undefined) {
          return yield* committed(agreement.change, "awaitingSecondOperator")
        }
        return { kind: "awaitingSecondOperator", exception: stored } as const
      }),
      giveUp: () => changedByOthers("exception"),
    })
})
