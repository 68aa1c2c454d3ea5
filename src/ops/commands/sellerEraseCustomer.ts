import { Effect, Schema } from "effect"
import { Command } from "effect/cli"
import { validationFailed } from "../../../schema/errors.ts"
import { stripDocument, TaxDocument } from "../../../schema/resources/transaction.ts"
import { OperatorLog } from "../../accounts/operatorLog.ts"
import { answer } from "../answer.ts"
import { eraseCustomer, placeholders } from "../erasure/eraseCustomer.ts"
import { optionalFlag, textFlag } from "../parameters.ts"
import { fields } from "../text/blocks.ts"
import { count } from "../text/values.ts"
import { auditTimeoutMillis } from "./auditVerify.ts"
import { knownSeller } from "./knownSeller.ts"

const isTaxDocument = Schema.is(TaxDocument)

const erase = Effect.fnUntraced(function* (input: {
  readonly document: string
  readonly seller: string | undefined
}) {
  const document = stripDocument(input.document)
  // Not repeated in the message, which may end in a log. The placeholder is nobody's document.
  if (!isTaxDocument(document) || document === placeholders.document) {
    return yield* validationFailed("document", "document is neither a CPF nor a CNPJ.")
  }
  if (input.seller !== undefined) yield* knownSeller(input.seller)
  const log = yield* OperatorLog
  yield* log.append({
    operatorId: undefined,
    action: "customer.erased",
    resourceType: "seller",
    resourceId: input.seller ?? "all",
    sellerId: input.seller,
    details: {},
  })
  const { transactions, events, deliveryAttempts } = yield* eraseCustomer(document, input.seller)
  return { transactions, events, delivery_attempts: deliveryAttempts }
})

export const sellerEraseCustomer = Command.make(
  "erase-customer",
  {
    document: textFlag("document", "DOCUMENT", "The customer's CPF or CNPJ, with or without punctuation."),
    seller: optionalFlag(
      textFlag("seller", "SELLER", "Only this seller's customer; all sellers' by default."),
    ),
  },
  answer(
    erase,
    (changed) => [
      fields(
        ["Transactions changed", count(changed.transactions)],
        ["Events changed", count(changed.events)],
        ["Delivery attempts changed", count(changed.delivery_attempts)],
      ),
    ],
    auditTimeoutMillis,
  ),
).pipe(
  Command.withDescription(
    "Replace a customer's name, e-mail, phone and document in all transactions, events and delivery attempts, and print how many were changed. Amounts stay; the service may keep running.",
  ),
)
