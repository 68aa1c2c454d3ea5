import { Console, Effect, Schema } from "effect"
import { Command } from "effect/cli"
import { StoreUnavailable } from "../../../actors/values/storeUnavailable.ts"
import { DateTimeText } from "../../../schema/api/common.ts"
import { csvLine } from "../../../schema/csv.ts"
import { validationFailed } from "../../../schema/errors.ts"
import { inert } from "../../../schema/inert.ts"
import { limits } from "../../../schema/limits.ts"
import { type AuditColumns, operatorColumns, sellerColumns } from "../../accounts/auditColumns.ts"
import { OperatorLog } from "../../accounts/operatorLog.ts"
import { momentOf } from "../../http/contract/moments.ts"
import type { SpanWanted } from "../../store/auditStream.ts"
import { makeSellerAuditStore } from "../../store/sellerAudit.ts"
import { streamed } from "../answer.ts"
import { choiceFlag, optionalFlag, switchFlag, textFlag } from "../parameters.ts"
import { knownSeller } from "./knownSeller.ts"

/** A log of acts that can be exported; it is read oldest first. */
interface ExportedLog<Entry extends { readonly id: string }> extends AuditColumns<Entry> {
  readonly read: (span: SpanWanted) => Effect.Effect<ReadonlyArray<Entry>, StoreUnavailable>
}

interface Input {
  readonly format: "jsonl" | "csv" | undefined
  readonly from: string | undefined
  readonly to: string | undefined
  readonly after: string | undefined
  readonly follow: boolean
}

const isDateTime = Schema.is(DateTimeText)
const isEntryId = Schema.is(Schema.String.check(Schema.isPattern(/^\d{1,16}-\d{1,16}$/)))

/** How long a read may take; Redis may accept the connection and be silent. */
const readTimeoutMillis = 75_000
const silent = new StoreUnavailable({ operation: "read the log", reason: "no answer" })

const momentOfFlag = (name: "from" | "to", text: string | undefined) => {
  if (text === undefined) return Effect.succeed(undefined)
  const message = `${name} must be a date-time such as 2026-11-21T00:07:35Z, or a date such as 2026-11-21.`
  return isDateTime(text)
    ? Effect.succeed(momentOf(text, name === "from" ? "start" : "end"))
    : Effect.fail(validationFailed(name, message))
}

/** The line of an entry, without its end. Nothing in it ends the line, or acts in a terminal or a spreadsheet. */
const linesOf = <Entry extends { readonly id: string }>(
  { valuesOf }: ExportedLog<Entry>,
  format: Input["format"],
  entries: ReadonlyArray<Entry>,
): string =>
  entries
    .map((entry) =>
      format === "csv"
        ? csvLine(valuesOf(entry).map((value) => value && inert(value))).slice(0, -1)
        : inert(JSON.stringify(entry)),
    )
    .join("\n")

/** Prints a log page by page: what was read last decides where the next page begins, so an export can be resumed there. */
const exportLog = <Entry extends { readonly id: string }>(log: ExportedLog<Entry>, input: Input) =>
  Effect.gen(function* () {
    const { format, after, follow } = input
    if (after !== undefined && !isEntryId(after)) {
      return yield* validationFailed("after", "after must be the id of an entry, such as 1795262400000-0.")
    }
    if (follow && input.to !== undefined) {
      return yield* validationFailed("to", "An export that follows has no end: leave out to, or follow.")
    }
    const fromMillis = yield* momentOfFlag("from", input.from)
    const toMillis = yield* momentOfFlag("to", input.to)
    const count = limits.auditBatchEntries
    const read = (afterId: string | undefined) =>
      Effect.timeoutOrElse(log.read({ afterId, fromMillis, toMillis, count }), {
        duration: readTimeoutMillis,
        orElse: () => Effect.fail(silent),
      })
    /** While Redis is away, an export that follows waits for it. */
    const readPatiently = (afterId: string | undefined) =>
      Effect.catch(read(afterId), ({ reason }) =>
        Effect.as(Console.error(`Redis does not answer (${reason}); it is asked again.`), []),
      )

    // What is appended to a file that has the header already needs none.
    if (format === "csv" && after === undefined) yield* Console.log(csvLine(log.names).slice(0, -1))
    let afterId = after
    for (;;) {
      const entries = yield* follow ? readPatiently(afterId) : read(afterId)
      if (entries.length > 0) yield* Console.log(linesOf(log, format, entries))
      afterId = entries.at(-1)?.id ?? afterId
      if (entries.length === count) continue
      if (!follow) return
      yield* Effect.sleep(limits.auditFollowMillis)
    }
  })

const run = Effect.fnUntraced(function* ({
  seller,
  ...input
}: Input & { readonly seller: string | undefined }) {
  if (seller === undefined) {
    const { span } = yield* OperatorLog
    return yield* exportLog({ ...operatorColumns, read: span }, input)
  }
  yield* knownSeller(seller)
  const { span } = yield* makeSellerAuditStore
  yield* exportLog({ ...sellerColumns, read: (wanted) => span(seller, wanted) }, input)
})

const auditLogExport = Command.make(
  "export",
  {
    seller: optionalFlag(
      textFlag(
        "seller",
        "SELLER",
        "This seller's audit log, as the seller sees it; the operators' by default.",
      ),
    ),
    format: optionalFlag(
      choiceFlag("format", "FORMAT", ["jsonl", "csv"], "jsonl, one JSON object a line (default), or csv."),
    ),
    from: optionalFlag(
      textFlag("from", "TIME", "Only what was done then or later: a date-time with its zone, or a date."),
    ),
    to: optionalFlag(textFlag("to", "TIME", "Only what was done then or earlier.")),
    after: optionalFlag(textFlag("after", "ID", "Only what follows this entry: the last one you have.")),
    follow: switchFlag("follow", "Go on with new entries as they come, until it is stopped."),
  },
  streamed(run),
).pipe(
  Command.withDescription(
    "Print the operators' log, or a seller's audit log, on stdout, oldest first, one entry a line, for a file or a collector of logs. It has no other output there: a failure midway is the last line, with exit code 1; go on with --after.",
  ),
)

export const auditLog = Command.make("audit-log").pipe(
  Command.withDescription("Export what operators did, and what was done to a seller's account."),
  Command.withSubcommands([auditLogExport]),
)
