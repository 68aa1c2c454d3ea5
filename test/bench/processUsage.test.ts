import { readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { cpuMillisOf, exactCpuMillisOf } from "../../bench/support/processUsage.ts"

/** CPU time of this process, by Node. */
const ownMillis = (): number => {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1_000
}

const work = (millis: number): void => {
  const until = ownMillis() + millis
  while (ownMillis() < until) readFileSync("/proc/self/stat")
}

describe("CPU time of a process of the bench", () => {
  it("a process' work is measured to less than the 10 ms in which the kernel counts", () => {
    for (let round = 0; round < 15; round++) {
      const before = { own: ownMillis(), measured: exactCpuMillisOf(process.pid) }
      work(3)
      const measured = exactCpuMillisOf(process.pid) - before.measured
      const own = ownMillis() - before.own
      expect(Math.abs(measured - own), `${measured} ms of ${own}`).toBeLessThan(6)
    }
  })

  it("a process that is gone has no CPU time", () => {
    const pid = 2 ** 22 + 1
    expect(exactCpuMillisOf(pid)).toBeNaN()
    expect(cpuMillisOf(pid)).toBeNaN()
  })
})
