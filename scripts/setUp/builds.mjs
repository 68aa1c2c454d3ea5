// What is built from the sources, and whether it is built. Plain JavaScript without packages: scripts/with-node22.mjs asks at each
// start, under whatever Node there is, and stripping types would take longer than the answer.
import { createHash } from "node:crypto"
import { readdirSync, readFileSync, realpathSync, statSync } from "node:fs"
import { basename, join, relative } from "node:path"
import { fileURLToPath } from "node:url"

const root = fileURLToPath(new URL("../../", import.meta.url))
const inRoot = (...paths) => paths.map((path) => join(root, path))

/**
 * A build: its folder is named after the content of all its sources, and a link leads to the one of the sources as they are now.
 * What runs from a build keeps it when the next one is made.
 * @typedef {object} Build
 * @property {ReadonlyArray<string>} sources Files and folders that it is made from.
 * @property {string} folder Where its folders are.
 * @property {string} link The link to the newest.
 */

/** @satisfies {Record<string, Build>} */
export const builds = {
  /** The dashboard's pages. Those of `schema` are types alone today, which no compiler holds them to. */
  pages: {
    sources: inRoot(
      ...["web", "client/src", "schema", "src/mail/deviceName.ts"],
      ...["scripts/web", "scripts/setUp", "package-lock.json"],
    ),
    folder: join(root, "node_modules/.cache/corrente/web"),
    link: join(root, "web/dist"),
  },
  /** The service, `ops` and `corrente`. */
  programs: {
    sources: inRoot(
      ...["src", "actors", "schema", "client/src", "cli", "docs/guide.md"],
      ...["scripts/programs", "scripts/setUp", "package.json", "package-lock.json"],
    ),
    folder: join(root, "node_modules/.cache/corrente/programs"),
    link: join(root, "dist"),
  },
}

/** The files of a folder, not those that links lead to. @param {string} folder @returns {ReadonlyArray<string>} */
const filesIn = (folder) =>
  readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name)
    return entry.isDirectory() ? filesIn(path) : entry.isFile() ? [path] : []
  })

/**
 * A name for the content of a build's sources: it changes with any of their bytes or names.
 * @param {Pick<Build, "sources">} build @returns {string}
 */
export const stampOf = ({ sources }) => {
  const hash = createHash("sha256")
  for (const source of sources) {
    for (const file of statSync(source).isDirectory() ? filesIn(source).toSorted() : [source]) {
      const bytes = readFileSync(file)
      hash.update(`${relative(source, file)}\0${bytes.length}\0`).update(bytes)
    }
  }
  return hash.digest("hex").slice(0, 32)
}

/**
 * The folder of the build that the link leads to; undefined if there is none.
 * @param {Pick<Build, "link">} build @returns {string | undefined}
 */
export const currentFolder = ({ link }) => {
  try {
    return realpathSync(link)
  } catch {
    return undefined
  }
}

/** @param {Build} build @returns {boolean} */
export const isBuilt = (build) => {
  const folder = currentFolder(build)
  return folder !== undefined && basename(folder) === stampOf(build)
}
