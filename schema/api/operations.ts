import { Schema } from "effect"
import { HttpApiGroup, OpenApi } from "effect/http-api"
import { textOrNull, timestamp, timestampOrNull } from "../fields.ts"
import { modes } from "../ids.ts"
import { Delivery, exampleAttempt } from "../resources/delivery.ts"
import { modeFilter, pageOf, pageQuery } from "./common.ts"
import { operatorErrors } from "./operatorDecision.ts"
import { route } from "./route.ts"
import { OperatorAuth } from "./security.ts"

/** A dead delivery for operators: with its seller. */
export const OperatorDelivery = Schema.Struct({
  ...Delivery.fields,
  seller_id: Schema.String.annotateKey({
    description: "Whose delivery it is.",
    examples: ["sel_01KA0000000700000000000000"],
  }),
  seller_name: textOrNull.annotateKey({ description: "That seller's name.", examples: ["Loja da Ana"] }),
  mode: Schema.Literals(modes).annotateKey({ description: "The mode it is of." }),
  resource_id: textOrNull.annotateKey({
    description: "What its event is about; null once the event is no longer kept.",
    examples: ["txn_01KA0000000700000000000000"],
  }),
}).annotate({
  identifier: "OperatorDelivery",
  examples: [
    {
      ...exampleAttempt,
      status: "dead",
      attempt: 6,
      seller_id: "sel_01KA0000000700000000000000",
      seller_name: "Loja da Ana",
      mode: "test",
      resource_id: "txn_01KA0000000700000000000000",
    },
  ],
})

const Due = Schema.Struct({
  due: Schema.Int.annotateKey({ description: "How many are due now.", examples: [0] }),
  oldest_seconds: Schema.Finite.annotateKey({
    description: "How long the oldest of them has been due; 0 if none is.",
    examples: [0],
  }),
})

const seconds = (description: string) => Schema.Finite.annotateKey({ description, examples: [0.2] })

/** How the service is, over all processes (`docs/contract/admin.md#health`). */
export const ServiceHealth = Schema.Struct({
  object: Schema.Literal("service_health").annotateKey({ description: "The kind of object." }),
  status: Schema.Literals(["ok", "degraded"]).annotateKey({
    description: "That of `/ready` in the process that answers.",
  }),
  scheduler_lag_seconds: seconds("How long ago the process that answers last checked timers and deliveries."),
  deliveries: Due.annotateKey({ description: "Destinations to which something is owed." }),
  timers: Due.annotateKey({ description: "Timers." }),
  processes: Schema.Array(
    Schema.Struct({
      id: Schema.String.annotateKey({ description: "The process.", examples: ["4f1c02a99b31d7e0"] }),
      last_heartbeat_at: timestamp.annotateKey({ description: "When it was last heard of." }),
      partitions: Schema.Int.annotateKey({ description: "How many partitions it holds.", examples: [64] }),
      streams: Schema.Int.annotateKey({ description: "How many event streams it has open.", examples: [3] }),
    }),
  ).annotateKey({ description: "Processes that were heard of within the last minute." }),
  partitions: Schema.Struct({
    total: Schema.Int.annotateKey({ description: "How many there are.", examples: [64] }),
    held: Schema.Int.annotateKey({ description: "How many a process runs.", examples: [64] }),
  }).annotateKey({ description: "The partitions of sellers." }),
  open_streams: Schema.Int.annotateKey({
    description: "Event streams open in all processes.",
    examples: [3],
  }),
  audit: Schema.NullOr(
    Schema.Struct({
      ended_at: timestamp.annotateKey({ description: "When it ended." }),
      is_ok: Schema.Boolean.annotateKey({ description: "Whether it found no difference." }),
      differing_check: textOrNull.annotateKey({ description: "Which check found one; null: none did." }),
      oldest_full_at: timestampOrNull.annotateKey({
        description: "When the data that waited longest were last audited from the beginning.",
      }),
    }),
  ).annotateKey({ description: "The last audit; null before the first." }),
  payouts: Schema.Struct({
    is_frozen: Schema.Boolean.annotateKey({ description: "Whether live payouts and refunds wait." }),
    reason: textOrNull.annotateKey({ description: "Why they do; null if they do not." }),
    waiting: Schema.Int.annotateKey({
      description: "Approved live withdrawals not handed over yet.",
      examples: [0],
    }),
  }).annotateKey({ description: "Payouts and refunds of live." }),
  refunds: Schema.Struct({
    stuck: Schema.Int.annotateKey({
      description: "Live refunds that are processing for longer than `PAYOUT_STUCK_SECONDS`.",
      examples: [0],
    }),
    oldest_id: textOrNull.annotateKey({
      description: "The one of them that is processing for longest; null if there is none.",
      examples: ["rfd_01KA0000000700000000000000"],
    }),
    oldest_since: timestampOrNull.annotateKey({ description: "Since when that one is processing." }),
  }).annotateKey({ description: "Refunds of live that the acquirer does not end." }),
  sweep: Schema.Struct({
    completed_to: timestampOrNull.annotateKey({
      description: "Up to when the acquirer's books were compared; null before the first sweep.",
    }),
    unreadable_items: Schema.Int.annotateKey({ description: "Items that it could not read.", examples: [0] }),
  }).annotateKey({ description: "The last sweep of the live acquirer's books." }),
}).annotate({
  identifier: "ServiceHealth",
  examples: [
    {
      object: "service_health",
      status: "ok",
      scheduler_lag_seconds: 0.2,
      deliveries: { due: 0, oldest_seconds: 0 },
      timers: { due: 2, oldest_seconds: 0.01 },
      processes: [
        {
          ...{ id: "4f1c02a99b31d7e0", last_heartbeat_at: "2026-11-21T12:00:00.000Z" },
          ...{ partitions: 64, streams: 3 },
        },
      ],
      partitions: { total: 64, held: 64 },
      open_streams: 3,
      audit: {
        ...{ ended_at: "2026-11-21T11:30:00.000Z", is_ok: true, differing_check: null },
        oldest_full_at: "2026-11-19T11:30:00.000Z",
      },
      payouts: { is_frozen: false, reason: null, waiting: 0 },
      refunds: { stuck: 0, oldest_id: null, oldest_since: null },
      sweep: { completed_to: "2026-11-21T11:58:00.000Z", unreadable_items: 0 },
    },
  ],
})
export type ServiceHealth = typeof ServiceHealth.Type

/** What operators watch. */
export const operationsGroup = HttpApiGroup.make("operations")
  .add(
    route.get("listDeadDeliveries", "/v1/admin/deliveries", {
      summary: "Dead deliveries of all sellers, newest first; by default those of both modes",
      query: {
        ...pageQuery,
        status: Schema.optionalKey(Schema.Literal("dead")).annotateKey({
          description: "Only `dead` deliveries are listed, with or without it.",
        }),
        mode: modeFilter.annotateKey({ description: "Only those of this mode." }),
      },
      success: pageOf(OperatorDelivery),
      errors: ["validation_failed", "invalid_cursor", ...operatorErrors],
    }),
    route.get("getServiceHealth", "/v1/admin/health", {
      summary: "How the service is, over all processes",
      success: ServiceHealth,
      errors: ["validation_failed", ...operatorErrors],
    }),
  )
  .middleware(OperatorAuth)
  .annotate(OpenApi.Description, "What operators watch.")
