import { Schema } from "effect"
import { limits } from "../limits.ts"
import { viewPeriods } from "../names.ts"
import { lineOf } from "../text.ts"

/** A filter of the list of charges under a name (`docs/contract/accounts.md#saved-views`). */
const SavedView = Schema.Struct({
  name: lineOf(1, limits.savedViewNameLengthMax).annotateKey({
    description: `1 to ${limits.savedViewNameLengthMax} characters; no two views have the same.`,
  }),
  query: Schema.Record(Schema.String, Schema.String).annotateKey({
    description: "Filters of the list of charges, as texts, as its query has them.",
  }),
  period: Schema.NullOr(Schema.Literals(viewPeriods)).annotateKey({
    description:
      "Days that end on the day on which the view is opened, instead of `from` and `to`; null without them.",
  }),
}).annotate({
  identifier: "SavedView",
  examples: [{ name: "Paid this week", query: { status: "paid" }, period: "7d" }],
})

/** The views that a user has saved, in the order of their tabs. */
export const SavedViews = Schema.Struct({
  data: Schema.Array(SavedView)
    .check(Schema.isMaxLength(limits.savedViewsMax))
    .annotateKey({ description: `At most ${limits.savedViewsMax}.` }),
}).annotate({
  identifier: "SavedViews",
  examples: [{ data: [{ name: "Paid this week", query: { status: "paid" }, period: "7d" }] }],
})
export type SavedViews = typeof SavedViews.Type
