import { limits } from "../../../schema/limits.ts"
import {
  type Contender,
  inTurns,
  type Metric,
  type MetricRow,
  metricsOf,
  type Progress,
  problemsCheck,
  type Rounds,
  type RunSuite,
  ratioTarget,
  sizesOf,
  type Target,
  targetOf,
  valueTarget,
} from "../../report/result.ts"
import { formatNumber, medianOfRatios, percentileOf } from "../../support/statistics.ts"
import { type DeliveryEnvironment, withDeliveryEnvironment } from "./environment.ts"
import {
  type DeliveryResult,
  runFanOut,
  runIsolation,
  runLatency,
  runStorm,
  stormHoldMillis,
} from "./phases.ts"
import type { DeliverySide } from "./sides.ts"

/** `endpoints` and `stormEndpoints` are less than five or a multiple of five. */
export const deliverySizes = sizesOf({
  endpoints: [2, 10, 10],
  fanOutEvents: [50, 2_000, 8_000],
  fanOutRounds: [2, 5, 9],
  latencyEventsPerSecond: [200, 500, 500],
  latencyMillis: [400, 4_000, 15_000],
  latencyRounds: [1, 5, 9],
  stormEndpoints: [5, 25, 100],
  stormDeliveries: [500, 20_000, 100_000],
  stormRounds: [1, 3, 3],
  isolationEventsPerSecond: [50, 100, 100],
  isolationMillis: [500, 5_000, 20_000],
  isolationRounds: [1, 3, 5],
})
type DeliverySize = (typeof deliverySizes)["default"]

export interface DeliveryRounds {
  readonly fanOut: Rounds<DeliveryResult>
  readonly latency: Rounds<DeliveryResult>
  readonly storm: Rounds<DeliveryResult>
  /** Healthy endpoints, while none hangs and while half of all hang. */
  readonly isolation: Rounds<Readonly<Record<"none" | "half", DeliveryResult>>>
}

const rate = ({ measured, seconds }: DeliveryResult): number => measured / seconds

/** Runs all phases, round by round, and notes each side's problems. */
const measure = async (
  size: DeliverySize,
  environment: DeliveryEnvironment,
  problems: Map<Contender, Array<string>>,
  progress: Progress,
): Promise<DeliveryRounds> => {
  const phase = <Round>(
    what: string,
    rounds: number,
    run: (side: DeliverySide, round: number) => Promise<Round>,
  ): Promise<Rounds<Round>> =>
    inTurns(environment.sides, rounds, (side, round) => {
      progress(`deliveries, ${what}, round ${round + 1} of ${rounds}, ${side.name}`)
      return run(side, round)
    })
  const noted = async (side: DeliverySide, running: Promise<DeliveryResult>): Promise<DeliveryResult> => {
    const result = await running
    problems.set(side.name, [...(problems.get(side.name) ?? []), ...result.problems])
    return result
  }
  const fanOut = (side: DeliverySide) => noted(side, runFanOut(environment, side, size.fanOutEvents))
  const latency = (millis: number) => (side: DeliverySide) =>
    noted(side, runLatency(environment, side, size.latencyEventsPerSecond, millis))
  const storm = (side: DeliverySide) => noted(side, runStorm(environment, side, size.stormDeliveries))
  const isolation = async (side: DeliverySide, round: number) => {
    const { isolationEventsPerSecond, isolationMillis } = size
    const run = (isHanging: boolean) =>
      noted(side, runIsolation(environment, side, isolationEventsPerSecond, isolationMillis, isHanging))
    // In alternating order.
    const isHalfFirst = round % 2 === 1
    const [first, second] = [await run(isHalfFirst), await run(!isHalfFirst)]
    return isHalfFirst ? { none: second, half: first } : { none: first, half: second }
  }
  await phase("fan-out, warming up", 1, fanOut)
  const ofFanOut = await phase("fan-out", size.fanOutRounds, fanOut)
  await phase("event -> receiver, warming up", 1, latency(size.latencyMillis / 2))
  return {
    fanOut: ofFanOut,
    latency: await phase("event -> receiver", size.latencyRounds, latency(size.latencyMillis)),
    storm: await phase("retry storm", size.stormRounds, storm),
    isolation: await phase("isolation", size.isolationRounds, isolation),
  }
}

