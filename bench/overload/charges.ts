import { randomBytes } from "node:crypto"
import type { UsersResult, UsersSecond } from "../load/userJob.ts"
import { type Check, type Metric, makeMetric, type Progress, valueTarget } from "../report/result.ts"
import { formatNumber } from "../report/text.ts"
import type { Side } from "../support/sides.ts"
import { median } from "../support/statistics.ts"
import {
  answersChecks,
  type CrowdNames,
  crowdTargets,
  healthEveryMillis,
  p99Metric,
  runUsers,
  type UsersFound,
  warmSeconds,
} from "./users.ts"

/** Number of users and duration of the phases: few, then `crowds` times many and few again. */
export interface ChargesParameters {
  readonly usersFew: number
  readonly usersMany: number
  readonly secondsFew: number
  readonly secondsMany: number
  readonly crowds: number
}

/** When a user gives up and tries again. */
const patienceMillis = 2_000
/** How long the service may take to recover from a crowd. */
const recoverySeconds = 2

/** The seconds of a phase with many users, and the warm ones before and after it. */
interface Crowd {
  readonly before: ReadonlyArray<UsersSecond>
  readonly many: ReadonlyArray<UsersSecond>
  readonly after: ReadonlyArray<UsersSecond>
}

const crowdsOf = (
  seconds: ReadonlyArray<UsersSecond>,
  { secondsFew, secondsMany, crowds }: ChargesParameters,
): ReadonlyArray<Crowd> =>
  Array.from({ length: crowds }, (_, crowd) => {
    const start = secondsFew + crowd * (secondsMany + secondsFew)
    const end = start + secondsMany
    return {
      before: warmSeconds(seconds.slice(start - secondsFew, start), secondsFew),
      many: seconds.slice(start, end),
      after: seconds.slice(end + recoverySeconds, end + secondsFew),
    }
  })

const checksOf = (
  result: UsersResult,
  crowds: ReadonlyArray<Crowd>,
  audit: string | undefined,
): ReadonlyArray<Check> => {
  // Users arrive during the first second of a phase.
  const seconds = crowds.flatMap(({ many }) => many.slice(1))
  const without = seconds.filter(({ good }) => good === 0).length
  return [
    {
      name: "every second has charges",
      isRight: without === 0,
      detail: `${without} of ${seconds.length} seconds had none`,
    },
    ...answersChecks(result, 201),
    { name: "ops audit verify", isRight: audit === undefined, detail: audit ?? "finds no difference" },
  ]
}

const phasesOf = ({ usersFew, usersMany, secondsFew, secondsMany, crowds }: ChargesParameters) => {
  const few = { users: usersFew, millis: secondsFew * 1_000 }
  const many = { users: usersMany, millis: secondsMany * 1_000 }
  return [few, ...Array.from({ length: crowds }, () => [many, few]).flat()]
}

const runCharges = (
  side: Side,
  parameters: ChargesParameters,
  heedsRetryAfter: boolean,
): Promise<UsersResult> =>
  runUsers({
    port: side.port,
    wishes: { kind: "charges", apiKeys: [side.apiKey], keyPrefix: randomBytes(4).toString("hex") },
    phases: phasesOf(parameters),
    // Waits until the last users have given up.
    ...{ patienceMillis, lastAnswersMillis: patienceMillis },
    ...{ heedsRetryAfter, healthEveryMillis, pid: side.pid },
  })

const auditOf = async (side: Side): Promise<string | undefined> => {
  try {
    await side.ops(["audit", "verify", "--full"])
    return undefined
  } catch (error) {
    return String(error).slice(0, 300)
  }
}

const goodOf = ({ good }: UsersSecond): number => good

/** Goodput of each second in a part of every crowd, in % of the median of the seconds with few users around it. */
const sharesOf = (crowds: ReadonlyArray<Crowd>, part: "many" | "after") => ({
  corrente: crowds.flatMap((crowd) => {
    const usual = median([...crowd.before, ...crowd.after].map(goodOf))
    return crowd[part].map(({ good }) => (100 * good) / usual)
  }),
})

interface ChargesNames extends CrowdNames {
  readonly recovered: string
}

const metricsOf = (
  result: UsersResult,
  crowds: ReadonlyArray<Crowd>,
  { usersFew, usersMany }: ChargesParameters,
  named: (text: string) => string,
  names: ChargesNames,
): ReadonlyArray<Metric> => {
  const many = crowds.flatMap((crowd) => crowd.many)
  const few = crowds.flatMap(({ before, after }) => [...before, ...after])
  const bySecond = (
    text: string,
    unit: Metric["unit"],
    seconds: ReadonlyArray<UsersSecond>,
    value: (second: UsersSecond) => number,
  ) => makeMetric(named(text), unit, { corrente: seconds.map(value) })
  const refusalsOf = (name: string, seconds: ReadonlyArray<UsersSecond>) =>
    p99Metric(
      name,
      seconds.map(({ refusedMillis }) => refusedMillis),
    )
  return [
    bySecond(`charges, ${usersFew} users`, "1/s", few, goodOf),
    bySecond(`charges, ${usersMany} users`, "1/s", many, goodOf),
    makeMetric(names.goodput, "%", sharesOf(crowds, "many")),
    bySecond("refused", "1/s", many, ({ refused }) => refused),
    bySecond("given up", "1/s", many, ({ givenUp }) => givenUp),
    p99Metric(
      names.admitted,
      many.map(({ goodMillis }) => goodMillis),
    ),
    refusalsOf(
      names.refusals,
      crowds.flatMap((crowd) => crowd.many.slice(1)),
    ),
    refusalsOf(
      named("refusals in the second in which a crowd comes, p99"),
      crowds.flatMap((crowd) => crowd.many.slice(0, 1)),
    ),
    p99Metric(named("/health, p99"), [result.health.millis]),
    bySecond("memory of the server", "MiB", many, ({ residentMiB }) => residentMiB),
    makeMetric(names.recovered, "%", sharesOf(crowds, "after")),
  ]
}

/**
 * Measures few users and many more than can be served, in turn. A crowd is compared with the seconds before and after
 * it, because the machine's speed and the store's size change over a run.
 */
export const measureCharges = async (
  side: Side,
  parameters: ChargesParameters,
  heedsRetryAfter: boolean,
  progress: Progress,
): Promise<UsersFound> => {
  const { usersFew, usersMany } = parameters
  const manner = heedsRetryAfter ? "" : ", at once again"
  progress(`overload, charges${manner}: ${usersFew} and ${usersMany} users in turn`)
  const result = await runCharges(side, parameters, heedsRetryAfter)
  const crowds = crowdsOf(result.seconds, parameters)
  const named = (text: string) => `${text}${manner}`
  const names: ChargesNames = {
    goodput: named(`goodput, ${usersMany} users, of ${usersFew} users'`),
    admitted: named("admitted charges, p99"),
    refusals: named("refusals, p99"),
    recovered: named(`goodput from ${recoverySeconds} s after, of before and after`),
  }
  const metrics = metricsOf(result, crowds, parameters, named, names)
  const [few, many] = metrics.map(({ values }) => formatNumber(median(values.corrente ?? [])))
  progress(`overload, charges${manner}: ${few}/s and ${many}/s`)
  return {
    metrics,
    targets: [...crowdTargets(metrics, names, 1_000), valueTarget(metrics, names.recovered, { atLeast: 80 })],
    checks: checksOf(result, crowds, await auditOf(side)),
  }
}
