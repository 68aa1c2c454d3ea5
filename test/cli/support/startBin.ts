import { type ChildProcess, spawn } from "node:child_process"
import { fileURLToPath } from "node:url"
import { loadingCache } from "../../support/loadingCache.ts"

const root = fileURLToPath(new URL("../../..", import.meta.url))

/** The bin as a process, with `--json`. */
export interface RunningBin {
  /** What it has printed so far, a line each. */
  readonly lines: () => ReadonlyArray<Readonly<Record<string, unknown>>>
  /** All lines of one kind. */
  readonly linesOf: (kind: string) => ReadonlyArray<Readonly<Record<string, unknown>>>
  readonly stderr: () => string
  readonly signal: (name: NodeJS.Signals) => void
  readonly ended: Promise<number | null>
}

const running = new Set<ChildProcess>()
process.once("exit", () => {
  for (const child of running) child.kill("SIGKILL")
})

/** Starts `cli/corrente.mjs` with nothing but PATH and this environment. It is killed if it outlives the tests. */
export const startBin = (
  args: ReadonlyArray<string>,
  environment: Readonly<Record<string, string>>,
): RunningBin => {
  const child = spawn(process.execPath, ["cli/corrente.mjs", ...args, "--json"], {
    cwd: root,
    env: { PATH: process.env.PATH, ...loadingCache, ...environment },
    stdio: ["ignore", "pipe", "pipe"],
  })
  running.add(child)
  let stdout = ""
  let stderr = ""
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    stdout += text
  })
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr += text
  })
  const lines = () =>
    stdout
      .split("\n")
      .slice(0, -1)
      .map((line) => JSON.parse(line))
  return {
    lines,
    linesOf: (kind) => lines().filter(({ line }) => line === kind),
    stderr: () => stderr,
    signal: (name) => child.kill(name),
    ended: new Promise((done) => {
      child.once("close", (code) => {
        running.delete(child)
        done(code)
      })
    }),
  }
}
