import { writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Arrival } from "../load/receiver.ts"
import {
  inTurns,
  type Metric,
  makeMetric,
  metricsOf,
  type Progress,
  problemsCheck,
  type Rounds,
  type RunSuite,
  ratioTarget,
  type SuiteResult,
  sizesOf,
  targetOf,
  valueTarget,
} from "../report/result.ts"
import { loadBareQueue } from "../support/benchFunctions.ts"
import {
  cpuMicros,
  creating,
  type Load,
  latencyAt,
  otherCores,
  throughputOf,
  withLoad,
} from "../support/load.ts"
import { residentMiBOf } from "../support/processUsage.ts"
import { type Receiver, withReceiver } from "../support/receiver.ts"
import { dataRoot } from "../support/redisServer.ts"
import { startSideBackend } from "../support/sides.ts"
import { formatNumber } from "../support/statistics.ts"
import { until } from "../support/until.ts"
import { type BacklogResult, measureBacklogs } from "./lifeBacklog.ts"

const sizes = sizesOf({
  connections: [8, 64, 64],
  rounds: [1, 2, 5],
  warmUpMillis: [300, 8_000, 10_000],
  measureMillis: [1_000, 20_000, 60_000],
  simulatorDelayMillis: [100, 3_000, 3_000],
  backlog: [400, 60_000, 200_000],
  backlogRatePerSecond: [50, 500, 800],
  idleMillis: [400, 4_000, 10_000],
  backlogMillis: [1_500, 5_000, 10_000],
})

interface LifeParts {
  readonly load: Load
  readonly receiver: Receiver
  readonly size: (typeof sizes)["default"]
  readonly progress: Progress
}

const sideNames = ["corrente", "bare"] as const
type SideName = (typeof sideNames)[number]

/** Sets up a contender that is not running yet; its seller's endpoint is the receiver, unless `hasEndpoint` is false. */
const makeSide = async ({ receiver, size }: LifeParts, name: SideName, hasEndpoint = true) => {
  const endpointsFile = join(dataRoot, "life-endpoints.json")
  const bareSettings = {
    ENDPOINTS_FILE: endpointsFile,
    RETRY_SCHEDULE_SECONDS: "60,300,1800,7200,43200",
  }
  const backend = await startSideBackend(name, {
    SIMULATOR_DELAY_MS: String(size.simulatorDelayMillis),
    ...receiver.settings,
    ...(name === "bare" ? bareSettings : {}),
  })
  try {
    if (name === "bare") await loadBareQueue(backend.redis.client)
    writeFileSync(endpointsFile, JSON.stringify(receiver.endpoints))
    const isOwn = name === "corrente" && hasEndpoint
    /** Sign its endpoint's deliveries, if it has an endpoint of its own. */
    const secrets = isOwn ? [(await receiver.addEndpoint(backend)).secret] : undefined
    return { ...backend, secrets }
  } catch (error) {
    await backend.stop()
    throw error
  }
}

/** A contender, its Redis, and how its server is started. */
type LifeSide = Awaited<ReturnType<typeof makeSide>>

const settleTimeoutMillis = 120_000

/** The slowest second, relative to the mean. */
const leastOfMean = (bySecond: ReadonlyArray<number>): number =>
  Math.min(...bySecond) / (bySecond.reduce((sum, count) => sum + count, 0) / bySecond.length)

/** Charges' first deliveries in each second from a moment on. */
const firstsBySecond = (arrivals: ReadonlyArray<Arrival>, fromMillis: number, seconds: number) => {
  const bySecond: Array<number> = new Array(seconds).fill(0)
  const seen = new Set<string>()
  for (const { chargeId, atMillis } of arrivals) {
    if (seen.size === seen.add(chargeId).size) continue
    const second = Math.floor((atMillis - fromMillis) / 1_000)
    if (second >= 0 && second < seconds) bySecond[second] = (bySecond[second] ?? 0) + 1
  }
  return bySecond
}

/** Starts a side, lets clients create charges that are paid and delivered, and waits for the last delivery. */
const runSteady = async ({ load, receiver, size, progress }: LifeParts, side: LifeSide) => {
  const server = await side.startServer()
  try {
    await receiver.ask({ kind: "expect", ...(side.secrets && { secrets: side.secrets }) })
    const result = await load.ask({
      port: server.port,
      apiKey: side.apiKey,
      workload: creating("paid"),
      connections: size.connections,
      warmUpMillis: size.warmUpMillis,
      measureMillis: size.measureMillis,
      processes: { server: server.pid, redis: side.redis.pid, receiver: receiver.pid },
    })
    const serverMiB = residentMiBOf(server.pid)
    const isDelivered = async () => (await receiver.ask({ kind: "count" })).charges >= result.created
    const answeredMillis = performance.now()
    await until(isDelivered, settleTimeoutMillis)
    const tailSeconds = (performance.now() - answeredMillis) / 1_000
    const seconds = Math.floor(result.seconds + 1e-3)
    const { arrivals, problems, charges, requests } = await receiver.ask({ kind: "take" })
    const bySecond = firstsBySecond(arrivals, result.startedAtMillis, seconds)
    const repeats = requests - charges
    const deliveredPerSecond = bySecond.reduce((sum, count) => sum + count, 0) / seconds
    const [created, delivered] = [throughputOf(result), deliveredPerSecond].map(formatNumber)
    const p99 = formatNumber(latencyAt(99)(result))
    progress(`life, ${side.name}: created ${created}/s, delivered ${delivered}/s, p99 ${p99} ms`)
    const missing = result.created - charges
    return {
      load: result,
      /** Charges created and charges delivered in each whole second. */
      created: Array.from({ length: seconds }, (_, second) => result.completedBySecond[second] ?? 0),
      delivered: bySecond,
      deliveredPerSecond,
      serverMiB,
      tailSeconds,
      problems: [
        ...result.problems,
        ...problems,
        ...(missing === 0 ? [] : [`${missing} of ${result.created} charges were not delivered`]),
        ...(repeats === 0 ? [] : [`${repeats} deliveries arrived twice`]),
      ],
    }
  } finally {
    await server.stop()
  }
}

