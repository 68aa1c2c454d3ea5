import { Schema } from "effect"
import { limits } from "../limits.ts"
import { alertWhens } from "../names.ts"
import { lineOf } from "../text.ts"

/** Where a message to a chat goes (`docs/contract/notifications.md#urls`). */
const AlertUrl = lineOf(1, limits.destinationUrlLengthMax)

/** What a seller wants to hear of, and how (`docs/contract/notifications.md#fields`). */
const Alert = Schema.Struct({
  when: Schema.Literals(alertWhens).annotateKey({
    description: "What happens; no two alerts have the same.",
  }),
  mail: Schema.Boolean.annotateKey({
    description: "Whether it is mailed to the seller's user. Of `new_sign_in` always true.",
  }),
  url: Schema.optionalKey(AlertUrl).annotateKey({
    description:
      'An HTTPS URL, such as an incoming webhook of Slack, that gets it as `{"text": "…"}`; left out: none.',
  }),
  min_amount: Schema.optionalKey(
    Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: limits.alertAmountMax })),
  ).annotateKey({
    description:
      "Centavos, required of `large_charge` (from which amount on) and `balance_below` (below which balance), and of no other.",
  }),
})

const exampleUrl = "https://hooks.slack.com/services/T000/B000/XXXX"

/** What a seller wants to hear of. */
export const Notifications = Schema.Struct({
  data: Schema.Array(Alert)
    .check(Schema.isMaxLength(alertWhens.length))
    .annotateKey({ description: `At most ${alertWhens.length}. What is left out is not told.` }),
}).annotate({
  identifier: "Notifications",
  examples: [
    {
      data: [
        { when: "payout_failed", mail: true, url: exampleUrl },
        { when: "balance_below", mail: true, min_amount: 500_000 },
        { when: "new_sign_in", mail: true },
      ],
    },
  ],
})
export type Notifications = typeof Notifications.Type
export type Alert = Notifications["data"][number]

/** A URL to send a message to. */
export const NotificationTest = Schema.Struct({
  url: AlertUrl.annotateKey({ description: "An HTTPS URL; it need not be saved." }),
}).annotate({ identifier: "NotificationTest", examples: [{ url: exampleUrl }] })

/** What became of it. */
export const NotificationTested = Schema.Struct({
  delivered: Schema.Boolean.annotateKey({ description: "Whether it was answered by a 2xx." }),
  status_code: Schema.NullOr(Schema.Int).annotateKey({
    description: "The answer's HTTP status; null without one.",
  }),
  error: Schema.NullOr(Schema.String).annotateKey({
    description: "Why it was not delivered, as of a [delivery](deliveries.md#outcomes); null if it was.",
    examples: ["http_404"],
  }),
}).annotate({
  identifier: "NotificationTested",
  examples: [{ delivered: true, status_code: 200, error: null }],
})
export type NotificationTested = typeof NotificationTested.Type
