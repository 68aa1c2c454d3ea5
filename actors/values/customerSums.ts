import type { Transaction } from "../../schema/resources/transaction.ts"

/** What a charge adds to the sums of its customer, in centavos (docs/contract/customers.md#sums). */
export const customerSumsOf = ({
  amount,
  paid_at,
  refunded_amount,
}: Pick<Transaction, "amount" | "paid_at" | "refunded_amount">) => ({
  paid: paid_at === null ? 0 : amount,
  refunded: refunded_amount,
})
