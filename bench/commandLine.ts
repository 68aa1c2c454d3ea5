import type { Size } from "./report/result.ts"

/** Where the JSON of a run goes. */
export type JsonOutput =
  | { readonly kind: "none" }
  /** Then everything for people goes to stderr. */
  | { readonly kind: "stdout" }
  | { readonly kind: "file"; readonly file: string }

/** Suites to run. */
export interface RunRequest {
  readonly kind: "run"
  /** In the order of the table of suites; all where none is named. */
  readonly suites: ReadonlyArray<string>
  readonly size: Size
  readonly json: JsonOutput
}

/** Two saved runs to compare. */
export interface CompareRequest {
  readonly kind: "compare"
  readonly before: string
  readonly after: string
  /** Fails when something is clearly worse by more than this. */
  readonly failOverPercent: number | undefined
  /** Judges the service's ratios to the others of its own run instead of its figures. */
  readonly isRelative: boolean
}

/** Saved runs to make a page of. */
export interface ReportRequest {
  readonly kind: "report"
  /** At least one. */
  readonly runs: ReadonlyArray<string>
  /** Undefined: the usual place. */
  readonly out: string | undefined
}

/** What the user asked for. */
export type BenchRequest = { readonly kind: "help" } | RunRequest | CompareRequest | ReportRequest

/** The text of `--help`, and of the answer to a command line that makes no sense. */
export const usageOf = (suites: Readonly<Record<string, string>>): string =>
  [
    "Usage: npm run bench -- [suite…] [--full | --small] [--json [FILE]]",
    "       npm run bench -- compare A B [--fail-over PERCENT] [--relative]",
    "       npm run bench -- report [RUN…] [--out FILE]",
    "",
    "Suites (all of them where none is named):",
    ...Object.entries(suites).map(([name, text]) => `  ${name.padEnd(14)}${text}`),
    "",
    "  --full        takes tens of minutes; for figures that are published",
    "  --small       takes seconds; proves that the benches work, its figures mean nothing",
    "  --json        prints every round's figures as JSON, and all else to stderr (use npm run --silent)",
    "  --json FILE   writes them to a file; a suite's name is no FILE (./micro is)",
    "Every run but a small one is saved under .data/bench/runs, after each suite.",
    "",
    "compare says how B differs from A: medians, their ratio with its 95 % interval, and what is clearly better or worse.",
    "report makes an HTML page of the runs: the newest in full, and its medians over all of them.",
    "A, B and RUN are files, names of saved runs, `last` (also where report names none) or `previous`, the one before it.",
    "",
    "  --fail-over PERCENT   exits 1 when a figure of the service is clearly worse by more than that, and 2 when none",
    "                        can be judged",
    "  --relative            judges its ratios to the others of the same run instead: for runs of two machines",
    "  --out FILE            where the page goes instead of .data/bench/report.html",
  ].join("\n")

/** Arguments that are taken one by one. */
class Arguments {
  private index = 0
  private readonly all: ReadonlyArray<string>

  constructor(all: ReadonlyArray<string>) {
    this.all = all
  }

  next(): string | undefined {
    const argument = this.all[this.index]
    this.index += 1
    return argument
  }

  /** The next one if it is a value; it is left where it is an option, or there is none. */
  value(isValue: (argument: string) => boolean = () => true): string | undefined {
    const argument = this.all[this.index]
    if (argument === undefined || argument.startsWith("-") || !isValue(argument)) return undefined
    this.index += 1
    return argument
  }
}

const noOption = (argument: string): string => `There is no option ${argument}.`

const parseRun = (argv: ReadonlyArray<string>, known: ReadonlyArray<string>): RunRequest | string => {
  const args = new Arguments(argv)
  const named = new Set<string>()
  let size: Size = "default"
  let json: JsonOutput = { kind: "none" }
  for (let argument = args.next(); argument !== undefined; argument = args.next()) {
    if (argument === "--full" || argument === "--small") {
      if (size !== "default") return "Give one of --full and --small, once."
      size = argument === "--full" ? "full" : "small"
    } else if (argument === "--json") {
      if (json.kind !== "none") return "Give --json once."
      const file = args.value((value) => !known.includes(value))
      if (file === "") return "--json needs a name that is not empty."
      json = file === undefined ? { kind: "stdout" } : { kind: "file", file }
    } else if (argument.startsWith("-")) {
      return noOption(argument)
    } else if (!known.includes(argument)) {
      return `There is no suite ${argument}.`
    } else {
      named.add(argument)
    }
  }
  const suites = named.size === 0 ? known : known.filter((name) => named.has(name))
  return { kind: "run", suites, size, json }
}

const parsePercent = (text: string | undefined): number | undefined =>
  text !== undefined && /^\d{1,4}(\.\d{1,3})?%?$/.test(text) ? Number.parseFloat(text) : undefined

const parseCompare = (argv: ReadonlyArray<string>): CompareRequest | string => {
  const args = new Arguments(argv)
  const runs: Array<string> = []
  let failOverPercent: number | undefined
  let isRelative = false
  for (let argument = args.next(); argument !== undefined; argument = args.next()) {
    if (argument === "--fail-over") {
      failOverPercent = parsePercent(args.value())
      if (failOverPercent === undefined) return "--fail-over needs a number of percent, such as 10."
    } else if (argument === "--relative") {
      isRelative = true
    } else if (argument.startsWith("-")) {
      return noOption(argument)
    } else {
      runs.push(argument)
    }
  }
  const [before, after, ...more] = runs
  if (!before || !after || more.length > 0) return "compare needs two runs, A and B."
  if (isRelative && failOverPercent === undefined)
    return "--relative says what --fail-over judges: give both."
  return { kind: "compare", before, after, failOverPercent, isRelative }
}

const parseReport = (argv: ReadonlyArray<string>): ReportRequest | string => {
  const args = new Arguments(argv)
  const runs: Array<string> = []
  let out: string | undefined
  for (let argument = args.next(); argument !== undefined; argument = args.next()) {
    if (argument === "--out") {
      out = args.value()
      if (!out) return "--out needs the name of a file."
    } else if (argument.startsWith("-")) {
      return noOption(argument)
    } else {
      runs.push(argument)
    }
  }
  return { kind: "report", runs: runs.length === 0 ? ["last"] : runs, out }
}

/** Reads the arguments; a sentence that says what is wrong where they make no sense. */
export const parseCommandLine = (
  argv: ReadonlyArray<string>,
  known: ReadonlyArray<string>,
): BenchRequest | string => {
  if (argv.includes("--help")) return { kind: "help" }
  const [first, ...rest] = argv
  if (first === "compare") return parseCompare(rest)
  if (first === "report") return parseReport(rest)
  return parseRun(argv, known)
}
