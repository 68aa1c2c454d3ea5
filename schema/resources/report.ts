import { Schema } from "effect"
import { csvLocales } from "../csv.ts"
import { statementFormats } from "../exportFormats.ts"
import { timestamp } from "../fields.ts"
import { modes } from "../ids.ts"
import { limits } from "../limits.ts"
import { reportKinds, reportPeriods } from "../names.ts"
import { Email } from "./transaction.ts"

const kind = Schema.Literals(reportKinds).annotateKey({ description: "What the file lists." })
const format = Schema.Literals(statementFormats).annotateKey({
  description: "The format of the file; `ofx` only for `statement`.",
})
const locale = { description: "The language of the file and of the mail; `pt-BR` by default." }
const every = Schema.Literals(reportPeriods).annotateKey({
  description:
    "How often it is sent. Each covers the last whole day, week (Monday to Sunday) or month in America/Sao_Paulo.",
})

/** Body of POST /v1/me/reports (`docs/contract/reports.md#make`). */
export const CreateReport = Schema.Struct({
  kind,
  format,
  locale: Schema.optionalKey(Schema.Literals(csvLocales)).annotateKey(locale),
  every,
  emails: Schema.Array(Email)
    .check(Schema.isMinLength(1), Schema.isMaxLength(limits.reportEmailsMax))
    .annotateKey({ description: `Who gets it: 1 to ${limits.reportEmailsMax} different addresses.` }),
}).annotate({
  identifier: "CreateReport",
  examples: [
    {
      kind: "statement",
      format: "xlsx",
      locale: "pt-BR",
      every: "month",
      emails: ["contador@example.com"],
    },
  ],
})
export type CreateReport = typeof CreateReport.Type

const day = Schema.String.check(Schema.isPattern(/^\d{4}-\d\d-\d\d$/))

const Last = Schema.Struct({
  from: day.annotateKey({ description: "Its first day.", examples: ["2026-10-01"] }),
  to: day.annotateKey({ description: "Its last day.", examples: ["2026-10-31"] }),
  sent_at: timestamp.annotateKey({ description: "When the last of its mails went out or was given up." }),
  failed: Schema.Int.annotateKey({ description: "How many addresses it could not be mailed to." }),
})

/** A report by mail (`docs/contract/reports.md`). */
export const Report = Schema.Struct({
  id: Schema.String.annotateKey({ description: "The report's id." }),
  object: Schema.Literal("report").annotateKey({ description: "The kind of resource." }),
  mode: Schema.Literals(modes).annotateKey({ description: "Its mode." }),
  kind,
  format,
  locale: Schema.Literals(csvLocales).annotateKey({
    description: "The language of the file and of the mail.",
  }),
  every,
  emails: Schema.Array(Schema.String).annotateKey({
    description: "Who gets it, without those who have unsubscribed.",
  }),
  created_at: timestamp.annotateKey({ description: "When it was made." }),
  next_at: Schema.NullOr(timestamp).annotateKey({
    description: "When it goes out next; null once everyone has unsubscribed.",
  }),
  last: Schema.NullOr(Last).annotateKey({ description: "What was mailed last; null before the first." }),
}).annotate({
  identifier: "Report",
  examples: [
    {
      id: "rpt_01KA0000000700000000000000",
      object: "report",
      mode: "live",
      kind: "statement",
      format: "xlsx",
      locale: "pt-BR",
      every: "month",
      emails: ["contador@example.com"],
      created_at: "2026-11-21T12:00:00.000Z",
      next_at: "2026-12-01T08:17:00.000Z",
      last: { from: "2026-10-01", to: "2026-10-31", sent_at: "2026-11-01T08:17:02.000Z", failed: 0 },
    },
  ],
})
export type Report = typeof Report.Type
