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

/**
 * Starts to count the time that the machine withholds, in ms: how long this process and its running descendants wait for a core, and
 * how long the host keeps cores away. A promise of promptness is held to what processes did with the cores they got. 0 without
 * Linux' accounting.
 */
export const startMachineClock = (): { readonly withheldMillis: () => number } => {
  const before = new Map(family().map((pid) => [pid, waitedMillis(pid)]))
  const stolenBefore = stolenMillis()
  return {
    withheldMillis: () =>
      family().reduce(
        (sum, pid) => sum + Math.max(0, waitedMillis(pid) - (before.get(pid) ?? 0)),
        stolenMillis() - stolenBefore,
      ),
  }
}
