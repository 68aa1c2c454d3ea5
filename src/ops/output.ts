import { Console, Context, Effect } from "effect"
import type { Environment } from "../env/settingReader.ts"
import { type Block, type Paint, painted, plain, renderBlocks } from "./text/blocks.ts"
import { inert } from "./text/values.ts"

/** `json`: one line of JSON, for scripts. `text`: words and tables, for a person at a terminal. */
export type OutputStyle = "json" | "text"

/** The style of a command line: `--json` or `--no-json` decides, else whether stdout is a terminal. */
export const outputStyleOf = (argv: ReadonlyArray<string>, isTerminal: boolean): OutputStyle => {
  if (argv.includes("--json")) return "json"
  return isTerminal || argv.includes("--no-json") ? "text" : "json"
}

/** Whether text has colours: at a terminal, unless `NO_COLOR` is set or `TERM` is `dumb`; elsewhere with `FORCE_COLOR`. */
export const hasColours = (environment: Environment, isTerminal: boolean): boolean => {
  const { NO_COLOR = "", FORCE_COLOR = "", TERM } = environment
  if (NO_COLOR !== "") return false
  if (FORCE_COLOR !== "") return FORCE_COLOR !== "0"
  return isTerminal && TERM !== "dumb"
}

/** The style in use. */
export class Output extends Context.Reference<OutputStyle>("corrente/ops/Output", {
  defaultValue: () => "json",
}) {}

/** How text is painted. */
export class TextPaint extends Context.Reference<Paint>("corrente/ops/TextPaint", {
  defaultValue: () => plain,
}) {}

/** The paint of a terminal with colours or without. */
export const paintOf = (withColours: boolean): Paint => (withColours ? painted : plain)

/** What a person is shown of a document. */
export type View<Document> = (document: Document) => ReadonlyArray<Block>

/** Prints one line of JSON on stdout. `JSON.stringify` leaves controls such as U+009B as they are, which terminals obey. */
export const printJson = (document: unknown): Effect.Effect<void> =>
  Console.log(inert(JSON.stringify(document)))

/** Prints a document on stdout, as JSON or by its view. */
export const printDocument = <Document>(document: Document, view: View<Document>): Effect.Effect<void> =>
  Effect.gen(function* () {
    if ((yield* Output) === "json") yield* printJson(document)
    else yield* Console.log(renderBlocks(view(document), yield* TextPaint))
  })
