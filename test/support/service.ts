import { type ChildProcess, spawn } from "node:child_process"
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { encryptionKeyFile } from "../../src/config/encryptionKey.ts"
import { isRunning } from "../../src/start/ownRedis/processIdentity.ts"
import { readAddress, readRecord, redisFolderOf } from "../../src/start/ownRedis/redisFolder.ts"
import { cheapPasswords } from "./cheapPasswords.ts"
import { loadingCache } from "./loadingCache.ts"
import { freeTestPort } from "./ports.ts"

export interface ServiceOptions {
  /** Absent: the service runs a Redis of its own under `dataDir`. */
  readonly redisUrl?: string
  /** Absent: a folder of the test's own, removed by `stop`. */
  readonly dataDir?: string
  /** Settings; nothing else of this process' environment but PATH, HOME and TMPDIR reaches the service. */
  readonly env?: Readonly<Record<string, string>>
  /** What to run. Default: `dist/main.mjs` under the Node that runs the tests. */
  readonly command?: readonly [program: string, ...args: ReadonlyArray<string>]
  /** Whether signals go to all processes of the command, as Ctrl-C in a terminal does. Default: to the first alone. */
  readonly inTerminal?: boolean
}

/** How a process ended. */
export interface Ending {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
}

/** What `onTestFinished` tells of its test. */
export interface FinishedTest {
  readonly task?: { readonly name: string; readonly result?: { readonly state: string } }
}

/** The whole service as a child process. */
export interface Service {
  /** `http://localhost:<port>`; the same over restarts. */
  readonly url: string
  readonly port: number
  readonly dataDir: string
  /** The id of the process that runs now, or ran last. */
  readonly pid: number
  /** The URL of its Redis: the given one, or its own. */
  readonly redisUrl: string
  /** The key that it encrypts secrets with. */
  readonly encryptionKey: Uint8Array
  /** All that its processes have printed so far, on stdout and stderr. */
  readonly log: () => string
  /** Sends a signal and does not wait. */
  readonly signal: (name: NodeJS.Signals) => void
  /** Completes when the process that runs now has ended. */
  readonly ended: () => Promise<Ending>
  /** Kills it. A Redis of its own stays behind, as after a crash. */
  readonly kill9: () => Promise<void>
  /** Asks it to end (SIGTERM by default), and waits until it has. */
  readonly terminate: (name?: "SIGTERM" | "SIGINT" | "SIGHUP") => Promise<Ending>
  /** Kills it and starts it again, with the same settings and port. Completes when it listens; fails where it ends before. */
  readonly restart: () => Promise<void>
  /**
   * Ends everything and removes what it left, whatever happened before; for `afterAll` and `onTestFinished`, which says whether the
   * test failed: then it prints the end of the log.
   */
  readonly stop: (finished?: FinishedTest) => Promise<void>
}

const root = fileURLToPath(new URL("../..", import.meta.url))
const startTimeoutMillis = 240_000
const portTriesMax = 5
interface Running {
  readonly child: ChildProcess
  readonly signal: (name: NodeJS.Signals) => void
  readonly ended: Promise<Ending>
  output: string
}

const children = new Set<ChildProcess>()
const dataDirs = new Set<string>()

/** Kills what runs on a data folder: a service started through another program, and the Redis of a killed one. */
const endLeftOvers = (dataDir: string): void => {
  const { ownerFile, processFile } = redisFolderOf(dataDir)
  for (const file of [ownerFile, processFile]) {
    const record = readRecord(file)
    if (record !== undefined && isRunning(record)) process.kill(record.pid, "SIGKILL")
  }
}
const endAll = () => {
  for (const child of children) child.kill("SIGKILL")
  for (const dataDir of dataDirs) {
    endLeftOvers(dataDir)
    rmSync(dataDir, { recursive: true, force: true })
  }
}
process.once("exit", endAll)
// The test runner ends its workers this way, and "exit" is not emitted then.
process.once("SIGTERM", () => {
  endAll()
  process.exit(143)
})

/** A new data folder. When the tests end it is removed, and a Redis that still runs on it is killed. */
export const newDataDir = (): string => {
  const dataDir = mkdtempSync(join(tmpdir(), "corrente-service-"))
  dataDirs.add(dataDir)
  return dataDir
}

const removeDataDir = (dataDir: string): void => {
  endLeftOvers(dataDir)
  rmSync(dataDir, { recursive: true, force: true, maxRetries: 5 })
  dataDirs.delete(dataDir)
}

const environmentOf = (settings: Readonly<Record<string, string>>): NodeJS.ProcessEnv => {
  const { PATH, HOME, TMPDIR } = process.env
  return {
    PATH,
    HOME,
    ...(TMPDIR === undefined ? {} : { TMPDIR }),
    ...loadingCache,
    ...cheapPasswords,
    // Audits run beside other work; those of tests that are about them.
    AUDIT_INTERVAL_SECONDS: "0",
    ...settings,
  }
}

const launch = (
  command: ReadonlyArray<string>,
  settings: Readonly<Record<string, string>>,
  inTerminal = false,
): Running => {
  const [program = "", ...args] = command
  const child = spawn(program, args, {
    cwd: root,
    env: environmentOf(settings),
    stdio: ["ignore", "pipe", "pipe"],
    detached: inTerminal,
  })
  const signal = (name: NodeJS.Signals) => {
    if (inTerminal && child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, name)
    else child.kill(name)
  }
  children.add(child)
  const ended = new Promise<Ending>((done) => {
    // Not "exit": at "close" its last output has been read.
    child.once("close", (code, signal) => {
      children.delete(child)
      done({ code, signal })
    })
  })
  const running: Running = { child, signal, ended, output: "" }
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding("utf8").on("data", (text: string) => {
      running.output += text
    })
  }
  return running
}

