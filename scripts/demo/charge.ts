import type { Effect } from "effect"
import type { Transaction } from "../../client/src/index.ts"
import type { DemoFailed } from "./demoFailed.ts"
import type { DemoService } from "./service.ts"

/** Charges a customer an amount, in centavos. */
export const charge = (
  service: DemoService,
  key: string,
  amount: number,
): Effect.Effect<Transaction, DemoFailed> =>
  service.asMerchant(key, "the charge", (corrente, options) =>
    corrente.transactions.create(
      {
        amount,
        payment_method: "pix",
        customer: { name: "Ana Souza", email: "ana@example.com", document: "529.982.247-25" },
        items: [{ name: "Livro", quantity: 1, unit_amount: amount }],
      },
      options,
    ),
  )
