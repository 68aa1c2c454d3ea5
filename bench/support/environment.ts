import { statfsSync } from "node:fs"
import { arch, cpus, release, type as systemName, totalmem } from "node:os"
import { runCommand } from "./child.ts"

/** Where and with what a run was made. */
export interface Environment {
  readonly startedAt: string
  readonly machine: string
  readonly system: string
  readonly node: string
  readonly redis: string
  /** Abbreviated, with `+` where the tree differs from it; `unknown` outside of a repository. */
  readonly commit: string
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

/** Looks around. */
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
    disk:
      statfsSync(new URL(".", import.meta.url)).type === tmpfsMagic
        ? "memory (tmpfs): waiting for it costs nothing here"
        : "not tmpfs",
  }
}
