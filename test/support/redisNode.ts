import { type ChildProcess, spawn } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { redisArguments } from "../../src/start/ownRedis/redisChild.ts"
import { withConnection } from "../../src/start/ownRedis/redisProbe.ts"
import { freeTestPort } from "./ports.ts"
import { until } from "./until.ts"

/** One of several servers that work together: a node of a cluster, a server that Sentinels watch, or a Sentinel. */
export interface RedisNode {
  readonly port: number
  readonly address: string
  /** Runs a command on it, over a new connection. */
  readonly call: (command: string, ...args: ReadonlyArray<string | number>) => Promise<unknown>
  /** Kills it. */
  readonly kill9: () => Promise<void>
  readonly signal: (name: NodeJS.Signals) => void
  /** The id of its process. */
  readonly pid: () => number
  readonly hasEnded: () => boolean
  /** Starts it again on its port and folder after it has ended, with `more` arguments. Completes when it answers. */
  readonly restart: (...more: ReadonlyArray<string>) => Promise<void>
  /** Ends it and removes its folder. */
  readonly stop: () => Promise<void>
}

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

const portTriesMax = 5

interface Launched {
  readonly child: ChildProcess
  readonly hasEnded: () => boolean
}

const callOn =
  (port: number): RedisNode["call"] =>
  (command, ...args) =>
    withConnection({ port }, (redis) => redis.call(command, ...args))

/** Starts a server, and completes when it answers or has ended: its port was taken meanwhile, most likely. */
const launch = async (port: number, folder: string, args: ReadonlyArray<string>): Promise<Launched> => {
  const child = spawn("redis-server", args, { cwd: folder, stdio: "ignore" })
  running.add(child)
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null
  const answers = () =>
    callOn(port)("PING").then(
      () => true,
      () => hasEnded(),
    )
  await until(`redis-server on port ${port} to answer`, answers)
  if (hasEnded()) running.delete(child)
  return { child, hasEnded }
}

const kill = async ({ child, hasEnded }: Launched): Promise<void> => {
  if (hasEnded()) return
  const gone = new Promise((done) => child.once("exit", done))
  child.kill("SIGKILL")
  await gone
  running.delete(child)
}

/**
 * Starts a server on a free port, in its own folder, with the arguments of `argumentsFor`, such as
 * {@link nodeArguments}. Completes when it answers; fails where it ends on each of several ports.
 */
export const startRedisNode = async (
  argumentsFor: (port: number, folder: string) => ReadonlyArray<string> | Promise<ReadonlyArray<string>>,
): Promise<RedisNode> => {
  const folder = mkdtempSync(join(tmpdir(), "corrente-test-node-"))
  folders.add(folder)
  for (let tries = 0; tries < portTriesMax; tries += 1) {
    const port = await freeTestPort()
    const args = await argumentsFor(port, folder)
    let current = await launch(port, folder, args)
    if (current.hasEnded()) continue
    return {
      port,
      address: `127.0.0.1:${port}`,
      call: callOn(port),
      kill9: () => kill(current),
      signal: (name) => current.child.kill(name),
      pid: () => current.child.pid ?? 0,
      hasEnded: () => current.hasEnded(),
      restart: async (...more) => {
        await kill(current)
        current = await launch(port, folder, [...args, ...more])
        if (current.hasEnded())
          throw new Error(`redis-server did not start again; see ${join(folder, "redis.log")}`)
      },
      stop: async () => {
        await kill(current)
        rmSync(folder, { recursive: true, force: true })
        folders.delete(folder)
      },
    }
  }
  throw new Error(`redis-server did not start in ${folder}`)
}

/** The arguments of a server that keeps keys: the service's own Redis settings, and `more`. */
export const nodeArguments =
  (...more: ReadonlyArray<string>) =>
  (port: number, folder: string): ReadonlyArray<string> => [...redisArguments(port, folder), ...more]
