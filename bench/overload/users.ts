import type { UsersJob, UsersResult, UsersSecond } from "../load/userJob.ts"
import type { Check, Metric, Target } from "../report/result.ts"
import { startWorker } from "../support/child.ts"
import { Histogram, type HistogramCounts } from "../support/histogram.ts"

/** What was found of what users ask for. */
export interface UsersFound {
  readonly metrics: ReadonlyArray<Metric>
  readonly targets: ReadonlyArray<Target>
  readonly checks: ReadonlyArray<Check>
}

/** How often GET /health is asked beside users. */
export const healthEveryMillis = 50

/** Of the seconds with few users before: code is compiled meanwhile. */
const warmUpSeconds = 2

/** The seconds with few users, without those that warm up. */
export const warmSeconds = (
  seconds: ReadonlyArray<UsersSecond>,
  secondsFew: number,
): ReadonlyArray<UsersSecond> => seconds.slice(Math.min(warmUpSeconds, secondsFew - 1), secondsFew)

/** Runs users in a process of their own. */
export const runUsers = async (job: UsersJob): Promise<UsersResult> => {
  const load = startWorker<UsersJob, UsersResult>(new URL("../load/users.ts", import.meta.url))
  try {
    return await load.ask(job)
  } finally {
    await load.stop()
  }
}

/** The duration in ms that `percent` (0..100) of all do not exceed; NaN where there is none. */
export const percentileOf = (all: ReadonlyArray<HistogramCounts>, percent: number): number => {
  const histogram = new Histogram()
  for (const counts of all) histogram.add(counts)
  return histogram.percentile(percent)
}

/** What holds for every answer, whatever users ask for: `goodStatus` or a refusal, and /health at any time. */
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
          ? `none but ${goodStatus} and 503`
          : wrong.map(([what, count]) => `${count}: ${what}`).join("; "),
    },
  ]
}
