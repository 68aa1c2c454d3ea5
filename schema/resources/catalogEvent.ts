import { Schema } from "effect"
import { exampleDelivery, exampleInFeed } from "../eventExamples.ts"
import { type CatalogEntry, endpointDisabledEventType, eventCatalog, paidEvent } from "../events.ts"
import { modes } from "../ids.ts"
import { Endpoint } from "./endpoint.ts"
import { Event } from "./event.ts"
import { Exception } from "./exception.ts"
import { PaidPaymentLink } from "./paymentLink.ts"
import { Refund } from "./refund.ts"
import { SellerProfile } from "./seller.ts"
import { Transaction } from "./transaction.ts"
import { Withdrawal } from "./withdrawal.ts"

/** A profile as its endpoint's disabling shows it (`docs/contract/endpoints.md#disabling`). */
const SellerWithEndpoint = Schema.Struct({
  ...SellerProfile.fields,
  webhook_endpoint: Schema.Struct({
    id: Schema.String.annotateKey({ description: "The endpoint's id." }),
    mode: Schema.Literals(modes).annotateKey({ description: "The endpoint's mode." }),
    host: Schema.String.annotateKey({ description: "The host of its URL." }),
  }).annotateKey({ description: "The endpoint that was disabled." }),
}).annotate({ identifier: "SellerWithEndpoint" })

/** An endpoint as a ping shows it (`docs/contract/endpoints.md#test-events`). */
const PingedEndpoint = Schema.Struct({
  ...Endpoint.fields,
  object: Schema.Literal("webhook_endpoint").annotateKey({ description: "The kind of resource." }),
  test_event: Schema.optionalKey(
    Schema.Struct({
      type: Schema.String.annotateKey({ description: "The type that was sent.", examples: [paidEvent.type] }),
      object: Schema.Record(Schema.String, Schema.Unknown).annotateKey({
        description: "The example that was sent as `data.object`.",
        examples: [exampleDelivery(paidEvent).data.object],
      }),
    }),
  ).annotateKey({
    description: "In the feed: what was delivered instead of this ping; absent for an ordinary ping.",
  }),
}).annotate({ identifier: "PingedEndpoint" })

const resources: Readonly<Record<CatalogEntry["resourceType"], Schema.Top>> = {
  transaction: Transaction,
  withdrawal: Withdrawal,
  refund: Refund,
  exception: Exception,
  payment_link: PaidPaymentLink,
  seller: SellerProfile,
  ping: PingedEndpoint,
}

const resourceOf = ({ type, resourceType }: CatalogEntry): Schema.Top =>
  type === endpointDisabledEventType ? SellerWithEndpoint : resources[resourceType]

/** The name of a type's schema: `TransactionPaidEvent` for `transaction.paid`. */
export const eventSchemaName = (type: string): string =>
  `${type.replace(/(?:^|[._])([a-z])/g, (_match, letter: string) => letter.toUpperCase())}Event`

/** Events of one type: the envelope, with that type and its resource. */
const schemaOf = (event: CatalogEntry) =>
  Schema.Struct({
    ...Event.fields,
    type: Schema.Literal(event.type).annotateKey({ description: event.description }),
    internal: Schema.optionalKey(Schema.Literal(event.internal)).annotateKey({
      description: "In the feed (list, single event, stream) only; deliveries have none.",
    }),
    test_event: Schema.optionalKey(Schema.Literal(true)).annotateKey({
      description: "Only on test deliveries that a seller asked for: an example, and nothing happened.",
    }),
    data: Schema.Struct({
      object: resourceOf(event).annotateKey({ description: "The resource as it was at that moment." }),
    }).annotateKey({ description: "What it happened to." }),
  }).annotate({
    identifier: eventSchemaName(event.type),
    description: event.description,
    examples: [exampleInFeed(event) as never],
  })

/** Each type of the catalog with the schema of its events, in the catalog's order. */
export const catalogEvents = eventCatalog.map((event) => ({ ...event, schema: schemaOf(event) }))

/**
 * An event of the catalog's types, told apart by `type`. The annotation `toldApartBy` becomes OpenAPI's `discriminator`.
 * Types may be added at any time: whoever reads events ignores those that it does not know
 * (`docs/contract/events.md#types`).
 */
export const CatalogEvent = Schema.Union(
  catalogEvents.map(({ schema }) => schema),
  { mode: "oneOf" },
).annotate({
  identifier: "Event",
  examples: [exampleInFeed(paidEvent) as never],
  description: "What happened, and the resource as it was then. Ignore types that you do not know.",
  toldApartBy: {
    propertyName: "type",
    mapping: Object.fromEntries(
      eventCatalog.map(({ type }) => [type, `#/components/schemas/${eventSchemaName(type)}`]),
    ),
  },
})
