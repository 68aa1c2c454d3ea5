import { randomBytes } from "node:crypto"
import { setTimeout as sleep } from "node:timers/promises"
import { limits } from "../../schema/limits.ts"
import type { UsersJob, UsersResult, UsersSecond } from "../load/users.ts"
import {
  type Check,
  type Metric,
  makeMetric,
  oneValue,
  type Progress,
  problemsCheck,
  type RunSuite,
  sizesOf,
  type Target,
  targetOf,
  type Unit,
  valueTarget,
} from "../report/result.ts"
import { startWorker } from "../support/child.ts"
import { fillPeople, forgetRates, makePerson, makePoster, nobodysEmail } from "../support/people.ts"
import { type Side, withService } from "../support/sides.ts"
import { median, percentileOf } from "../support/statistics.ts"

/** Few users, then many, `crowds` times and few again; few people who sign in, then many. */
const sizes = sizesOf({
  usersFew: [8, 64, 64],
  usersMany: [200, 6_000, 6_000],
  secondsFew: [3, 8, 10],
  secondsMany: [3, 12, 30],
  crowds: [1, 2, 3],
  peopleFew: [4, 4, 4],
  // Even 100 exceed the password checks that may wait.
  peopleMany: [100, 1_000, 1_000],
  signInSecondsFew: [2, 12, 22],
  signInSecondsMany: [3, 30, 90],
  /** Requests with a known and with an unknown address, of each kind. */
  addressSamples: [1, 200, 200],
  addressPasswordCost: ["6", "12", "12"],
})
type OverloadSize = (typeof sizes)["default"]

interface Found {
  readonly metrics: ReadonlyArray<Metric>
  readonly targets: ReadonlyArray<Target>
  readonly checks: ReadonlyArray<Check>
}

const runUsers = async (job: UsersJob): Promise<UsersResult> => {
  const load = startWorker<UsersJob, UsersResult>(new URL("../load/users.ts", import.meta.url))
  return load.ask(job).finally(load.stop)
}

/** Seconds with few users, without the first two: code is compiled meanwhile. */
const warmSeconds = (seconds: ReadonlyArray<UsersSecond>): ReadonlyArray<UsersSecond> =>
  seconds.slice(Math.min(2, seconds.length - 1))

type Durations = "goodMillis" | "refusedMillis"

/** The p99 of durations in ms, over all seconds; NaN where there are none. */
const p99Of = (name: string, seconds: ReadonlyArray<UsersSecond>, of: Durations): Metric => {
  const millis = seconds.flatMap((second) => second[of])
  return oneValue(name, "ms", percentileOf(millis, 99))
}

/** Targets for every crowd: most of the usual goodput, bounded waits for admitted requests, fast refusals. */
const crowdTargets = (
  metrics: ReadonlyArray<Metric>,
  what: string,
  goodput: string,
  admittedMillisMax: number,
) => [
  valueTarget(metrics, goodput, { atLeast: 80 }),
  valueTarget(metrics, `admitted ${what}, p99`, { atMost: admittedMillisMax }),
  valueTarget(metrics, `refused ${what}, p99`, { atMost: 100 }),
]

/** Checks for every kind of user: answers are `goodStatus` or a proper refusal, and /health always answers. */
const answersChecks = (what: string, result: UsersResult, goodStatus: number): ReadonlyArray<Check> => {
  const { health, badRefusals, problems } = result
  const refused = result.seconds.reduce((sum, { refusedMillis }) => sum + refusedMillis.length, 0)
  const wrong = Object.entries(problems).filter(([problem]) => /^\d/.test(problem))
  return [
    {
      name: `${what}: refusals`,
      isRight: badRefusals === 0,
      detail: `${refused} of them, ${badRefusals} without Retry-After or the envelope`,
    },
    {
      name: `${what}: /health`,
      isRight: health.asked > 0 && health.millis.length === health.asked,
      detail: `${health.millis.length} of ${health.asked} answered`,
    },
    problemsCheck(
      `${what}: other answers`,
      wrong.map(([problem, count]) => `${count}: ${problem}`),
      `only ${goodStatus} and 503`,
    ),
  ]
}

