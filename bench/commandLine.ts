import type { Size } from "./report/result.ts"

/** Where a run's JSON goes. */
export type JsonOutput =
  | { readonly kind: "none" }
  /** In that case everything for people goes to stderr. */
  | { readonly kind: "stdout" }
  | { readonly kind: "file"; readonly file: string }

/** Suites to run. */
export interface RunRequest {
  readonly kind: "run"
  /** In the order of the table of suites; all of them if none is named. */
  readonly suites: ReadonlyArray<string>
  readonly size: Size
  readonly json: JsonOutput
}

/** Two saved runs to compare. */
export interface CompareRequest {
  readonly kind: "compare"
  readonly before: string
  readonly after: string
  /** Fails if anything is clearly worse by more than this. */
  readonly failOverPercent: number | undefined
  /** Judges the service's ratios to the other contenders of the same run instead of its figures. */
  readonly isRelative: boolean
}

/** Saved runs to turn into a page. */
export interface ReportRequest {
  readonly kind: "report"
  /** At least one. */
  readonly runs: ReadonlyArray<string>
  /** Undefined: the default path. */
  readonly out: string | undefined
}

/** The parsed request. */
export type BenchRequest = { readonly kind: "help" } | RunRequest | CompareRequest | ReportRequest

/** The text of `--help`, also printed for an invalid command line. */
export const usageOf = (suites: Readonly<Record<string, string>>): string =>
  [
    "Usage: npm run bench -- [suite…] [--full | --small] [--json [FILE]]",
    "       npm run bench -- compare A B [--fail-over PERCENT] [--relative]",
    "       npm run bench -- report [RUN…] [--out FILE]",
    "",
    "Suites (all of them if none is named):",
    ...Object.entries(suites).map(([name, text]) => `  ${name.padEnd(14)}${text}`),
    "",
    "  --full        takes tens of minutes; for published figures",
    "  --small       takes seconds; only proves that the benches work",
    "  --json        prints every round's figures as JSON, and everything else to stderr (use npm run --silent)",
    "  --json FILE   writes them to FILE, which cannot be a suite's name (./micro can)",
    "Every run except a small one is saved under .data/bench/runs after each suite.",
    "",
    "compare shows how B differs from A: medians, their ratio with its 95 % interval, and what is clearly better or worse.",
    "report writes an HTML page: the newest run in full, and its medians over all runs.",
    "A, B and RUN are files, names of saved runs, `last` (the default of report) or `previous`, the one before it.",
    "",
    "  --fail-over PERCENT   exits 1 if a figure of the service is clearly worse by more than that, and 2 if none",
    "                        can be judged",
    "  --relative            judges the service's ratios to the others instead: for runs on two machines",
    "  --out FILE            the page's path instead of .data/bench/report.html",
  ].join("\n")

/** Arguments, consumed one by one. */
class Arguments {
  #index = 0
  readonly #all: ReadonlyArray<string>

  constructor(all: ReadonlyArray<string>) {
    this.#all = all
  }

  next(): string | undefined {
    const argument = this.#all[this.#index]
    this.#index += 1
    return argument
  }

  /** The next argument if it is a value; leaves an option in place. */
  value(isValue: (argument: string) => boolean = () => true): string | undefined {
    const argument = this.#all[this.#index]
    if (argument === undefined || argument.startsWith("-") || !isValue(argument)) return undefined
    this.#index += 1
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
      if (file === "") return "--json needs a file name."
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
      if (failOverPercent === undefined) return "--fail-over needs a percentage, such as 10."
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
    return "--relative needs --fail-over: it changes which figures that judges."
  return { kind: "compare", before, after, failOverPercent, isRelative }
}

const parseReport = (argv: ReadonlyArray<string>): ReportRequest | string => {
  const args = new Arguments(argv)
  const runs: Array<string> = []
  let out: string | undefined
  for (let argument = args.next(); argument !== undefined; argument = args.next()) {
    if (argument === "--out") {
      out = args.value()
      if (!out) return "--out needs a file name."
    } else if (argument.startsWith("-")) {
      return noOption(argument)
    } else {
      runs.push(argument)
    }
  }
  return { kind: "report", runs: runs.length === 0 ? ["last"] : runs, out }
}

/** Parses the arguments; a sentence that says what is wrong if they are invalid. */
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
