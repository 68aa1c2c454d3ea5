import { readFileSync } from "node:fs"
import { runCommand } from "./child.ts"

/** Files that a process opens besides its streams: Redis, logs, its own files. */
const filesBesidesStreams = 100

const hardLimit = (): number => {
  try {
    const text = readFileSync("/proc/self/limits", "utf8")
    const limit = /^Max open files\s+\S+\s+(\S+)/m.exec(text)?.[1]
    return limit === undefined || limit === "unlimited" ? Number.POSITIVE_INFINITY : Number(limit)
  } catch {
    return Number.POSITIVE_INFINITY
  }
}

/**
 * How many of the wanted streams one process may have open. Node itself raises its soft limit of open files to the hard
 * one; if that is too low, it is raised for this process and its children, where the system permits.
 */
export const streamsPermitted = async (wanted: number): Promise<number> => {
  const files = wanted + filesBesidesStreams
  if (hardLimit() < files) {
    try {
      await runCommand("prlimit", ["--pid", String(process.pid), `--nofile=${files}:${files}`])
    } catch {
      // Not permitted, or no such command: the limit stays.
    }
  }
  return Math.min(wanted, hardLimit() - filesBesidesStreams)
}
