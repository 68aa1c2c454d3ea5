import { readdirSync, readFileSync } from "node:fs"
import { setTimeout as sleep } from "node:timers/promises"

/** Linux' unit of CPU time for user space, on every architecture Node runs on. */
const ticksPerSecond = 100

/**
 * CPU time of a process' living threads so far, user and system, in ms, exact to a tick of the scheduler (1 to 4 ms); NaN without
 * /proc, or if the process is gone.
 */
export const cpuMillisOf = (pid: number): number => {
  try {
    const nanos = readdirSync(`/proc/${pid}/task`).map((thread) =>
      Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, "utf8").split(" ", 1)[0]),
    )
    return nanos.reduce((sum, ran) => sum + ran, 0) / 1e6
  } catch {
    return Number.NaN
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

/** Open files and sockets of a process; NaN without /proc, or if the process is gone. */
export const openFilesOf = (pid: number): number => {
  try {
    return readdirSync(`/proc/${pid}/fd`).length
  } catch {
    return Number.NaN
  }
}

const settleLooks = 5
const settleTimeoutMillis = 10_000

/**
 * Resident memory once it has stopped falling, in MiB, after a garbage collection where there is garbage to collect: the process
 * was started with `collectArguments`.
 */
export const settledMiB = async (pid: number, collects = true): Promise<number> => {
  if (collects) process.kill(pid, "SIGUSR2")
  let least = residentMiBOf(pid)
  const deadline = performance.now() + settleTimeoutMillis
  for (let looks = 0; looks < settleLooks && performance.now() < deadline; looks++) {
    await sleep(100)
    const now = residentMiBOf(pid)
    if (now < least * 0.999) looks = 0
    least = Math.min(least, now)
  }
  return least
}
