import { fileURLToPath } from "node:url"

/** Where the pages of the dashboard are (`docs/decisions/0086-pages-built-once.md`). */
export const appPath = "/app"

/** Where the build of the pages is. */
export const pagesFolder = fileURLToPath(new URL("../../../web/dist/", import.meta.url))

/** The file that a build is complete with. */
export const manifestName = "manifest.json"

/** The codings of a build's files, the smallest first, each with the ending of its files. */
export const storedCodings = [
  ["br", ".br"],
  ["gzip", ".gz"],
] as const
