import { readdirSync, readFileSync } from "node:fs"
import { cpuMillisOf } from "../support/processUsage.ts"

/**
 * CPU time of a process' living threads so far, user and system, in ms with a fraction. A frame costs little compared
 * with the 10 ms steps of `cpuMillisOf`, which is the fallback if the kernel does not keep this figure.
 */
export const exactCpuMillisOf = (pid: number): number => {
  try {
    const threads = readdirSync(`/proc/${pid}/task`)
    const nanos = threads.map((thread) =>
      Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, "utf8").split(" ", 1)[0]),
    )
    return nanos.reduce((sum, value) => sum + value, 0) / 1e6
  } catch {
    return cpuMillisOf(pid)
  }
}
