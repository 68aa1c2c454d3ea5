import { setTimeout as sleep } from "node:timers/promises"
import type { Redis } from "ioredis"
import { fillPeople } from "../accounts/fillPeople.ts"
import { forgetRates, makePeople, trustingSettings } from "../accounts/people.ts"
import type { UsersResult, UsersSecond } from "../load/userJob.ts"
import { type Check, type Metric, makeMetric, type Progress, valueTarget } from "../report/result.ts"
import { formatNumber } from "../report/text.ts"
import { type Side, withSides } from "../support/sides.ts"
import {
  answersChecks,
  healthEveryMillis,
  percentileOf,
  runUsers,
  type UsersFound,
  warmSeconds,
} from "./users.ts"

/** How many people sign in at a time, and for how long. */
export interface SignInsParameters {
  readonly peopleFew: number
  readonly peopleMany: number
  readonly signInSecondsFew: number
  readonly signInSecondsMany: number
}

/** Somewhat longer than the service lets a password wait, so that who is let in is answered. */
const patienceMillis = 12_000
/** The longest wait, and the password's own check. */
const admittedMillisTarget = 11_000
/** Who still waits at the end is not waited for: the queue would take ten seconds more, and tell nothing new. */
const lastAnswersMillis = 1_000
/** An account is asked for once in some seconds: its five tries a minute never run out. */
const forgetEveryMillis = 1_000

/** Lets sign-ins begin anew, again and again, until `signal` is aborted. */
const keepForgettingRates = async (redis: Redis, signal: AbortSignal): Promise<void> => {
  while (!signal.aborted) {
    await forgetRates(redis)
    await sleep(forgetEveryMillis, undefined, { signal }).catch(() => undefined)
  }
}

const runPeople = async (side: Side, parameters: SignInsParameters): Promise<UsersResult> => {
  const { peopleFew, peopleMany, signInSecondsFew, signInSecondsMany } = parameters
  const [first] = await makePeople(side, 1)
  if (first === undefined) throw new Error("nobody was made")
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

/** Few sign-ins are done in a second: a rate over all seconds says more than those of each. */
const rateOf = (seconds: ReadonlyArray<UsersSecond>, count: (second: UsersSecond) => number): number =>
  seconds.reduce((sum, second) => sum + count(second), 0) / seconds.length

const rightPasswordCheck = ({ problems }: UsersResult): Check => {
  const unauthorized = Object.entries(problems).filter(([what]) => what.startsWith("401"))
  const count = unauthorized.reduce((sum, [, times]) => sum + times, 0)
  return { name: "right passwords", isRight: count === 0, detail: `${count} answered with 401` }
}

const admitted = "admitted sign-ins, p99"
const refusals = "sign-ins, refusals, p99"
const goodputName = ({ peopleFew, peopleMany }: SignInsParameters): string =>
  `sign-ins, goodput, ${peopleMany} people, of ${peopleFew} people's`

const metricsOf = (result: UsersResult, parameters: SignInsParameters): ReadonlyArray<Metric> => {
  const { peopleFew, peopleMany, signInSecondsFew } = parameters
  const few = warmSeconds(result.seconds, signInSecondsFew)
  const many = result.seconds.slice(signInSecondsFew)
  const good = (second: UsersSecond) => second.good
  const [usual, crowded] = [rateOf(few, good), rateOf(many, good)]
  const one = (name: string, unit: Metric["unit"], value: number) =>
    makeMetric(name, unit, { corrente: [value] })
  const p99 = (millisOf: (second: UsersSecond) => UsersSecond["goodMillis"]) =>
    percentileOf(many.map(millisOf), 99)
  return [
    one(`sign-ins, ${peopleFew} people`, "1/s", usual),
    one(`sign-ins, ${peopleMany} people`, "1/s", crowded),
    one(goodputName(parameters), "%", (100 * crowded) / usual),
    one(
      "sign-ins, refused",
      "1/s",
      rateOf(many, ({ refused }) => refused),
    ),
    one(
      "sign-ins, given up",
      "1/s",
      rateOf(many, ({ givenUp }) => givenUp),
    ),
    one(
      admitted,
      "ms",
      p99(({ goodMillis }) => goodMillis),
    ),
    one(
      refusals,
      "ms",
      p99(({ refusedMillis }) => refusedMillis),
    ),
    one("sign-ins, /health, p99", "ms", percentileOf([result.health.millis], 99)),
  ]
}

/**
 * Few people who sign in, then many more than passwords can be checked of, each from a network of its own, in a service
 * that has nothing else to do.
 */
export const measureSignIns = (parameters: SignInsParameters, progress: Progress): Promise<UsersFound> =>
  withSides(["corrente"], trustingSettings, async ([side]) => {
    if (side === undefined) throw new Error("the service did not start")
    const { peopleFew, peopleMany } = parameters
    progress(`overload, sign-ins: ${peopleFew} and ${peopleMany} people`)
    const result = await runPeople(side, parameters)
    const metrics = metricsOf(result, parameters)
    const [few, many] = metrics.map(({ values }) => formatNumber(values.corrente?.[0] ?? Number.NaN))
    progress(`overload, sign-ins: ${few}/s, then ${many}/s`)
    return {
      metrics,
      targets: [
        valueTarget(metrics, goodputName(parameters), { atLeast: 80 }),
        valueTarget(metrics, admitted, { atMost: admittedMillisTarget }),
        valueTarget(metrics, refusals, { atMost: 100 }),
      ],
      checks: [...answersChecks(result, 200), rightPasswordCheck(result)].map((check) => ({
        ...check,
        name: `sign-ins: ${check.name}`,
      })),
    }
  })
