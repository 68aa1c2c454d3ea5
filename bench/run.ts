import { accessSync, constants, mkdirSync, statSync, writeFileSync } from "node:fs"
import { dirname, resolve } from "node:path"
import type { JsonOutput, RunRequest } from "./commandLine.ts"
import type { Progress, Size, SuiteResult } from "./report/result.ts"
import { saveRun } from "./report/runStore.ts"
import { BenchFileError, encodeRun, type SavedRun, savedFormat } from "./report/savedRun.ts"
import { environmentText, suiteText } from "./report/text.ts"
import type { Suite } from "./suites.ts"
import type { Environment } from "./support/environment.ts"

const sizeTexts: Readonly<Record<Size, string>> = {
  small: "small: only proves that the benches work; its figures mean nothing",
  default: "default",
  full: "full",
}

/** What a run needs beside the request. */
export interface RunParts {
  readonly suites: Readonly<Record<string, Suite>>
  readonly environment: Environment
  /** The folder of saved runs. */
  readonly folder: string
  readonly stdout: (text: string) => void
  readonly stderr: Progress
}

const stat = (path: string) => statSync(path, { throwIfNoEntry: false })

/** Checks before measuring that a file can be written. Throws {@link BenchFileError}. */
const mustBeWritable = (file: string): void => {
  try {
    const found = stat(file)
    if (found?.isDirectory()) throw new Error("it is a folder")
    accessSync(found === undefined ? dirname(resolve(file)) : file, constants.W_OK)
  } catch (error) {
    throw new BenchFileError(`${file} cannot be written (${error instanceof Error ? error.message : error}).`)
  }
}

/** Saves what a run has found so far. */
class Keeper {
  readonly #parts: RunParts
  readonly #json: JsonOutput
  readonly #isSaved: boolean
  readonly #files = new Set<string>()

  constructor(parts: RunParts, { json, size }: RunRequest) {
    this.#parts = parts
    this.#json = json
    this.#isSaved = size !== "small"
    if (json.kind === "file") mustBeWritable(json.file)
    if (this.#isSaved) mkdirSync(parts.folder, { recursive: true })
  }

  /** Writes the run over its earlier state. */
  keep(run: SavedRun): void {
    if (this.#isSaved) this.#files.add(saveRun(this.#parts.folder, run))
    if (this.#json.kind !== "file") return
    writeFileSync(this.#json.file, encodeRun(run))
    this.#files.add(this.#json.file)
  }

  /** The file; empty if none was written. */
  where(): string {
    return [...this.#files].join(" and ")
  }
}

/**
 * Runs suites one after the other and saves the results after each, so that an interrupted or failed run keeps what it
 * measured. Returns whether every check was right. Throws {@link BenchFileError} if a file cannot be written.
 */
export const runSuites = async (request: RunRequest, parts: RunParts): Promise<boolean> => {
  const keeper = new Keeper(parts, request)
  const say = request.json.kind === "stdout" ? parts.stderr : parts.stdout
  say(`size:       ${sizeTexts[request.size]}\n${environmentText(parts.environment)}`)
  const results: Array<SuiteResult> = []
  const runOf = (): SavedRun => ({
    format: savedFormat,
    size: request.size,
    asked: request.suites,
    environment: { ...parts.environment },
    suites: results,
  })
  try {
    for (const name of request.suites) {
      const result = await parts.suites[name]?.run(request.size, parts.stderr)
      if (result === undefined) continue
      results.push(result)
      say(suiteText(result))
      keeper.keep(runOf())
      const isLast = name === request.suites.at(-1)
      if (!isLast && keeper.where() !== "") parts.stderr(`${name} is done; so far in ${keeper.where()}`)
    }
  } finally {
    if (keeper.where() !== "") say(`\nSaved in ${keeper.where()}`)
    if (request.json.kind === "stdout") parts.stdout(encodeRun(runOf()).trimEnd())
  }
  return results.every(({ checks }) => checks.every(({ isRight }) => isRight))
}
