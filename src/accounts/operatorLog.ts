import { randomUUID } from "node:crypto"
import { Context, Effect, Layer } from "effect"
import { type Act, makeOperatorLogStore } from "../store/operatorLog.ts"
import { makeSellerAuditStore } from "../store/sellerAudit.ts"
import { CurrentRequest } from "./currentRequest.ts"
import { securityLine } from "./securityLine.ts"

/** An act of an operator. */
export interface OperatorsAct extends Omit<Act, "ipAddress"> {
  /** Whose account it is done to: the act is in that seller's audit log, too, without who did it and why. */
  readonly sellerId?: string | undefined
}

/** The store of acts; what operators do over HTTP is a line in the log too. Commands tell whoever runs them. */
const make = Effect.gen(function* () {
  const store = yield* makeOperatorLogStore
  const sellers = yield* makeSellerAuditStore

  const tellSeller = (sellerId: string, { action, resourceType, resourceId, details }: OperatorsAct) => {
    const { reason: _, ...shown } = details
    return sellers.append({
      sellerId,
      operation: randomUUID(),
      action,
      ipAddress: undefined,
      actor: { type: "operator", id: null, name: null },
      resourceType,
      resourceId,
      details: shown,
      keptMillis: sellers.keptMillis,
    })
  }

  return {
    ...store,
    /** Appends an action, and returns the entry's id. */
    append: Effect.fnUntraced(function* ({ sellerId, ...act }: OperatorsAct) {
      const { operatorId, action, resourceType, resourceId } = act
      const request = yield* CurrentRequest
      const entryId = yield* store.append({ ...act, ipAddress: request?.clientAddress })
      const what = { action, resource_type: resourceType, resource_id: resourceId, entry_id: entryId }
      if (operatorId !== undefined) yield* securityLine("operator.act", { ...what, user_id: operatorId })
      if (sellerId !== undefined) yield* tellSeller(sellerId, act)
      return entryId
    }),
  }
})

/**
 * What operators did. An act is appended after its checks and before it is made: where the process dies in between, the
 * log names one act too many, and never one too few (`docs/contract/admin.md#audit-log`).
 */
export class OperatorLog extends Context.Service<OperatorLog, Effect.Success<typeof make>>()(
  "corrente/accounts/OperatorLog",
) {}

export const OperatorLogLive = Layer.effect(OperatorLog, make)
