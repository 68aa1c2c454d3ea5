import type { Effect } from "effect"
import type { sessionReadsGroup } from "../../../schema/api/sessionReads.ts"
import type { Reply, RequestFailure } from "../server/reply.ts"
import type { GroupHandlers } from "../server/request.ts"
import type { DeliveryHandlers } from "./deliveries.ts"
import type { EventHandlers } from "./events.ts"
import type { TransactionHandlers } from "./transactions.ts"

/** Retypes a handler for a route with the same parameters, query and body that differs only in its credential. */
export const forSession = <H>(handler: (request: never) => Effect.Effect<Reply, RequestFailure>): H =>
  handler as H

/** What API keys do with charges, events and deliveries, for sessions: only the principal differs. */
export const sessionReadHandlers = (
  handlers: TransactionHandlers & EventHandlers & DeliveryHandlers,
): Omit<GroupHandlers<typeof sessionReadsGroup>, "exportMyTransactions" | "exportChosenTransactions"> => ({
  listMyEvents: forSession(handlers.listEvents),
  getMyEvent: forSession(handlers.getEvent),
  listMyEventTypes: forSession(handlers.listEventTypes),
  listMyDeliveries: forSession(handlers.listDeliveries),
  getMyDelivery: forSession(handlers.getDelivery),
  retryMyDelivery: forSession(handlers.retryDelivery),
  createMyTransaction: forSession(handlers.createTransaction),
  listMyTransactions: forSession(handlers.listTransactions),
  summarizeMyTransactions: forSession(handlers.summarizeTransactions),
  getMyTransaction: forSession(handlers.getTransaction),
})
