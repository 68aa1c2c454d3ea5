import type { CreateTransaction } from "../../../schema/resources/transaction.ts"

/** A charge's body. */
export const bodyOf = (overrides: Partial<CreateTransaction> = {}): CreateTransaction => ({
  amount: 1_000,
  payment_method: "pix",
  customer: { name: "Maria Souza", email: "maria@example.com", document: "529.982.247-25" },
  items: [{ name: "Pão", quantity: 2, unit_amount: 500 }],
  ...overrides,
})
