import { destinationIdOfPostback } from "../../../actors/delivery/destinationId.ts"
import type { RefundedCharge } from "../../../actors/ports/refundStore.ts"
import { eventTypeOf } from "../../../schema/events.ts"
import type { Feed } from "../../../schema/ids.ts"
import * as keys from "../keys.ts"

/** '1' or '0', whether an event type is internal. */
export const isInternal = (eventType: string | undefined): "1" | "0" =>
  eventType !== undefined && eventTypeOf(eventType)?.internal === true ? "1" : "0"

/** The keys of a refund's charge, as the functions of refunds name them. Without a change the charge is only named. */
export const chargeKeys = (feed: Feed, transactionId: string, charge: RefundedCharge | undefined) => {
  const { sellerId, mode } = feed
  const transaction = keys.keyWithin(keys.tagOf(sellerId), keys.transactionKey(transactionId))
  const statuses = charge === undefined ? [] : [charge.transaction.status, charge.to]
  const [oldIndex, newIndex] = statuses.map((status) => keys.transactionsKey(sellerId, mode, status))
  const { postback } = charge ?? {}
  return {
    transaction,
    charge_old_index: oldIndex ?? transaction,
    charge_new_index: newIndex ?? transaction,
    // Any key of the slot if there is none.
    postback:
      postback === undefined
        ? transaction
        : keys.destinationKey(destinationIdOfPostback(sellerId, mode, postback.url)),
    postbacks: keys.postbacksKey(feed),
  }
}

/** The arguments that describe what a refund changes of its charge; an empty version: nothing. */
export const chargeArguments = (feed: Feed, transactionId: string, charge: RefundedCharge | undefined) => ({
  transaction_id: transactionId,
  charge_version: charge?.transaction.version ?? "",
  charge_old_status: charge?.transaction.status ?? "",
  charge_new_status: charge?.to ?? "",
  charge_document: charge?.document ?? "",
  charge_event_type: charge?.eventType ?? "",
  charge_internal: isInternal(charge?.eventType),
  postback_id:
    charge?.postback === undefined
      ? ""
      : destinationIdOfPostback(feed.sellerId, feed.mode, charge.postback.url),
  postback_url: charge?.postback?.url ?? "",
  refunding_change: charge?.refundingChange ?? 0,
  charge_timers_set_count: charge?.timers.length ?? 0,
  charge_timers_dropped_count: charge?.timersDone.length ?? 0,
})

/** The charge's timers: pairs (name, due in ms) to set, then names to drop. */
export const chargeTimerArguments = (charge: RefundedCharge | undefined): ReadonlyArray<string | number> => [
  ...(charge?.timers ?? []).flatMap((timer) => [timer.name, timer.dueMillis]),
  ...(charge?.timersDone ?? []),
]

/** The names of the keys and arguments above, in the order in which functions declare them. */
export const chargeKeyNames = [
  "transaction",
  "charge_old_index",
  "charge_new_index",
  "postback",
  "postbacks",
] as const
export const chargeArgumentNames = [
  "transaction_id",
  "charge_version",
  "charge_old_status",
  "charge_new_status",
  "charge_document",
  "charge_event_type",
  "charge_internal",
  "postback_id",
  "postback_url",
  "refunding_change",
  "charge_timers_set_count",
  "charge_timers_dropped_count",
] as const
