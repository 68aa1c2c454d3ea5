import { Effect } from "effect"
import { RateLimiter } from "../../../actors/ports/rateLimiter.ts"
import { RefundStore, type StoredRefund } from "../../../actors/ports/refundStore.ts"
import { type StoredTransaction, TransactionStore } from "../../../actors/ports/transactionStore.ts"
import { type StoredWithdrawal, WithdrawalStore } from "../../../actors/ports/withdrawalStore.ts"
import { maskedEmail } from "../../../actors/values/emailAddress.ts"
import type { Principal } from "../../../actors/values/principal.ts"
import type { StoreUnavailable } from "../../../actors/values/storeUnavailable.ts"
import type { receiptsGroup, sessionReceiptsGroup } from "../../../schema/api/receipts.ts"
import { ApiError, resourceNotFound, validationFailed } from "../../../schema/errors.ts"
import { type IdPrefix, isId, partitionOfId } from "../../../schema/ids.ts"
import { limits } from "../../../schema/limits.ts"
import type { SendReceipt } from "../../../schema/resources/receipt.ts"
import { SellerAudit } from "../../accounts/sellerAudit.ts"
import { Mailer } from "../../mail/mailer.ts"
import { PaymentUrls } from "../../payments/paymentUrls.ts"
import type { Receipt, ReceiptLanguage } from "../../payments/receipts/receipt.ts"
import { receiptMail } from "../../payments/receipts/receiptMail.ts"
import { ReceiptPdf } from "../../payments/receipts/receiptPdf.ts"
import { Receipts } from "../../payments/receipts/receipts.ts"
import { type NamedBucket, withinQuota } from "../contract/quota.ts"
import type { TextReply } from "../server/reply.ts"
import type { GroupHandlers } from "../server/request.ts"
import { keyRevoked } from "./page.ts"
import { forSession } from "./sessionReads.ts"

type ReceiptHandlers = GroupHandlers<typeof receiptsGroup>

/** 409 of what was not paid, or has not arrived: it has no receipt. */
export const noReceipt = (what: string): ApiError<"invalid_state"> =>
  new ApiError({
    code: "invalid_state",
    message: `This ${what} has no receipt: only money that has arrived has one.`,
  })

/** A PDF that a browser shows, and saves under the receipt's name. */
export const pdfReply = (pdf: Uint8Array, { file }: Receipt): TextReply => ({
  status: 200,
  text: pdf,
  contentType: "application/pdf",
  headers: [
    ["Content-Disposition", `inline; filename="${file}.pdf"`],
    ["Cache-Control", "no-store"],
  ],
})

const hourMillis = 60 * 60 * 1_000

/** How often receipts are mailed: of one thing, and of a seller. */
const mailLimits = (id: string, sellerId: string): ReadonlyArray<NamedBucket> => [
  {
    policy: "receipt",
    bucket: {
      partition: partitionOfId(id) ?? 0,
      name: `receipt:${id}`,
      capacity: limits.receiptMailsPerHour,
      windowMillis: hourMillis,
    },
    message: `This receipt was mailed ${limits.receiptMailsPerHour} times within an hour. Mail it again after Retry-After.`,
  },
  {
    policy: "receipts",
    bucket: {
      partition: partitionOfId(sellerId) ?? 0,
      name: `receipts:${sellerId}`,
      capacity: limits.receiptMailsPerSellerPerHour,
      windowMillis: hourMillis,
    },
    message: `${limits.receiptMailsPerSellerPerHour} receipts of this seller were mailed within an hour. Mail this one after Retry-After.`,
  },
]

