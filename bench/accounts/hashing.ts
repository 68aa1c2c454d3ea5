import type { LoadJob, LoadResult } from "../load/job.ts"
import { type Metric, makeMetric, type Progress, type Target } from "../report/result.ts"
import { formatNumber } from "../report/text.ts"
import type { Worker } from "../support/child.ts"
import { Histogram } from "../support/histogram.ts"
import type { Side } from "../support/sides.ts"
import { median, medianOfRatios } from "../support/statistics.ts"
import { forgetRates, makePoster, type Person } from "./people.ts"

/**
 * Sign-ins a minute per e-mail address (docs/contract/accounts.md#rate-limits); one person has at most as many in
 * flight.
 */
const signInsPerPerson = 5
/** People needed for that many concurrent sign-ins. */
export const peopleFor = (signInsAtATime: number): number => Math.ceil(signInsAtATime / signInsPerPerson)

const healthConnections = 16
/** Target: p99 of /health while sign-ins hash, relative to its idle p99. */
const p99RatioTarget = 2

/** Duration and rate. */
export interface HashingSize {
  readonly rounds: number
  readonly warmUpMillis: number
  readonly measureMillis: number
  readonly healthPerSecond: number
  readonly signInsAtATime: number
}

/** The environment of the phase. */
export interface HashingParts {
  readonly side: Side
  readonly load: Worker<LoadJob, LoadResult>
  readonly people: ReadonlyArray<Person>
}

/** One window: the durations of /health, and the sign-ins answered meanwhile. */
interface Window {
  readonly health: LoadResult
  readonly signInsPerSecond: number
}

const runHealth = ({ side, load }: HashingParts, size: HashingSize): Promise<LoadResult> =>
  load.ask({
    port: side.port,
    apiKey: side.apiKey,
    workload: { kind: "health" },
    connections: healthConnections,
    warmUpMillis: size.warmUpMillis,
    measureMillis: size.measureMillis,
    ratePerSecond: size.healthPerSecond,
    processes: { server: side.pid, redis: side.redis.pid },
  })

/** Signs in back to back with a fixed concurrency, until stopped. */
const startSignIns = ({ side, people }: HashingParts, signInsAtATime: number, problems: Array<string>) => {
  const poster = makePoster(side.port, signInsAtATime)
  let isStopping = false
  let answered = 0
  const loop = async (person: Person) => {
    while (!isStopping) {
      await forgetRates(side.redis.client)
      const { status, text } = await poster.post("sign-in/email", person)
      if (status === 200) answered += 1
      else problems.push(`sign-in: ${status} ${text}`)
    }
  }
  const startedAt = performance.now()
  const loops = Array.from({ length: signInsAtATime }, (_, index) => {
    const person = people[index % people.length]
    if (person === undefined) throw new RangeError("no person to sign in")
    return loop(person).catch((error: unknown) => problems.push(String(error)))
  })
  return {
    stop: async (): Promise<number> => {
      isStopping = true
      await Promise.all(loops)
      await poster.close()
      return answered / ((performance.now() - startedAt) / 1_000)
    },
  }
}

const latencyOf = ({ health }: Window, percent: number): number =>
  new Histogram(health.latency).percentile(percent)

const windowMetrics = (when: string, windows: ReadonlyArray<Window>): ReadonlyArray<Metric> => [
  ...[50, 99].map((percent) =>
    makeMetric(`/health ${when}: latency p${percent}`, "ms", {
      corrente: windows.map((window) => latencyOf(window, percent)),
    }),
  ),
  makeMetric(`/health ${when}: load's own lateness p99`, "ms", {
    corrente: windows.map(({ health }) => new Histogram(health.lateness).percentile(99)),
  }),
]

const targetOf = (idle: ReadonlyArray<Window>, hashing: ReadonlyArray<Window>): Target => {
  const p99 = (window: Window) => latencyOf(window, 99)
  const ratio = medianOfRatios(hashing.map(p99), idle.map(p99))
  return {
    name: `p99 of /health beside sign-ins at most ${p99RatioTarget}x of idle`,
    measured: ratio,
    isMet: ratio <= p99RatioTarget,
  }
}

/** Results of the phase; `problems` are wrong answers. */
export interface HashingResult {
  readonly metrics: ReadonlyArray<Metric>
  readonly target: Target
  readonly problems: ReadonlyArray<string>
}

/**
 * Measures GET /health at a fixed rate, in turns idle and while sign-ins hash passwords. Hashing runs on other threads
 * than the event loop, so a request that needs nothing else should hardly notice.
 */
export const measureHashing = async (
  parts: HashingParts,
  size: HashingSize,
  progress: Progress,
): Promise<HashingResult> => {
  const problems: Array<string> = []
  const idle: Array<Window> = []
  const hashing: Array<Window> = []
  for (let round = 0; round < size.rounds; round++) {
    idle.push({ health: await runHealth(parts, size), signInsPerSecond: 0 })
    const signIns = startSignIns(parts, size.signInsAtATime, problems)
    const health = await runHealth(parts, size)
    hashing.push({ health, signInsPerSecond: await signIns.stop() })
    const rate = formatNumber(hashing.at(-1)?.signInsPerSecond ?? Number.NaN)
    progress(`/health beside sign-ins, round ${round + 1} of ${size.rounds}: ${rate} sign-ins/s`)
  }
  for (const { health } of [...idle, ...hashing]) problems.push(...health.problems)
  const signInRates = hashing.map(({ signInsPerSecond }) => signInsPerSecond)
  progress(`sign-ins: ${formatNumber(median(signInRates))}/s`)
  return {
    metrics: [
      ...windowMetrics("idle", idle),
      ...windowMetrics("beside sign-ins", hashing),
      makeMetric("sign-ins", "1/s", { corrente: signInRates }),
    ],
    target: targetOf(idle, hashing),
    problems,
  }
}
