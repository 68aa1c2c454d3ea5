import { Schema } from "effect"
import { timestamp } from "../fields.ts"
import { TransactionCustomer } from "./transaction.ts"

const { name, email, document, phone } = TransactionCustomer.fields

/** The id of examples. */
const exampleCustomerId = "cus_0G3T8QWERY07ABCDEFGHJKMNPQ"

/** A customer with two charges. */
const exampleCustomer = {
  id: exampleCustomerId,
  object: "customer",
  name: "Ana Souza",
  email: "ana@example.com",
  document: "52998224725",
  phone: null,
  charges: 2,
  paid_amount: 25980,
  refunded_amount: 12990,
  first_charge_at: "2026-11-21T12:00:00.000Z",
  last_charge_at: "2026-11-28T15:30:00.000Z",
} as const

/** Whoever pays with one document (`docs/contract/customers.md#fields`). Field order is the wire order. */
export const Customer = Schema.Struct({
  id: Schema.String.annotateKey({ description: "The customer's id." }),
  object: Schema.Literal("customer").annotateKey({ description: "The kind of resource." }),
  name,
  email,
  document,
  phone,
  charges: Schema.Int.annotateKey({ description: "How many charges it has, whatever became of them." }),
  paid_amount: Schema.Int.annotateKey({
    description: "The amounts of those that were paid, in centavos, also of those that went back.",
  }),
  refunded_amount: Schema.Int.annotateKey({
    description: "What of them went back to the payer, in centavos.",
  }),
  first_charge_at: timestamp.annotateKey({ description: "When its first charge was created." }),
  last_charge_at: timestamp.annotateKey({ description: "When its newest charge was created." }),
}).annotate({ identifier: "Customer", examples: [exampleCustomer] })
export type Customer = typeof Customer.Type

/** Body of POST /v1/me/customers/{id}/merge (`docs/contract/customers.md#merge`). */
export const MergeCustomer = Schema.Struct({
  into: Schema.String.check(Schema.isMinLength(1)).annotateKey({
    description: "The id of the customer that it becomes a part of.",
  }),
}).annotate({ identifier: "MergeCustomer", examples: [{ into: exampleCustomerId }] })
export type MergeCustomer = typeof MergeCustomer.Type
