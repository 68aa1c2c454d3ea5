import { execFile } from "node:child_process"
import { fileURLToPath } from "node:url"

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
    const options = { cwd: root, env: { PATH: process.env.PATH, ...environment }, timeout: 240_000 }
    execFile(file, args, options, (error, stdout, stderr) => {
      const exitCode = error === null ? 0 : typeof error.code === "number" ? error.code : -1
      resolve({ exitCode, stdout, stderr })
    })
  })

/** Runs `ops` as a separate process. */
export const runOps = async (
  args: ReadonlyArray<string>,
  environment: Readonly<Record<string, string>>,
): Promise<OpsRun> => {
  const done = await run(process.execPath, ["src/ops/main.ts", ...args], environment)
  return { ...done, document: readDocument(done.stdout) }
}
