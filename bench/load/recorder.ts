import { Histogram } from "../support/histogram.ts"
import { exactCpuMillisOf, machineCpuMillis } from "../support/processUsage.ts"
import type { LoadResult } from "./job.ts"
import type { WorkloadSummary } from "./workload.ts"

const problemsKeptMax = 5

/** Counts what happens in a job's measured window. */
export class Recorder {
  readonly latency = new Histogram()
  readonly lateness = new Histogram()
  readonly #processes: Readonly<Record<string, number>>
  #isOpen = false
  #completed = 0
  readonly #bySecond: Array<number> = []
  #startedAtMillis = 0
  #endedAtMillis = 0
  #cpuAtStart: Readonly<Record<string, number>> = {}
  #cpuAtEnd: Readonly<Record<string, number>> = {}
  #problemCount = 0
  readonly #problems: Array<string> = []

  constructor(processes: Readonly<Record<string, number>>) {
    this.#processes = processes
  }

  /** Whether the window is open. */
  get measuring(): boolean {
    return this.#isOpen
  }

  begin(): void {
    this.#cpuAtStart = this.#cpuMillis()
    this.#startedAtMillis = performance.now()
    this.#isOpen = true
  }

  end(): void {
    this.#isOpen = false
    this.#endedAtMillis = performance.now()
    this.#cpuAtEnd = this.#cpuMillis()
  }

  /** Records a response. */
  answered(): void {
    if (!this.#isOpen) return
    this.#completed += 1
    const second = Math.floor((performance.now() - this.#startedAtMillis) / 1_000)
    this.#bySecond[second] = (this.#bySecond[second] ?? 0) + 1
  }

  problem(text: string): void {
    this.#problemCount += 1
    if (this.#problems.length < problemsKeptMax) this.#problems.push(text)
  }

  result(summary: WorkloadSummary): LoadResult {
    const cpuMillis = Object.fromEntries(
      Object.entries(this.#cpuAtEnd).map(([name, millis]) => [
        name,
        millis - (this.#cpuAtStart[name] ?? Number.NaN),
      ]),
    )
    return {
      ...summary,
      seconds: (this.#endedAtMillis - this.#startedAtMillis) / 1_000,
      startedAtMillis: performance.timeOrigin + this.#startedAtMillis,
      completed: this.#completed,
      completedBySecond: Array.from(this.#bySecond, (count) => count ?? 0),
      latency: this.latency.counts(),
      lateness: this.lateness.counts(),
      cpuMillis,
      problemCount: this.#problemCount,
      problems: this.#problems,
    }
  }

  #cpuMillis(): Readonly<Record<string, number>> {
    const own = process.cpuUsage()
    const others = Object.entries(this.#processes).map(([name, pid]) => [name, exactCpuMillisOf(pid)])
    const load = (own.user + own.system) / 1_000
    return { ...Object.fromEntries(others), load, machine: machineCpuMillis() }
  }
}
