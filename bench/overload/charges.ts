import { randomBytes } from "node:crypto"
import type { UsersJob, UsersResult, UsersSecond } from "../load/userJob.ts"
import {
  type Check,
  type Metric,
  makeMetric,
  type Progress,
  type Target,
  valueTarget,
} from "../report/result.ts"
import { formatNumber } from "../report/text.ts"
import { startWorker, type Worker } from "../support/child.ts"
import { Histogram, type HistogramCounts } from "../support/histogram.ts"
import type { Side } from "../support/sides.ts"
import { median } from "../support/statistics.ts"

/** How many users there are, and for how long. */
export interface ChargesParameters {
  readonly usersFew: number
  readonly usersMany: number
  readonly secondsFew: number
  readonly secondsMany: number
  readonly secondsAfter: number
}

/** Issue: a user gives up after so long, and tries again. */
const patienceMillis = 2_000
const healthEveryMillis = 50
/** Of the seconds with few users before: code is compiled meanwhile. */
const warmUpSeconds = 2
/** The service has so long to be as before. */
const recoverySeconds = 2

/** What was found of charges. */
export interface ChargesFound {
  readonly metrics: ReadonlyArray<Metric>
  readonly targets: ReadonlyArray<Target>
  readonly checks: ReadonlyArray<Check>
}

const percentileOf = (all: ReadonlyArray<HistogramCounts>, percent: number): number => {
  const histogram = new Histogram()
  for (const counts of all) histogram.add(counts)
  return histogram.percentile(percent)
}

const ours = (seconds: ReadonlyArray<UsersSecond>, value: (second: UsersSecond) => number) => ({
  corrente: seconds.map(value),
})

const checksOf = (
  result: UsersResult,
  many: ReadonlyArray<UsersSecond>,
  audit: string | undefined,
): ReadonlyArray<Check> => {
  const { health, badRefusals, problems } = result
  // The first second of a phase has its users' coming in it.
  const without = many.slice(1).filter(({ good }) => good === 0).length
  const refused = result.seconds.reduce((sum, second) => sum + second.refused, 0)
  const wrong = Object.entries(problems).filter(([what]) => /^\d/.test(what))
  return [
    {
      name: "every second has charges",
      isRight: without === 0,
      detail: `${without} of ${many.length - 1} seconds without one`,
    },
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
          ? "none but 201 and 503"
          : wrong.map(([what, count]) => `${count}: ${what}`).join("; "),
    },
    { name: "ops audit verify", isRight: audit === undefined, detail: audit ?? "finds no difference" },
  ]
}

const runUsers = (
  load: Worker<UsersJob, UsersResult>,
  side: Side,
  parameters: ChargesParameters,
  heedsRetryAfter: boolean,
): Promise<UsersResult> =>
  load.ask({
    port: side.port,
    apiKeys: [side.apiKey],
    keyPrefix: randomBytes(4).toString("hex"),
    phases: [
      { users: parameters.usersFew, millis: parameters.secondsFew * 1_000 },
      { users: parameters.usersMany, millis: parameters.secondsMany * 1_000 },
      { users: parameters.usersFew, millis: parameters.secondsAfter * 1_000 },
    ],
    ...{ patienceMillis, heedsRetryAfter, healthEveryMillis, pid: side.pid },
  })

const auditOf = async (side: Side): Promise<string | undefined> => {
  try {
    await side.ops(["audit", "verify"])
    return undefined
  } catch (error) {
    return String(error).slice(0, 300)
  }
}

/** Few users, then many more than can be served, then few again: what they get, second by second. */
export const measureCharges = async (
  side: Side,
  parameters: ChargesParameters,
  heedsRetryAfter: boolean,
  progress: Progress,
): Promise<ChargesFound> => {
  const { usersFew, usersMany, secondsFew, secondsMany } = parameters
  const manner = heedsRetryAfter ? "" : ", at once again"
  progress(`overload, charges${manner}: ${usersFew}, ${usersMany} and ${usersFew} users`)
  const load = startWorker<UsersJob, UsersResult>(new URL("../load/users.ts", import.meta.url))
  try {
    const result = await runUsers(load, side, parameters, heedsRetryAfter)
    const few = result.seconds.slice(Math.min(warmUpSeconds, secondsFew - 1), secondsFew)
    const many = result.seconds.slice(secondsFew, secondsFew + secondsMany)
    const after = result.seconds.slice(secondsFew + secondsMany + recoverySeconds)
    const usual = median(few.map(({ good }) => good))
    const share = (seconds: ReadonlyArray<UsersSecond>) => ours(seconds, ({ good }) => (100 * good) / usual)
    const named = (text: string) => `${text}${manner}`
    const goodput = named(`goodput, ${usersMany} users, of ${usersFew} users'`)
    const admitted = named("admitted charges, p99")
    const refusals = named("refusals, p99")
    const recovered = named(`goodput from ${recoverySeconds} s after, of before`)
    const metrics = [
      makeMetric(
        named(`charges, ${usersFew} users`),
        "1/s",
        ours(few, ({ good }) => good),
      ),
      makeMetric(
        named(`charges, ${usersMany} users`),
        "1/s",
        ours(many, ({ good }) => good),
      ),
      makeMetric(goodput, "%", share(many)),
      makeMetric(
        named("refused"),
        "1/s",
        ours(many, ({ refused }) => refused),
      ),
      makeMetric(
        named("given up"),
        "1/s",
        ours(many, ({ givenUp }) => givenUp),
      ),
      makeMetric(admitted, "ms", {
        corrente: [
          percentileOf(
            many.map(({ goodMillis }) => goodMillis),
            99,
          ),
        ],
      }),
      makeMetric(refusals, "ms", {
        corrente: [
          percentileOf(
            many.map(({ refusedMillis }) => refusedMillis),
            99,
          ),
        ],
      }),
      makeMetric(named("/health, p99"), "ms", { corrente: [percentileOf([result.health.millis], 99)] }),
      makeMetric(
        named("memory of the server"),
        "MiB",
        ours(many, ({ residentMiB }) => residentMiB),
      ),
      makeMetric(recovered, "%", share(after)),
    ]
    progress(
      `overload, charges${manner}: ${formatNumber(usual)}/s, then ${formatNumber(median(many.map(({ good }) => good)))}/s`,
    )
    return {
      metrics,
      targets: [
        valueTarget(metrics, goodput, { atLeast: 80 }),
        valueTarget(metrics, admitted, { atMost: 1_000 }),
        valueTarget(metrics, refusals, { atMost: 100 }),
        valueTarget(metrics, recovered, { atLeast: 80 }),
      ],
      checks: checksOf(result, many, await auditOf(side)),
    }
  } finally {
    await load.stop()
  }
}
