import { parseArgs } from "node:util"
import type { Size } from "./report/result.ts"

export interface RunRequest {
  readonly kind: "run"
  readonly suites: ReadonlyArray<string>
  readonly size: Size
  /** The file for the run's JSON. `-` is stdout; everything for people then goes to stderr. */
  readonly json: string | undefined
}

export interface CompareRequest {
  readonly kind: "compare"
  readonly before: string
  readonly after: string
  /** Fails if anything is clearly worse by more than this. */
  readonly failOverPercent: number | undefined
  /** Judges the service's ratios to the other contenders of the same run instead of its figures. */
  readonly isRelative: boolean
}

/** The text of `--help`, also printed for an invalid command line. */
export const usageOf = (suites: Readonly<Record<string, string>>): string =>
  `Usage: npm run bench -- [suite…] [--full | --small] [--json FILE]
       npm run bench -- compare A B [--fail-over PERCENT] [--relative]

Suites (all of them if none is named):
${Object.entries(suites)
  .map(([name, text]) => `  ${name.padEnd(14)}${text}`)
  .join("\n")}

  --full        takes tens of minutes; for published figures
  --small       takes seconds; only proves that the benches work
  --json FILE   writes every round's figures to FILE as JSON; to stdout if it is - (use npm run --silent)
Every run except a small one is saved under .data/bench/runs after each suite.

compare shows how B differs from A: medians, their ratio with its 95 % interval, and what is clearly better or worse.
A and B are files, names of saved runs, \`last\` or \`previous\`, the one before it.

  --fail-over PERCENT   exits 1 if a figure of the service is clearly worse by more than that, and 2 if none
                        can be judged
  --relative            judges the service's ratios to the others instead: for runs on two machines`

const help = { type: "boolean" } as const

const parseRun = (args: Array<string>, known: ReadonlyArray<string>): RunRequest | string => {
  const options = {
    help,
    full: { type: "boolean" },
    small: { type: "boolean" },
    json: { type: "string" },
  } as const
  const { values, positionals } = parseArgs({ args, options, allowPositionals: true })
  const { full, small, json } = values
  const unknown = positionals.find((name) => !known.includes(name))
  if (unknown !== undefined) return `There is no suite ${unknown}.`
  if (full && small) return "Give one of --full and --small."
  if (json === "") return "--json needs a file name."
  const suites = positionals.length === 0 ? known : known.filter((name) => positionals.includes(name))
  return { kind: "run", suites, size: full ? "full" : small ? "small" : "default", json }
}

const parseCompare = (args: Array<string>): CompareRequest | string => {
  const options = { help, "fail-over": { type: "string" }, relative: { type: "boolean" } } as const
  const { values, positionals } = parseArgs({ args, options, allowPositionals: true })
  const { "fail-over": percent, relative: isRelative = false } = values
  const [before, after, ...more] = positionals
  if (!before || !after || more.length > 0) return "compare needs two runs, A and B."
  if (percent === undefined && isRelative) {
    return "--relative needs --fail-over: it changes which figures that judges."
  }
  if (percent !== undefined && !/^\d{1,4}(\.\d{1,3})?%?$/.test(percent)) {
    return "--fail-over needs a percentage, such as 10."
  }
  const failOverPercent = percent === undefined ? undefined : Number.parseFloat(percent)
  return { kind: "compare", before, after, failOverPercent, isRelative }
}

/** Parses the arguments; a sentence that says what is wrong if they are invalid. */
export const parseCommandLine = (
  argv: ReadonlyArray<string>,
  known: ReadonlyArray<string>,
): { readonly kind: "help" } | RunRequest | CompareRequest | string => {
  if (argv.includes("--help")) return { kind: "help" }
  try {
    return argv[0] === "compare" ? parseCompare(argv.slice(1)) : parseRun([...argv], known)
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}
