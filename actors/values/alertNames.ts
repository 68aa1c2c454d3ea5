import type { EventType } from "../../schema/events.ts"
import type { AlertWhen } from "../../schema/names.ts"

/** The kind of a seller's timer while alerts are owed to it. */
export const alertTimerName = "alerts"

/** The events that give reason for an alert; other alerts come from money, exceptions, attempts and sign-ins. */
export const alertOfEvent: Readonly<Partial<Record<EventType, AlertWhen>>> = {
  "seller.webhook_endpoint_disabled": "endpoint_disabled",
  "withdrawal.failed": "payout_failed",
  "withdrawal.returned": "payout_failed",
  "refund.failed": "refund_failed",
}
