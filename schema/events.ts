// Every event type, with its name in the languages of the pages. Pages load it, so this file loads no package.
import type { RefundStatus, TransactionStatus, WithdrawalStatus } from "./names.ts"
import type { Words } from "./words.ts"

interface Facts {
  readonly resourceType:
    | "transaction"
    | "withdrawal"
    | "refund"
    | "exception"
    | "payment_link"
    | "seller"
    | "ping"
  /** When it is emitted, for developers. */
  readonly description: string
  /** What happened, as people read it in pages. */
  readonly name: Words
  /** Whether it appears in the feed only and is never delivered. */
  readonly internal?: true
}

/** The catalog, by type (`docs/contract/events.md#types`). `ping` is delivered on request and cannot be subscribed to. */
const catalog = {
  "transaction.created": {
    resourceType: "transaction",
    description: "A charge was created and waits for its payment.",
    name: { "pt-BR": "Cobrança criada", en: "Charge created" },
    internal: true,
  },
  "transaction.paid": {
    resourceType: "transaction",
    description: "The payer's bank paid the charge.",
    name: { "pt-BR": "Cobrança paga", en: "Charge paid" },
  },
  "transaction.expired": {
    resourceType: "transaction",
    description: "The charge was not paid in time.",
    name: { "pt-BR": "Cobrança expirada", en: "Charge expired" },
  },
  "transaction.failed": {
    resourceType: "transaction",
    description: "The charge can no longer be paid.",
    name: { "pt-BR": "Cobrança falhou", en: "Charge failed" },
  },
  "transaction.refunded": {
    resourceType: "transaction",
    description: "A paid charge was refunded.",
    name: { "pt-BR": "Cobrança devolvida", en: "Charge refunded" },
  },
  "transaction.partially_refunded": {
    resourceType: "transaction",
    description: "Part of a paid charge went back to its payer; it stays paid.",
    name: { "pt-BR": "Cobrança devolvida em parte", en: "Charge refunded in part" },
  },
  "transaction.chargeback": {
    resourceType: "transaction",
    description: "The payer's bank took back a paid charge.",
    name: { "pt-BR": "Cobrança contestada", en: "Charge charged back" },
  },
  "transaction.exception": {
    resourceType: "transaction",
    description:
      "The acquirer received a payment for a charge that does not fit it, or an operator resolved one.",
    name: { "pt-BR": "Pagamento fora do esperado", en: "Unexpected payment" },
  },
  "withdrawal.awaiting": {
    resourceType: "withdrawal",
    description: "A withdrawal was requested; its funds are held.",
    name: { "pt-BR": "Saque solicitado", en: "Withdrawal requested" },
  },
  "withdrawal.approved": {
    resourceType: "withdrawal",
    description: "A withdrawal was approved.",
    name: { "pt-BR": "Saque aprovado", en: "Withdrawal approved" },
  },
  "withdrawal.rejected": {
    resourceType: "withdrawal",
    description: "A withdrawal was rejected; its funds are available again.",
    name: { "pt-BR": "Saque rejeitado", en: "Withdrawal rejected" },
  },
  "withdrawal.processing": {
    resourceType: "withdrawal",
    description: "The bank is processing a withdrawal.",
    name: { "pt-BR": "Saque em processamento", en: "Withdrawal at the bank" },
  },
  "withdrawal.successful": {
    resourceType: "withdrawal",
    description: "A withdrawal arrived at the bank account.",
    name: { "pt-BR": "Saque concluído", en: "Withdrawal arrived" },
  },
  "withdrawal.failed": {
    resourceType: "withdrawal",
    description: "A withdrawal failed; its funds are available again.",
    name: { "pt-BR": "Saque falhou", en: "Withdrawal failed" },
  },
  "withdrawal.cancelled": {
    resourceType: "withdrawal",
    description: "The seller cancelled a withdrawal; its funds are available again.",
    name: { "pt-BR": "Saque cancelado", en: "Withdrawal cancelled" },
  },
  "withdrawal.returned": {
    resourceType: "withdrawal",
    description: "The bank gave back a withdrawal that had succeeded; its amount is available again.",
    name: { "pt-BR": "Saque devolvido pelo banco", en: "Withdrawal returned by the bank" },
  },
  "withdrawal.debited": {
    resourceType: "withdrawal",
    description:
      "The bank executed a withdrawal that had ended without money; its amount and fee were debited.",
    name: { "pt-BR": "Saque debitado depois do fim", en: "Withdrawal debited after its end" },
  },
  "refund.created": {
    resourceType: "refund",
    description: "A refund was requested; its funds are held.",
    name: { "pt-BR": "Devolução solicitada", en: "Refund requested" },
    internal: true,
  },
  "refund.succeeded": {
    resourceType: "refund",
    description: "Money of a charge went back to its payer.",
    name: { "pt-BR": "Devolução concluída", en: "Refund succeeded" },
  },
  "refund.failed": {
    resourceType: "refund",
    description: "A refund failed; its funds are back in the balance.",
    name: { "pt-BR": "Devolução falhou", en: "Refund failed" },
  },
  "exception.credited": {
    resourceType: "exception",
    description: "A payment that named no charge was credited to the balance.",
    name: { "pt-BR": "Pagamento sem cobrança creditado", en: "Payment without a charge credited" },
  },
  "exception.debited": {
    resourceType: "exception",
    description: "The bank took back a payment that had been credited; it was debited from the balance.",
    name: {
      "pt-BR": "Pagamento creditado devolvido pelo banco",
      en: "Credited payment taken back by the bank",
    },
  },
  "payment_link.paid": {
    resourceType: "payment_link",
    description: "Somebody paid through a payment link.",
    name: { "pt-BR": "Link de pagamento pago", en: "Payment link paid" },
  },
  "seller.updated": {
    resourceType: "seller",
    description: "The seller's profile or settings changed.",
    name: { "pt-BR": "Cadastro atualizado", en: "Profile updated" },
  },
  "seller.kyc_approved": {
    resourceType: "seller",
    description: "The seller may operate in live.",
    name: { "pt-BR": "Cadastro aprovado", en: "Identification approved" },
  },
  "seller.kyc_rejected": {
    resourceType: "seller",
    description: "The seller's identification was rejected.",
    name: { "pt-BR": "Cadastro recusado", en: "Identification rejected" },
  },
  "seller.payout_locked": {
    resourceType: "seller",
    description: "Withdrawals are locked until the given time.",
    name: { "pt-BR": "Saques bloqueados", en: "Withdrawals locked" },
  },
  "seller.webhook_endpoint_disabled": {
    resourceType: "seller",
    description: "An endpoint was disabled because its deliveries kept failing.",
    name: { "pt-BR": "Endpoint desativado por falhas", en: "Endpoint disabled after failures" },
  },
  ping: {
    resourceType: "ping",
    description: "A test delivery, sent on request.",
    name: { "pt-BR": "Entrega de teste", en: "Test delivery" },
  },
} as const satisfies Readonly<Record<string, Facts>>

