/** The load generator: a separate process that runs one job after the other, as its parent sends them. */
import { setTimeout as sleep } from "node:timers/promises"
import { cpuMillisOf, machineCpuMillis } from "../support/processUsage.ts"
import { until } from "../support/until.ts"
import { monotonicMillis } from "./clock.ts"
import { Connection } from "./connection.ts"
import { atRate, leadMillis } from "./pace.ts"
import { serveParent } from "./serveParent.ts"
import { makeWorkload, type Workload, type WorkloadOptions, type WorkloadSummary } from "./workload.ts"

export interface LoadJob {
  readonly port: number
  readonly apiKey: string
  readonly workload: WorkloadOptions
  readonly connections: number
  /** Load of the same kind before the measured window, in ms. */
  readonly warmUpMillis?: number
  readonly measureMillis: number
  /**
   * Requests a second, due at fixed times whatever the responses do (open loop). Undefined: each connection sends when
   * its response has arrived (closed loop).
   */
  readonly ratePerSecond?: number | undefined
  /** Processes to measure: names chosen by the caller, and process ids. */
  readonly processes?: Readonly<Record<string, number>>
}

const drainTimeoutMillis = 15_000
const problemsKeptMax = 5

class Recorder {
  /** From sending (closed loop) or from when it was due (open loop) to the complete response, in ms. */
  readonly latency: Array<number> = []
  /** Open loop: lateness of the generator itself, which is part of the latency. */
  readonly lateness: Array<number> = []
  isMeasuring = false
  problemCount = 0
  /** The first wrong responses, broken connections, requests without a response. */
  readonly problems: Array<string> = []
  readonly #job: LoadJob
  readonly #bySecond: Array<number> = []
  #startedAtMillis = 0
  #cpuMillis: Readonly<Record<string, number>> = {}
  #seconds = 0

  constructor(job: LoadJob) {
    this.#job = job
  }

