/**
 * Acts at fixed times. A thread sleeps until the next one and wakes the process: timers of the event loop are a millisecond or
 * more late, and a busy loop would take one of the cores from the servers.
 */
import { once } from "node:events"
import { setImmediate } from "node:timers/promises"
import { parentPort, Worker, workerData } from "node:worker_threads"
import { percentileOf } from "../support/statistics.ts"
import { monotonicMillis } from "./clock.ts"

/** The thread takes a moment to start: the first act should be due no sooner. */
export const leadMillis = 150

/** Calls `act` for each of `count` times from `startMillis` on (`performance.now()`), as soon as it is due. */
export const atRate = async (
  startMillis: number,
  intervalMillis: number,
  count: number,
  act: (index: number, dueMillis: number, nowMillis: number) => void,
): Promise<void> => {
  let next = 0
  const actDue = () => {
    const nowMillis = performance.now()
    for (; next < count && startMillis + next * intervalMillis <= nowMillis; next++) {
      act(next, startMillis + next * intervalMillis, nowMillis)
    }
  }
  const schedule = { startMillis: performance.timeOrigin + startMillis, intervalMillis, count }
  const thread = new Worker(new URL(import.meta.url), { workerData: { schedule } })
  thread.on("message", actDue)
  await once(thread, "exit")
  for (; next < count; actDue()) await setImmediate()
}

/**
 * Acts `count` times at a rate. Returns when the first was due, on the monotonic clock (the others follow at the rate's interval),
 * and the lateness of the acts themselves, p99 in ms.
 */
export const paced = async (ratePerSecond: number, count: number, act: (index: number) => void) => {
  const lateness: Array<number> = []
  const startMillis = performance.now() + leadMillis
  const clockOffset = monotonicMillis() - performance.now()
  await atRate(startMillis, 1_000 / ratePerSecond, count, (index, dueMillis, nowMillis) => {
    lateness.push(nowMillis - dueMillis)
    act(index)
  })
  return { startMillis: startMillis + clockOffset, latenessMillis: percentileOf(lateness, 99) }
}

const { schedule } = (workerData ?? {}) as {
  readonly schedule?: {
    readonly startMillis: number
    readonly intervalMillis: number
    readonly count: number
  }
}
if (schedule !== undefined) {
  const nothing = new Int32Array(new SharedArrayBuffer(4))
  for (let index = 0; index < schedule.count; index++) {
    const dueMillis = schedule.startMillis + index * schedule.intervalMillis - performance.timeOrigin
    const waitMillis = dueMillis - performance.now()
    if (waitMillis > 0) Atomics.wait(nothing, 0, 0, waitMillis)
    parentPort?.postMessage(index)
  }
}