const cpuParts = { server: "the server", redis: "Redis", receiver: "the receivers", source: "the source" }
const cpuRows = (what: string): ReadonlyArray<MetricRow<DeliveryResult>> =>
  Object.entries(cpuParts).map(([part, text]) => [
    `${what}: CPU of ${text} per delivery`,
    "us",
    ({ cpuMillis, measured }) => (cpuMillis[part as keyof typeof cpuParts] * 1_000) / measured,
  ])

const percentileRows = <Round>(
  name: string,
  resultOf: (round: Round) => DeliveryResult,
): ReadonlyArray<MetricRow<Round>> =>
  [50, 99, 99.9].map((percent) => [
    `${name} p${percent}`,
    "ms",
    (round: Round) => percentileOf(resultOf(round).latencies, percent),
  ])

const fanOutName = "fan-out: deliveries"
const latencyName = ({ latencyEventsPerSecond }: DeliverySize) =>
  `event -> receiver at ${formatNumber(latencyEventsPerSecond)}/s`
const stormName = ({ stormDeliveries }: DeliverySize) =>
  `${formatNumber(stormDeliveries)} retries due at once`
const healthyName = (text: string) => `${text}: healthy first attempts`

export const deliveryMetrics = (rounds: DeliveryRounds, size: DeliverySize): ReadonlyArray<Metric> => {
  const at = `at ${formatNumber(size.latencyEventsPerSecond)}/s`
  return [
    ...metricsOf(rounds.fanOut, [
      [fanOutName, "1/s", rate],
      ...cpuRows("fan-out"),
      ["fan-out: memory of the server", "MiB", ({ serverMiB }) => serverMiB],
      ["fan-out: memory of Redis", "MiB", ({ redisMiB }) => redisMiB],
    ]),
    ...metricsOf(rounds.latency, [
      ...percentileRows(latencyName(size), (result: DeliveryResult) => result),
      [`${at}: the source's own lateness p99`, "ms", ({ latenessMillis }) => latenessMillis],
      ...cpuRows(at),
    ]),
    ...metricsOf(rounds.storm, [
      [stormName(size), "1/s", rate],
      ...cpuRows("retries"),
      ["retries: memory of the server", "MiB", ({ serverMiB }) => serverMiB],
    ]),
    ...metricsOf(rounds.isolation, [
      ...percentileRows(healthyName("none hangs"), ({ none }: { readonly none: DeliveryResult }) => none),
      ...percentileRows(healthyName("half hang"), ({ half }: { readonly half: DeliveryResult }) => half),
    ]),
  ]
}

export const deliveryTargets = (
  metrics: ReadonlyArray<Metric>,
  size: DeliverySize,
): ReadonlyArray<Target> => {
  const p99Of = (text: string) =>
    metrics.find(({ name }) => name === `${healthyName(text)} p99`)?.values.corrente ?? []
  const isolation = medianOfRatios(p99Of("half hang"), p99Of("none hangs"))
  const isolationName = `${healthyName("half hang")} p99 at most 1.2 of none hangs`
  return [
    ratioTarget(metrics, fanOutName, "bare", { atLeast: 0.8 }),
    ratioTarget(metrics, fanOutName, "bullmq", { atLeast: 1.5 }),
    valueTarget(metrics, `${latencyName(size)} p50`, { atMost: 3 }),
    targetOf(isolationName, isolation, { atMost: 1.2 }),
    valueTarget(metrics, stormName(size), { atLeast: 5_000 }),
  ]
}