  async window(): Promise<void> {
    await sleep(this.#job.warmUpMillis ?? 0)
    const before = this.#cpuNow()
    this.#startedAtMillis = monotonicMillis()
    this.isMeasuring = true
    await sleep(this.#job.measureMillis)
    this.isMeasuring = false
    this.#seconds = (monotonicMillis() - this.#startedAtMillis) / 1_000
    const after = Object.entries(this.#cpuNow())
    this.#cpuMillis = Object.fromEntries(
      after.map(([name, millis]) => [name, millis - (before[name] ?? Number.NaN)]),
    )
  }

  answered(): void {
    if (!this.isMeasuring) return
    const second = Math.floor((monotonicMillis() - this.#startedAtMillis) / 1_000)
    this.#bySecond[second] = (this.#bySecond[second] ?? 0) + 1
  }

  problem(text: string): void {
    this.problemCount += 1
    if (this.problems.length < problemsKeptMax) this.problems.push(text)
  }

  result(summary: WorkloadSummary) {
    const completedBySecond = Array.from(this.#bySecond, (count) => count ?? 0)
    const { latency, lateness, problemCount, problems } = this
    return {
      ...summary,
      latency,
      lateness,
      problemCount,
      problems,
      seconds: this.#seconds,
      /** When the window began, on the monotonic clock. */
      startedAtMillis: this.#startedAtMillis,
      /** Responses in the window, and in each of its seconds from its start; the last second may be cut short. */
      completed: completedBySecond.reduce((sum, count) => sum + count, 0),
      completedBySecond,
      /** CPU time in the window in ms, by the job's names; the generator's own is `load`, the whole machine's `machine`. */
      cpuMillis: this.#cpuMillis,
    }
  }

  #cpuNow(): Readonly<Record<string, number>> {
    const { user, system } = process.cpuUsage()
    const named = Object.entries(this.#job.processes ?? {}).map(([name, pid]) => [name, cpuMillisOf(pid)])
    return { ...Object.fromEntries(named), load: (user + system) / 1_000, machine: machineCpuMillis() }
  }
}

export type LoadResult = ReturnType<Recorder["result"]>

type Loop = (
  job: LoadJob,
  connections: ReadonlyArray<Connection>,
  workload: Workload,
  recorder: Recorder,
) => Promise<void>

/** Checks each connection's responses, and calls `next` after each; returns whether requests are in flight. */
const listen = (
  connections: ReadonlyArray<Connection>,
  workload: Workload,
  recorder: Recorder,
  isMeasured: (connection: Connection) => boolean,
  next: (connection: Connection) => void,
): (() => boolean) => {
  const broken = new Set<Connection>()
  for (const connection of connections) {
    connection.onBroken = (reason) => {
      broken.add(connection)
      recorder.problem(reason)
    }
    connection.onAnswer = (...answer) => {
      const problem = workload.check(connection.slot, ...answer)
      if (problem !== undefined) recorder.problem(problem)
      recorder.answered()
      if (isMeasured(connection)) recorder.latency.push(performance.now() - connection.startedAtMillis)
      next(connection)
    }
  }
  return () => connections.some((connection) => connection.isBusy && !broken.has(connection))
}

/** Waits for the last responses; each that does not come is a problem. */
const drain = async (isBusy: () => boolean, recorder: Recorder): Promise<void> => {
  if (await until(async () => !isBusy(), drainTimeoutMillis, 5)) return
  recorder.problem(`requests had no answer ${drainTimeoutMillis / 1_000} s after the end`)
}

const send = (connection: Connection, workload: Workload, startedAtMillis: number): void => {
  connection.startedAtMillis = startedAtMillis
  connection.send(workload.next(connection.slot))
}

/** Closed loop: each connection sends its next request when its response has arrived. Finds the throughput. */
const runClosedLoop: Loop = async (_, connections, workload, recorder) => {
  let isStopping = false
  const sendNext = (connection: Connection) => {
    if (!isStopping) send(connection, workload, performance.now())
  }
  const isBusy = listen(connections, workload, recorder, () => recorder.isMeasuring, sendNext)
  for (const connection of connections) sendNext(connection)
  await recorder.window()
  isStopping = true
  await drain(isBusy, recorder)
}

/**
 * Open loop: requests are due at fixed times. One that finds no idle connection waits, and its latency counts from when
 * it was due, so that a stall counts against every request it delayed.
 */
const runOpenLoop: Loop = async (job, connections, workload, recorder) => {
  const { warmUpMillis = 0, measureMillis, ratePerSecond = 1 } = job
  const intervalMillis = 1_000 / ratePerSecond
  const count = Math.round((warmUpMillis + measureMillis) / intervalMillis)
  const startMillis = performance.now() + leadMillis
  const measuredFrom = startMillis + warmUpMillis
  const idle = [...connections]
  const waiting: Array<number> = []
  const isMeasured = ({ startedAtMillis }: Connection) => startedAtMillis >= measuredFrom
  const isBusy = listen(connections, workload, recorder, isMeasured, (connection) => {
    const dueMillis = waiting.shift()
    if (dueMillis === undefined) idle.push(connection)
    else send(connection, workload, dueMillis)
  })
  const sent = atRate(startMillis, intervalMillis, count, (_, dueMillis, nowMillis) => {
    if (dueMillis >= measuredFrom) recorder.lateness.push(nowMillis - dueMillis)
    // In turns: the server closes a connection that is idle for 10 s.
    const connection = idle.shift()
    if (connection === undefined) waiting.push(dueMillis)
    else send(connection, workload, dueMillis)
  })
  await sleep(startMillis - performance.now())
  await Promise.all([recorder.window(), sent])
  await drain(isBusy, recorder)
}

const runJob = async (job: LoadJob): Promise<LoadResult> => {
  const workload = makeWorkload(job.workload, job)
  const recorder = new Recorder(job)
  const opening = Array.from({ length: job.connections }, (_, slot) => Connection.open(job.port, slot))
  const connections = await Promise.all(opening)
  try {
    const loop = job.ratePerSecond === undefined ? runClosedLoop : runOpenLoop
    await loop(job, connections, workload, recorder)
  } finally {
    for (const connection of connections) connection.close()
  }
  return recorder.result(workload.summary())
}

serveParent(runJob)
