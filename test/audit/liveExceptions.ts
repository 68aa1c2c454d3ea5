import { Effect } from "effect"
import { ExceptionStore, type NewException, type StoredException } from "../../actors/ports/exceptionStore.ts"
import { TransactionStore } from "../../actors/ports/transactionStore.ts"
import { WithdrawalStore } from "../../actors/ports/withdrawalStore.ts"
import {
  chargeFactOf,
  creditOf,
  decideChargeResolved,
  decideException,
} from "../../actors/seller/decisions/chargeExceptions.ts"
import { decideGoing } from "../../actors/seller/decisions/exceptionActs.ts"
import {
  decideResolved,
  exceptionOfNobody,
  type FoundException,
  readException,
} from "../../actors/seller/decisions/exceptionDocument.ts"
import { paymentCredited } from "../../actors/seller/decisions/movements.ts"
import { decideDebit, decideReturn } from "../../actors/seller/decisions/payoutActs.ts"
import { exceptionOfPayout } from "../../actors/seller/decisions/payoutDifferences.ts"
import { timerAt } from "../../actors/seller/decisions/sellerTime.ts"
import { exceptionTimerName } from "../../actors/values/exceptionTimers.ts"
import type { ExceptionAct } from "../../schema/resources/exception.ts"
import { nowMillis } from "../conformance/stage.ts"
import type { HealthyShop } from "./healthyShop.ts"

const partitions = 4
const endToEndId = "E00000000202611211200ABCDEFGHIJK"

const applied = <E, R>(step: Effect.Effect<{ readonly kind: string }, E, R>) =>
  Effect.flatMap(step, ({ kind }) =>
    kind === "applied" ? Effect.void : Effect.die(new Error(`'${kind}' instead of 'applied'`)),
  )

const timeNow = Effect.map(nowMillis, (millis) => ({ nowMillis: millis, offsetMillis: 0 }))

const resolution = (act: ExceptionAct) => ({ act, reason: "as the bank says", operatorIds: ["an-operator"] })

const found = (
  kind: FoundException["kind"],
  about: string,
  amount: number,
  details: FoundException["details"] = {},
): FoundException => ({ kind, about, acquirer: "simulator", amount, details })

const stored = (exception: NewException): StoredException => ({
  ...exception,
  ...{ state: "open", version: 1, pending: "" },
})

const open = (exception: NewException) =>
  Effect.gen(function* () {
    yield* (yield* ExceptionStore).open(exception)
    return stored(exception)
  })

const openUnknown = (about: string) =>
  Effect.flatMap(timeNow, (time) =>
    open(exceptionOfNobody(found("payment_unknown", about, 700), "simulator", partitions, time.nowMillis)),
  )

/** A second payment of a charge that an operator credited. */
const credited = Effect.fnUntraced(function* (chargeId: string) {
  const [charges, exceptions] = [yield* TransactionStore, yield* ExceptionStore]
  const time = yield* timeNow
  const load = Effect.flatMap(charges.load(chargeId), (charge) =>
    charge === undefined ? Effect.die(new Error(`no charge ${chargeId}`)) : Effect.succeed(charge),
  )
  const odd = { kind: "double_payment", end_to_end_id: endToEndId, amount: 900 } as const
  yield* applied(charges.transition(decideException(yield* load, odd, "simulator", time)))
  const exception = yield* exceptions.findFact(chargeId, chargeFactOf(odd))
  if (exception === undefined) return yield* Effect.die(new Error("it is not recorded"))
  const change = decideResolved(exception, resolution("credit"), time)
  yield* applied(charges.transition(decideChargeResolved(yield* load, change, creditOf(exception))))
  return exception.id
})

/** An exception of a withdrawal that is over, resolved by the act that moves its money. */
const moved = Effect.fnUntraced(function* (
  withdrawalId: string,
  act: "debit" | "return",
  returnedThere = 200,
) {
  const withdrawals = yield* WithdrawalStore
  const time = yield* timeNow
  const withdrawal = yield* withdrawals.load(withdrawalId)
  if (withdrawal === undefined) return yield* Effect.die(new Error(`no withdrawal ${withdrawalId}`))
  const kind = act === "debit" ? "payout_contradicted" : "payout_returned"
  const details = { end_to_end_id: endToEndId, amount_there: 500, returned_amount: returnedThere }
  const about = found(kind, withdrawalId, 500, details)
  const exception = yield* open(exceptionOfPayout(withdrawal, about, time))
  const decided =
    act === "debit" ? decideDebit(exception, withdrawal, time) : decideReturn(exception, withdrawal, time)
  if (decided === undefined || "_tag" in decided) return yield* Effect.die(new Error("it moves nothing"))
  const change = decideResolved(exception, resolution(act), time)
  yield* applied(withdrawals.transition({ ...decided, exception: { kind: "change", change } }))
  return exception.id
})

/** A payment that names no charge, credited to a seller of any partition. */
const creditedUnknown = Effect.fnUntraced(function* ({ owner }: HealthyShop) {
  const store = yield* ExceptionStore
  const time = yield* timeNow
  const exception = yield* openUnknown("E-credited")
  const resolved = decideResolved(exception, resolution("credit"), time)
  const document = { ...readException(resolved), seller_id: owner.sellerId }
  yield* applied(
    store.credit({
      exceptionId: exception.id,
      feed: { sellerId: owner.sellerId, mode: "live" },
      movement: paymentCredited(exception.id, document.amount),
      ...{ eventType: "exception.credited", resourceId: exception.id, document: JSON.stringify(document) },
    }),
  )
  const change = { ...resolved, document: JSON.stringify(document) }
  yield* applied(store.commit({ change, timers: [], timersDone: [] }))
  return exception.id
})

/** A payment that names no charge, on its way back to its payer. */
const refunding = Effect.gen(function* () {
  const time = yield* timeNow
  const exception = yield* openUnknown("E-refunding")
  const timers = [timerAt(time, exceptionTimerName, exception.id, time.nowMillis)]
  const change = decideGoing(exception, resolution("refund"), undefined)
  yield* applied((yield* ExceptionStore).commit({ change, timers, timersDone: [] }))
  return exception.id
})

/** Exceptions in many states, about a healthy shop and about nothing of ours. */
export const openLiveExceptions = (shop: HealthyShop) =>
  Effect.gen(function* () {
    return {
      open: (yield* openUnknown("E-open")).id,
      refunding: yield* refunding,
      credited: yield* credited(shop.charges.held),
      unknown: yield* creditedUnknown(shop),
      debited: yield* moved(shop.withdrawals.rejected, "debit"),
      returned: yield* moved(shop.withdrawals.done, "return"),
      leftAgain: yield* Effect.andThen(
        moved(shop.withdrawals.today, "return"),
        moved(shop.withdrawals.today, "debit", 0),
      ),
    }
  })
