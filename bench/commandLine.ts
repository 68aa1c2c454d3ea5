import type { Size } from "./report/result.ts"

/** What the user asked for. */
export interface BenchRequest {
  /** In the order of the table of suites; all where none is named. */
  readonly suites: ReadonlyArray<string>
  readonly size: Size
  readonly jsonFile: string | undefined
}

/** The text of `--help`, and of the answer to a command line that makes no sense. */
export const usageOf = (suites: Readonly<Record<string, string>>): string =>
  [
    "Usage: npm run bench -- [suite…] [--full | --small] [--json FILE]",
    "",
    "Suites (all of them where none is named):",
    ...Object.entries(suites).map(([name, text]) => `  ${name.padEnd(14)}${text}`),
    "",
    "  --full        takes tens of minutes; for figures that are published",
    "  --small       takes seconds; proves that the benches work, its figures mean nothing",
    "  --json FILE   writes every round's figures as JSON",
  ].join("\n")

/** Reads the arguments; a sentence that says what is wrong where they make no sense. */
export const parseCommandLine = (
  argv: ReadonlyArray<string>,
  known: ReadonlyArray<string>,
): BenchRequest | string => {
  const named = new Set<string>()
  let size: Size = "default"
  let jsonFile: string | undefined
  for (let index = 0; index < argv.length; index++) {
    const argument = argv[index] ?? ""
    if (argument === "--full" || argument === "--small") {
      if (size !== "default") return "Give one of --full and --small, once."
      size = argument === "--full" ? "full" : "small"
    } else if (argument === "--json") {
      index += 1
      jsonFile = argv[index]
      if (!jsonFile || jsonFile.startsWith("-")) return "--json needs the name of a file."
    } else if (argument.startsWith("-")) {
      return `There is no option ${argument}.`
    } else if (!known.includes(argument)) {
      return `There is no suite ${argument}.`
    } else {
      named.add(argument)
    }
  }
  const suites = named.size === 0 ? known : known.filter((name) => named.has(name))
  return { suites, size, jsonFile }
}
