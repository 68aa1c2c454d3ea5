import { setTimeout as sleep } from "node:timers/promises"
import { Worker } from "node:worker_threads"
import type { AlarmSchedule } from "./alarm.ts"
import type { Connection } from "./connection.ts"
import type { LoadJob } from "./job.ts"
import type { Recorder } from "./recorder.ts"
import type { Workload } from "./workload.ts"

const drainTimeoutMillis = 15_000

/** The parts of a loop. */
export interface LoopParts {
  readonly connections: ReadonlyArray<Connection>
  readonly workload: Workload
  readonly recorder: Recorder
}

/** Requests in flight, and the wait for the last of them. */
class UnderWay {
  count = 0
  #onNone: (() => void) | undefined = undefined

  ended(): void {
    this.count -= 1
    if (this.count === 0) this.#onNone?.()
  }

  /** The request of a broken connection gets no response. */
  watch(connection: Connection, recorder: Recorder): void {
    connection.onBroken = (reason) => {
      recorder.problem(reason)
      if (connection.isBusy) this.ended()
    }
  }

  /** Waits for all responses; missing ones are problems. */
  async none(recorder: Recorder): Promise<void> {
    if (this.count === 0) return
    const controller = new AbortController()
    const answered = new Promise<void>((resolve) => {
      this.#onNone = resolve
    })
    const late = sleep(drainTimeoutMillis, undefined, { signal: controller.signal }).catch(() => {})
    await Promise.race([answered, late])
    controller.abort()
    for (let left = this.count; left > 0; left--) {
      recorder.problem(`a request had no answer ${drainTimeoutMillis / 1_000} s after the end`)
    }
  }
}

const window = async (job: LoadJob, recorder: Recorder): Promise<void> => {
  await sleep(job.warmUpMillis)
  recorder.begin()
  await sleep(job.measureMillis)
  recorder.end()
}

/** Closed loop: each connection sends its next request when its response has arrived. Finds the throughput. */
export const runClosedLoop = async (job: LoadJob, parts: LoopParts): Promise<void> => {
  const { connections, workload, recorder } = parts
  const underWay = new UnderWay()
  let isStopping = false
  const sendNext = (connection: Connection) => {
    underWay.count += 1
    connection.startedAtMillis = performance.now()
    connection.send(workload.next(connection.slot))
  }
  for (const connection of connections) {
    underWay.watch(connection, recorder)
    connection.onAnswer = (status, bytes, start, end) => {
      const problem = workload.check(connection.slot, status, bytes, start, end)
      if (problem !== undefined) recorder.problem(problem)
      recorder.answered()
      if (recorder.measuring) recorder.latency.record(performance.now() - connection.startedAtMillis)
      if (!isStopping) sendNext(connection)
      underWay.ended()
    }
    sendNext(connection)
  }
  await window(job, recorder)
  isStopping = true
  await underWay.none(recorder)
}

/**
 * Open loop: requests are due at fixed times. One that finds no idle connection waits, and its latency counts from when
 * it was due, so that a stall counts against every request it delayed.
 */
export const runOpenLoop = async (job: LoadJob, ratePerSecond: number, parts: LoopParts): Promise<void> => {
  const { connections, workload, recorder } = parts
  const underWay = new UnderWay()
  const intervalMillis = 1_000 / ratePerSecond
  const count = Math.round((job.warmUpMillis + job.measureMillis) / intervalMillis)
  // The alarm's thread takes a moment to start.
  const startMillis = performance.now() + 100
  const measuredFrom = startMillis + job.warmUpMillis
  const idle = [...connections]
  const waiting: Array<number> = []
  let noticed = 0

  const send = (connection: Connection, dueMillis: number) => {
    connection.startedAtMillis = dueMillis
    connection.send(workload.next(connection.slot))
  }
  const sendDue = () => {
    const nowMillis = performance.now()
    for (; noticed < count && startMillis + noticed * intervalMillis <= nowMillis; noticed++) {
      const dueMillis = startMillis + noticed * intervalMillis
      if (dueMillis >= measuredFrom) recorder.lateness.record(nowMillis - dueMillis)
      underWay.count += 1
      // In turns: the server closes a connection that is idle for 10 s.
      const connection = idle.shift()
      if (connection === undefined) waiting.push(dueMillis)
      else send(connection, dueMillis)
    }
  }
  for (const connection of connections) {
    underWay.watch(connection, recorder)
    connection.onAnswer = (status, bytes, start, end) => {
      const problem = workload.check(connection.slot, status, bytes, start, end)
      if (problem !== undefined) recorder.problem(problem)
      recorder.answered()
      if (connection.startedAtMillis >= measuredFrom) {
        recorder.latency.record(performance.now() - connection.startedAtMillis)
      }
      const dueMillis = waiting.shift()
      if (dueMillis === undefined) idle.push(connection)
      else send(connection, dueMillis)
      underWay.ended()
    }
  }
  const schedule: AlarmSchedule = { startMillis: performance.timeOrigin + startMillis, intervalMillis, count }
  const alarm = new Worker(new URL("./alarm.ts", import.meta.url), { workerData: schedule })
  alarm.on("message", sendDue)
  const ended = new Promise<void>((resolve, reject) => {
    alarm.once("exit", () => resolve())
    alarm.once("error", reject)
  })
  await sleep(startMillis - performance.now())
  await window(job, recorder)
  await ended
  sendDue()
  await underWay.none(recorder)
}
