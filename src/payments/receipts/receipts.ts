import { Context, Effect, Layer } from "effect"
import type { StoredRefund } from "../../../actors/ports/refundStore.ts"
import { SecretOpener } from "../../../actors/ports/secretOpener.ts"
import { SellerStore } from "../../../actors/ports/sellerStore.ts"
import { type StoredTransaction, TransactionStore } from "../../../actors/ports/transactionStore.ts"
import type { StoredWithdrawal } from "../../../actors/ports/withdrawalStore.ts"
import { sealedPlaces } from "../../../actors/values/sealedPlaces.ts"
import { parseCharge, parseRefund, parseWithdrawal } from "../../../actors/values/storedDocuments.ts"
import type { StoreUnavailable } from "../../../actors/values/storeUnavailable.ts"
import type { Transaction } from "../../../schema/resources/transaction.ts"
import type { Receipt, ReceiptLanguage } from "./receipt.ts"
import { chargeReceipt, type Issuer, refundReceipt, withdrawalReceipt } from "./receiptOf.ts"

type Found = Effect.Effect<Receipt | undefined, StoreUnavailable>

/** Makes receipts of charges, refunds and withdrawals (docs/contract/receipts.md); undefined before the money has arrived. */
export class Receipts extends Context.Service<
  Receipts,
  {
    readonly ofCharge: (charge: StoredTransaction, language: ReceiptLanguage) => Found
    readonly ofRefund: (refund: StoredRefund, language: ReceiptLanguage) => Found
    readonly ofWithdrawal: (withdrawal: StoredWithdrawal, language: ReceiptLanguage) => Found
  }
>()("corrente/payments/Receipts") {}

const nameless: Issuer = {
  kycStatus: "none",
  legalName: undefined,
  name: "",
  brandLogo: undefined,
  brandColor: undefined,
}

export const ReceiptsLive = Layer.effect(
  Receipts,
  Effect.gen(function* () {
    const sellers = yield* SellerStore
    const charges = yield* TransactionStore
    const { open } = yield* SecretOpener
    const issuerOf = (sellerId: string) =>
      Effect.map(sellers.get(sellerId), (seller): Issuer => seller ?? nameless)
    const documentOf = ({ id, customer }: Transaction) =>
      open(customer.document, sealedPlaces.customerDocument(id))
    return Receipts.of({
      ofCharge: ({ document, sellerId }, language) => {
        const charge = parseCharge(document)
        return Effect.map(issuerOf(sellerId), (issuer) =>
          chargeReceipt(charge, documentOf(charge), issuer, language),
        )
      },
      ofRefund: Effect.fnUntraced(function* ({ document, sellerId, transactionId }, language) {
        const stored = yield* charges.load(transactionId)
        if (stored === undefined) return undefined
        const charge = parseCharge(stored.document)
        const issuer = yield* issuerOf(sellerId)
        return refundReceipt(parseRefund(document), charge, documentOf(charge), issuer, language)
      }),
      ofWithdrawal: ({ document, sellerId }, language) =>
        Effect.map(issuerOf(sellerId), (issuer) =>
          withdrawalReceipt(parseWithdrawal(document), issuer, language),
        ),
    })
  }),
)
