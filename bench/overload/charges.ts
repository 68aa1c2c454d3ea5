import { randomBytes } from "node:crypto"
import type { UsersResult, UsersSecond } from "../load/userJob.ts"
import { type Check, makeMetric, type Progress, valueTarget } from "../report/result.ts"
import { formatNumber } from "../report/text.ts"
import type { Side } from "../support/sides.ts"
import { median } from "../support/statistics.ts"
import {
  answersChecks,
  healthEveryMillis,
  percentileOf,
  runUsers,
  type UsersFound,
  warmSeconds,
} from "./users.ts"

/** How many users there are, and for how long: few, then so often many and few again. */
export interface ChargesParameters {
  readonly usersFew: number
  readonly usersMany: number
  readonly secondsFew: number
  readonly secondsMany: number
  readonly crowds: number
}

/** A user gives up after so long, and tries again. */
const patienceMillis = 2_000
/** The service has so long to be as before. */
const recoverySeconds = 2

/** The seconds of a phase with many users, and those before and after it, without their first ones. */
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

const ours = (seconds: ReadonlyArray<UsersSecond>, value: (second: UsersSecond) => number) => ({
  corrente: seconds.map(value),
})

const checksOf = (
  result: UsersResult,
  crowds: ReadonlyArray<Crowd>,
  audit: string | undefined,
): ReadonlyArray<Check> => {
  // The first second of a phase has its users' coming in it.
  const seconds = crowds.flatMap(({ many }) => many.slice(1))
  const without = seconds.filter(({ good }) => good === 0).length
  return [
    {
      name: "every second has charges",
      isRight: without === 0,
      detail: `${without} of ${seconds.length} seconds without one`,
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
    // Until the last have given up.
    ...{ patienceMillis, lastAnswersMillis: patienceMillis },
    ...{ heedsRetryAfter, healthEveryMillis, pid: side.pid },
  })

const auditOf = async (side: Side): Promise<string | undefined> => {
  try {
    await side.ops(["audit", "verify"])
    return undefined
  } catch (error) {
    return String(error).slice(0, 300)
  }
}

/**
 * Few users and many more than can be served, in turn: what they get, second by second. A crowd is compared with the
 * seconds on both sides of it, because the machine's speed and the store's size change over a run.
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
  const many = crowds.flatMap((crowd) => crowd.many)
  const few = crowds.flatMap(({ before, after }) => [...before, ...after])
  const shares = (part: "many" | "after") =>
    ours(
      crowds.flatMap((crowd) => {
        const usual = median([...crowd.before, ...crowd.after].map(({ good }) => good))
        return crowd[part].map((second) => ({ ...second, good: (100 * second.good) / usual }))
      }),
      ({ good }) => good,
    )
  const named = (text: string) => `${text}${manner}`
  const goodput = named(`goodput, ${usersMany} users, of ${usersFew} users'`)
  const admitted = named("admitted charges, p99")
  const refusals = named("refusals, p99")
  const firstRefusals = named("refusals in the second in which a crowd comes, p99")
  const refusalsP99 = (seconds: ReadonlyArray<UsersSecond>) => ({
    corrente: [
      percentileOf(
        seconds.map(({ refusedMillis }) => refusedMillis),
        99,
      ),
    ],
  })
  const recovered = named(`goodput from ${recoverySeconds} s after, of before and after`)
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
    makeMetric(goodput, "%", shares("many")),
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
    makeMetric(refusals, "ms", refusalsP99(crowds.flatMap((crowd) => crowd.many.slice(1)))),
    makeMetric(firstRefusals, "ms", refusalsP99(crowds.flatMap((crowd) => crowd.many.slice(0, 1)))),
    makeMetric(named("/health, p99"), "ms", { corrente: [percentileOf([result.health.millis], 99)] }),
    makeMetric(
      named("memory of the server"),
      "MiB",
      ours(many, ({ residentMiB }) => residentMiB),
    ),
    makeMetric(recovered, "%", shares("after")),
  ]
  progress(
    `overload, charges${manner}: ${formatNumber(median(few.map(({ good }) => good)))}/s and ${formatNumber(median(many.map(({ good }) => good)))}/s`,
  )
  return {
    metrics,
    targets: [
      valueTarget(metrics, goodput, { atLeast: 80 }),
      valueTarget(metrics, admitted, { atMost: 1_000 }),
      valueTarget(metrics, refusals, { atMost: 100 }),
      valueTarget(metrics, recovered, { atLeast: 80 }),
    ],
    checks: checksOf(result, crowds, await auditOf(side)),
  }
}
