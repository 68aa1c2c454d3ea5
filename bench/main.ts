// npm run bench: measures the service beside minimal and conventional alternatives, and evaluates saved runs.
import { rmSync } from "node:fs"
import { parseCommandLine, type RunRequest, usageOf } from "./commandLine.ts"
import { compareSaved, reportSaved } from "./report/commands.ts"
import { runsFolder } from "./report/runStore.ts"
import { BenchFileError } from "./report/savedRun.ts"
import { runSuites } from "./run.ts"
import { suites } from "./suites.ts"
import { endAllChildren } from "./support/child.ts"
import { readEnvironment } from "./support/environment.ts"
import { dataRoot } from "./support/redisServer.ts"

const stdout = (text: string): void => console.log(text)
const stderr = (line: string): void => {
  process.stderr.write(`${line}\n`)
}

const measure = async (request: RunRequest): Promise<number> => {
  const environment = await readEnvironment()
  const isRight = await runSuites(request, { suites, environment, folder: runsFolder, stdout, stderr })
  return isRight ? 0 : 1
}

const main = async (argv: ReadonlyArray<string>): Promise<number> => {
  const texts = Object.fromEntries(Object.entries(suites).map(([name, { text }]) => [name, text]))
  const request = parseCommandLine(argv, Object.keys(suites))
  if (typeof request === "string") {
    stderr(`${request}\n\n${usageOf(texts)}`)
    return 2
  }
  try {
    switch (request.kind) {
      case "help":
        stdout(usageOf(texts))
        return 0
      case "run":
        return await measure(request)
      case "compare":
        return compareSaved(request, runsFolder, stdout)
      case "report":
        return reportSaved(request, runsFolder, stdout)
    }
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
