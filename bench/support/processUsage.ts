import { readdirSync, readFileSync } from "node:fs"

/** Linux' unit of CPU time for user space, on every architecture Node runs on. */
const ticksPerSecond = 100

/**
 * CPU time of a process so far, user and system, all threads, in ms in steps of 10; NaN without /proc, or if the
 * process is gone.
 */
export const cpuMillisOf = (pid: number): number => {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "utf8")
    // The name before it, in parentheses, may contain anything.
    const fields = text.slice(text.lastIndexOf(")") + 2).split(" ")
    return ((Number(fields[11]) + Number(fields[12])) * 1_000) / ticksPerSecond
  } catch {
    return Number.NaN
  }
}

/**
 * CPU time of a process' living threads so far, user and system, in ms, exact to a tick of the scheduler (1 to 4 ms): for what is little
 * beside the 10 ms of `cpuMillisOf`, which is the fallback if the kernel does not keep this figure. NaN if the process is gone.
 */
export const exactCpuMillisOf = (pid: number): number => {
  try {
    const nanos = readdirSync(`/proc/${pid}/task`).map((thread) =>
      Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, "utf8").split(" ", 1)[0]),
    )
    return nanos.reduce((sum, ran) => sum + ran, 0) / 1e6
  } catch {
    return cpuMillisOf(pid)
  }
}

/**
 * Columns of /proc/stat's first line: user, nice, system, irq, softirq and steal; idle and waiting for a disk are not
 * work.
 */
const busyFields = [1, 2, 3, 6, 7, 8]

/** CPU time of the whole machine so far, including what its host took, in ms; NaN without /proc. */
export const machineCpuMillis = (): number => {
  try {
    const fields = readFileSync("/proc/stat", "utf8").split("\n", 1)[0]?.split(/ +/) ?? []
    const ticks = busyFields.reduce((sum, field) => sum + Number(fields[field]), 0)
    return (ticks * 1_000) / ticksPerSecond
  } catch {
    return Number.NaN
  }
}

/** Resident memory of a process, in MiB; NaN without /proc, or if the process is gone. */
export const residentMiBOf = (pid: number): number => {
  try {
    return Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1_024
  } catch {
    return Number.NaN
  }
}
