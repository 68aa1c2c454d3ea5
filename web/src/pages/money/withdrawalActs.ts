import type { Withdrawal, WithdrawalStatus } from "../../../../schema/resources/withdrawal.ts"

/** What can be simulated in test mode, by the state that allows it (`docs/contract/test-controls.md#withdrawals`). */
export const actsOf = (
  status: WithdrawalStatus,
): ReadonlyArray<"approve" | "reject" | "succeed" | "fail"> => {
  if (status === "awaiting") return ["approve", "reject"]
  return status === "approved" || status === "processing" ? ["succeed", "fail"] : []
}

/** One step of a withdrawal; `at` is null while it is to come. */
export interface Step {
  readonly name: string
  readonly at: string | null
}

/** What a withdrawal has been through, and what is still to come if all goes well. */
export const stepsOf = (withdrawal: Withdrawal): ReadonlyArray<Step> => {
  const { status, created_at, approved_at, processing_at, completed_at, returned_at } = withdrawal
  const isOver = completed_at !== null
  const steps: ReadonlyArray<Step> = [
    { name: "awaiting", at: created_at },
    { name: "approved", at: approved_at },
    { name: "processing", at: processing_at },
    { name: isOver ? status : "successful", at: completed_at },
    { name: "returned", at: returned_at ?? null },
  ]
  return steps.filter(({ name, at }) => at !== null || (!isOver && name !== "returned"))
}
