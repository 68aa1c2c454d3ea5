import { mkdirSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync } from "node:fs"
import { basename, join } from "node:path"
import { fileURLToPath } from "node:url"
import { BenchFileError, decodeRun, encodeRun, type SavedRun } from "./savedRun.ts"

/** The default folder of saved runs. */
export const runsFolder = fileURLToPath(new URL("../../.data/bench/runs", import.meta.url))

/** A saved run and its name. */
export interface NamedRun {
  /** Its file's name without `.json`. */
  readonly name: string
  readonly run: SavedRun
}

const extension = ".json"

/** The name of a run's file: names sort by start time. */
export const fileNameOf = ({ environment, size }: SavedRun): string =>
  `${[environment.startedAt, environment.commit, size]
    .map((part) => part.replaceAll(/[^A-Za-z0-9.+-]/g, "-"))
    .join("-")
    .replace(/^\.+/, "")
    .slice(0, 100)}${extension}`

/** Saves a run in the folder, replacing its earlier state; returns the file. */
export const saveRun = (folder: string, run: SavedRun): string => {
  mkdirSync(folder, { recursive: true })
  const file = join(folder, fileNameOf(run))
  // Renamed into place: a run that is killed while writing leaves the older file intact.
  const draft = `${file}.draft`
  writeFileSync(draft, encodeRun(run))
  renameSync(draft, file)
  return file
}

/** Names of saved runs, oldest first. */
const savedNames = (folder: string): ReadonlyArray<string> => {
  try {
    return readdirSync(folder)
      .filter((name) => name.endsWith(extension))
      .toSorted()
  } catch {
    return []
  }
}

const isFile = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isFile() ?? false

const nth = { last: 1, previous: 2 } as const

const fromTheEnd = (word: keyof typeof nth, folder: string): string => {
  const found = savedNames(folder).at(-nth[word])
  if (found !== undefined) return join(folder, found)
  throw new BenchFileError(
    word === "last"
      ? `There is no saved run in ${folder}: npm run bench saves one.`
      : `There is no run before the last one in ${folder}.`,
  )
}

/** The file for `last`, `previous`, a path, or the name of a saved run. Throws {@link BenchFileError}. */
export const findRun = (meant: string, folder: string): string => {
  if (meant === "last" || meant === "previous") return fromTheEnd(meant, folder)
  const found = [meant, join(folder, meant), join(folder, `${meant}${extension}`)].find(isFile)
  if (found === undefined) throw new BenchFileError(`There is no file and no saved run ${meant}.`)
  return found
}

/** Reads a run by {@link findRun}. Throws {@link BenchFileError}. */
export const loadRun = (meant: string, folder: string): NamedRun => {
  const file = findRun(meant, folder)
  try {
    return { name: basename(file, extension), run: decodeRun(readFileSync(file, "utf8"), file) }
  } catch (error) {
    if (error instanceof BenchFileError) throw error
    throw new BenchFileError(`${file} cannot be read (${error instanceof Error ? error.message : error}).`)
  }
}