const checksOf = (
  { fanOut, latency, storm, isolation }: DeliveryRounds,
  problems: ReadonlyMap<Contender, ReadonlyArray<string>>,
) => {
  const sumOf = (rounds: ReadonlyArray<DeliveryResult> = []): number =>
    rounds.reduce((sum, { deliveries }) => sum + deliveries, 0)
  const cap = limits.attemptsInFlightPerDestination
  const most = (name: Contender) => Math.max(...(storm.get(name) ?? []).map(({ atOnceMax }) => atOnceMax))
  const others = (["bare", "bullmq"] as const).map((name) => `${name} ${most(name)}`).join(", ")
  const bytes = [...fanOut].map(([name, rounds]) => [name, rounds[0]?.bytesPerRequest ?? Number.NaN] as const)
  const lengths = bytes.map(([, length]) => length)
  return [
    ...[...fanOut.keys()].map((name) => {
      const isolated = (isolation.get(name) ?? []).flatMap(({ none, half }) => [none, half])
      const counts = [sumOf(fanOut.get(name)), sumOf(latency.get(name)), sumOf(isolated)]
      const retried = sumOf(storm.get(name))
      const once = counts.reduce((sum, count) => sum + count, 0)
      const detail = `${once} received once, ${retried} once failing and once again; every attempt is recorded; a sample's signatures verified`
      const isComplete = [...counts, retried].every((count) => count > 0)
      return problemsCheck(`${name}, deliveries`, problems.get(name) ?? [], detail, isComplete)
    }),
    {
      name: "corrente, cap of an endpoint",
      isRight: most("corrente") <= cap,
      detail: `at most ${most("corrente")} concurrent requests at one endpoint, ${cap} allowed (without a cap: ${others})`,
    },
    {
      name: "same bytes",
      isRight: Math.max(...lengths) - Math.min(...lengths) < 1,
      detail: `bytes of a body: ${bytes.map(([name, length]) => `${name} ${formatNumber(length)}`).join(", ")}`,
    },
  ]
}

/** Webhook deliveries: fan-out, latency, a storm of retries and hanging endpoints, beside a bare queue and BullMQ. */
export const runDeliveries: RunSuite = (size, progress) => {
  const parameters = deliverySizes[size]
  return withDeliveryEnvironment(parameters, async (environment) => {
    const problems = new Map<Contender, Array<string>>()
    const rounds = await measure(parameters, environment, problems, progress)
    const metrics = deliveryMetrics(rounds, parameters)
    return {
      suite: "deliveries",
      parameters: { ...parameters, ...notes },
      metrics,
      targets: deliveryTargets(metrics, parameters),
      checks: checksOf(rounds, problems),
    }
  })
}

const notes = {
  contenders:
    "one process and one redis-server each: append-only, fsync always. All send the same bodies, headers and two signatures, and record attempts alike",
  events:
    "transaction.paid of a charge with its QR. corrente: events.append of the service's own Lua, which owes it to " +
    "all subscribed endpoints, in a function library of the bench; peers: the body as it is sent, one call per event",
  bare: "a sorted set, functions that claim and record, undici's dispatch; 256 attempts at once; no caps, fences or indexes",
  bullmq:
    "one queue, one job per delivery, a worker with 256 concurrent jobs, undici's request; BullMQ counts attempts and waits between them; finished jobs are removed",
  receivers:
    "one process; each endpoint has its own port on 127.0.0.1, TLS with keep-alive; IP addresses, so no DNS lookups",
  "fan-out": "from the first event to the last arrival; CPU until the last attempt is recorded",
  latency: "open loop: from when an event was due to its request's last byte, commit and fsync included",
  "retry storm":
    "all fail once (503) and wait for an hour; then all become due at one moment, from which we count (corrente, bare: ZADD " +
    `of all; bullmq: the call of promoteJobs); receivers hold each answer for ${stormHoldMillis} ms`,
  isolation:
    "every other endpoint hangs; attempts time out after 10 s; latencies as above, of the healthy endpoints; all answer " +
    "again at the end of the round",
}
