import type { Effect } from "effect"
import type { sessionReadsGroup } from "../../../schema/api/sessionReads.ts"
import type { GroupHandlers, Reply, RequestFailure } from "../server/request.ts"
import type { DeliveryHandlers } from "./deliveries.ts"
import type { EventHandlers } from "./events.ts"
import type { TransactionHandlers } from "./transactions.ts"

/** The type of a handler for a route that has the same parameters, query and body, and differs in its credential alone. */
export const forSession = <H>(handler: (request: never) => Effect.Effect<Reply, RequestFailure>): H =>
  handler as H

/** The same reads as an API key's, for sessions (spec 4.2, 4.4): their principal is all that differs. */
export const sessionReadHandlers = (
  handlers: TransactionHandlers & EventHandlers & DeliveryHandlers,
): GroupHandlers<typeof sessionReadsGroup> => ({
  listMyEvents: forSession(handlers.listEvents),
  getMyEvent: forSession(handlers.getEvent),
  listMyDeliveries: forSession(handlers.listDeliveries),
  getMyDelivery: forSession(handlers.getDelivery),
  retryMyDelivery: forSession(handlers.retryDelivery),
  listMyTransactions: forSession(handlers.listTransactions),
  getMyTransaction: forSession(handlers.getTransaction),
})
