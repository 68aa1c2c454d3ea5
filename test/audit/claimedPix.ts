import { Effect } from "effect"
import { ExceptionStore } from "../../actors/ports/exceptionStore.ts"
import { PixClaimStore } from "../../actors/ports/pixClaimStore.ts"
import { TransactionStore } from "../../actors/ports/transactionStore.ts"
import { decideResolved, exceptionOfNobody } from "../../actors/seller/decisions/exceptionDocument.ts"
import { paymentCredited } from "../../actors/seller/decisions/movements.ts"
import { readCharge } from "../../actors/seller/decisions/transactionTransitions.ts"
import { openShop } from "../conformance/fixtures.ts"
import { nowMillis } from "../conformance/stage.ts"
import { liveCharge } from "./healthyShop.ts"

export const account = "api-pix:0123"
export const creditedPix = "E00000000202611211200ABCDEFGHIJK"

/** A live charge that a Pix has paid, and a credited exception, each with the claim of its Pix. */
export const openClaims = Effect.gen(function* () {
  const claims = yield* PixClaimStore
  const exceptions = yield* ExceptionStore
  const { live } = yield* openShop()
  const chargeId = yield* liveCharge(live, [{ kind: "paid", reserveBps: 0 }], account)
  const charge = yield* (yield* TransactionStore).load(chargeId)
  const chargePix = charge === undefined ? "" : (readCharge(charge).end_to_end_id ?? "")
  yield* claims.claim({ account, endToEndId: chargePix }, chargeId)

  const millis = yield* nowMillis
  const details = { end_to_end_id: creditedPix }
  const found = { kind: "payment_unknown", about: creditedPix, acquirer: "api-pix", amount: 700 } as const
  const exception = exceptionOfNobody({ ...found, details }, account, 4, millis)
  yield* exceptions.open(exception)
  yield* claims.claim({ account, endToEndId: creditedPix }, exception.id)
  const resolution = { act: "credit", reason: "as the bank says", operatorIds: ["an-operator"] } as const
  const stored = { ...exception, state: "open", version: 1, pending: "" } as const
  const time = { nowMillis: millis, offsetMillis: 0 }
  const change = decideResolved(stored, resolution, time)
  const document = JSON.stringify({ ...JSON.parse(change.document), seller_id: live.sellerId })
  yield* exceptions.credit({
    exceptionId: exception.id,
    feed: { sellerId: live.sellerId, mode: "live" },
    movement: paymentCredited(exception.id, 700),
    ...{ eventType: "exception.credited", resourceId: exception.id, document },
  })
  yield* exceptions.commit({ change: { ...change, document }, timers: [], timersDone: [] })
  return { chargePix, chargeId, exceptionId: exception.id }
})
