import { mkdirSync, writeFileSync } from "node:fs"
import { dirname, join, resolve } from "node:path"
import type { CompareRequest, ReportRequest } from "../commandLine.ts"
import { compareRuns } from "./compare.ts"
import { comparisonText, gateOf } from "./compareText.ts"
import { reportPage } from "./html/page.ts"
import { loadRun } from "./runStore.ts"
import { BenchFileError } from "./savedRun.ts"

type Say = (text: string) => void

/** Prints how B differs from A; returns the exit code. Throws {@link BenchFileError} if either cannot be read. */
export const compareSaved = (request: CompareRequest, folder: string, say: Say): number => {
  const before = loadRun(request.before, folder)
  const after = loadRun(request.after, folder)
  const comparison = compareRuns(before.run, after.run)
  say(comparisonText(before, after, comparison))
  if (request.failOverPercent === undefined) return 0
  const gate = gateOf(comparison, request.failOverPercent, request.isRelative)
  say(`\n${gate.text}`)
  return gate.exitCode
}

const writePage = (file: string, page: string): void => {
  try {
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, page)
  } catch (error) {
    throw new BenchFileError(`${file} cannot be written (${error instanceof Error ? error.message : error}).`)
  }
}

/**
 * Writes the page and prints its path; returns the exit code. Throws {@link BenchFileError} if a run cannot be read.
 */
export const reportSaved = (request: ReportRequest, folder: string, say: Say): number => {
  const runs = request.runs.map((meant) => loadRun(meant, folder))
  const file = resolve(request.out ?? join(dirname(folder), "report.html"))
  writePage(file, reportPage(runs))
  say(`Wrote the report to ${file}`)
  return 0
}
