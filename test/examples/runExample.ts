import { type ChildProcess, spawn } from "node:child_process"
import { fileURLToPath } from "node:url"
import { loadingCache } from "../support/loadingCache.ts"
import { until } from "../support/until.ts"

const root = fileURLToPath(new URL("../..", import.meta.url))

const clientFromSource = new URL("clientFromSource.mjs", import.meta.url).href

/** A running example, with nothing but its settings and PATH in its environment. */
export interface RunningExample {
  /** All that it has printed so far, on stdout and stderr. */
  readonly output: () => string
  /** Waits until it has printed that. */
  readonly printed: (text: string | RegExp) => Promise<void>
  /** The port in `Receiving on port <port>`. */
  readonly port: () => number
  /** Ends it without warning. */
  readonly kill9: () => Promise<void>
  /** Its exit code, when it has ended. */
  readonly ended: Promise<number | null>
}

const running = new Set<ChildProcess>()
process.once("exit", () => {
  for (const child of running) child.kill("SIGKILL")
})

/** Starts `examples/<name>`, which is killed if it outlives the tests. */
export const startExample = (
  name: string,
  settings: Readonly<Record<string, string>>,
  args: ReadonlyArray<string> = [],
): RunningExample => {
  const child = spawn(process.execPath, ["--import", clientFromSource, `examples/${name}`, ...args], {
    cwd: root,
    env: { PATH: process.env.PATH, ...loadingCache, ...settings },
    stdio: ["ignore", "pipe", "pipe"],
  })
  running.add(child)
  let output = ""
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => {
      output += text
    })
  }
  const ended = new Promise<number | null>((done) => {
    child.once("close", (code) => {
      running.delete(child)
      done(code)
    })
  })
  return {
    output: () => output,
    printed: (text) =>
      until(
        () => `${name} to print ${text}; it printed ${output}`,
        () => (typeof text === "string" ? output.includes(text) : text.test(output)),
      ),
    port: () => Number(/Receiving on port (\d+)/.exec(output)?.[1]),
    kill9: async () => {
      child.kill("SIGKILL")
      await ended
    },
    ended,
  }
}

/** Runs `examples/<name>` to its end. */
export const runExample = async (...started: Parameters<typeof startExample>) => {
  const example = startExample(...started)
  return { code: await example.ended, output: example.output() }
}
