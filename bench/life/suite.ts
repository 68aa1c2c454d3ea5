import type { Check, Metric, Progress, Size, SuiteResult, Target } from "../report/result.ts"
import { makeMetric, ratioTarget, valueTarget } from "../report/result.ts"
import { formatNumber } from "../report/text.ts"
import { cpuMicrosPerAnswer, otherCores } from "../suites/cpu.ts"
import { type BacklogResult, type IdleResult, runDueDeliveries, runDueTimers, runIdle } from "./backlog.ts"
import { type LifeEnvironment, withLifeEnvironment } from "./lifeEnvironment.ts"
import { type LifeSize, lifeSizes } from "./sizes.ts"
import { leastOfMean, runSteady, type SteadyRound } from "./steady.ts"

const sideNames = ["corrente", "bare"] as const
type SideName = (typeof sideNames)[number]
type Rounds = Readonly<Record<SideName, ReadonlyArray<SteadyRound>>>

const wholeLife = "charges created, paid and delivered"
const latencyP99 = "POST latency p99"
const worstSecond = "least second, of the mean of all"

/** Targets of the service. */
const targets = { ofBare: 0.8, worstSecond: 50, p99Millis: 100, ofIdle: 4, drainedPercent: 50 }

const steadyRounds = async (
  environment: LifeEnvironment,
  size: LifeSize,
  progress: Progress,
): Promise<Rounds> => {
  const rounds: Record<SideName, Array<SteadyRound>> = { corrente: [], bare: [] }
  for (let round = 0; round < size.rounds; round++) {
    for (const name of round % 2 === 0 ? sideNames : sideNames.toReversed()) {
      // Each round has its own data: what one leaves behind must not load the other.
      const side = await environment.makeSide(name, size.simulatorDelayMillis)
      try {
        rounds[name].push(await runSteady(environment, side, size, progress))
      } finally {
        await side.stop()
      }
    }
  }
  return rounds
}

const steadyMetrics = (rounds: Rounds): ReadonlyArray<Metric> => {
  const of = (value: (round: SteadyRound) => number) => ({
    corrente: rounds.corrente.map(value),
    bare: rounds.bare.map(value),
  })
  const bySecond = (values: (round: SteadyRound) => ReadonlyArray<number>) => ({
    corrente: rounds.corrente.flatMap(values),
    bare: rounds.bare.flatMap(values),
  })
  return [
    makeMetric(
      wholeLife,
      "1/s",
      of(({ deliveredPerSecond }) => deliveredPerSecond),
    ),
    makeMetric(
      "charges created",
      "1/s",
      of(({ load }) => load.completed / load.seconds),
    ),
    makeMetric(
      latencyP99,
      "ms",
      of(({ p99Millis }) => p99Millis),
    ),
    makeMetric(
      "POST latency p50",
      "ms",
      of(({ p50Millis }) => p50Millis),
    ),
    makeMetric(
      worstSecond,
      "%",
      of(({ created }) => 100 * leastOfMean(created)),
    ),
    makeMetric(
      "from the last answer to the last delivery",
      "s",
      of(({ tailSeconds }) => tailSeconds),
    ),
    makeMetric(
      "CPU of the server per charge created",
      "us",
      of(({ load }) => cpuMicrosPerAnswer("server")(load)),
    ),
    makeMetric(
      "CPU of Redis per charge created",
      "us",
      of(({ load }) => cpuMicrosPerAnswer("redis")(load)),
    ),
    makeMetric(
      "CPU of anything else",
      "cores",
      of(({ load }) => otherCores(load)),
    ),
    makeMetric(
      "memory of the server",
      "MiB",
      of(({ serverMiB }) => serverMiB),
    ),
    {
      ...makeMetric(
        "created, second by second",
        "1/s",
        bySecond(({ created }) => created),
      ),
      isOverTime: true,
    },
    {
      ...makeMetric(
        "delivered, second by second",
        "1/s",
        bySecond(({ delivered }) => delivered),
      ),
      isOverTime: true,
    },
  ]
}

const ratesOf = (size: LifeSize) => `at ${formatNumber(size.backlogRatePerSecond)}/s`
const share = (part: number, whole: number): number => (100 * part) / whole

