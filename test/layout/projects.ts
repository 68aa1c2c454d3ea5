import { existsSync, readdirSync, readFileSync } from "node:fs"
import { dirname, join, relative, sep } from "node:path"
import { fileURLToPath } from "node:url"
import { importsOf, isOurs } from "./sources.ts"

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))))

/** How a test runs, from the lightest; a file is of the heaviest kind that it loads. */
export type Project = "unit" | "server" | "process"

/** Modules that take a file out of `unit`, as whatever loads one may start a server or a process. */
const starters: Readonly<Record<string, Exclude<Project, "unit">>> = {
  "node:child_process": "process",
  // Threads that hash passwords: each takes a core.
  piscina: "server",
  "uWebSockets.js": "server",
  "node:https": "server",
  // Compiles in threads.
  vite: "server",
  "smtp-server": "server",
}

const importsByPath = new Map<string, ReadonlyArray<string>>()
const loadedImportsOf = (path: string): ReadonlyArray<string> => {
  const known = importsByPath.get(path)
  if (known !== undefined) return known
  const file = join(root, path)
  const text = path.endsWith(".ts") && existsSync(file) ? readFileSync(file, "utf8") : ""
  const imports = importsOf({ path, text }, { loadedOnly: true })
  importsByPath.set(path, imports)
  return imports
}

/** The project of a test file, by what it loads, itself or through others. */
const projectOf = (path: string): Project => {
  let project: Project = "unit"
  const reached = new Set([path])
  for (const file of reached) {
    for (const target of loadedImportsOf(file)) {
      const started = starters[target]
      if (started === "process") return started
      if (started === "server") project = started
      if (isOurs(target)) reached.add(target)
    }
  }
  return project
}

/** Every test file, its path from the root with `/`. */
const testFiles = (): ReadonlyArray<string> =>
  readdirSync(join(root, "test"), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(".test.ts"))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)).split(sep).join("/"))
    .toSorted()

/**
 * The test files by project. `unit` starts nothing; `server` starts servers and threads within its own process; `process` starts processes: a redis-server, the service, a command. There is
 * no list to keep: a file's imports decide its project.
 */
export const filesByProject = (): Readonly<Record<Project, ReadonlyArray<string>>> => {
  const files = testFiles().map((path) => ({ path, project: projectOf(path) }))
  const of = (wanted: Project) => files.filter(({ project }) => project === wanted).map(({ path }) => path)
  return { unit: of("unit"), server: of("server"), process: of("process") }
}
