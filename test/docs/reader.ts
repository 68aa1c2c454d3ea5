import { spawn } from "node:child_process"
import { fileURLToPath } from "node:url"
import { documents, slugOf } from "../layout/documents.ts"
import { loadingCache } from "../support/loadingCache.ts"

const root = fileURLToPath(new URL("../../", import.meta.url))

/** A block of shell commands of a document. */
export interface ShellBlock {
  /** `docs/guide.md#refunds 1`: the first one below that heading. */
  readonly name: string
  readonly text: string
}

const pages = documents.filter(({ path }) =>
  /^(?:README\.md|CONTRIBUTING\.md|client\/README\.md|docs\/.*\.md)$/.test(path),
)

/** Every block of shell commands of the README, the documents, CONTRIBUTING.md and the client's README. */
export const shellBlocks: ReadonlyArray<ShellBlock> = pages.flatMap(({ path, text }) => {
  let anchor = ""
  let count = 0
  return [...text.matchAll(/^#{1,6} (.+)$|^( *)```(\w*)\n([\s\S]*?)^ *```$/gm)].flatMap(
    ([, heading, indent = "", language, block = ""]) => {
      if (heading !== undefined) {
        anchor = slugOf(heading)
        count = 0
      }
      if (language !== "sh") return []
      count += 1
      const own = block.replaceAll(new RegExp(`^${indent}`, "gm"), "")
      return [{ name: `${path}#${anchor} ${count}`, text: own }]
    },
  )
})

const quotesOf = (text: string): number => text.match(/'/g)?.length ?? 0

/** The commands of a block, without comments: lines that belong together are one. */
export const commandsOf = (block: string): ReadonlyArray<string> => {
  const commands: Array<string> = []
  let pending = ""
  for (const text of block.split("\n")) {
    const line = text.replace(/(?:^|\s+)# .*$/, "")
    if (pending === "" && line.trim() === "") continue
    pending += `${line}\n`
    if (/[\\|]$/.test(line) || quotesOf(pending) % 2 === 1) continue
    commands.push(pending.trim())
    pending = ""
  }
  return commands
}

const assignment = /^(?:export )?\w+=(?:"[^"]*"|[^\s'"]+)$/
const idPrefixes = ["sel", "txn", "wd", "rfd", "pk"] as const
type Placeholder = `${(typeof idPrefixes)[number]}_…` | "sk_test_…" | "…" | "SECRET"

/** What a command printed. */
export interface Printed {
  readonly command: string
  readonly stdout: string
}

/**
 * Whoever follows a document: copies its commands one after another, and puts into their gaps (`txn_…`) what the commands before
 * have shown.
 */
export class Reader {
  readonly #known = new Map<Placeholder, string>()
  readonly #others: ReadonlyArray<readonly [RegExp | string, string]>
  readonly #env: NodeJS.ProcessEnv
  readonly #cwd: string
  #assignments = ""

  /** `others` are replaced before the gaps are filled: addresses, and what else is the reader's own. */
  constructor(
    env: Readonly<Record<string, string>>,
    others: ReadonlyArray<readonly [RegExp | string, string]>,
    cwd = root,
  ) {
    this.#env = { PATH: process.env.PATH, ...loadingCache, ...env }
    this.#others = others
    this.#cwd = cwd
  }

  knows(placeholder: Placeholder, value: string): this {
    this.#known.set(placeholder, value)
    return this
  }

  /** Runs each command of a block; throws where one fails or an answer is an error. */
  async follow(block: string): Promise<ReadonlyArray<Printed>> {
    const printed: Array<Printed> = []
    for (const command of commandsOf(block)) {
      const own = this.fill(command)
      if (assignment.test(own)) {
        this.#assignments += `${own}\n`
        continue
      }
      const stdout = await this.#run(own)
      this.#learn(stdout)
      printed.push({ command, stdout })
    }
    return printed
  }

  /** A command with the reader's own values. */
  fill(command: string): string {
    let own = command
    for (const [from, to] of this.#others) own = own.replaceAll(from, to)
    return own.replace(/(?:sel|txn|wd|rfd|pk|sk_test)_…|(?<=")…(?=")|(?<=-b )SECRET\b/g, (gap) => {
      const value = this.#known.get(gap as Placeholder)
      if (value === undefined) throw new Error(`nothing has shown what ${gap} is: ${command}`)
      return value
    })
  }

  #learn(stdout: string): void {
    for (const prefix of idPrefixes) {
      const id = new RegExp(`"id":"(${prefix}_\\w+)"|"(sel_\\w+)"`).exec(stdout)
      const value = id?.[1] ?? (prefix === "sel" ? id?.[2] : undefined)
      if (value !== undefined) this.#known.set(`${prefix}_…`, value)
    }
    const key = /"(sk_test_\w+)"/.exec(stdout)?.[1]
    if (key !== undefined) this.#known.set("sk_test_…", key)
    const token = /"token":"([^"]+)"/.exec(stdout)?.[1]
    if (token !== undefined) this.#known.set("…", token)
    const secret = /[?&]secret=(\w+)/.exec(stdout)?.[1]
    if (secret !== undefined) this.#known.set("SECRET", secret)
  }

  #run(command: string): Promise<string> {
    const script = `set -euo pipefail\n${this.#assignments}${command}`
    return new Promise((resolve, reject) => {
      const child = spawn("bash", ["--norc", "-c", script], {
        cwd: this.#cwd,
        env: this.#env,
        stdio: ["ignore", "pipe", "pipe"],
      })
      let stdout = ""
      let stderr = ""
      child.stdout.on("data", (chunk) => {
        stdout += chunk
      })
      child.stderr.on("data", (chunk) => {
        stderr += chunk
      })
      child.once("error", reject)
      child.once("close", (code) => {
        const isError = /"error":\{/.test(stdout)
        if (code === 0 && !isError) resolve(stdout)
        else reject(new Error(`${command}\nended with ${code}: ${stdout}${stderr}`))
      })
    })
  }
}
