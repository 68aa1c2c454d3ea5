import { Schema } from "effect"
import { textOrNull, timestamp } from "../fields.ts"

/** Who may have acted. */
const actorTypes = ["user", "api_key", "operator", "recipient"] as const

/** One act on a seller's account. */
export const SellerAuditEntry = Schema.Struct({
  id: Schema.String.annotateKey({ description: "The entry's id." }),
  at: timestamp.annotateKey({ description: "When it was done." }),
  actor: Schema.Struct({
    type: Schema.Literals(actorTypes).annotateKey({ description: "What acted." }),
    id: textOrNull.annotateKey({ description: "The user's or the API key's id; null for others." }),
    name: textOrNull.annotateKey({ description: "Its name then; null for others." }),
  }).annotateKey({ description: "Who did it." }),
  ip_address: textOrNull.annotateKey({
    description: "Where it came from; null for an operator and a recipient, and where it is unknown.",
  }),
  action: Schema.String.annotateKey({ description: "What was done, such as `api_key.created`." }),
  resource_type: Schema.String.annotateKey({ description: "The kind of resource it was done to." }),
  resource_id: Schema.String.annotateKey({ description: "The resource it was done to." }),
  details: Schema.Record(Schema.String, Schema.Unknown).annotateKey({
    description: "Facts about it, without secrets.",
  }),
}).annotate({
  identifier: "SellerAuditEntry",
  examples: [
    {
      id: "1795262400000-0",
      at: "2026-11-21T12:00:00.000Z",
      actor: { type: "user", id: "5f0c7a52-6f5e-4c11-9a39-9f1c5fd2a1b4", name: "Ana Souza" },
      ip_address: "203.0.113.77",
      action: "api_key.created",
      resource_type: "api_key",
      resource_id: "key_01KA0000000700000000000000",
      details: { name: "Loja", mode: "test" },
    },
  ],
})
export type SellerAuditEntry = typeof SellerAuditEntry.Type
