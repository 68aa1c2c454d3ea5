import type { UsersJob, UsersResult, UsersSecond } from "../load/userJob.ts"
import { type Check, type Metric, makeMetric, type Target, valueTarget } from "../report/result.ts"
import { startWorker } from "../support/child.ts"
import { Histogram, type HistogramCounts } from "../support/histogram.ts"

/** Results of one kind of user. */
export interface UsersFound {
  readonly metrics: ReadonlyArray<Metric>
  readonly targets: ReadonlyArray<Target>
  readonly checks: ReadonlyArray<Check>
}

/** Interval of the GET /health requests that run beside the users. */
export const healthEveryMillis = 50

/** Seconds with few users that are not counted: code is compiled meanwhile. */
const warmUpSeconds = 2

/** The seconds with few users, without the warm-up. */
export const warmSeconds = (
  seconds: ReadonlyArray<UsersSecond>,
  secondsFew: number,
): ReadonlyArray<UsersSecond> => seconds.slice(Math.min(warmUpSeconds, secondsFew - 1), secondsFew)

/** Runs users in their own process. */
export const runUsers = async (job: UsersJob): Promise<UsersResult> => {
  const load = startWorker<UsersJob, UsersResult>(new URL("../load/users.ts", import.meta.url))
  try {
    return await load.ask(job)
  } finally {
    await load.stop()
  }
}

/** A metric with one value. */
export const oneValue = (name: string, unit: Metric["unit"], value: number): Metric =>
  makeMetric(name, unit, { corrente: [value] })

/** The p99 of durations in ms, over all seconds; NaN where there are none. */
export const p99Metric = (name: string, durations: ReadonlyArray<HistogramCounts>): Metric => {
  const histogram = new Histogram()
  for (const counts of durations) histogram.add(counts)
  return oneValue(name, "ms", histogram.percentile(99))
}

/** The names under which a crowd's metrics are reported. */
export interface CrowdNames {
  /** Goodput with many users, as a share of the goodput with few. */
  readonly goodput: string
  /** Duration of the requests that were admitted. */
  readonly admitted: string
  /** Duration of the requests that were refused. */
  readonly refusals: string
}

/** Targets for every crowd: most of the usual goodput, bounded waits for admitted requests, fast refusals. */
export const crowdTargets = (
  metrics: ReadonlyArray<Metric>,
  { goodput, admitted, refusals }: CrowdNames,
  admittedMillisMax: number,
): ReadonlyArray<Target> => [
  valueTarget(metrics, goodput, { atLeast: 80 }),
  valueTarget(metrics, admitted, { atMost: admittedMillisMax }),
  valueTarget(metrics, refusals, { atMost: 100 }),
]

/** Checks for every kind of user: answers are `goodStatus` or a proper refusal, and /health always answers. */
export const answersChecks = (result: UsersResult, goodStatus: number): ReadonlyArray<Check> => {
  const { health, badRefusals, problems } = result
  const refused = result.seconds.reduce((sum, second) => sum + second.refused, 0)
  const wrong = Object.entries(problems).filter(([what]) => /^\d/.test(what))
  return [
    {
      name: "refusals",
      isRight: badRefusals === 0,
      detail: `${refused} of them, ${badRefusals} without Retry-After or the envelope`,
    },
    {
      name: "/health",
      isRight: health.answered > 0 && health.answered === health.asked,
      detail: `${health.answered} of ${health.asked} answered`,
    },
    {
      name: "other answers",
      isRight: wrong.length === 0,
      detail:
        wrong.length === 0
          ? `only ${goodStatus} and 503`
          : wrong.map(([what, count]) => `${count}: ${what}`).join("; "),
    },
  ]
}
