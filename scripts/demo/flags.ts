/** What `npm run demo` is to show, and how. */
export interface Flags {
  /** Incidents at a bank, instead of the way of a charge. */
  readonly livePartner: boolean
  readonly quick: boolean
  readonly stay: boolean
}

const texts = {
  "--live-partner":
    "starts a bank too, and shows how sweeps find a lost notice, a double payment and a returned payout",
  "--quick": "leaves the pauses out, and speeds up payers, retries and sweeps",
  "--stay": "adds a day of sales, keeps everything running until Ctrl-C, and signs you in to the dashboard",
  "--help": "prints this",
} as const

/** The text of `--help`, also printed for an invalid command line. */
export const usage = [
  "Usage: npm run demo -- [--live-partner] [--quick] [--stay]",
  "",
  "Tells the whole story in the terminal, on a service of its own: from a PIX charge to a verified webhook.",
  "",
  ...Object.entries(texts).map(([flag, text]) => `  ${flag.padEnd(16)}${text}`),
].join("\n")

/** Reads the flags. A text says what is wrong with them. */
export const readFlags = (args: ReadonlyArray<string>): Flags | "help" | { readonly problem: string } => {
  const unknown = args.find((argument) => !Object.hasOwn(texts, argument))
  if (unknown?.startsWith("-")) return { problem: `There is no flag ${unknown}.` }
  if (unknown !== undefined) return { problem: `The demo takes flags only, not "${unknown}".` }
  if (args.includes("--help")) return "help"
  return {
    livePartner: args.includes("--live-partner"),
    quick: args.includes("--quick"),
    stay: args.includes("--stay"),
  }
}
