import { mkdirSync, writeFileSync } from "node:fs"
import type { RunRequest } from "./commandLine.ts"
import type { Progress, Size, SuiteResult } from "./report/result.ts"
import { encodeRun, type SavedRun, savedFormat, saveRun } from "./report/savedRun.ts"
import { environmentText, suiteText } from "./report/text.ts"
import type { Suite } from "./suites.ts"
import type { Environment } from "./support/environment.ts"

const sizeTexts: Readonly<Record<Size, string>> = {
  small: "small: only proves that the benches work; its figures mean nothing",
  default: "default",
  full: "full",
}

/** What a run needs beside the request. */
interface RunParts {
  readonly suites: Readonly<Record<string, Suite>>
  readonly environment: Environment
  /** The folder of saved runs. */
  readonly folder: string
  readonly stdout: (text: string) => void
  readonly stderr: Progress
}

/**
 * Runs suites one after the other and saves the results after each, so that an interrupted or failed run keeps what it
 * measured. Returns whether every check was right. Fails before it measures if the JSON file cannot be written.
 */
export const runSuites = async (request: RunRequest, parts: RunParts): Promise<boolean> => {
  const { json, size, suites: asked } = request
  const say = json === "-" ? parts.stderr : parts.stdout
  const suites: Array<SuiteResult> = []
  const run: SavedRun = { format: savedFormat, size, asked, environment: { ...parts.environment }, suites }
  const file = json === "-" ? undefined : json
  const save = (): ReadonlyArray<string> => {
    if (file !== undefined) writeFileSync(file, encodeRun(run))
    const saved = size === "small" ? [] : [saveRun(parts.folder, run)]
    return file === undefined ? saved : [...saved, file]
  }
  if (size !== "small") mkdirSync(parts.folder, { recursive: true })
  if (file !== undefined) writeFileSync(file, encodeRun(run))
  say(`size:       ${sizeTexts[size]}\n${environmentText(parts.environment)}`)
  let files: ReadonlyArray<string> = []
  try {
    for (const name of asked) {
      const result = await parts.suites[name]?.run(size, parts.stderr)
      if (result === undefined) continue
      suites.push(result)
      say(suiteText(result))
      files = save()
    }
  } finally {
    if (files.length > 0) say(`\nSaved in ${files.join(" and ")}`)
    if (json === "-") parts.stdout(encodeRun(run).trimEnd())
  }
  return suites.every(({ checks }) => checks.every(({ isRight }) => isRight))
}