/** An address that no mail server reads as several, or as a name with another address. */
const isOneAddress = (email: string): boolean => !/[,;:<>()[\]\\"]/.test(email)

/** A kind of thing that has receipts: how its own are found, and what its receipt is. */
interface Source<Stored> {
  readonly prefix: IdPrefix
  readonly what: string
  readonly get: (
    principal: Principal,
    id: string,
  ) => Effect.Effect<Stored | { readonly kind: "keyInvalid" } | undefined, StoreUnavailable>
  readonly receiptOf: (
    stored: Stored,
    language: ReceiptLanguage,
  ) => Effect.Effect<Receipt | undefined, StoreUnavailable>
}

const find = Effect.fnUntraced(function* <Stored extends { readonly id: string }>(
  { prefix, what, get, receiptOf }: Source<Stored>,
  principal: Principal,
  id: string,
  language: ReceiptLanguage = "pt-BR",
) {
  const stored = isId(prefix, id) ? yield* get(principal, id) : undefined
  if (stored === undefined) return yield* resourceNotFound(what, id)
  if ("kind" in stored) return yield* keyRevoked()
  return (yield* receiptOf(stored, language)) ?? (yield* noReceipt(what))
})

/** Routes of receipts (docs/contract/receipts.md). */
export const makeReceiptHandlers = Effect.gen(function* () {
  const receipts = yield* Receipts
  const { write } = yield* ReceiptPdf
  const limiter = yield* RateLimiter
  const mailer = yield* Mailer
  const audit = yield* SellerAudit
  const urls = yield* PaymentUrls
  const charges = yield* TransactionStore
  const refunds = yield* RefundStore
  const withdrawals = yield* WithdrawalStore

  const ofCharge: Source<StoredTransaction> = {
    prefix: "txn_",
    what: "transaction",
    get: charges.get,
    receiptOf: receipts.ofCharge,
  }
  const ofRefund: Source<StoredRefund> = {
    prefix: "rfd_",
    what: "refund",
    get: refunds.get,
    receiptOf: receipts.ofRefund,
  }
  const ofWithdrawal: Source<StoredWithdrawal> = {
    prefix: "wd_",
    what: "withdrawal",
    get: withdrawals.get,
    receiptOf: receipts.ofWithdrawal,
  }

  const show = Effect.fnUntraced(function* <Stored extends { readonly id: string }>(
    source: Source<Stored>,
    principal: Principal,
    id: string,
    language: ReceiptLanguage | undefined,
  ) {
    const receipt = yield* find(source, principal, id, language)
    return pdfReply(yield* write(receipt), receipt)
  })

  const send = Effect.fnUntraced(function* <Stored extends { readonly id: string }>(
    source: Source<Stored>,
    principal: Principal,
    id: string,
    { email, locale }: SendReceipt,
  ) {
    if (!isOneAddress(email)) return yield* validationFailed("email", "email must be one e-mail address.")
    const receipt = yield* find(source, principal, id, locale)
    const link = source.prefix === "txn_" ? `${urls.urlOf(urls.tokenOf(id))}/receipt` : undefined
    const deed = {
      action: "receipt.sent",
      resourceType: source.what,
      resourceId: id,
      // A payer's own address is erased with the charge; this log would keep it.
      details: { email: maskedEmail(email), mode: principal.mode },
    } as const
    const answer = Effect.gen(function* () {
      const pdf = yield* write(receipt)
      // First: nothing about a payer is to leave unnoted.
      yield* audit.did(principal, deed)
      yield* mailer.send({ to: email, ...receiptMail(receipt, pdf, link) })
      return { status: 202, body: JSON.stringify({ status: true }) }
    })
    return yield* withinQuota(limiter, mailLimits(id, principal.sellerId), answer)
  })

  const handlers: ReceiptHandlers = {
    sendTransactionReceipt: ({ principal, params, payload }) => send(ofCharge, principal, params.id, payload),
    getRefundReceipt: ({ principal, params, query }) => show(ofRefund, principal, params.id, query.locale),
    sendRefundReceipt: ({ principal, params, payload }) => send(ofRefund, principal, params.id, payload),
    getWithdrawalReceipt: ({ principal, params, query }) =>
      show(ofWithdrawal, principal, params.id, query.locale),
    sendWithdrawalReceipt: ({ principal, params, payload }) =>
      send(ofWithdrawal, principal, params.id, payload),
  }
  return handlers
})

/** The same for sessions: only the principal differs. */
export const sessionReceiptHandlers = (
  handlers: ReceiptHandlers,
): GroupHandlers<typeof sessionReceiptsGroup> => ({
  sendMyTransactionReceipt: forSession(handlers.sendTransactionReceipt),
  getMyRefundReceipt: forSession(handlers.getRefundReceipt),
  sendMyRefundReceipt: forSession(handlers.sendRefundReceipt),
  getMyWithdrawalReceipt: forSession(handlers.getWithdrawalReceipt),
  sendMyWithdrawalReceipt: forSession(handlers.sendWithdrawalReceipt),
})
