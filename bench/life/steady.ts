import { randomUUID } from "node:crypto"
import { setTimeout as sleep } from "node:timers/promises"
import type { LoadResult } from "../load/job.ts"
import type { LifeReceiverAnswer } from "../load/lifeProtocol.ts"
import type { Progress } from "../report/result.ts"
import { formatNumber } from "../report/text.ts"
import { Histogram } from "../support/histogram.ts"
import { residentMiBOf } from "../support/processUsage.ts"
import type { LifeEnvironment, LifeSide } from "./lifeEnvironment.ts"
import type { LifeSize } from "./sizes.ts"

/** Paid by the simulator. */
const amountEnding = 0
const settleTimeoutMillis = 120_000
const settleStepMillis = 50

/** Whole lives of charges under a closed loop. */
export interface SteadyRound {
  readonly load: LoadResult
  /** Charges created and charges delivered in each whole second. */
  readonly created: ReadonlyArray<number>
  readonly delivered: ReadonlyArray<number>
  readonly deliveredPerSecond: number
  readonly p50Millis: number
  readonly p99Millis: number
  readonly bytesPerBody: number
  readonly serverMiB: number
  /** From the last response until the last charge was delivered. */
  readonly tailSeconds: number
  readonly problems: ReadonlyArray<string>
}

const settled = async (
  receiver: LifeEnvironment["receiver"],
  charges: number,
): Promise<{ readonly answer: LifeReceiverAnswer; readonly seconds: number }> => {
  const startedMillis = performance.now()
  while (true) {
    const answer = await receiver.ask({ kind: "count" })
    const millis = performance.now() - startedMillis
    if (answer.charges >= charges || millis > settleTimeoutMillis) return { answer, seconds: millis / 1_000 }
    await sleep(settleStepMillis)
  }
}

/** The slowest second, relative to the mean. */
export const leastOfMean = (bySecond: ReadonlyArray<number>): number => {
  const mean = bySecond.reduce((sum, count) => sum + count, 0) / bySecond.length
  return Math.min(...bySecond) / mean
}

/** Starts a side, lets clients create charges that are paid and delivered, and waits for the last delivery. */
export const runSteady = async (
  { load, receiver }: LifeEnvironment,
  side: LifeSide,
  size: LifeSize,
  progress: Progress,
): Promise<SteadyRound> => {
  const server = await side.startServer()
  try {
    await receiver.ask({ kind: "expect", secret: side.endpointSecret })
    const result = await load.ask({
      port: server.port,
      apiKey: side.apiKey,
      workload: { kind: "create", amountEnding, keepMax: 0, keyPrefix: randomUUID().slice(0, 8) },
      connections: size.connections,
      warmUpMillis: size.warmUpMillis,
      measureMillis: size.measureMillis,
      ratePerSecond: undefined,
      processes: { server: server.pid, redis: side.redis.pid, receiver: receiver.pid },
    })
    const serverMiB = residentMiBOf(server.pid)
    const { answer, seconds: tailSeconds } = await settled(receiver, result.created)
    const seconds = Math.floor(result.seconds + 1e-3)
    const { bySecond, bytesPerBody, problems } = await receiver.ask({
      kind: "take",
      fromMillis: result.startedAtMillis,
      seconds,
    })
    const deliveredPerSecond = bySecond.reduce((sum, count) => sum + count, 0) / seconds
    const latency = new Histogram(result.latency)
    progress(
      `life, ${side.name}: created ${formatNumber(result.completed / result.seconds)}/s, delivered ${formatNumber(deliveredPerSecond)}/s, p99 ${formatNumber(latency.percentile(99))} ms`,
    )
    const missing = result.created - answer.charges
    return {
      load: result,
      created: Array.from({ length: seconds }, (_, second) => result.completedBySecond[second] ?? 0),
      delivered: bySecond,
      deliveredPerSecond,
      p50Millis: latency.percentile(50),
      p99Millis: latency.percentile(99),
      bytesPerBody,
      serverMiB,
      tailSeconds,
      problems: [
        ...result.problems,
        ...problems,
        ...(missing === 0 ? [] : [`${missing} of ${result.created} charges were not delivered`]),
        ...(answer.repeats === 0 ? [] : [`${answer.repeats} deliveries arrived twice`]),
      ],
    }
  } finally {
    await server.stop()
  }
}
