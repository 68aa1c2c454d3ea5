import { Console, Context, Effect } from "effect"

/** `json`: one line of JSON, for scripts. `text`: indented JSON, and help as text, for a person at a terminal. */
export type OutputStyle = "json" | "text"

/** The style of a command line: `--json` or `--no-json` decides, else whether stdout is a terminal. */
export const outputStyleOf = (argv: ReadonlyArray<string>, isTerminal: boolean): OutputStyle => {
  if (argv.includes("--json")) return "json"
  return isTerminal || argv.includes("--no-json") ? "text" : "json"
}

/** The style in use. */
export class Output extends Context.Reference<OutputStyle>("corrente/ops/Output", {
  defaultValue: () => "json",
}) {}

/** Prints a JSON document on stdout. */
export const printDocument = (document: unknown): Effect.Effect<void> =>
  Effect.gen(function* () {
    const indentation = (yield* Output) === "json" ? 0 : 2
    yield* Console.log(JSON.stringify(document, undefined, indentation))
  })