/** When a user gives up and tries again. */
const patienceMillis = 2_000
/** How long the service may take to recover from a crowd. */
const recoverySeconds = 2

/** The seconds of each phase with many users, and the warm ones before and after it. */
const crowdsOf = (seconds: ReadonlyArray<UsersSecond>, { secondsFew, secondsMany, crowds }: OverloadSize) =>
  Array.from({ length: crowds }, (_, crowd) => {
    const start = secondsFew + crowd * (secondsMany + secondsFew)
    const end = start + secondsMany
    return {
      before: warmSeconds(seconds.slice(start - secondsFew, start)),
      many: seconds.slice(start, end),
      after: seconds.slice(end + recoverySeconds, end + secondsFew),
    }
  })

const goodOf = ({ goodMillis }: UsersSecond): number => goodMillis.length

/**
 * Measures few users and many more than can be served, in turn. A crowd is compared with the seconds before and after
 * it, because the machine's speed and the store's size change over a run.
 */
const measureCharges = async (side: Side, size: OverloadSize, heedsRetryAfter: boolean): Promise<Found> => {
  const { usersFew, usersMany, secondsFew, secondsMany } = size
  const what = heedsRetryAfter ? "charges" : "charges, at once again"
  const few = { users: usersFew, millis: secondsFew * 1_000 }
  const many = { users: usersMany, millis: secondsMany * 1_000 }
  const result = await runUsers({
    port: side.port,
    wishes: { kind: "charges", apiKey: side.apiKey, keyPrefix: randomBytes(4).toString("hex") },
    phases: [few, ...Array.from({ length: size.crowds }, () => [many, few]).flat()],
    // Waits until the last users have given up.
    ...{ patienceMillis, lastAnswersMillis: patienceMillis, heedsRetryAfter, pid: side.pid },
  })
  const crowds = crowdsOf(result.seconds, size)
  /** Goodput of each second in a part of every crowd, in % of the median of the seconds with few users around it. */
  const sharesOf = (part: "many" | "after") =>
    crowds.flatMap((crowd) => {
      const usual = median([...crowd.before, ...crowd.after].map(goodOf))
      return crowd[part].map((second) => (100 * goodOf(second)) / usual)
    })
  const bySecond = (name: string, unit: Unit, values: ReadonlyArray<number>) =>
    makeMetric(name, unit, { corrente: values })
  const manySeconds = crowds.flatMap((crowd) => crowd.many)
  const fewSeconds = crowds.flatMap(({ before, after }) => [...before, ...after])
  // Users arrive during the first second of a phase.
  const rest = crowds.flatMap((crowd) => crowd.many.slice(1))
  const firsts = crowds.flatMap((crowd) => crowd.many.slice(0, 1))
  const goodput = `${what}, goodput, ${usersMany} users, of ${usersFew} users'`
  const recovered = `${what}, goodput from ${recoverySeconds} s after, of before and after`
  const metrics = [
    bySecond(`${what}, ${usersFew} users`, "1/s", fewSeconds.map(goodOf)),
    bySecond(`${what}, ${usersMany} users`, "1/s", manySeconds.map(goodOf)),
    bySecond(goodput, "%", sharesOf("many")),
    bySecond(
      `${what}, refused`,
      "1/s",
      manySeconds.map(({ refusedMillis }) => refusedMillis.length),
    ),
    bySecond(
      `${what}, given up`,
      "1/s",
      manySeconds.map(({ givenUp }) => givenUp),
    ),
    p99Of(`admitted ${what}, p99`, manySeconds, "goodMillis"),
    p99Of(`refused ${what}, p99`, rest, "refusedMillis"),
    p99Of(`refused ${what} in the second in which a crowd comes, p99`, firsts, "refusedMillis"),
    oneValue(`${what}, /health, p99`, "ms", percentileOf(result.health.millis, 99)),
    bySecond(
      `${what}, memory of the server`,
      "MiB",
      manySeconds.map(({ residentMiB }) => residentMiB),
    ),
    bySecond(recovered, "%", sharesOf("after")),
  ]
  const without = rest.filter((second) => goodOf(second) === 0).length
  const audited = await side.ops(["audit", "verify", "--full"]).then(
    () => [],
    (error: unknown) => [String(error).slice(0, 300)],
  )
  return {
    metrics,
    targets: [
      ...crowdTargets(metrics, what, goodput, 1_000),
      valueTarget(metrics, recovered, { atLeast: 80 }),
    ],
    checks: [
      {
        name: `${what}: every second has some`,
        isRight: without === 0,
        detail: `${without} of ${rest.length} seconds had none`,
      },
      ...answersChecks(what, result, 201),
      problemsCheck(`${what}: ops audit verify`, audited, "finds no difference"),
    ],
  }
}

