// npm run bench: measures the service beside minimal and conventional alternatives, and compares saved runs.
import { rmSync } from "node:fs"
import { type CompareRequest, parseCommandLine, usageOf } from "./commandLine.ts"
import { compareRuns, comparisonText, gateOf } from "./report/compare.ts"
import { BenchFileError, loadRun, runsFolder } from "./report/savedRun.ts"
import { runSuites } from "./run.ts"
import { suites } from "./suites.ts"
import { endAllChildren } from "./support/child.ts"
import { readEnvironment } from "./support/environment.ts"
import { dataRoot } from "./support/redisServer.ts"

const stdout = (text: string): void => console.log(text)
const stderr = (line: string): void => {
  process.stderr.write(`${line}\n`)
}

/** Prints how B differs from A; returns the exit code. */
const compare = (request: CompareRequest): number => {
  const [before, after] = [loadRun(request.before, runsFolder), loadRun(request.after, runsFolder)]
  const comparison = compareRuns(before.run, after.run)
  stdout(comparisonText(before, after, comparison))
  if (request.failOverPercent === undefined) return 0
  const gate = gateOf(comparison, request.failOverPercent, request.isRelative)
  stdout(`\n${gate.text}`)
  return gate.exitCode
}

const main = async (argv: ReadonlyArray<string>): Promise<number> => {
  const texts = Object.fromEntries(Object.entries(suites).map(([name, { text }]) => [name, text]))
  const request = parseCommandLine(argv, Object.keys(suites))
  if (typeof request === "string") {
    stderr(`${request}\n\n${usageOf(texts)}`)
    return 2
  }
  try {
    if (request.kind === "compare") return compare(request)
    if (request.kind === "run") {
      const environment = await readEnvironment()
      return (await runSuites(request, { suites, environment, folder: runsFolder, stdout, stderr })) ? 0 : 1
    }
    stdout(usageOf(texts))
    return 0
  } catch (error) {
    stderr(error instanceof Error ? error.message : String(error))
    return error instanceof BenchFileError ? 2 : 1
  }
}

// Whatever ends this process, even a closed output pipe, its servers end with it.
process.once("exit", () => {
  endAllChildren()
  rmSync(dataRoot, { recursive: true, force: true })
})
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(130))

process.exitCode = await main(process.argv.slice(2))
