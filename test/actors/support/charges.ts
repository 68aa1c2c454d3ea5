import type { StoredTransaction, TransitionCommit } from "../../../actors/ports/transactionStore.ts"
import type { SellerTime } from "../../../actors/seller/decisions/sellerTime.ts"
import { newTransaction } from "../../../actors/seller/decisions/transactionDocument.ts"
import { makeId, txidOf } from "../../../schema/ids.ts"
import type { Transaction, TransactionStatus } from "../../../schema/resources/transaction.ts"
import { bodyOf } from "./bodies.ts"

/** When decisions are made, unless a test says otherwise. */
export const nowText = "2026-11-21T00:07:35.123Z"
export const nowMillis = Date.parse(nowText)

/** A seller's clock that was not advanced. */
export const atMillis = (millis: number): SellerTime => ({ nowMillis: millis, offsetMillis: 0 })

export const sellerId = makeId("sel_", nowMillis, 0, new Uint8Array(14))
export const chargeId = makeId("txn_", nowMillis, 0, new Uint8Array(14).fill(1))

/** A stored charge of 1,000 centavos in that status, with the test's changes, as input for decisions. */
export const storedCharge = (
  status: TransactionStatus,
  changes: Partial<Transaction> = {},
  version = 1,
): StoredTransaction => {
  const fresh = newTransaction(bodyOf(), {
    id: chargeId,
    mode: "test",
    txid: txidOf(chargeId),
    payload: "000201",
    settings: { chargeFeeBps: 0, chargeFeeFixed: 0 },
    nowMillis,
    seal: () => "enc:v2:0:sealed",
  })
  const document = JSON.stringify({ ...fresh, status, ...changes })
  return { id: chargeId, sellerId, mode: "test", status, version, document }
}

/** The charge that a commit makes. */
export const chargeOf = (commit: TransitionCommit | undefined): Transaction =>
  JSON.parse(commit?.document ?? "{}")
