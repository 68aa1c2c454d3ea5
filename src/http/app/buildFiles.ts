import { readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

/** Where builds of the pages are: one folder each, named by a hash of what it was made from. */
export const buildsFolder = fileURLToPath(
  new URL("../../../node_modules/.cache/corrente/web/", import.meta.url),
)

/** The file in the folder of builds that names the folder of the one to serve. */
export const currentName = "current"

/** The file that a build is complete with. */
export const manifestName = "manifest.json"

/** The codings of a build's files, the smallest first, each with the ending of its files. */
export const storedCodings = [
  ["br", ".br"],
  ["gzip", ".gz"],
] as const

/** The folder of the build to serve; undefined if there is none. */
export const currentBuildFolder = (builds: string): string | undefined => {
  try {
    return join(builds, readFileSync(join(builds, currentName), "utf8").trim())
  } catch {
    return undefined
  }
}
