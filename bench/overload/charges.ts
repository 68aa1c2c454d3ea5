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

/** How many users there are, and for how long. */
export interface ChargesParameters {
  readonly usersFew: number
  readonly usersMany: number
  readonly secondsFew: number
  readonly secondsMany: number
  readonly secondsAfter: number
}

/** A user gives up after so long, and tries again. */
const patienceMillis = 2_000
/** The service has so long to be as before. */
const recoverySeconds = 2

const ours = (seconds: ReadonlyArray<UsersSecond>, value: (second: UsersSecond) => number) => ({
  corrente: seconds.map(value),
})

const checksOf = (
  result: UsersResult,
  many: ReadonlyArray<UsersSecond>,
  audit: string | undefined,
): ReadonlyArray<Check> => {
  // The first second of a phase has its users' coming in it.
  const without = many.slice(1).filter(({ good }) => good === 0).length
  return [
    {
      name: "every second has charges",
      isRight: without === 0,
      detail: `${without} of ${many.length - 1} seconds without one`,
    },
    ...answersChecks(result, 201),
    { name: "ops audit verify", isRight: audit === undefined, detail: audit ?? "finds no difference" },
  ]
}

const runCharges = (
  side: Side,
  parameters: ChargesParameters,
  heedsRetryAfter: boolean,
): Promise<UsersResult> =>
  runUsers({
    port: side.port,
    wishes: { kind: "charges", apiKeys: [side.apiKey], keyPrefix: randomBytes(4).toString("hex") },
    phases: [
      { users: parameters.usersFew, millis: parameters.secondsFew * 1_000 },
      { users: parameters.usersMany, millis: parameters.secondsMany * 1_000 },
      { users: parameters.usersFew, millis: parameters.secondsAfter * 1_000 },
    ],
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

/** Few users, then many more than can be served, then few again: what they get, second by second. */
export const measureCharges = async (
  side: Side,
  parameters: ChargesParameters,
  heedsRetryAfter: boolean,
  progress: Progress,
): Promise<UsersFound> => {
  const { usersFew, usersMany, secondsFew, secondsMany } = parameters
  const manner = heedsRetryAfter ? "" : ", at once again"
  progress(`overload, charges${manner}: ${usersFew}, ${usersMany} and ${usersFew} users`)
  const result = await runCharges(side, parameters, heedsRetryAfter)
  const few = warmSeconds(result.seconds, secondsFew)
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
}
