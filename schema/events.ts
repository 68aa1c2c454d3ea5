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
  readonly resourceType: "transaction" | "withdrawal" | "refund" | "exception" | "seller" | "ping"
  readonly internal: boolean
  readonly description: string
}

const entry = (
  type: string,
  resourceType: EventType["resourceType"],
  description: string,
  internal = false,
): EventType => ({ type, resourceType, internal, description })

/** The event of an endpoint that was disabled because its deliveries kept failing (`docs/contract/endpoints.md#disabling`). */
export const endpointDisabledEventType = "seller.webhook_endpoint_disabled"

/** The event of a charge's payment, which examples show where any event would do. */
export const paidEvent = entry("transaction.paid", "transaction", "The payer's bank paid the charge.")

/** Every event type. `ping` is delivered on request and cannot be subscribed to. */
export const eventCatalog: ReadonlyArray<EventType> = [
  entry("transaction.created", "transaction", "A charge was created and waits for its payment.", true),
  paidEvent,
  entry("transaction.expired", "transaction", "The charge was not paid in time."),
  entry("transaction.failed", "transaction", "The charge can no longer be paid."),
  entry("transaction.refunded", "transaction", "A paid charge was refunded."),
  entry(
    "transaction.partially_refunded",
    "transaction",
    "Part of a paid charge went back to its payer; it stays paid.",
  ),
  entry("transaction.chargeback", "transaction", "The payer's bank took back a paid charge."),
  entry(
    "transaction.exception",
    "transaction",
    "The acquirer received a payment for a charge that does not fit it, or an operator resolved one.",
  ),
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
  entry(
    "withdrawal.returned",
    "withdrawal",
    "The bank gave back a withdrawal that had succeeded; its amount is available again.",
  ),
  entry(
    "withdrawal.debited",
    "withdrawal",
    "The bank executed a withdrawal that had ended without money; its amount and fee were debited.",
  ),
  entry("refund.created", "refund", "A refund was requested; its funds are held.", true),
  entry("refund.succeeded", "refund", "Money of a charge went back to its payer."),
  entry("refund.failed", "refund", "A refund failed; its funds are back in the balance."),
  entry("exception.credited", "exception", "A payment that named no charge was credited to the balance."),
  entry(
    "exception.debited",
    "exception",
    "The bank took back a payment that had been credited; it was debited from the balance.",
  ),
  entry("seller.updated", "seller", "The seller's profile or settings changed."),
  entry("seller.kyc_approved", "seller", "The seller may operate in live."),
  entry("seller.kyc_rejected", "seller", "The seller's identification was rejected."),
  entry("seller.payout_locked", "seller", "Withdrawals are locked until the given time."),
  entry(endpointDisabledEventType, "seller", "An endpoint was disabled because its deliveries kept failing."),
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

const allTypes = eventCatalog.map(({ type }) => type)
const subscribableTypes = allTypes.filter(isSubscribable)

/**
 * Checks the `events` of an endpoint: exact catalog types or `["*"]`. `invalid_event_type` names the first bad one, and
 * lists those that can be subscribed to.
 */
export const checkSubscription = (events: ReadonlyArray<string>): ApiError | undefined => {
  for (const [index, type] of events.entries()) {
    if (type === "*" || isSubscribable(type)) continue
    return new ApiError({
      code: "invalid_event_type",
      param: `events.${index}`,
      message: `${shownType(type)} is not an event type you can subscribe to. Use types from GET /v1/event-types, or "*" for all.`,
      details: { types: subscribableTypes },
    })
  }
  return undefined
}

const testableTypes = eventCatalog.filter(({ internal }) => !internal).map(({ type }) => type)

/**
 * Checks the type of a test event: any that endpoints can receive, so `ping` too. 400 `validation_failed` at `type`, with the types
 * there are.
 */
export const checkTestType = (type: string): ApiError | EventType => {
  const found = byType.get(type)
  if (found?.internal === false) return found
  const why =
    found === undefined ? "is not an event type" : "is internal, so no endpoint ever receives such an event"
  return new ApiError({
    code: "validation_failed",
    param: "type",
    message: `${shownType(type)} ${why}. A test event can be one of: ${testableTypes.join(", ")}.`,
    details: { types: testableTypes },
  })
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

const invalidTypes = (param: string, message: string): ApiError =>
  new ApiError({ code: "validation_failed", param, message, details: { types: allTypes } })

/** A filter on event types: exact types or families (`transaction.*`), comma-separated. */
export interface TypesFilter {
  readonly matches: (type: string) => boolean
}

/**
 * Reads `types`. Every name must be a type (internal ones included), a family or `*`, because any other would silently
 * match nothing: it is 400 `validation_failed` with the types there are, as are more than `typesMax` names.
 */
export const readTypesFilter = (text: string, typesMax: number): TypesFilter | ApiError => {
  const names = text.split(",").map((name) => name.trim())
  if (names.length > typesMax) {
    return invalidTypes(
      "types",
      `types must be a comma-separated list of at most ${typesMax} event types or families, like transaction.paid,withdrawal.* for example.`,
    )
  }
  const unknown = names.find((name) => !isKnownName(name))
  if (unknown !== undefined) {
    const known = [...allTypes, ...[...families].map((family) => `${family}.*`), "*"]
    return invalidTypes(
      "types",
      `${shownType(unknown)} is neither an event type nor a family of types. Known: ${known.join(", ")}.`,
    )
  }
  const exact = new Set(names.filter((name) => !name.endsWith("*")))
  const prefixes = names.filter((name) => name.endsWith("*")).map((name) => name.slice(0, -1))
  return { matches: (type) => exact.has(type) || prefixes.some((prefix) => type.startsWith(prefix)) }
}

/** Checks a filter on one exact type, as `readTypesFilter` does; undefined is no filter. */
export const checkTypeFilter = (param: string, type: string | undefined): ApiError | undefined =>
  type === undefined || byType.has(type)
    ? undefined
    : invalidTypes(param, `${shownType(type)} is not an event type. Known: ${allTypes.join(", ")}.`)