const backlogMetrics = (
  idle: IdleResult,
  backlogs: ReadonlyArray<BacklogResult>,
  size: LifeSize,
): ReadonlyArray<Metric> => {
  const one = (name: string, unit: Metric["unit"], value: number) =>
    makeMetric(name, unit, { corrente: [value] })
  return [
    one(`idle, POST ${ratesOf(size)} p50`, "ms", idle.p50Millis),
    one(`idle, POST ${ratesOf(size)} p99`, "ms", idle.p99Millis),
    ...backlogs.flatMap(({ what, beside, besidePerSecond, alonePerSecond }) => [
      one(`${what} due at the start, POST ${ratesOf(size)} p50`, "ms", beside.p50Millis),
      one(`${what} due at the start, POST ${ratesOf(size)} p99`, "ms", beside.p99Millis),
      one(`${what} drained beside requests`, "1/s", besidePerSecond),
      one(`${what} drained alone`, "1/s", alonePerSecond),
      one(`${what} drained beside requests, of alone`, "%", share(besidePerSecond, alonePerSecond)),
    ]),
  ]
}

const targetsOf = (
  metrics: ReadonlyArray<Metric>,
  idle: IdleResult,
  backlogs: ReadonlyArray<BacklogResult>,
): ReadonlyArray<Target> => [
  ratioTarget(metrics, wholeLife, "bare", { atLeast: targets.ofBare }),
  valueTarget(metrics, worstSecond, { atLeast: targets.worstSecond }),
  valueTarget(metrics, latencyP99, { atMost: targets.p99Millis }),
  ...backlogs.flatMap(({ what, beside }): ReadonlyArray<Target> => {
    const ratio = beside.p50Millis / idle.p50Millis
    return [
      {
        name: `${what} due at the start: POST p50 at most ${targets.ofIdle} of idle`,
        measured: ratio,
        isMet: ratio <= targets.ofIdle,
      },
      valueTarget(metrics, `${what} drained beside requests, of alone`, { atLeast: targets.drainedPercent }),
    ]
  }),
]

const lifeCheck = (name: SideName, rounds: ReadonlyArray<SteadyRound>): Check => {
  const problems = rounds.flatMap((round) => round.problems)
  const charges = rounds.reduce((sum, { load }) => sum + load.created, 0)
  return {
    name: `${name}, lives`,
    isRight: problems.length === 0 && charges > 0,
    detail:
      problems.length === 0
        ? `${charges} charges, each paid and delivered once; a sample's signatures verified`
        : problems.slice(0, 5).join("; "),
  }
}

const backlogCheck = ({ what, beside, left }: BacklogResult): Check => {
  const { problems, completed } = beside.load
  return {
    name: `${what} due at the start`,
    isRight: problems.length === 0 && completed > 0,
    detail:
      problems.length === 0
        ? `${completed} requests answered; ${Math.max(0, left)} still due at the end of the measurement`
        : problems.slice(0, 5).join("; "),
  }
}

/** Whole lives of charges under closed-loop clients, beside a bare server; and starts that find work due. */
export const runLife = (size: Size, progress: Progress): Promise<SuiteResult> =>
  withLifeEnvironment(async (environment) => {
    const parameters = lifeSizes[size]
    const rounds = await steadyRounds(environment, parameters, progress)
    const side = await environment.makeSide("corrente", parameters.simulatorDelayMillis, false)
    try {
      progress("life: requests with nothing due")
      const idle = await runIdle(environment, side, parameters)
      const timers = await runDueTimers(environment, side, parameters, progress)
      progress(`life: ${formatNumber(timers.besidePerSecond)} timers/s beside requests`)
      const deliveries = await runDueDeliveries(environment, side, parameters)
      progress(`life: ${formatNumber(deliveries.besidePerSecond)} deliveries/s beside requests`)
      const backlogs = [timers, deliveries]
      const metrics = [...steadyMetrics(rounds), ...backlogMetrics(idle, backlogs, parameters)]
      return {
        suite: "life",
        parameters: { ...parameters, ...notes },
        metrics,
        targets: targetsOf(metrics, idle, backlogs),
        checks: [...sideNames.map((name) => lifeCheck(name, rounds[name])), ...backlogs.map(backlogCheck)],
      }
    } finally {
      await side.stop()
    }
  })

const notes = {
  life: "closed loop: POST, paid by the simulator after its delay, the event delivered to one endpoint over TLS and recorded",
  "charges created, paid and delivered":
    "first deliveries within the measured window, after a warm-up that is longer than the simulator's delay",
  bare: "uWebSockets.js, ioredis and undici in one process: the service's own functions for the charge, its timers and its payment; the delivery in a sorted set of its own (as bare in `deliveries`)",
  "due at the start":
    "charges to be paid, then their deliveries to one endpoint, all overdue when the service starts; requests in an open loop, timed from when each was due",
}
