/**
 * A thread that wakes the load generator whenever a request is due. Timers of the event loop are a millisecond or more
 * late, and a busy loop would take one of the cores from the servers; a sleeping thread does neither.
 */
import { parentPort, workerData } from "node:worker_threads"

/** When requests are due, on the clock of `performance.timeOrigin + performance.now()`. */
export interface AlarmSchedule {
  readonly startMillis: number
  readonly intervalMillis: number
  readonly count: number
}

const { startMillis, intervalMillis, count } = workerData as AlarmSchedule
const nothing = new Int32Array(new SharedArrayBuffer(4))

for (let index = 0; index < count; index++) {
  const dueMillis = startMillis + index * intervalMillis - performance.timeOrigin
  const waitMillis = dueMillis - performance.now()
  if (waitMillis > 0) Atomics.wait(nothing, 0, 0, waitMillis)
  parentPort?.postMessage(index)
}
