import { Effect } from "effect"
import { Acquirers } from "../../../actors/ports/acquirer.ts"
import { Ledger } from "../../../actors/ports/ledger.ts"
import { SecretOpener } from "../../../actors/ports/secretOpener.ts"
import { SellerStore, type StoredSeller } from "../../../actors/ports/sellerStore.ts"
import { type StoredWithdrawal, WithdrawalStore } from "../../../actors/ports/withdrawalStore.ts"
import { isPaidByHand } from "../../../actors/seller/decisions/manualPayouts.ts"
import { readWithdrawal } from "../../../actors/seller/decisions/withdrawalTransitions.ts"
import { sealedPlaces } from "../../../actors/values/sealedPlaces.ts"
import type { WithdrawalToPay } from "../../../schema/api/manualPayouts.ts"
import { maskedDocument } from "../../../schema/chargeTexts.ts"
import { csvLine, inReais } from "../../../schema/csv.ts"
import { csvReply, isCsvWanted } from "./csvReply.ts"
import { Cursors } from "./cursors.ts"
import { orFail, pageReply, pageSize } from "./page.ts"

const fields = [
  ...["id", "amount", "seller_id", "seller_name", "pix_key_type", "pix_key"],
  ...["holder_name", "holder_document", "description", "approved_at"],
]

/** Withdrawals to pay as CSV: commas between fields, a header, lines that end with CR LF (docs/contract/admin.md#withdrawals-to-pay). */
export const toPayCsv = (items: ReadonlyArray<WithdrawalToPay>): string =>
  [
    csvLine(fields),
    ...items.map(({ id, amount, seller_id, seller_name, pix_key, holder, description, approved_at }) =>
      csvLine([
        ...[id, inReais(amount), seller_id, seller_name, pix_key.type, pix_key.value],
        ...[holder.name, holder.document, description, approved_at],
      ]),
    ),
  ].join("")

const scope = { list: "withdrawalsToPay", filters: {} }

const shown = (
  stored: StoredWithdrawal,
  seller: StoredSeller | undefined,
  opener: SecretOpener["Service"],
): WithdrawalToPay => {
  const { id, amount, pix_key, description, approved_at, updated_at } = readWithdrawal(stored)
  const document =
    seller?.document === undefined
      ? undefined
      : opener.open(seller.document, sealedPlaces.sellerDocument(seller.id))
  return {
    id,
    amount,
    seller_id: stored.sellerId,
    seller_name: seller?.name ?? null,
    pix_key: {
      type: pix_key.type,
      value: opener.open(stored.pixValue, sealedPlaces.withdrawalPixValue(id)) ?? null,
    },
    holder: {
      name: seller?.legalName ?? seller?.name ?? null,
      document: document === undefined ? null : maskedDocument(document),
    },
    description,
    approved_at: approved_at ?? updated_at,
  }
}

/** What the list of withdrawals to pay is asked for. */
export interface ToPayQuery {
  readonly limit?: string
  readonly cursor?: string
}

/**
 * Makes the list of approved live withdrawals that operators pay by hand, oldest first. Those of sellers in debt are left out of it
 * until the balance is back, so a page may have fewer than its limit (docs/contract/admin.md#withdrawals-to-pay).
 */
export const makeListToPay = Effect.gen(function* () {
  const acquirers = yield* Acquirers
  const store = yield* WithdrawalStore
  const sellers = yield* SellerStore
  const ledger = yield* Ledger
  const opener = yield* SecretOpener
  const cursors = yield* Cursors

  const toPay = Effect.fnUntraced(function* (stored: StoredWithdrawal) {
    if (!isPaidByHand(stored, acquirers) || (yield* ledger.available(stored)) < 0) return []
    return [shown(stored, yield* sellers.get(stored.sellerId), opener)]
  })

  return Effect.fnUntraced(function* ({ limit, cursor }: ToPayQuery, accept: string | undefined) {
    const afterId = yield* orFail(cursors.decode(scope, cursor))
    const size = pageSize(limit)
    const page = { mode: "live", status: "approved", afterId, limit: size + 1 } as const
    const isManual = acquirers.live.hasManualPayouts === true
    const found = isManual ? yield* store.listOldestForOperator(page) : []
    const last = found.length > size ? found[size - 1] : undefined
    const items = yield* Effect.forEach(found.slice(0, size), toPay, { concurrency: "unbounded" })
    const next = last && cursors.encode(scope, last.id)
    if (!isCsvWanted(accept)) {
      return pageReply(
        items.flat().map((item) => JSON.stringify(item)),
        next,
      )
    }
    return csvReply(toPayCsv(items.flat()), "withdrawals-to-pay.csv", next)
  })
})
