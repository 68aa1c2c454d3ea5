import { Schema } from "effect"
import { timestampOrNull } from "../fields.ts"
import { type TransactionStatus, transactionStatuses } from "../names.ts"

const sums = {
  count: Schema.Int.annotateKey({ description: "How many charges." }),
  amount: Schema.Int.annotateKey({ description: "Their amounts, in centavos, paid or not." }),
  gross: Schema.Int.annotateKey({ description: "The amounts of those that were paid, in centavos." }),
  fees: Schema.Int.annotateKey({ description: "What we kept of those that were paid, in centavos." }),
  refunded: Schema.Int.annotateKey({ description: "What went back to the payers, in centavos." }),
  net: Schema.Int.annotateKey({ description: "`gross` minus `fees` and `refunded`, in centavos." }),
}

const exampleSums = { count: 2, amount: 25_980, gross: 25_980, fees: 260, refunded: 0, net: 25_720 }
const none = { count: 0, amount: 0, gross: 0, fees: 0, refunded: 0, net: 0 }

/** What charges add up to; amounts in centavos. */
export const TransactionSums = Schema.Struct(sums).annotate({
  identifier: "TransactionSums",
  examples: [exampleSums],
})
export type TransactionSums = typeof TransactionSums.Type

const byStatus = Object.fromEntries(
  transactionStatuses.map((status) => [
    status,
    TransactionSums.annotateKey({ description: `Of those that are ${status}.` }),
  ]),
) as { readonly [Status in TransactionStatus]: typeof TransactionSums }

/** The sums of a list of charges (`docs/contract/transactions.md#totals`). */
export const TransactionTotals = Schema.Struct({
  ...sums,
  by_status: Schema.Struct(byStatus).annotateKey({ description: "The same by the charges' status." }),
  complete: Schema.Boolean.annotateKey({
    description:
      "Whether every charge of the list was added up; else those since `since`, which are the newest.",
  }),
  since: timestampOrNull.annotateKey({
    description: "Where not complete: when the oldest charge that was added up was created; else null.",
  }),
}).annotate({
  identifier: "TransactionTotals",
  examples: [
    {
      ...exampleSums,
      by_status: {
        ...{ pending: none, paid: exampleSums, expired: none },
        ...{ failed: none, refunded: none, chargeback: none },
      },
      complete: true,
      since: null,
    },
  ],
})
export type TransactionTotals = typeof TransactionTotals.Type
