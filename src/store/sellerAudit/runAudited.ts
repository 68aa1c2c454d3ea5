import type { SellerAct } from "../../../actors/values/sellerAct.ts"
import { limits } from "../../../schema/limits.ts"
import { declareFunction, parametersOf } from "../redis/functionDeclaration.ts"
import type { Argument } from "../redis/redisConnection.ts"
import { sellerAuditKey } from "./keys.ts"

const declaration = declareFunction(import.meta.url, {
  keys: ["audit", "...called"],
  args: ["function_name", "replies", "operation", "act", "entries_max", "kept_millis", "...called"],
})

/** The text of an act in its stream; `createdId` is the id of what the act created. */
const textOf = (act: SellerAct, createdId: string): string => {
  const { action, actor, ipAddress = null, resourceType, resourceId = createdId, details } = act
  return JSON.stringify({ action, actor, ipAddress, resourceType, resourceId, details })
}

/** A call of a function that is to be audited. */
export interface AuditedCall {
  /** The parameters of FCALL. */
  readonly parameters: ReadonlyArray<Argument>
  /** The replies that say that it was done. */
  readonly replies: ReadonlyArray<string>
  /** The id of what it does something to. */
  readonly id: string
}

/** The parameters of FCALL for a call with its act; without a call, the act alone is appended. */
export const auditedParameters = (
  act: SellerAct,
  { parameters, replies, id }: AuditedCall = { parameters: ["", 0], replies: [], id: "" },
): ReadonlyArray<Argument> => {
  const [functionName = "", keysCount = 0, ...rest] = parameters
  return parametersOf(
    declaration,
    { audit: sellerAuditKey(act.sellerId), called: rest.slice(0, Number(keysCount)).map(String) },
    {
      function_name: functionName,
      replies: `,${replies.join(",")},`,
      operation: act.operation,
      act: textOf(act, id),
      entries_max: limits.sellerAuditEntriesMax,
      kept_millis: act.keptMillis,
      called: rest.slice(Number(keysCount)),
    },
  )
}
