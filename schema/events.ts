import { ApiError } from "./errors.ts"
import type { RefundStatus } from "./resources/refund.ts"
import type { TransactionStatus } from "./resources/transaction.ts"
import type { WithdrawalStatus } from "./resources/withdrawal.ts"

/**
 * One entry of the catalog (`docs/contract/events.md#types`). Internal types appear in the feed only and are never
 * delivered.
 */
export interface EventType {
  readonly type: string
  readonly resourceType: "transaction" | "withdrawal" | "refund" | "seller" | "ping"
  readonly internal: boolean
  readonly description: string
}

const entry = (
  type: string,
  resourceType: EventType["resourceType"],
  description: string,
  internal = false,
): EventType => ({ type, resourceType, internal, description })

/** Every event type. `ping` is delivered on request and cannot be subscribed to. */
export const eventCatalog: ReadonlyArray<EventType> = [
  entry("transaction.created", "transaction", "A charge was created and waits for its payment.", true),
  entry("transaction.paid", "transaction", "The payer's bank paid the charge."),
  entry("transaction.expired", "transaction", "The charge was not paid in time."),
  entry("transaction.failed", "transaction", "The charge can no longer be paid."),
  entry("transaction.refunded", "transaction", "A paid charge was refunded."),
  entry(
    "transaction.partially_refunded",
    "transaction",
    "Part of a paid charge went back to its payer; it stays paid.",
  ),
  entry("transaction.chargeback", "transaction", "The payer's bank took back a paid charge."),
  entry("withdrawal.awaiting", "withdrawal", "A withdrawal was requested; its funds are held."),
  entry("withdrawal.approved", "withdrawal", "A withdrawal was approved."),
  entry("withdrawal.rejected", "withdrawal", "A withdrawal was rejected; its funds are available again."),
  entry("withdrawal.processing", "withdrawal", "The bank is processing a withdrawal."),
  entry("withdrawal.successful", "withdrawal", "A withdrawal arrived at the bank account."),
  entry("withdrawal.failed", "withdrawal", "A withdrawal failed; its funds are available again."),
  entry(
    "withdrawal.cancelled",
    "withdrawal",
    "The seller cancelled a withdrawal; its funds are available again.",
  ),
  entry("refund.created", "refund", "A refund was requested; its funds are held.", true),
  entry("refund.succeeded", "refund", "Money of a charge went back to its payer."),
  entry("refund.failed", "refund", "A refund failed; its funds are back in the balance."),
  entry("seller.updated", "seller", "The seller's profile or settings changed."),
  entry("seller.kyc_approved", "seller", "The seller may operate in live."),
  entry("seller.kyc_rejected", "seller", "The seller's identification was rejected."),
  entry("seller.payout_locked", "seller", "Withdrawals are locked until the given time."),
  entry(
    "seller.webhook_endpoint_disabled",
    "seller",
    "An endpoint was disabled because its deliveries kept failing.",
  ),
  entry("ping", "ping", "A test delivery, sent on request."),
]

/** A test delivery, sent on request (`docs/contract/endpoints.md#ping`). */
export const pingEventType = "ping"

const byType = new Map(eventCatalog.map((item) => [item.type, item]))

/** The catalog entry of a type. */
export const eventTypeOf = (type: string): EventType | undefined => byType.get(type)

/** Whether an endpoint may subscribe to it: any type that is neither internal nor `ping`. */
export const isSubscribable = (type: string): boolean => {
  const found = byType.get(type)
  return found !== undefined && !found.internal && found.resourceType !== "ping"
}

/** The form of event types. Text of any other form is not repeated: it may be a secret in the wrong place. */
const typePattern = /^[a-z_]+(?:\.[a-z_]+|\.\*)?$/

const shownType = (type: string): string => {
  const shown = type.slice(0, 64)
  return typePattern.test(shown) ? `'${shown}'` : "This"
}

/** Checks the `events` of an endpoint: exact catalog types or `["*"]`. `invalid_event_type` names the first bad one. */
export const checkSubscription = (events: ReadonlyArray<string>): ApiError | undefined => {
  for (const [index, type] of events.entries()) {
    if (type === "*" || isSubscribable(type)) continue
    return new ApiError({
      code: "invalid_event_type",
      param: `events.${index}`,
      message: `${shownType(type)} is not an event type you can subscribe to. Use types from GET /v1/event-types, or "*" for all.`,
    })
  }
  return undefined
}

/** The event a transaction emits on reaching a status; `pending` emits `transaction.created`. */
export const transactionEventType = (status: TransactionStatus): string =>
  status === "pending" ? "transaction.created" : `transaction.${status}`

/** The event a withdrawal emits on reaching a status. */
export const withdrawalEventType = (status: WithdrawalStatus): string => `withdrawal.${status}`

/** The event of a paid charge of which a part, but not the whole, went back to its payer. */
export const partiallyRefundedEventType = "transaction.partially_refunded"

/** The event a refund emits on reaching a status; undefined for `processing`, which emits none. */
export const refundEventType = (status: RefundStatus): string | undefined => {
  if (status === "processing") return undefined
  return status === "pending" ? "refund.created" : `refund.${status}`
}

/** The part before `.*` in a family: `transaction` for `transaction.paid`. */
const families = new Set(
  eventCatalog.filter(({ type }) => type.includes(".")).map(({ type }) => type.slice(0, type.indexOf("."))),
)

const isKnownName = (name: string): boolean =>
  name === "*" || byType.has(name) || (name.endsWith(".*") && families.has(name.slice(0, -2)))

/**
 * Checks the names of a `types` filter. A name that is neither a type (internal ones included) nor a family is 400
 * `validation_failed` with the list of types, because it would silently match nothing.
 */
export const checkTypesFilter = (text: string): ApiError | undefined => {
  const unknown = text
    .split(",")
    .map((name) => name.trim())
    .find((name) => !isKnownName(name))
  if (unknown === undefined) return undefined
  const types = eventCatalog.map(({ type }) => type)
  const known = [...types, ...[...families].map((family) => `${family}.*`), "*"]
  return new ApiError({
    code: "validation_failed",
    param: "types",
    message: `${shownType(unknown)} is neither an event type nor a family of types. Known: ${known.join(", ")}.`,
    details: { types },
  })
}

/** A filter on event types: exact types or families (`transaction.*`), comma-separated. */
export interface TypesFilter {
  readonly matches: (type: string) => boolean
}

/** Parses `types`; returns undefined for a malformed list (empty names, other characters). */
export const parseTypesFilter = (text: string, typesMax: number): TypesFilter | undefined => {
  const names = text.split(",").map((name) => name.trim())
  if (names.length > typesMax) return undefined
  if (!names.every((name) => name === "*" || /^[a-z_]+(\.(\*|[a-z_]+))*$/.test(name))) return undefined
  const exact = new Set(names.filter((name) => !name.endsWith("*")))
  const families = names.filter((name) => name.endsWith("*")).map((name) => name.slice(0, -1))
  return { matches: (type) => exact.has(type) || families.some((family) => type.startsWith(family)) }
}
