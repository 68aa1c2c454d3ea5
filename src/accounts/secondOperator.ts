import { Clock, Effect, Schema } from "effect"
import { ExceptionRules } from "../../actors/ports/exceptionRules.ts"
import { type Mode, timeOfId } from "../../schema/ids.ts"
import { limits } from "../../schema/limits.ts"
import type { AuditEntry } from "../../schema/resources/operator.ts"
import { OperatorLog } from "./operatorLog.ts"

/** An act of an operator that removes a control, as the operators' log names it. */
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
  /** How long a first call counts; left out, as long as what it is about. */
  readonly askedForMillis?: number
}

/** An act waits for the same call of another operator. */
export class AwaitsSecondOperator extends Schema.TaggedError<AwaitsSecondOperator>()(
  "AwaitsSecondOperator",
  {},
) {}

/** What a call answers that waits for a second operator, with 202. */
export const awaitingSecondOperator = {
  status: 202,
  body: JSON.stringify({ status: "awaiting_second_operator" }),
} as const

/**
 * Whether a call completes two: calls are entries of the operators' log, and each that follows another operator's call for the same act
 * uses that one up. So every call finds the same pairs, however many are made at once. `entries` are of the same act, oldest first; what
 * was done uses up what was asked before it.
 */
const completesTwo = (act: OperatorAct, entries: ReadonlyArray<AuditEntry>, callId: string): boolean => {
  let waiting: AuditEntry["operator_id"] | undefined
  for (const { id, action, operator_id } of entries) {
    const isSecond = action === act.askedAs && waiting !== undefined && waiting !== operator_id
    if (id === callId) return isSecond
    waiting = action === act.doneAs || isSecond ? undefined : operator_id
  }
  return false
}

/**
 * Makes the program that says whether enough operators asked for an act that moves live money
 * (`docs/decisions/0069-two-operators.md`). Where two have to, each call is an entry of the operators' log, where the same call of another
 * operator finds it, until the act is done.
 */
export const makeSecondOperator = Effect.gen(function* () {
  const log = yield* OperatorLog
  const { operatorApprovals } = yield* ExceptionRules

  /**
   * The entries of an act, oldest first, from the resource's creation on; those beyond
   * `approvalLogPagesMax` pages are forgotten.
   */
  const entriesOf = Effect.fnUntraced(function* (act: OperatorAct) {
    const { resourceId, askedForMillis = Number.POSITIVE_INFINITY } = act
    // Ids of users tell no time.
    const createdMillis = timeOfId(resourceId) || 0
    const firstMillis = Math.max(createdMillis, (yield* Clock.currentTimeMillis) - askedForMillis)
    const sinceMillis = firstMillis - limits.approvalClockSkewMillis
    const found: Array<AuditEntry> = []
    let beforeId: string | undefined
    for (let pages = 0; pages < limits.approvalLogPagesMax; pages++) {
      const { entries, nextBeforeId } = yield* log.list({ beforeId, limit: limits.pageSizeMax })
      for (const entry of entries) {
        if (Date.parse(entry.created_at) < sinceMillis) return found.reverse()
        const isOfAct = entry.action === act.askedAs || entry.action === act.doneAs
        if (!isOfAct || entry.resource_id !== act.resourceId || !act.isSame(entry.details)) continue
        found.push(entry)
      }
      if (nextBeforeId === undefined) break
      beforeId = nextBeforeId
    }
    return found.reverse()
  })

  /** Whether the act is to be done now; otherwise the call waits for another operator's. */
  return Effect.fnUntraced(function* (act: OperatorAct) {
    if (operatorApprovals < 2 || act.mode === "test") return true
    const { operatorId, askedAs, resourceType, resourceId, details } = act
    const callId = yield* log.append({ operatorId, action: askedAs, resourceType, resourceId, details })
    return completesTwo(act, yield* entriesOf(act), callId)
  })
})
