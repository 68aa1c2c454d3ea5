import { type ChildProcess, execFile, fork, spawn } from "node:child_process"
import { promisify } from "node:util"

const stopTimeoutMillis = 20_000
const linesKeptMax = 20

const running = new Set<ChildProcess>()

const track = (child: ChildProcess): void => {
  running.add(child)
  child.once("exit", () => running.delete(child))
}

/** Kills all children at once, when the bench itself is ended. */
export const endAllChildren = (): void => {
  for (const child of running) child.kill("SIGKILL")
}

export interface Child {
  readonly pid: number
  /** Asks it to exit, and kills it if it does not. Completes when it is gone. */
  readonly stop: () => Promise<void>
}

const stop = (child: ChildProcess): Promise<void> =>
  new Promise((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) return resolve()
    const timer = setTimeout(() => child.kill("SIGKILL"), stopTimeoutMillis)
    child.once("exit", () => {
      clearTimeout(timer)
      resolve()
    })
    child.kill("SIGTERM")
  })

/**
 * Starts a server and waits until its output matches `ready`; returns the first group. Fails if it exits before, or
 * after `timeoutMillis`.
 */
export const startServer = (
  command: string,
  args: ReadonlyArray<string>,
  environment: NodeJS.ProcessEnv,
  ready: RegExp,
  timeoutMillis = 180_000,
): Promise<Child & { readonly said: string }> =>
  new Promise((resolve, reject) => {
    const child = spawn(command, args, { env: environment, stdio: ["ignore", "pipe", "pipe"] })
    track(child)
    let seen = ""
    let isReady = false
    const fail = (reason: string) => {
      if (isReady) return
      clearTimeout(timer)
      child.kill("SIGKILL")
      const lastLines = seen.trimEnd().split("\n").slice(-linesKeptMax).join("\n")
      reject(new Error(`${command} ${args.join(" ")} ${reason}:\n${lastLines}`))
    }
    const receive = (chunk: Buffer) => {
      if (isReady) return
      seen += chunk
      const match = ready.exec(seen)
      if (match === null || child.pid === undefined) return
      isReady = true
      clearTimeout(timer)
      resolve({ pid: child.pid, said: match[1] ?? match[0], stop: () => stop(child) })
    }
    child.stdout.on("data", receive)
    child.stderr.on("data", receive)
    const timer = setTimeout(() => fail(`was not ready within ${timeoutMillis / 1_000} s`), timeoutMillis)
    child.once("error", (error) => fail(`cannot run (${error.message})`))
    child.once("exit", () => fail("ended before it was ready"))
  })

/** A process of ours that answers requests one at a time. */
export interface Worker<Request, Result> extends Child {
  readonly ask: (request: Request) => Promise<Result>
}

/** Starts a module as a process that answers each message with `{result}` or `{error}` (load/serveParent.ts). */
export const startWorker = <Request extends object, Result>(module: URL): Worker<Request, Result> => {
  // JSON would turn NaN and Infinity into null.
  const child = fork(module, { stdio: ["ignore", "inherit", "inherit", "ipc"], serialization: "advanced" })
  track(child)
  const ask = (request: Request): Promise<Result> =>
    new Promise((resolve, reject) => {
      const ended = () => reject(new Error(`${module.pathname} ended`))
      child.once("exit", ended)
      child.once("message", (message: { readonly result: Result } | { readonly error: string }) => {
        child.off("exit", ended)
        if ("error" in message) reject(new Error(message.error))
        else resolve(message.result)
      })
      child.send(request)
    })
  return { pid: child.pid ?? 0, stop: () => stop(child), ask }
}

const execute = promisify(execFile)

export const runCommand = async (
  command: string,
  args: ReadonlyArray<string>,
  env: NodeJS.ProcessEnv = process.env,
): Promise<string> => (await execute(command, args, { env })).stdout
