import { Effect } from "effect"
import { createdAtOf } from "../../../actors/event/envelope.ts"
import { DeliveryQueue } from "../../../actors/ports/deliveryQueue.ts"
import { EventLog } from "../../../actors/ports/eventLog.ts"
import { PixKeyStore } from "../../../actors/ports/pixKeyStore.ts"
import { RefundStore } from "../../../actors/ports/refundStore.ts"
import { type StoredTransaction, TransactionStore } from "../../../actors/ports/transactionStore.ts"
import { WithdrawalStore } from "../../../actors/ports/withdrawalStore.ts"
import type { Principal } from "../../../actors/values/principal.ts"
import {
  parseAttempt,
  parseCharge,
  parseRefund,
  parseWithdrawal,
} from "../../../actors/values/storedDocuments.ts"
import { entryIdOf, isId, transactionIdOfTxid } from "../../../schema/ids.ts"
import { limits } from "../../../schema/limits.ts"
import type { Found } from "../../../schema/resources/search.ts"
import { EndpointManagement } from "../../accounts/webhookSettings/endpointManagement.ts"

const parseOf = { transaction: parseCharge, withdrawal: parseWithdrawal, refund: parseRefund }

/** What searches show of a resource, by its JSON text. */
export const outlineIn = <Kind extends keyof typeof parseOf>(object: Kind, document: string) => {
  const { id, status, amount, created_at } = parseOf[object](document)
  return { object, id, status, amount, created_at }
}

const foundIn = (object: keyof typeof parseOf, document: string, matched: Found["matched"] = "id"): Found => {
  const { id, status, amount, created_at } = outlineIn(object, document)
  return { object, id, matched, status, amount, created_at }
}

const chargesOf = (charges: ReadonlyArray<StoredTransaction>, matched: Found["matched"]) =>
  charges.map(({ document }) => foundIn("transaction", document, matched))

/** Finds the one object that an id may name. */
const makeFindById = Effect.gen(function* () {
  const transactions = yield* TransactionStore
  const withdrawals = yield* WithdrawalStore
  const refunds = yield* RefundStore
  const deliveries = yield* DeliveryQueue
  const pixKeys = yield* PixKeyStore
  const endpoints = yield* EndpointManagement
  const log = yield* EventLog

  const readDocument = Effect.fnUntraced(function* (principal: Principal, id: string) {
    if (isId("txn_", id)) return ["transaction", yield* transactions.get(principal, id)] as const
    if (isId("wd_", id)) return ["withdrawal", yield* withdrawals.get(principal, id)] as const
    return isId("rfd_", id) ? (["refund", yield* refunds.get(principal, id)] as const) : undefined
  })

  const readEvent = Effect.fnUntraced(function* (principal: Principal, id: string) {
    const entryId = entryIdOf(principal, id)
    const [entry] = entryId === undefined ? [] : yield* log.getMany(principal, [entryId])
    if (entry === undefined) return undefined
    const found: Found = {
      object: "event",
      id,
      matched: "id",
      status: entry.type,
      amount: null,
      created_at: createdAtOf(entry),
    }
    return found
  })

  const readDelivery = Effect.fnUntraced(function* (principal: Principal, id: string) {
    const found = yield* deliveries.get(principal, id)
    if (found === undefined || "kind" in found) return undefined
    const { status, created_at } = parseAttempt(found.row)
    return { object: "webhook_delivery", id, matched: "id", status, amount: null, created_at } as const
  })

  const readPixKey = Effect.fnUntraced(function* (principal: Principal, id: string) {
    const all = yield* pixKeys.list(principal)
    const pixKey = "kind" in all ? undefined : all.find((one) => one.id === id)
    if (pixKey === undefined) return undefined
    const { status, createdAt: created_at } = pixKey
    return { object: "pix_key", id, matched: "id", status, amount: null, created_at } as const
  })

  const readEndpoint = (principal: Principal, id: string) =>
    endpoints.get(principal, id).pipe(
      Effect.map(({ enabled, created_at }): Found | undefined => ({
        object: "webhook_endpoint",
        id,
        matched: "id",
        amount: null,
        created_at,
        status: enabled ? "enabled" : "disabled",
      })),
      Effect.catchTag("ApiError", () => Effect.succeed(undefined)),
    )

  return Effect.fnUntraced(function* (principal: Principal, id: string) {
    const document = yield* readDocument(principal, id)
    if (document !== undefined) {
      const [object, found] = document
      return found === undefined || "kind" in found ? undefined : foundIn(object, found.document)
    }
    if (isId("evt_", id)) return yield* readEvent(principal, id)
    if (isId("whd_", id)) return yield* readDelivery(principal, id)
    if (isId("pk_", id)) return yield* readPixKey(principal, id)
    return isId("we_", id) ? yield* readEndpoint(principal, id) : undefined
  })
})

/** Whether a text is the id that the Pix network gives a payment. */
export const endToEndIdPattern = /^E[0-9A-Za-z]{31}$/

/** Makes the search for a seller's objects (`docs/contract/search.md`), newest first. */
export const makeSearch = Effect.gen(function* () {
  const transactions = yield* TransactionStore
  const findById = yield* makeFindById

  const findByTxid = Effect.fnUntraced(function* (principal: Principal, txid: string) {
    const id = transactionIdOfTxid(txid)
    const found = id === undefined ? undefined : yield* transactions.get(principal, id)
    return found === undefined || "kind" in found ? [] : chargesOf([found], "txid")
  })

  const findCharges = Effect.fnUntraced(function* (
    principal: Principal,
    kind: "email" | "end_to_end_id",
    value: string,
  ) {
    const found = yield* transactions.find(principal, { kind, value }, limits.searchResultsMax)
    return chargesOf(found, kind)
  })

  return Effect.fnUntraced(function* (principal: Principal, q: string) {
    const text = q.trim()
    if (text.includes("@")) return yield* findCharges(principal, "email", text)
    const one = yield* findById(principal, text)
    if (one !== undefined) return [one]
    const byTxid = yield* findByTxid(principal, text)
    if (byTxid.length > 0 || !endToEndIdPattern.test(text)) return byTxid
    return yield* findCharges(principal, "end_to_end_id", text)
  })
})
