import { type ChildProcess, spawn } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect, Logger } from "effect"
import { redisArguments } from "../../src/start/ownRedis/redisChild.ts"
import { probeRedis } from "../../src/start/ownRedis/redisProbe.ts"
import { endedByTruncatedWrite, repairTruncatedWrite } from "../../src/start/ownRedis/truncatedWrite.ts"
import { freeTestPort } from "./ports.ts"

/** A redis-server for one test, on a free port and in its own folder. */
export interface TestRedis {
  readonly url: string
  readonly port: number
  /** The server's current process id. */
  readonly pid: number
  /** Kills the server. Completes when it has ended; its folder and port stay for `restart`. */
  readonly kill9: () => Promise<void>
  /**
   * Ends the server if it runs, and starts it again on its port and folder. As the service does with its own Redis, it
   * repairs a file that a kill has truncated. Completes when the server has loaded.
   */
  readonly restart: () => Promise<void>
  /** Ends the server and removes its folder. */
  readonly stop: () => Promise<void>
}

const readyTimeoutMillis = 120_000
const portTriesMax = 5

const running = new Set<ChildProcess>()
const folders = new Set<string>()
const endAll = () => {
  for (const child of running) child.kill("SIGKILL")
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
}
process.once("exit", endAll)
// The test runner ends its workers this way, and "exit" is not emitted then.
process.once("SIGTERM", () => {
  endAll()
  process.exit(143)
})

const gone = (child: ChildProcess): Promise<void> =>
  new Promise((done) => {
    if (child.exitCode !== null || child.signalCode !== null) done()
    else child.once("exit", () => done())
  })

const end = async (child: ChildProcess, signal: "SIGTERM" | "SIGKILL"): Promise<void> => {
  child.kill(signal)
  await gone(child)
  running.delete(child)
}

/** Starts a server and waits until it has loaded; undefined where it ended before that, most likely for a taken port. */
const launch = async (port: number, args: ReadonlyArray<string>): Promise<ChildProcess | undefined> => {
  const child = spawn("redis-server", args, { stdio: "ignore" })
  running.add(child)
  const deadline = performance.now() + readyTimeoutMillis
  for (;;) {
    if (child.exitCode !== null || child.signalCode !== null) {
      running.delete(child)
      return undefined
    }
    const probe = await Effect.runPromise(probeRedis({ port }))
    if (probe?.state === "ready" && probe.pid === child.pid) return child
    if (performance.now() > deadline) {
      await end(child, "SIGKILL")
      throw new Error(`redis-server on port ${port} was not ready within ${readyTimeoutMillis} ms`)
    }
    await new Promise((wake) => setTimeout(wake, 10))
  }
}

/**
 * Starts a real redis-server for a test, with the service's own settings: append-only, nothing evicted.
 * `appendfsync: "no"` is for tests that write much and kill nothing; `arguments` are further ones of redis-server. Stop it in `afterAll`.
 */
export const startTestRedis = async (
  options: { readonly appendfsync?: "always" | "no"; readonly arguments?: ReadonlyArray<string> } = {},
): Promise<TestRedis> => {
  const folder = mkdtempSync(join(tmpdir(), "corrente-test-redis-"))
  folders.add(folder)
  const argumentsFor = (port: number) => [
    ...redisArguments(port, folder),
    "--appendfsync",
    options.appendfsync ?? "always",
    ...(options.arguments ?? []),
  ]
  let port = 0
  let child: ChildProcess | undefined
  for (let tries = 0; child === undefined && tries < portTriesMax; tries += 1) {
    port = await freeTestPort()
    child = await launch(port, argumentsFor(port))
  }
  if (child === undefined) throw new Error(`redis-server did not start; see ${join(folder, "redis.log")}`)
  let current = child
  return {
    url: `redis://127.0.0.1:${port}`,
    port,
    get pid() {
      return current.pid ?? 0
    },
    kill9: () => end(current, "SIGKILL"),
    restart: async () => {
      await end(current, "SIGTERM")
      let next = await launch(port, argumentsFor(port))
      if (
        next === undefined &&
        endedByTruncatedWrite(readFileSync(join(folder, "redis.log"), "utf8").slice(-500))
      ) {
        await Effect.runPromise(repairTruncatedWrite(folder).pipe(Effect.provide(Logger.layer([]))))
        next = await launch(port, argumentsFor(port))
      }
      if (next === undefined)
        throw new Error(`redis-server did not start again; see ${join(folder, "redis.log")}`)
      current = next
    },
    stop: async () => {
      await end(current, "SIGKILL")
      rmSync(folder, { recursive: true, force: true })
      folders.delete(folder)
    },
  }
}
