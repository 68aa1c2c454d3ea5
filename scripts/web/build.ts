// Usage: npm run web:build
//
// Builds the pages of web/ into node_modules/.cache/corrente/web, unless there is a build of these very sources, and makes
// that build the one that the service reads when it starts.
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs"
import { basename, join } from "node:path"
import { fileURLToPath } from "node:url"
import { buildsFolder, currentBuildFolder, currentName, manifestName } from "../../src/http/app/buildFiles.ts"
import { compressBuild } from "./compress.ts"
import { type PagesSources, pagesSources, stampOf } from "./inputs.ts"

const draftPrefix = "draft-"
const dayMillis = 24 * 60 * 60 * 1000

const isComplete = (folder: string): boolean => existsSync(join(folder, manifestName))

/** Whether the build to serve is of these sources. */
export const isBuilt = (sources: PagesSources = pagesSources, builds = buildsFolder): boolean => {
  const current = currentBuildFolder(builds)
  return current !== undefined && basename(current) === stampOf(sources) && isComplete(current)
}

/** Makes a build the one to serve, at once for whoever reads. */
const makeCurrent = (builds: string, stamp: string): void => {
  const draft = join(builds, `${draftPrefix}${process.pid}`)
  writeFileSync(draft, `${stamp}\n`)
  renameSync(draft, join(builds, currentName))
}

/** Removes builds and drafts, except `stamp`, that nobody has touched for a day. Services keep theirs in memory. */
export const removeOld = (builds: string, stamp: string): void => {
  for (const name of readdirSync(builds)) {
    const path = join(builds, name)
    const age = Date.now() - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Date.now())
    if (name !== stamp && name !== currentName && age > dayMillis)
      rmSync(path, { recursive: true, force: true })
  }
}

const buildInto = async (draft: string, { web }: PagesSources): Promise<void> => {
  // Loaded here: whoever only asks whether there is a build needs no Vite, and may not have it.
  const { build } = await import("vite")
  const configFile = join(web, "vite.config.ts")
  await build({ root: web, configFile, configLoader: "native", build: { outDir: draft, emptyOutDir: false } })
  await compressBuild(draft)
}

/**
 * Makes the build of these sources the one to serve, and returns its folder; it is built only if it is not there. Any number
 * may run at the same time: each builds into a folder of its own, and whole builds take their names. Fails if they do not
 * build.
 */
export const buildPages = async (
  sources: PagesSources = pagesSources,
  builds = buildsFolder,
): Promise<{ readonly folder: string; readonly isNew: boolean }> => {
  const stamp = stampOf(sources)
  const folder = join(builds, stamp)
  const isNew = !isComplete(folder)
  if (isNew) {
    mkdirSync(builds, { recursive: true })
    const draft = mkdtempSync(join(builds, draftPrefix))
    try {
      await buildInto(draft, sources)
      // What mkdtemp makes is for its owner alone; an image is built by root and run by another user.
      chmodSync(draft, 0o755)
      renameSync(draft, folder)
    } catch (error) {
      rmSync(draft, { recursive: true, force: true })
      // Another process was faster.
      if (!isComplete(folder)) throw error
    }
  }
  if (currentBuildFolder(builds) !== folder) makeCurrent(builds, stamp)
  if (isNew) removeOld(builds, stamp)
  return { folder, isNew }
}

/** What the files of a build weigh, in words. */
const weightOf = (folder: string): string => {
  const { files } = JSON.parse(readFileSync(join(folder, manifestName), "utf8")) as {
    readonly files: ReadonlyArray<{ readonly path: string }>
  }
  const bytesOf = (ending: string) =>
    files.reduce(
      (sum, { path }) => sum + (statSync(join(folder, path + ending), { throwIfNoEntry: false })?.size ?? 0),
      0,
    )
  const kB = (bytes: number) => `${Math.round(bytes / 1000)} kB`
  return `${files.length} files, ${kB(bytesOf(""))}, ${kB(bytesOf(".br"))} as brotli`
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { folder, isNew } = await buildPages()
  process.stderr.write(`The pages are ${isNew ? "built" : "built already"}: ${weightOf(folder)}.\n`)
}
