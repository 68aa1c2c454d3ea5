import { Effect } from "effect"
import { ExceptionRules } from "../../actors/ports/exceptionRules.ts"
import { type Mode, timeOfId } from "../../schema/ids.ts"
import { limits } from "../../schema/limits.ts"
import type { AuditEntry } from "../../schema/resources/operator.ts"
import { OperatorLog } from "./operatorLog.ts"

/** An act of an operator on a charge or a withdrawal, as the operators' log names it. */
export interface OperatorAct {
  readonly mode: Mode
  readonly operatorId: string
  /** The action of a call that waits for a second operator, and that of the act itself. */
  readonly askedAs: string
  readonly doneAs: string
  readonly resourceType: string
  readonly resourceId: string
  /** The request's parameters, without secrets. */
  readonly details: Readonly<Record<string, unknown>>
  /** Whether a call with other details asked for the same. */
  readonly isSame: (details: AuditEntry["details"]) => boolean
}

/** What a call answers that waits for a second operator, with 202. */
export const awaitingSecondOperator = {
  status: 202,
  body: JSON.stringify({ status: "awaiting_second_operator" }),
} as const

/**
 * Makes the program that says whether enough operators asked for an act that moves live money
 * (`docs/decisions/0069-two-operators.md`). Where two have to, a first call is an entry of the operators' log, in which the same call of
 * another operator finds it, until the act is done.
 */
export const makeSecondOperator = Effect.gen(function* () {
  const log = yield* OperatorLog
  const { operatorApprovals } = yield* ExceptionRules

  /** Reads the log back to the resource's creation; acts beyond `approvalLogPagesMax` pages are forgotten. */
  const isAskedByAnother = Effect.fnUntraced(function* (act: OperatorAct) {
    const sinceMillis = timeOfId(act.resourceId) - limits.approvalClockSkewMillis
    let beforeId: string | undefined
    for (let pages = 0; pages < limits.approvalLogPagesMax; pages++) {
      const { entries, nextBeforeId } = yield* log.list({ beforeId, limit: limits.pageSizeMax })
      for (const entry of entries) {
        if (Date.parse(entry.created_at) < sinceMillis) return false
        if (entry.resource_id !== act.resourceId || !act.isSame(entry.details)) continue
        if (entry.action === act.doneAs) return false
        if (entry.action === act.askedAs && entry.operator_id !== act.operatorId) return true
      }
      if (nextBeforeId === undefined) return false
      beforeId = nextBeforeId
    }
    return false
  })

  /** Whether the act is to be done now; otherwise the call is kept. */
  return Effect.fnUntraced(function* (act: OperatorAct) {
    if (operatorApprovals < 2 || act.mode === "test") return true
    if (yield* isAskedByAnother(act)) return true
    const { operatorId, askedAs, resourceType, resourceId, details } = act
    yield* log.append({ operatorId, action: askedAs, resourceType, resourceId, details })
    // Two first calls at once: the later entry sees the earlier one.
    return yield* isAskedByAnother(act)
  })
})
