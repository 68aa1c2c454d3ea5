import { createHash } from "node:crypto"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

const root = fileURLToPath(new URL("../../", import.meta.url))

/** What a build is made from, each a file or a folder. */
export interface PagesSources {
  /** The folder of `index.html` and `vite.config.ts`. */
  readonly web: string
  /** What else they depend on. */
  readonly others: ReadonlyArray<string>
}

/** The sources of the pages. Those of `schema` are types alone today, which no compiler holds them to. */
export const pagesSources: PagesSources = {
  web: join(root, "web"),
  others: ["client/src", "schema", "src/mail/deviceName.ts", "scripts/web", "package-lock.json"].map((path) =>
    join(root, path),
  ),
}

const filesOf = (path: string): ReadonlyArray<string> => {
  try {
    return readdirSync(path, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .toSorted()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOTDIR") return [path]
    throw error
  }
}

/** A name for the content of files and folders: it changes with any of their bytes or names. */
export const stampOfPaths = (paths: ReadonlyArray<string>): string => {
  const hash = createHash("sha256")
  for (const folder of paths) {
    for (const file of filesOf(folder)) {
      const bytes = readFileSync(file)
      hash.update(`${file.slice(folder.length)}\0${bytes.length}\0`).update(bytes)
    }
  }
  return hash.digest("hex").slice(0, 32)
}

/** A name for the content of all sources of the pages. */
export const stampOf = ({ web, others }: PagesSources): string => stampOfPaths([web, ...others])