/** The name of an event type: `transaction.paid`. */
export type EventType = keyof typeof catalog

/** One entry of the catalog. */
export interface CatalogEntry extends Omit<Facts, "internal"> {
  readonly type: EventType
  readonly internal: boolean
}

const entryOf = (type: EventType): CatalogEntry => ({ type, internal: false, ...(catalog[type] as Facts) })

/** Every event type, in the catalog's order. */
export const eventCatalog: ReadonlyArray<CatalogEntry> = (
  Object.keys(catalog) as ReadonlyArray<EventType>
).map(entryOf)

const byType = new Map<string, CatalogEntry>(eventCatalog.map((item) => [item.type, item]))

/** The catalog entry of a type. */
export const eventTypeOf = (type: string): CatalogEntry | undefined => byType.get(type)

/** The event of a charge's payment, which examples show where any event would do. */
export const paidEvent = entryOf("transaction.paid")

/** The event of an endpoint that was disabled because its deliveries kept failing (`docs/contract/endpoints.md#disabling`). */
export const endpointDisabledEventType = "seller.webhook_endpoint_disabled" as const satisfies EventType

/** The event of a payment through a payment link (`docs/contract/payment-links.md#event`). */
export const linkPaidEventType = "payment_link.paid" as const satisfies EventType

/** A test delivery, sent on request (`docs/contract/endpoints.md#ping`). */
export const pingEventType = "ping" as const satisfies EventType

/** The event of a paid charge of which a part, but not the whole, went back to its payer. */
export const partiallyRefundedEventType = "transaction.partially_refunded" as const satisfies EventType

/** The event a transaction emits on reaching a status; `pending` emits `transaction.created`. */
export const transactionEventType = (status: TransactionStatus): EventType =>
  status === "pending" ? "transaction.created" : `transaction.${status}`

/** The event a withdrawal emits on reaching a status. */
export const withdrawalEventType = (status: WithdrawalStatus): EventType => `withdrawal.${status}`

/** The event a refund emits on reaching a status; undefined for `processing`, which emits none. */
export const refundEventType = (status: RefundStatus): EventType | undefined => {
  if (status === "processing") return undefined
  return status === "pending" ? "refund.created" : `refund.${status}`
}
