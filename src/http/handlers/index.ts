import { Effect } from "effect"
import type { api } from "../../../schema/api/index.ts"
import type { Handlers } from "../request.ts"
import { makeDeliveryHandlers } from "./deliveries.ts"
import { makeEventHandlers } from "./events.ts"
import { makeHealthHandlers } from "./health.ts"
import { makeTransactionHandlers } from "./transactions.ts"

/** A handler for every endpoint of the contract. `version` is what /health answers. */
export const makeHandlers = Effect.fnUntraced(function* (version: string) {
  const handlers: Handlers<typeof api, never> = {
    ...(yield* makeTransactionHandlers),
    ...(yield* makeEventHandlers),
    ...(yield* makeDeliveryHandlers),
    ...(yield* makeHealthHandlers(version)),
  }
  return handlers
})