/** Waits until the process has printed where it listens; fails where it ends before, or after a timeout. */
const listening = (running: Running): Promise<void> =>
  new Promise((done, failed) => {
    const timer = setTimeout(
      () =>
        failed(new Error(`The service did not listen within ${startTimeoutMillis} ms:\n${running.output}`)),
      startTimeoutMillis,
    )
    const look = () => {
      if (!/is listening on http:\/\/\S+:\d+/.test(running.output)) return
      clearTimeout(timer)
      running.child.stdout?.off("data", look)
      done()
    }
    running.child.stdout?.on("data", look)
    void running.ended.then(({ code, signal }) => {
      clearTimeout(timer)
      failed(new Error(`The service ended (${signal ?? code}) before it listened:\n${running.output}`))
    })
  })

/** Lines of a log that say what a service went through before its test failed. */
const lastLinesMax = 60

const lastLines = (text: string): string => text.trimEnd().split("\n").slice(-lastLinesMax).join("\n")

/** The ends of a service's log and of its own Redis', for the report of a test that failed. */
const lastWords = (test: string, port: number, dataDir: string, log: string): string => {
  const redisLog = redisFolderOf(dataDir).logFile
  const own = existsSync(redisLog) ? `\n\nIts Redis:\n${lastLines(readFileSync(redisLog, "utf8"))}` : ""
  return `"${test}" failed. The service on port ${port}:\n${lastLines(log)}${own}`
}

const defaultCommand = [process.execPath, "dist/main.mjs"] as const

/** A process of the service that may end before it listens. */
export interface LaunchedService {
  readonly signal: (name: NodeJS.Signals) => void
  readonly ended: Promise<Ending>
  /** All that it has printed so far, on stdout and stderr. */
  readonly output: () => string
  /** Reads its output no longer, as a pipe's reader that has ended: whatever it writes fails. */
  readonly closeOutput: () => void
}

/** Starts the service without waiting for it. It is killed after a timeout, unless it has ended. */
export const launchService = (env: Readonly<Record<string, string>>): LaunchedService => {
  const running = launch(defaultCommand, env)
  const timer = setTimeout(() => running.signal("SIGKILL"), startTimeoutMillis)
  void running.ended.then(() => clearTimeout(timer))
  const { child, signal, ended } = running
  const closeOutput = () => {
    for (const stream of [child.stdout, child.stderr]) stream?.destroy()
  }
  return { signal, ended, output: () => running.output, closeOutput }
}

/** Runs the service until it ends by itself; for settings under which it cannot start. */
export const runService = async (
  env: Readonly<Record<string, string>>,
): Promise<Ending & { readonly output: string }> => {
  const launched = launchService(env)
  return { ...(await launched.ended), output: launched.output() }
}

const firstStart = async (
  command: ReadonlyArray<string>,
  settings: Readonly<Record<string, string>>,
  inTerminal: boolean,
): Promise<{ readonly running: Running; readonly port: number }> => {
  for (let triesLeft = portTriesMax; ; triesLeft -= 1) {
    const port = await freeTestPort()
    const running = launch(command, { ...settings, PORT: String(port) }, inTerminal)
    try {
      await listening(running)
      return { running, port }
    } catch (error) {
      running.signal("SIGKILL")
      await running.ended
      if (triesLeft <= 1 || !/Port \d+ on \S+ is taken/.test(running.output)) throw error
    }
  }
}

/**
 * Starts the whole service, as a user does, and waits until it listens. It runs under its own process, so that a test
 * can kill, stop and restart it. `stop` it in `afterAll`.
 */
export const startService = async (options: ServiceOptions = {}): Promise<Service> => {
  const { inTerminal = false, dataDir = newDataDir() } = options
  const command = options.command ?? defaultCommand
  const settings = {
    DATA_DIR: dataDir,
    ...(options.redisUrl === undefined ? {} : { REDIS_URL: options.redisUrl }),
    ...options.env,
  }
  const { running: first, port } = await firstStart(command, settings, inTerminal)
  let current = first
  let earlier = ""

  const kill9 = async () => {
    current.signal("SIGKILL")
    await current.ended
  }
  return {
    url: `http://localhost:${port}`,
    port,
    dataDir,
    get pid() {
      return current.child.pid ?? 0
    },
    get redisUrl() {
      return options.redisUrl ?? readAddress(redisFolderOf(dataDir)) ?? ""
    },
    get encryptionKey() {
      const text = options.env?.ENCRYPTION_KEY ?? readFileSync(encryptionKeyFile(dataDir), "utf8").trim()
      return Buffer.from(text, "base64")
    },
    log: () => earlier + current.output,
    signal: (name) => current.signal(name),
    ended: () => current.ended,
    kill9,
    terminate: (name = "SIGTERM") => {
      current.signal(name)
      return current.ended
    },
    restart: async () => {
      await kill9()
      earlier += current.output
      current = launch(command, { ...settings, PORT: String(port) }, inTerminal)
      await listening(current)
    },
    stop: async (finished) => {
      await kill9()
      if (finished?.task?.result?.state === "fail") {
        console.error(lastWords(finished.task.name, port, dataDir, earlier + current.output))
      }
      endLeftOvers(dataDir)
      if (options.dataDir === undefined) removeDataDir(dataDir)
    },
  }
}
