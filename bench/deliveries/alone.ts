import { setTimeout as sleep } from "node:timers/promises"
import type { DeliveryEnvironment } from "./deliveryEnvironment.ts"
import type { EndpointSet } from "./endpoints.ts"
import { clearSide, type PeerSide } from "./side.ts"

const stepMillis = 5
const timeoutMillis = 120_000

/** A moment by which all jobs are queued, even at five per millisecond. */
const momentFor = (jobs: number): number => Date.now() + 500 + Math.ceil(jobs / 5)

/** Result of a queue whose jobs make no request. */
export interface AloneRound {
  readonly jobs: number
  /** From the first job, or from when all were due, until the last was done. */
  readonly seconds: number
  readonly problems: ReadonlyArray<string>
}

const allDone = async (side: PeerSide, set: EndpointSet): Promise<void> => {
  const deadline = performance.now() + timeoutMillis
  while ((await side.unsettled(set)) > 0 && performance.now() < deadline) await sleep(stepMillis)
}

let runs = 0

/** Queues jobs, optionally delayed to one moment, and waits until they are done. */
export const runAlone = async (
  environment: DeliveryEnvironment,
  side: PeerSide,
  jobs: number,
  isDelayed: boolean,
): Promise<AloneRound> => {
  const set = environment.sets.single
  runs += 1
  const dueAtMillis = momentFor(jobs)
  const startMillis = Date.now()
  await environment.source.ask({
    kind: "owe",
    name: side.name,
    queue: side.queue,
    round: { run: runs, events: jobs, groups: set.groups },
    fromEvent: 0,
    toEvent: jobs,
    feeds: set.feeds,
    ratePerSecond: undefined,
    ...(isDelayed ? { dueAtMillis } : {}),
  })
  const isLate = isDelayed && Date.now() > dueAtMillis
  await allDone(side, set)
  const fromMillis = isDelayed ? dueAtMillis : startMillis
  const seconds = (Date.now() - fromMillis) / 1_000
  const count = await side.done()
  await clearSide(side)
  return {
    jobs,
    // Jobs that were due before all were queued fall outside the measured time.
    seconds: isLate ? Number.NaN : seconds,
    problems: count === jobs ? [] : [`${jobs} jobs, ${count} done`],
  }
}
