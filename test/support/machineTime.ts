import { readdirSync, readFileSync } from "node:fs"

const readOr = (path: string): string => {
  try {
    return readFileSync(path, "utf8")
  } catch {
    // The process has ended, or the system has no such file.
    return ""
  }
}

const threadsOf = (pid: string): ReadonlyArray<string> => {
  try {
    return readdirSync(`/proc/${pid}/task`)
  } catch {
    return []
  }
}

/** The ids of this process and its descendants. */
const family = (): ReadonlyArray<string> => {
  const pids = [String(process.pid)]
  for (const pid of pids) {
    for (const thread of threadsOf(pid)) {
      pids.push(
        ...readOr(`/proc/${pid}/task/${thread}/children`)
          .split(" ")
          .filter((child) => child !== ""),
      )
    }
  }
  return pids
}

/** How long a process' main thread has waited for a core since it began, in ms. The second figure has it in ns. */
const waitedMillis = (pid: string): number =>
  Number(readOr(`/proc/${pid}/schedstat`).split(" ")[1] ?? 0) / 1e6

/** `/proc/stat` counts in hundredths of a second. */
const tickMillis = 10

/**
 * How long the host of a virtual machine has kept its cores from it while they had work, in ms, all of them together, by the text
 * of `/proc/stat`; 0 without one.
 */
export const stolenMillisIn = (stat: string): number => {
  // user, nice, system, idle, iowait, irq, softirq, steal
  const steal = /^cpu +(?:\d+ ){7}(\d+)/.exec(stat)?.[1]
  return Number(steal ?? 0) * tickMillis
}
const stolenMillis = (): number => stolenMillisIn(readOr("/proc/stat"))

/** The least share of passing time that counts, so that a deadline comes however busy the machine is. */
const leastShare = 0.1

/** The time since a clock was started, in ms. */
export interface MachineClock {
  /** The wall clock's time less the withheld time, and a tenth of it at least. */
  readonly countedMillis: () => number
  /** The sum of the times that this process and its running descendants waited for a core, and those that the host kept cores away. */
  readonly withheldMillis: () => number
}

/**
 * Starts a clock that leaves out the time the machine withheld: on a busy one, a deadline then judges what the processes
 * under test did with the cores they got. Without Linux' accounting it is the wall clock.
 */
export const startMachineClock = (): MachineClock => {
  const startedAt = performance.now()
  const before = new Map(family().map((pid) => [pid, waitedMillis(pid)]))
  const stolenBefore = stolenMillis()
  const withheldMillis = () =>
    family().reduce(
      (sum, pid) => sum + Math.max(0, waitedMillis(pid) - (before.get(pid) ?? 0)),
      stolenMillis() - stolenBefore,
    )
  return {
    withheldMillis,
    countedMillis: () => {
      const passedMillis = performance.now() - startedAt
      return Math.max(passedMillis - withheldMillis(), passedMillis * leastShare)
    },
  }
}
