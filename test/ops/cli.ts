import { execFile } from "node:child_process"
import { fileURLToPath } from "node:url"
import { format } from "node:util"
import { Console, Effect } from "effect"
import { runOpsProgram } from "../../src/ops/program.ts"
import { cheapPasswords } from "../support/cheapPasswords.ts"
import { loadingCache } from "../support/loadingCache.ts"

const root = fileURLToPath(new URL("../../", import.meta.url))

/** The result of a CLI run: its exit code, its document, and its other output. */
export interface OpsRun {
  readonly exitCode: number
  /** The raw stdout. */
  readonly stdout: string
  readonly stderr: string
  /** stdout, which must be exactly one line of JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: tests reach into whatever a command prints
  readonly document: any
}

const readDocument = (stdout: string): unknown => {
  if (!stdout.endsWith("\n") || stdout.indexOf("\n") !== stdout.length - 1) {
    throw new Error(`stdout is not one line: ${stdout}`)
  }
  return JSON.parse(stdout)
}

/** Runs a program in the repository with only PATH and this environment. */
export const run = (
  file: string,
  args: ReadonlyArray<string>,
  environment: Readonly<Record<string, string>> = {},
): Promise<Omit<OpsRun, "document">> =>
  new Promise((resolve) => {
    const options = {
      cwd: root,
      env: { PATH: process.env.PATH, ...loadingCache, ...environment },
      timeout: 240_000,
    }
    execFile(file, args, options, (error, stdout, stderr) => {
      const exitCode = error === null ? 0 : typeof error.code === "number" ? error.code : -1
      resolve({ exitCode, stdout, stderr })
    })
  })

const runHere = async (
  args: ReadonlyArray<string>,
  environment: Readonly<Record<string, string>>,
  isTerminal: boolean,
): Promise<Omit<OpsRun, "document">> => {
  let stdout = ""
  let stderr = ""
  const console: Console.Console = Object.assign(Object.create(globalThis.console), {
    log: (...parts: ReadonlyArray<unknown>) => {
      stdout += `${format(...parts)}\n`
    },
    error: (...parts: ReadonlyArray<unknown>) => {
      stderr += `${format(...parts)}\n`
    },
  })
  const surroundings = {
    environment: { PATH: process.env.PATH, ...cheapPasswords, ...environment },
    isTerminal,
  }
  const exitCode = await Effect.runPromise(
    runOpsProgram(args, surroundings).pipe(Effect.provideService(Console.Console, console)),
  )
  return { exitCode, stdout, stderr }
}

/** Runs `ops` with only PATH and this environment, in this process: a process of its own takes two seconds to start. */
export const runOps = async (
  args: ReadonlyArray<string>,
  environment: Readonly<Record<string, string>>,
): Promise<OpsRun> => {
  const done = await runHere(args, environment, false)
  return { ...done, document: readDocument(done.stdout) }
}

/** The same at a terminal without colours, unless the environment says otherwise. */
export const runOpsAtTerminal = (
  args: ReadonlyArray<string>,
  environment: Readonly<Record<string, string>>,
): Promise<Omit<OpsRun, "document">> => runHere(args, { NO_COLOR: "1", ...environment }, true)
