// npm run bench: measures the service beside the least that could do the same, on this machine and in one run.
import { rmSync, writeFileSync } from "node:fs"
import { runAccounts } from "./accounts/suite.ts"
import { type BenchRequest, parseCommandLine, usageOf } from "./commandLine.ts"
import type { Progress, Size, SuiteResult } from "./report/result.ts"
import { environmentText, suiteText } from "./report/text.ts"
import { runEvents } from "./suites/events.ts"
import { runMicro } from "./suites/micro.ts"
import { runTransactions } from "./suites/transactions.ts"
import { endAllChildren } from "./support/child.ts"
import { readEnvironment } from "./support/environment.ts"
import { dataRoot } from "./support/redisServer.ts"

interface Suite {
  readonly text: string
  readonly run: (size: Size, progress: Progress) => Promise<SuiteResult>
}

const suites: Readonly<Record<string, Suite>> = {
  micro: { text: "single functions: BR Code, QR, PNG, event frames", run: runMicro },
  transactions: { text: "POST and GET of charges, beside a bare server", run: runTransactions },
  events: { text: "event -> SSE client and -> webhook receiver", run: runEvents },
  accounts: { text: "hashing beside other requests; times that tell who has an account", run: runAccounts },
}

const sizeTexts: Readonly<Record<Size, string>> = {
  small: "small; it proves that the benches work, its figures mean nothing",
  default: "default",
  full: "full",
}

/** Version of the JSON that `--json` writes. */
const jsonFormat = 1

const progress: Progress = (line) => process.stderr.write(`${line}\n`)

/** Runs what was asked for; whether every check was right. */
const runBench = async (request: BenchRequest): Promise<boolean> => {
  const environment = await readEnvironment()
  console.log(`size:       ${sizeTexts[request.size]}\n${environmentText(environment)}`)
  const results: Array<SuiteResult> = []
  for (const name of request.suites) {
    const result = await suites[name]?.run(request.size, progress)
    if (result === undefined) continue
    results.push(result)
    console.log(suiteText(result))
  }
  if (request.jsonFile !== undefined) {
    const report = { format: jsonFormat, size: request.size, environment, suites: results }
    writeFileSync(request.jsonFile, `${JSON.stringify(report, undefined, 2)}\n`)
  }
  return results.every(({ checks }) => checks.every(({ isRight }) => isRight))
}

const main = async (argv: ReadonlyArray<string>): Promise<number> => {
  const texts = Object.fromEntries(Object.entries(suites).map(([name, { text }]) => [name, text]))
  if (argv.includes("--help")) {
    console.log(usageOf(texts))
    return 0
  }
  const request = parseCommandLine(argv, Object.keys(suites))
  if (typeof request === "string") {
    console.error(`${request}\n\n${usageOf(texts)}`)
    return 2
  }
  try {
    return (await runBench(request)) ? 0 : 1
  } catch (error) {
    console.error(error instanceof Error ? error.message : error)
    return 1
  }
}

// Whatever ends this process, a reader of its output that went away included, its servers end with it.
process.once("exit", () => {
  endAllChildren()
  rmSync(dataRoot, { recursive: true, force: true })
})
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(130))

process.exitCode = await main(process.argv.slice(2))
