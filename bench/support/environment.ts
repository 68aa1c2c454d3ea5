import { closeSync, fdatasyncSync, mkdirSync, openSync, statfsSync, unlinkSync, writeSync } from "node:fs"
import { arch, cpus, release, type as systemName, totalmem } from "node:os"
import { join } from "node:path"
import { formatNumber } from "../support/statistics.ts"
import { runCommand } from "./child.ts"
import { dataRoot } from "./redisServer.ts"
import { percentileOf } from "./statistics.ts"

export interface Environment {
  readonly startedAt: string
  readonly machine: string
  readonly system: string
  readonly node: string
  readonly redis: string
  /** Abbreviated, with `+` if the tree differs from it; `unknown` outside a repository. */
  readonly commit: string
  /** Every commit waits for the disk once, so writes and their events cannot be faster. */
  readonly disk: string
}

const tmpfsMagic = 0x01021994

const attempt = async (command: string, args: ReadonlyArray<string>): Promise<string | undefined> => {
  try {
    return (await runCommand(command, args)).trim()
  } catch {
    return undefined
  }
}

const commit = async (): Promise<string> => {
  const hash = await attempt("git", ["rev-parse", "--short=12", "HEAD"])
  if (hash === undefined) return "unknown"
  const changes = await attempt("git", ["status", "--porcelain", "--untracked-files=no"])
  return changes === "" ? hash : `${hash}+`
}

const diskProbes = 50
const probeBytes = 4_096

/** How long the disk under the bench's Redis takes for a small durable write. */
const describeDisk = (): string => {
  mkdirSync(dataRoot, { recursive: true })
  if (statfsSync(dataRoot).type === tmpfsMagic) return "memory (tmpfs): waiting for it costs nothing here"
  const path = join(dataRoot, "probe")
  const file = openSync(path, "w")
  const millis = Array.from({ length: diskProbes }, () => {
    const startedAtMillis = performance.now()
    writeSync(file, Buffer.alloc(probeBytes))
    fdatasyncSync(file)
    return performance.now() - startedAtMillis
  })
  closeSync(file)
  unlinkSync(path)
  const [p50 = "", p90 = ""] = [50, 90].map((percent) => formatNumber(percentileOf(millis, percent)))
  return `append and fdatasync of 4 KiB: p50 ${p50} ms, p90 ${p90} ms`
}

export const readEnvironment = async (): Promise<Environment> => {
  const cores = cpus()
  const memoryGiB = Math.round(totalmem() / 2 ** 30)
  const redis = await attempt("redis-server", ["--version"])
  return {
    startedAt: new Date().toISOString(),
    machine: `${cores.length} cores, ${cores[0]?.model.trim() ?? "unknown"}, ${memoryGiB} GiB`,
    system: `${systemName()} ${release()} ${arch()}`,
    node: process.version,
    redis: /v=(\S+)/.exec(redis ?? "")?.[1] ?? "unknown",
    commit: await commit(),
    disk: describeDisk(),
  }
}
