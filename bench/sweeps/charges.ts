import { newTransaction } from "../../actors/seller/decisions/transactionDocument.ts"
import { makeId, txidOf } from "../../schema/ids.ts"
import { createBody } from "../load/workloadCharges.ts"

/** The service's default of PARTITIONS. */
const partitions = 64

/** The id of a side's nth charge, of all that were made before `endMillis`; the bank and the store agree on it. */
export const chargeIdOf = (n: number, endMillis: number): string => {
  const random = new Uint8Array(14)
  // Spread over all values, as random ids are.
  new DataView(random.buffer).setUint32(0, Math.imul(n, 0x9e3779b1) >>> 0)
  return makeId("txn_", endMillis - n, n % partitions, random)
}

/** The transfer that paid the nth charge. */
export const endToEndIdOf = (n: number): string => `E12345678202611210007${String(n).padStart(11, "0")}`

/** Of each charge, in centavos. */
export const { amount } = createBody

/** The fields of hashes of live charges that were paid, as the service stores them. */
export const makePaidCharge = (endMillis: number): ((n: number) => Readonly<Record<string, string>>) => {
  const model = chargeIdOf(0, endMillis)
  const made = { id: model, mode: "live", txid: txidOf(model), payload: "0".repeat(200) } as const
  const fees = { settings: { chargeFeeBps: 0, chargeFeeFixed: 0 }, nowMillis: endMillis }
  // A ciphertext of a CPF is as long as this.
  const fresh = newTransaction(
    { ...createBody, payment_method: "pix" },
    { ...made, ...fees, seal: () => `enc:v2:0:${"A".repeat(52)}` },
  )
  const paid_at = new Date(endMillis).toISOString()
  const paid = { ...fresh, status: "paid", end_to_end_id: endToEndIdOf(0), paid_at }
  const document = JSON.stringify(paid)
  return (n) => {
    const id = chargeIdOf(n, endMillis)
    return {
      seller: makeId("sel_", 0, n % partitions, new Uint8Array(14)),
      ...{ mode: "live", status: "paid", version: "2" },
      document: document
        .replace(model, id)
        .replace(txidOf(model), txidOf(id))
        .replace(endToEndIdOf(0), endToEndIdOf(n)),
    }
  }
}
