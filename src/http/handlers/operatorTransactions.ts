import { Effect } from "effect"
import { createdAtOf } from "../../../actors/event/envelope.ts"
import { ChargeRenderer } from "../../../actors/ports/chargeRenderer.ts"
import { EventLog } from "../../../actors/ports/eventLog.ts"
import { Ledger } from "../../../actors/ports/ledger.ts"
import { RefundStore, type StoredRefund } from "../../../actors/ports/refundStore.ts"
import { SellerStore } from "../../../actors/ports/sellerStore.ts"
import { type StoredTransaction, TransactionStore } from "../../../actors/ports/transactionStore.ts"
import { sessionPrincipal } from "../../../actors/values/principal.ts"
import { parseCharge, parseRefund } from "../../../actors/values/storedDocuments.ts"
import type {
  OperatorTransaction,
  operatorTransactionsGroup,
} from "../../../schema/api/operatorTransactions.ts"
import { maskedDocument } from "../../../schema/chargeTexts.ts"
import { resourceNotFound } from "../../../schema/errors.ts"
import { eventIdOf, isId } from "../../../schema/ids.ts"
import { limits } from "../../../schema/limits.ts"
import type { LedgerEntry } from "../../../schema/resources/ledger.ts"
import { SellerChanges } from "../../accounts/sellers/sellerChanges.ts"
import type { GroupHandlers } from "../server/request.ts"
import { renderLedgerEntry } from "./ledger.ts"

const isShown = <A extends object>(
  found: ReadonlyArray<A> | { readonly kind: "keyInvalid" },
): found is ReadonlyArray<A> => !("kind" in found)

/** Routes of charges, for operators. */
export const makeOperatorTransactionHandlers = Effect.gen(function* () {
  const transactions = yield* TransactionStore
  const refunds = yield* RefundStore
  const ledger = yield* Ledger
  const log = yield* EventLog
  const sellers = yield* SellerStore
  const { render } = yield* SellerChanges
  const charges = yield* ChargeRenderer

  const read = Effect.fnUntraced(function* (charge: StoredTransaction) {
    const principal = sessionPrincipal(charge.sellerId, charge.mode, "operator")
    const seller = yield* sellers.get(charge.sellerId)
    const window = { status: undefined, fromMillis: undefined, toMillis: undefined, beforeId: undefined }
    const found = yield* refunds.list(principal, {
      ...window,
      transactionId: charge.id,
      limit: limits.refundsPerChargeMax,
    })
    const ofCharge: ReadonlyArray<StoredRefund> = isShown(found) ? found : []
    const ids = [charge.id, ...ofCharge.map(({ id }) => id)]
    const moved = yield* ledger.ofResources(principal, ids)
    const named = yield* Effect.forEach(ids, (id) => log.entriesOfResource(principal, id), { concurrency: 8 })
    const events = yield* log.getMany(principal, named.flat())
    const transaction = parseCharge(charges.render(charge.document))
    const { customer } = transaction
    const shown: OperatorTransaction = {
      ...transaction,
      customer: { ...customer, document: maskedDocument(customer.document) },
      seller_id: charge.sellerId,
      seller: seller === undefined ? null : yield* render(seller),
      all_refunds: ofCharge.map(({ document }) => parseRefund(document)),
      ledger_entries: (isShown(moved) ? moved : []).map(
        (entry): LedgerEntry => JSON.parse(renderLedgerEntry(principal, entry)),
      ),
      timeline: events
        .toSorted((one, other) => other.seq - one.seq)
        .map((event) => ({
          id: eventIdOf(principal, event.entryId),
          type: event.type,
          resource_id: event.resourceId,
          created_at: createdAtOf(event),
        })),
    }
    return shown
  })

  const handlers: GroupHandlers<typeof operatorTransactionsGroup> = {
    getTransactionAsOperator: Effect.fnUntraced(function* ({ params: { id } }) {
      const refund = isId("rfd_", id) ? yield* refunds.load(id) : undefined
      const chargeId = refund?.transactionId ?? id
      const charge = isId("txn_", chargeId) ? yield* transactions.load(chargeId) : undefined
      if (charge === undefined) return yield* resourceNotFound("transaction", id)
      return { status: 200, body: JSON.stringify(yield* read(charge)) }
    }),
  }
  return handlers
})