/** Somewhat longer than the service lets a password check wait, so that everyone admitted gets an answer. */
const signInPatienceMillis = 12_000
/** Cuts off people who still wait at the end: draining the queue would take ten more seconds and show nothing new. */
const lastAnswersMillis = 1_000
/** The longest wait plus the password check itself. */
const admittedMillisTarget = 11_000

/** Measures few people who sign in, then many more than the service can check passwords of, each from another network. */
const measureSignIns = async (side: Side, size: OverloadSize): Promise<Found> => {
  const { peopleFew, peopleMany, signInSecondsFew, signInSecondsMany } = size
  const people = await fillPeople(side.redis.url, await makePerson(side), peopleMany)
  let isOver = false
  const running = runUsers({
    port: side.port,
    wishes: { kind: "signIns", people },
    phases: [
      { users: peopleFew, millis: signInSecondsFew * 1_000 },
      { users: peopleMany, millis: signInSecondsMany * 1_000 },
    ],
    patienceMillis: signInPatienceMillis,
    ...{ heedsRetryAfter: true, lastAnswersMillis, pid: side.pid },
  }).finally(() => {
    isOver = true
  })
  // So often that the five tries a minute of an account never run out.
  for (; !isOver; await sleep(200)) await forgetRates(side.redis.client)
  const result = await running
  const few = warmSeconds(result.seconds.slice(0, signInSecondsFew))
  const many = result.seconds.slice(signInSecondsFew)
  /** Over all seconds: one second has too few sign-ins for its own rate. */
  const rateOf = (seconds: ReadonlyArray<UsersSecond>, of: (second: UsersSecond) => number) =>
    seconds.reduce((sum, second) => sum + of(second), 0) / seconds.length
  const [usual, crowded] = [rateOf(few, goodOf), rateOf(many, goodOf)]
  const goodput = `sign-ins, goodput, ${peopleMany} people, of ${peopleFew} people's`
  const metrics = [
    oneValue(`sign-ins, ${peopleFew} people`, "1/s", usual),
    oneValue(`sign-ins, ${peopleMany} people`, "1/s", crowded),
    oneValue(goodput, "%", (100 * crowded) / usual),
    oneValue(
      "sign-ins, refused",
      "1/s",
      rateOf(many, ({ refusedMillis }) => refusedMillis.length),
    ),
    oneValue(
      "sign-ins, given up",
      "1/s",
      rateOf(many, ({ givenUp }) => givenUp),
    ),
    p99Of("admitted sign-ins, p99", many, "goodMillis"),
    p99Of("refused sign-ins, p99", many, "refusedMillis"),
    oneValue("sign-ins, /health, p99", "ms", percentileOf(result.health.millis, 99)),
  ]
  // A right password that got a 401 would be among the other answers.
  const checks = answersChecks("sign-ins", result, 200)
  return { metrics, targets: crowdTargets(metrics, "sign-ins", goodput, admittedMillisTarget), checks }
}

