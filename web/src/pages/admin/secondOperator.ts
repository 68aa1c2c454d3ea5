import type { AwaitingSecondOperator } from "../../../../schema/api/operatorDecision.ts"
import type { AuditEntry } from "../../../../schema/resources/operator.ts"

type SecondOperatorNeeded = typeof AwaitingSecondOperator.Type

/** Whether an answer says that the same act of another operator is needed (`docs/decisions/0069-two-operators.md`). */
export const isSecondOperatorNeeded = (answer: unknown): answer is SecondOperatorNeeded =>
  typeof answer === "object" &&
  answer !== null &&
  "status" in answer &&
  answer.status === "awaiting_second_operator"

/**
 * Who asked for an act that waits for a second operator, by the newest entries of the operators' log; undefined where nobody
 * did. `other`: the same act of this operator carries it out.
 */
export const askedBy = (
  askedAs: string,
  resourceId: string,
  log: ReadonlyArray<Pick<AuditEntry, "action" | "resource_id" | "operator_id">>,
  operatorId: string | undefined,
): "you" | "other" | undefined => {
  const asked = log.filter(({ action, resource_id }) => action === askedAs && resource_id === resourceId)
  if (asked.some(({ operator_id }) => operator_id !== operatorId)) return "other"
  return asked.length === 0 ? undefined : "you"
}
