import { readdirSync, readFileSync } from "node:fs"
import { cpuMillisOf } from "../support/processUsage.ts"

/**
 * CPU time that a process' living threads have used so far, user and system, in ms with a fraction: what a frame costs is
 * little beside the 10 ms steps of `cpuMillisOf`, which is asked where the kernel does not keep this.
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