const password = "not the password of anyone"
/** Routes that must not reveal whether an address has an account, with their request bodies. */
const routes: Readonly<Record<string, (email: string) => readonly [path: string, body: object]>> = {
  "sign-in": (email) => ["sign-in/email", { email, password }],
  reset: (email) => ["request-password-reset", { email }],
  recovery: (email) => ["two-factor/recovery/request", { email, password }],
}
/** Target: difference between the medians of a known and an unknown address, in ms. */
const differenceTarget = 5

/** Compares answers about a known and an unknown address, which must not differ, not even in time. */
const measureAddresses = async (side: Side, { addressSamples }: OverloadSize): Promise<Found> => {
  const person = await makePerson(side)
  const poster = makePoster(side.port)
  const targets: Array<Target> = []
  const telling: Array<string> = []
  for (const [name, request] of Object.entries(routes)) {
    const millis: [Array<number>, Array<number>] = [[], []]
    const answers = new Set<string>()
    // The first requests pay for code that has never run.
    for (let sample = -3; sample < addressSamples; sample++) {
      // In alternating order, so that a slow moment of the machine affects both.
      for (const kind of sample % 2 === 0 ? ([0, 1] as const) : ([1, 0] as const)) {
        await forgetRates(side.redis.client)
        const sent = await poster.post(...request(kind === 0 ? person.email : nobodysEmail()))
        answers.add(sent.answer)
        if (sample >= 0) millis[kind].push(sent.millis)
      }
    }
    if (answers.size > 1) telling.push(`${name}: ${[...answers].join(" or ")}`)
    const apartMillis = Math.abs(median(millis[0]) - median(millis[1]))
    const title = `${name}, known and unknown address, ms apart at most ${differenceTarget}`
    targets.push(targetOf(title, apartMillis, { atMost: differenceTarget }))
  }
  await poster.close()
  const check = problemsCheck("known and unknown addresses", telling, "same response, byte for byte")
  return { metrics: [], targets, checks: [check] }
}

/** Asks for more than the service can do: measures how much it still does, and how soon it refuses the rest. */
export const runOverload: RunSuite = async (size, progress: Progress) => {
  const parameters = sizes[size]
  const settings = {
    // Nothing falls due meanwhile: requests alone overload the service.
    SIMULATOR_DELAY_MS: "86400000",
    // A small crowd causes an overload only if requests may wait for less time.
    ...(size === "small" ? { ADMISSION_TARGET_MS: "20" } : {}),
  }
  const found: Array<Found> = []
  await withService(settings, async (side) => {
    for (const heedsRetryAfter of [true, false]) {
      progress(
        `overload, round ${found.length + 1} of 2: charges, users ${heedsRetryAfter ? "" : "do not "}wait`,
      )
      found.push(await measureCharges(side, parameters, heedsRetryAfter))
    }
  })
  // People's word for their addresses is trusted: each comes from another network.
  const signInSettings = (cost: string) => ({ TRUSTED_PROXIES: "127.0.0.1,::1", PASSWORD_COST: cost })
  progress("overload: known and unknown addresses")
  await withService(signInSettings(parameters.addressPasswordCost), async (side) => {
    found.push(await measureAddresses(side, parameters))
  })
  progress("overload: sign-ins")
  await withService(signInSettings(String(limits.passwordCostDefault)), async (side) => {
    found.push(await measureSignIns(side, parameters))
  })
  return {
    suite: "overload",
    parameters: { ...parameters, ...notes },
    metrics: found.flatMap(({ metrics }) => metrics),
    targets: found.flatMap(({ targets }) => targets),
    checks: found.flatMap(({ checks }) => checks),
  }
}

const notes = {
  side: "one process and a redis-server: append-only, fsync always, noeviction",
  users:
    "closed loop, one seller; a user who has waited for 2 s closes the connection and sends the same request again",
  refusals:
    "a refused user retries after Retry-After plus up to a quarter of it; with `at once again`, immediately",
  rounds: "rates have one value per second; percentiles have one over all seconds of the crowd",
  "sign-ins":
    "a separate service; closed loop, the right password, each person from a different network; people give up after 12 s; rate limits are reset",
  addresses: "a separate service; one request at a time",
}
