import { execFile } from "node:child_process"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { slugOf } from "../layout/documents.ts"
import { loadingCache } from "../support/loadingCache.ts"

const root = fileURLToPath(new URL("../../", import.meta.url))

/** The text of a section of a page, up to the next heading of its level or above. */
const sectionOf = (page: string, anchor: string): string => {
  const text = readFileSync(join(root, page), "utf8")
  const headings = [...text.matchAll(/^(#{1,6}) (.+)$/gm)]
  const at = headings.findIndex(([, , title = ""]) => slugOf(title) === anchor)
  const heading = headings[at]
  if (heading === undefined) throw new Error(`${page} has no heading #${anchor}`)
  const depth = heading[1]?.length ?? 0
  const next = headings.slice(at + 1).find(([, marks = ""]) => marks.length <= depth)
  return text.slice(heading.index, next?.index)
}

/** The shell commands of a section, by block, as a reader would copy them. */
export const blocksOf = (page: string, anchor: string): ReadonlyArray<string> =>
  [...sectionOf(page, anchor).matchAll(/^( *)```sh\n([\s\S]*?)^ *```$/gm)].map(
    ([, indent = "", block = ""]) => block.replaceAll(new RegExp(`^${indent}`, "gm"), ""),
  )

/** Names that a block of assignments sets. */
export const namesIn = (block: string): ReadonlyArray<string> =>
  [...block.matchAll(/^([A-Z_]+)=/gm)].map(([, name = ""]) => name)

/** What the blocks printed. */
export interface ShellRun {
  readonly exitCode: number
  /** The stdout of each block, in order. */
  readonly printed: ReadonlyArray<string>
  readonly stderr: string
}

const mark = "=== the next block ==="

/** Runs blocks in one shell in the repository, up to the first command that fails, with only PATH and this environment. */
export const runBlocks = (
  blocks: ReadonlyArray<string>,
  environment: Readonly<Record<string, string>>,
): Promise<ShellRun> => {
  const script = ["set -euo pipefail", ...blocks.flatMap((block) => [block, `echo; echo '${mark}'`])].join(
    "\n",
  )
  const env = { PATH: process.env.PATH, ...loadingCache, ...environment }
  return new Promise((resolve) => {
    execFile(
      "bash",
      ["--norc", "-c", script],
      { cwd: root, env, timeout: 240_000 },
      (error, stdout, stderr) => {
        const exitCode = error === null ? 0 : typeof error.code === "number" ? error.code : -1
        const printed = stdout.split(`\n${mark}\n`).slice(0, blocks.length)
        resolve({ exitCode, printed: printed.map((text) => text.trim()), stderr })
      },
    )
  })
}

/** The JSON values that a block printed, each on its line. */
export const jsonOf = (printed: string | undefined): ReadonlyArray<unknown> =>
  (printed ?? "").split("\n").flatMap((line) => (line.trim() === "" ? [] : [JSON.parse(line)]))
