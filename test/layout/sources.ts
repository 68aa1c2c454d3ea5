import { readdirSync, readFileSync } from "node:fs"
import { dirname, join, relative, sep } from "node:path"
import { fileURLToPath } from "node:url"

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))))

/** The folders of the project's own code. */
export const folders = [
  "schema",
  "actors",
  "src",
  "client/src",
  "cli",
  "bench",
  "scripts",
  "test",
  "web/src",
] as const
export type Folder = (typeof folders)[number]

/** A file of the project, its path from the root with `/`. */
export interface Source {
  readonly path: string
  readonly text: string
}

/** Files below the folders with one of these extensions. */
export const sourcesOf = (
  wanted: ReadonlyArray<Folder>,
  extensions: ReadonlyArray<string> = [".ts"],
): ReadonlyArray<Source> =>
  wanted.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && extensions.some((extension) => entry.name.endsWith(extension)))
      // npm puts there what it cannot share with the service.
      .filter((entry) => !entry.parentPath.split(sep).includes("node_modules"))
      .map((entry) => {
        const file = join(entry.parentPath, entry.name)
        return { path: relative(root, file).split(sep).join("/"), text: readFileSync(file, "utf8") }
      }),
  )

const importPattern =
  /^(?:import|export)\b([^;"'`]*?)\bfrom\s*"([^"]+)"|^import\s*"([^"]+)"|\bimport\(\s*"([^"]+)"/gm

/**
 * What a file imports, or exports from elsewhere: packages by name, files of the project by their path. `loadedOnly`
 * leaves out what is imported only as a type, and so is not loaded when the program runs.
 */
export const importsOf = (
  { path, text }: Source,
  options: { readonly loadedOnly?: boolean } = {},
): ReadonlyArray<string> =>
  [...text.matchAll(importPattern)]
    .filter(([, clause = ""]) => options.loadedOnly !== true || !/^\s*type\s+[\w{*]/.test(clause))
    .map(([, , from, bare, dynamic]) => {
      const target = from ?? bare ?? dynamic ?? ""
      return target.startsWith(".") ? join(dirname(path), target).split(sep).join("/") : target
    })

/** Names that a file imports from files of the project, each as `path name`; `path *` where it imports all of them. */
export const importedNames = ({ path, text }: Source): ReadonlyArray<string> =>
  [...text.matchAll(importPattern)].flatMap(([, clause = "", from, , dynamic]) => {
    const target = from ?? dynamic ?? ""
    if (!target.startsWith(".")) return []
    const file = join(dirname(path), target).split(sep).join("/")
    if (dynamic !== undefined || clause.includes("*")) return [`${file} *`]
    const named = /\{([\s\S]*)\}/.exec(clause)?.[1] ?? ""
    return named.split(",").map(
      (name) =>
        `${file} ${
          name
            .trim()
            .replace(/^type\s+/, "")
            .split(/\s+as\s+/)[0]
        }`,
    )
  })

/** Whether an import is a file of the project, not a package. */
export const isOurs = (target: string): boolean => folders.some((folder) => target.startsWith(`${folder}/`))

/**
 * The code of a text without its comments, and without quoted strings unless `withStrings`. Good enough to search for
 * words, not to compile: a quote inside a regular expression counts as one of a string.
 */
export const codeOf = (text: string, options: { readonly withStrings?: boolean } = {}): string =>
  text.replace(
    /\/\*[\s\S]*?\*\/|(?<![:"'`\\\w])\/\/.*|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`/g,
    (found) => {
      const isComment = found.startsWith("/")
      return isComment || options.withStrings !== true ? " " : found
    },
  )