type SteadyRound = Awaited<ReturnType<typeof runSteady>>

const wholeLife = "charges created, paid and delivered"
const latencyP99 = "POST latency p99"
const worstSecond = "least second, of the mean of all"

const targets = { ofBare: 0.8, worstSecond: 50, p99Millis: 100, ofIdle: 4, drainedPercent: 50 }

const steadyMetrics = (rounds: Rounds<SteadyRound>): ReadonlyArray<Metric> => {
  const bySecond = (what: "created" | "delivered") => {
    const values = [...rounds].map(([name, own]) => [name, own.flatMap((round) => round[what])])
    return makeMetric(`${what}, second by second`, "1/s", Object.fromEntries(values))
  }
  return [
    ...metricsOf(rounds, [
      [wholeLife, "1/s", ({ deliveredPerSecond }) => deliveredPerSecond],
      ["charges created", "1/s", ({ load }) => throughputOf(load)],
      [latencyP99, "ms", ({ load }) => latencyAt(99)(load)],
      ["POST latency p50", "ms", ({ load }) => latencyAt(50)(load)],
      [worstSecond, "%", ({ created }) => 100 * leastOfMean(created)],
      ["from the last answer to the last delivery", "s", ({ tailSeconds }) => tailSeconds],
      ["CPU of the server per charge created", "us", ({ load }) => cpuMicros("server")(load)],
      ["CPU of Redis per charge created", "us", ({ load }) => cpuMicros("redis")(load)],
      ["CPU of anything else", "cores", ({ load }) => otherCores(load)],
      ["memory of the server", "MiB", ({ serverMiB }) => serverMiB],
    ]),
    bySecond("created"),
    bySecond("delivered"),
  ]
}

const targetsOf = (
  metrics: ReadonlyArray<Metric>,
  idleP50Millis: number,
  backlogs: ReadonlyArray<BacklogResult>,
) => [
  ratioTarget(metrics, wholeLife, "bare", { atLeast: targets.ofBare }),
  valueTarget(metrics, worstSecond, { atLeast: targets.worstSecond }),
  valueTarget(metrics, latencyP99, { atMost: targets.p99Millis }),
  ...backlogs.flatMap(({ what, beside }) => {
    const name = `${what} due at the start: POST p50 at most ${targets.ofIdle} of idle`
    const share = `${what} drained beside requests, of alone`
    return [
      targetOf(name, latencyAt(50)(beside) / idleP50Millis, { atMost: targets.ofIdle }),
      valueTarget(metrics, share, { atLeast: targets.drainedPercent }),
    ]
  }),
]

const run = async (parts: LifeParts): Promise<SuiteResult> => {
  const { size } = parts
  const sides = sideNames.map((name) => ({ name }))
  const rounds = await inTurns(sides, size.rounds, async ({ name }) => {
    // Each round has its own data: what one leaves behind must not load the other.
    const side = await makeSide(parts, name)
    return runSteady(parts, side).finally(side.stop)
  })
  const side = await makeSide(parts, "corrente", false)
  const backlogs = await measureBacklogs(parts, side).finally(side.stop)
  const metrics = [...steadyMetrics(rounds), ...backlogs.metrics]
  return {
    suite: "life",
    parameters: { ...size, ...notes },
    metrics,
    targets: targetsOf(metrics, latencyAt(50)(backlogs.idle), backlogs.results),
    checks: [
      ...[...rounds].map(([name, own]) => {
        const charges = own.reduce((sum, { load }) => sum + load.created, 0)
        const detail = `${charges} charges, each paid and delivered once; a sample's signatures verified`
        const problems = own.flatMap((round) => round.problems)
        return problemsCheck(`${name}, lives`, problems, detail, charges > 0)
      }),
      ...backlogs.results.map(({ what, beside: { problems, answered }, left }) => {
        const stillDue = `${Math.max(0, left)} still due at the end of the measurement`
        const detail = `${answered} requests answered; ${stillDue}`
        return problemsCheck(`${what} due at the start`, problems, detail, answered > 0)
      }),
    ],
  }
}

/** Whole lives of charges under closed-loop clients, beside a bare server; and starts that find work due. */
export const runLife: RunSuite = (size, progress) =>
  withLoad((load) => withReceiver((receiver) => run({ load, receiver, size: sizes[size], progress })))

const notes = {
  life: "closed loop: POST, paid by the simulator after its delay, the event delivered to one endpoint over TLS and recorded",
  "charges created, paid and delivered":
    "first deliveries within the measured window, after a warm-up that is longer than the simulator's delay",
  bare: "uWebSockets.js, ioredis and undici in one process: the service's own functions for the charge, its timers and its payment; the delivery in a sorted set of its own (as bare in `deliveries`)",
  "due at the start":
    "charges to be paid, then their deliveries to one endpoint, all overdue when the service starts; requests in an open loop, timed from when each was due",
}
