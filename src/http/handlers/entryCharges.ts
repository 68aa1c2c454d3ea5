import { Effect, Schema } from "effect"
import { ChargeRenderer } from "../../../actors/ports/chargeRenderer.ts"
import type { StoredLedgerEntry } from "../../../actors/ports/ledger.ts"
import { RefundStore } from "../../../actors/ports/refundStore.ts"
import { TransactionStore } from "../../../actors/ports/transactionStore.ts"
import type { StoreUnavailable } from "../../../actors/values/storeUnavailable.ts"
import { orderOf } from "../../../schema/chargeTexts.ts"
import type { EntryCharge } from "../../../schema/resources/ledger.ts"

/** Refunds of a page that are read at once. */
const refundsAtOnce = 50

const Shown = Schema.Struct({
  id: Schema.String,
  customer: Schema.Struct({ name: Schema.String, document: Schema.String }),
  metadata: Schema.Record(Schema.String, Schema.Unknown),
  reference: Schema.NullOr(Schema.String),
  pix: Schema.Struct({ txid: Schema.String }),
  end_to_end_id: Schema.NullOr(Schema.String),
  amount: Schema.Int,
  fee: Schema.Int,
  net_amount: Schema.Int,
})
const readShown = Schema.decodeUnknownOption(Schema.fromJsonString(Shown))

const entryChargeOf = (text: string): EntryCharge | undefined => {
  const read = readShown(text)
  if (read._tag === "None") return undefined
  const { id, customer, pix, end_to_end_id, amount, fee, net_amount } = read.value
  const reference = orderOf(read.value) || null
  return { id, customer, reference, txid: pix.txid, end_to_end_id, amount, fee, net_amount }
}

/** The charges of ledger entries by the entries' `resourceId`: a charge's own, and that of a refund. Others have none. */
export type ChargesOfEntries = ReadonlyMap<string, EntryCharge>

/** Makes the function that reads charges by their ids, in one pipeline. Charges that test mode has forgotten are left out. */
export const makeShownCharges = Effect.gen(function* () {
  const store = yield* TransactionStore
  const charges = yield* ChargeRenderer

  return Effect.fnUntraced(function* (
    chargeIds: ReadonlySet<string>,
  ): Effect.fn.Return<Map<string, EntryCharge>, StoreUnavailable> {
    const found = chargeIds.size === 0 ? [] : yield* store.loadMany([...chargeIds])
    return new Map(
      found.flatMap(({ id, document }) => {
        const charge = entryChargeOf(charges.renderSummary(document))
        return charge === undefined ? [] : [[id, charge] as const]
      }),
    )
  })
})

/** Makes the function that reads the charges of a page of entries: the refunds among them, then all charges. */
export const makeEntryCharges = Effect.gen(function* () {
  const refunds = yield* RefundStore
  const shownCharges = yield* makeShownCharges

  return Effect.fnUntraced(function* (
    entries: ReadonlyArray<StoredLedgerEntry>,
  ): Effect.fn.Return<ChargesOfEntries, StoreUnavailable> {
    const idsOf = (type: StoredLedgerEntry["resourceType"]) => [
      ...new Set(entries.filter((entry) => entry.resourceType === type).map((entry) => entry.resourceId)),
    ]
    const stored = yield* Effect.forEach(idsOf("refund"), refunds.load, { concurrency: refundsAtOnce })
    const ofRefunds = stored.flatMap((refund) =>
      refund === undefined ? [] : [[refund.id, refund.transactionId] as const],
    )
    const shown = yield* shownCharges(
      new Set([...idsOf("transaction"), ...ofRefunds.map(([, chargeId]) => chargeId)]),
    )
    for (const [refundId, chargeId] of ofRefunds) {
      const charge = shown.get(chargeId)
      if (charge !== undefined) shown.set(refundId, charge)
    }
    return shown
  })
})
