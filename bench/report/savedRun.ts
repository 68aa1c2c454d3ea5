import { mkdirSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync } from "node:fs"
import { basename, join } from "node:path"
import { fileURLToPath } from "node:url"
import type { Size, SuiteResult } from "./result.ts"

/** Version of the saved JSON; others are not read. */
export const savedFormat = 2

/** A file that is not a readable saved run; the message is a sentence for the user. */
export class BenchFileError extends Error {
  override readonly name = "BenchFileError"
}

/** Contenders and units are plain strings here: an older run may have some that no longer exist. */
export interface SavedMetric {
  readonly name: string
  readonly unit: string
  readonly values: Readonly<Record<string, ReadonlyArray<number>>>
  readonly ratios: Readonly<Record<string, number>>
}

export type SavedSuite = Omit<SuiteResult, "metrics"> & { readonly metrics: ReadonlyArray<SavedMetric> }

/** A saved run; an interrupted one has the suites it finished. */
export interface SavedRun {
  readonly format: typeof savedFormat
  readonly size: Size
  /** Suites to run; those missing from `suites` were not reached. */
  readonly asked: ReadonlyArray<string>
  readonly environment: Readonly<Record<string, string>> & {
    readonly startedAt: string
    readonly commit: string
  }
  readonly suites: ReadonlyArray<SavedSuite>
}

/** Serializes a run. JSON has no NaN or Infinity: unmeasured values are null there. */
export const encodeRun = (run: SavedRun): string => `${JSON.stringify(run, undefined, 2)}\n`

/** Parses a saved run, whose nulls are values that were not measured; errors call the file `name`. Throws {@link BenchFileError}. */
export const decodeRun = (text: string, name: string): SavedRun => {
  let run: Partial<SavedRun> | null
  try {
    run = JSON.parse(text, (_, value) => value ?? Number.NaN)
  } catch {
    throw new BenchFileError(`${name} is not JSON, so it is not a run saved by npm run bench.`)
  }
  if (run?.format === savedFormat && run.size && run.environment && Array.isArray(run.suites)) {
    return run as SavedRun
  }
  throw new BenchFileError(`${name} is not a run saved by this version of npm run bench: measure again.`)
}

export const runsFolder = fileURLToPath(new URL("../../.data/bench/runs", import.meta.url))

/** Saves a run in the folder, replacing its earlier state; returns the file. Names sort by start time. */
export const saveRun = (folder: string, run: SavedRun): string => {
  mkdirSync(folder, { recursive: true })
  const { startedAt, commit } = run.environment
  const file = join(folder, `${startedAt.replaceAll(":", "-")}-${commit}-${run.size}.json`)
  // Renamed into place: a run that is killed while writing leaves the older file intact.
  const draft = `${file}.draft`
  writeFileSync(draft, encodeRun(run))
  renameSync(draft, file)
  return file
}

const isFile = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isFile() ?? false

/** Reads the run that is meant by `last`, `previous`, a path, or the name of a saved run. Throws {@link BenchFileError}. */
export const loadRun = (meant: string, folder: string) => {
  mkdirSync(folder, { recursive: true })
  const saved = readdirSync(folder).filter((name) => name.endsWith(".json"))
  const nth = { last: -1, previous: -2 }[meant]
  const name = nth === undefined ? meant : (saved.toSorted().at(nth) ?? meant)
  const file = [name, join(folder, name), join(folder, `${name}.json`)].find(isFile)
  if (file === undefined) throw new BenchFileError(`There is no file and no saved run ${meant} in ${folder}.`)
  return { name: basename(file, ".json"), run: decodeRun(readFileSync(file, "utf8"), file) }
}

export type NamedRun = ReturnType<typeof loadRun>
