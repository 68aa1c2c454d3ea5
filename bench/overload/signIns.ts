import { setTimeout as sleep } from "node:timers/promises"
import type { Redis } from "ioredis"
import { limits } from "../../schema/limits.ts"
import { fillPeople } from "../accounts/fillPeople.ts"
import { forgetRates, makePeople, trustingSettings } from "../accounts/people.ts"
import type { UsersResult, UsersSecond } from "../load/userJob.ts"
import type { Check, Metric, Progress } from "../report/result.ts"
import { formatNumber } from "../report/text.ts"
import { type Side, withSides } from "../support/sides.ts"
import {
  answersChecks,
  type CrowdNames,
  crowdTargets,
  healthEveryMillis,
  oneValue,
  p99Metric,
  runUsers,
  type UsersFound,
  warmSeconds,
} from "./users.ts"

/** Number of people who sign in, and duration of the phases. */
export interface SignInsParameters {
  readonly peopleFew: number
  readonly peopleMany: number
  readonly signInSecondsFew: number
  readonly signInSecondsMany: number
}

const settings = { ...trustingSettings, PASSWORD_COST: `${limits.passwordCostDefault}` }

/** Somewhat longer than the service lets a password check wait, so that everyone admitted gets an answer. */
const patienceMillis = 12_000
/** The longest wait plus the password check itself. */
const admittedMillisTarget = 11_000
/** Cuts off people who still wait at the end: draining the queue would take ten more seconds and show nothing new. */
const lastAnswersMillis = 1_000
/** Short enough that the five tries a minute of an account never run out. */
const forgetEveryMillis = 200

/** Resets the rate limits of sign-ins periodically, until `signal` is aborted. */
const keepForgettingRates = async (redis: Redis, signal: AbortSignal): Promise<void> => {
  while (!signal.aborted) {
    await forgetRates(redis)
    await sleep(forgetEveryMillis, undefined, { signal }).catch(() => undefined)
  }
}

const runPeople = async (side: Side, parameters: SignInsParameters): Promise<UsersResult> => {
  const { peopleFew, peopleMany, signInSecondsFew, signInSecondsMany } = parameters
  const [first] = await makePeople(side, 1)
  if (first === undefined) throw new Error("no person was created")
  const people = await fillPeople(side.redis.url, first, peopleMany)
  const end = new AbortController()
  const running = runUsers({
    port: side.port,
    wishes: { kind: "signIns", people },
    phases: [
      { users: peopleFew, millis: signInSecondsFew * 1_000 },
      { users: peopleMany, millis: signInSecondsMany * 1_000 },
    ],
    ...{ patienceMillis, heedsRetryAfter: true, lastAnswersMillis, healthEveryMillis, pid: side.pid },
  }).finally(() => end.abort())
  const [result] = await Promise.all([running, keepForgettingRates(side.redis.client, end.signal)])
  return result
}

/** Rate over all seconds: one second has too few sign-ins for its own rate. */
const rateOf = (seconds: ReadonlyArray<UsersSecond>, count: (second: UsersSecond) => number): number =>
  seconds.reduce((sum, second) => sum + count(second), 0) / seconds.length

const rightPasswordCheck = ({ problems }: UsersResult): Check => {
  const unauthorized = Object.entries(problems).filter(([what]) => what.startsWith("401"))
  const count = unauthorized.reduce((sum, [, times]) => sum + times, 0)
  return { name: "right passwords", isRight: count === 0, detail: `${count} got a 401` }
}

const namesOf = ({ peopleFew, peopleMany }: SignInsParameters): CrowdNames => ({
  goodput: `sign-ins, goodput, ${peopleMany} people, of ${peopleFew} people's`,
  admitted: "admitted sign-ins, p99",
  refusals: "sign-ins, refusals, p99",
})

const metricsOf = (result: UsersResult, parameters: SignInsParameters): ReadonlyArray<Metric> => {
  const { peopleFew, peopleMany, signInSecondsFew } = parameters
  const few = warmSeconds(result.seconds, signInSecondsFew)
  const many = result.seconds.slice(signInSecondsFew)
  const names = namesOf(parameters)
  const usual = rateOf(few, ({ good }) => good)
  const crowded = rateOf(many, ({ good }) => good)
  const ratePerSecond = (name: string, count: (second: UsersSecond) => number) =>
    oneValue(name, "1/s", rateOf(many, count))
  return [
    oneValue(`sign-ins, ${peopleFew} people`, "1/s", usual),
    oneValue(`sign-ins, ${peopleMany} people`, "1/s", crowded),
    oneValue(names.goodput, "%", (100 * crowded) / usual),
    ratePerSecond("sign-ins, refused", ({ refused }) => refused),
    ratePerSecond("sign-ins, given up", ({ givenUp }) => givenUp),
    p99Metric(
      names.admitted,
      many.map(({ goodMillis }) => goodMillis),
    ),
    p99Metric(
      names.refusals,
      many.map(({ refusedMillis }) => refusedMillis),
    ),
    p99Metric("sign-ins, /health, p99", [result.health.millis]),
  ]
}

/**
 * Measures few people who sign in, then many more than the service can check passwords of. Each comes from a different
 * network, and the service does nothing else.
 */
export const measureSignIns = (parameters: SignInsParameters, progress: Progress): Promise<UsersFound> =>
  withSides(["corrente"], settings, async ([side]) => {
    if (side === undefined) throw new Error("the service did not start")
    const { peopleFew, peopleMany } = parameters
    progress(`overload, sign-ins: ${peopleFew} and ${peopleMany} people`)
    const result = await runPeople(side, parameters)
    const metrics = metricsOf(result, parameters)
    const [few, many] = metrics.map(({ values }) => formatNumber(values.corrente?.[0] ?? Number.NaN))
    progress(`overload, sign-ins: ${few}/s, then ${many}/s`)
    return {
      metrics,
      targets: crowdTargets(metrics, namesOf(parameters), admittedMillisTarget),
      checks: [...answersChecks(result, 200), rightPasswordCheck(result)].map((check) => ({
        ...check,
        name: `sign-ins: ${check.name}`,
      })),
    }
  })
