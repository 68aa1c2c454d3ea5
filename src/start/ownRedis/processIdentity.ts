import { execFileSync } from "node:child_process"
import { readFileSync } from "node:fs"

/** Identifies a process, even if a later one gets the same id. */
export interface ProcessRecord {
  readonly pid: number
  /** When it started, in the system's own format; only ever compared. */
  readonly startedAt: string
}

/** Boot id and start time in ticks since boot; undefined for a process that is gone or a zombie. */
const startOnLinux = (pid: number): string | undefined => {
  const stat = readFileSync(`/proc/${pid}/stat`, "latin1")
  // The command name is in parentheses and may contain spaces, so fields are counted from after it.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ")
  const [state, startTicks] = [fields[0], fields[19]]
  if (state === "Z" || state === "X" || startTicks === undefined) return undefined
  return `${readFileSync("/proc/sys/kernel/random/boot_id", "latin1").trim()}:${startTicks}`
}

const startElsewhere = (pid: number): string | undefined => {
  const line = execFileSync("ps", ["-o", "stat=,lstart=", "-p", String(pid)], {
    encoding: "utf8",
    stdio: "pipe",
  })
  const [state = "Z", ...started] = line.trim().split(/\s+/)
  return state.startsWith("Z") ? undefined : started.join(" ")
}

/** The process that has this id now, or undefined if none runs. */
export const processRecord = (pid: number): ProcessRecord | undefined => {
  try {
    const startedAt = process.platform === "linux" ? startOnLinux(pid) : startElsewhere(pid)
    return startedAt === undefined ? undefined : { pid, startedAt }
  } catch {
    return undefined
  }
}

/** Whether the recorded process still runs. */
export const isRunning = (record: ProcessRecord): boolean =>
  processRecord(record.pid)?.startedAt === record.startedAt
