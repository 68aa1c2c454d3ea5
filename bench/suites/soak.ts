/**
 * A steady rate for half an hour: sellers sell, followers watch, and half of all endpoints never answer, beside sellers who do
 * nothing. Each minute is a round; the growth from the first half of the rounds to the second says what would not stop growing.
 */
import { limits } from "../../schema/limits.ts"
import type { LoadResult } from "../load/generator.ts"
import type { StreamClientAnswer, StreamClientRequest } from "../load/streamClient.ts"
import {
  type MetricRow,
  metricsOf,
  type Progress,
  problemsCheck,
  type RunSuite,
  type SuiteResult,
  sizesOf,
  targetOf,
} from "../report/result.ts"
import { startWorker, type Worker } from "../support/child.ts"
import { fillSellers } from "../support/filler.ts"
import { cpuMicros, creating, type Load, latencyAt, throughputOf, withLoad } from "../support/load.ts"
import { openFilesOf, settledMiB } from "../support/processUsage.ts"
import { type Receiver, startReceiver } from "../support/receiver.ts"
import { collectArguments, type Side, withService } from "../support/sides.ts"
import { formatNumber, median } from "../support/statistics.ts"
import { makeEndpointSet } from "./deliveries/environment.ts"

const sizes = sizesOf({
  chargesPerSecond: [20, 40, 40],
  rounds: [2, 6, 30],
  roundMillis: [1_000, 30_000, 60_000],
  endpoints: [10, 200, 2_000],
  idleSellers: [100, 10_000, 1_000_000],
  streams: [4, 100, 100],
})
type SoakSize = (typeof sizes)["default"]

const connections = 64
const simulatorDelayMillis = 1_000
/** Ports that take webhooks; every other one never answers. */
const receivers = 20
/** Target: the second half's median relative to the first half's. */
const growthMax = 1.05
/** Latency of a busy machine moves more than that by itself. */
const latencyGrowthMax = 1.5
const group = "soak"

interface Round {
  readonly load: LoadResult
  readonly serverMiB: number
  readonly openFiles: number
  readonly keysPerCharge: number
  readonly redisBytesPerCharge: number
  readonly problems: ReadonlyArray<string>
}

interface Parts {
  readonly size: SoakSize
  readonly side: Side
  readonly load: Load
  readonly receiver: Receiver
  readonly stream: Worker<StreamClientRequest, StreamClientAnswer>
  readonly apiKeys: ReadonlyArray<string>
}

/** Keys and bytes of the side's Redis. */
const storedIn = async ({ redis: { client } }: Side) => {
  const memory = await client.info("memory")
  return { keys: await client.dbsize(), bytes: Number(/^used_memory:(\d+)/m.exec(memory)?.[1]) }
}

const everyOther = Array.from({ length: receivers }, (_, index) => index).filter((index) => index % 2 === 1)

const runRound = async ({ size, side, load, receiver, stream, apiKeys }: Parts): Promise<Round> => {
  const { chargesPerSecond: ratePerSecond, roundMillis: measureMillis } = size
  const before = await storedIn(side)
  await receiver.ask({ kind: "expect", hanging: everyOther })
  const { port, apiKey, pid, redis } = side
  const processes = { server: pid, redis: redis.pid }
  const workload = creating("paid", { apiKeys })
  const result = await load.ask({
    ...{ port, apiKey, workload, connections, measureMillis, ratePerSecond, processes },
  })
  const seen = await stream.ask({ kind: "take", group })
  const after = await storedIn(side)
  return {
    load: result,
    openFiles: openFilesOf(pid),
    serverMiB: await settledMiB(pid),
    keysPerCharge: (after.keys - before.keys) / result.answered,
    redisBytesPerCharge: (after.bytes - before.bytes) / result.answered,
    problems: [...result.problems, ...seen.problems],
  }
}

/** The median of the second half of some rounds relative to that of the first, of which a sixth warms up. */
const growthOf = (values: ReadonlyArray<number>): number => {
  const [warm, middle] = [Math.floor(values.length / 6), Math.ceil(values.length / 2)]
  return median(values.slice(middle)) / median(values.slice(warm, middle))
}

const rows: ReadonlyArray<MetricRow<Round>> = [
  ["charges", "1/s", ({ load }) => throughputOf(load)],
  ["POST latency p50", "ms", ({ load }) => latencyAt(50)(load)],
  ["POST latency p99", "ms", ({ load }) => latencyAt(99)(load)],
  ["memory of the server, collected", "MiB", ({ serverMiB }) => serverMiB],
  ["open files of the server", "count", ({ openFiles }) => openFiles],
  ["keys in Redis per charge", "count", ({ keysPerCharge }) => keysPerCharge],
  ["memory of Redis per charge", "B", ({ redisBytesPerCharge }) => redisBytesPerCharge],
  ["CPU of the server per charge, all its work", "us", ({ load }) => cpuMicros("server")(load)],
  ["CPU of Redis per charge, all its work", "us", ({ load }) => cpuMicros("redis")(load)],
]
/** What must not grow from minute to minute. */
const flat: Readonly<Record<string, number>> = {
  "memory of the server, collected": growthMax,
  "open files of the server": growthMax,
  "keys in Redis per charge": growthMax,
  "POST latency p50": latencyGrowthMax,
}

const soak = async (parts: Parts, progress: Progress): Promise<SuiteResult> => {
  const { size } = parts
  const rounds: Array<Round> = []
  while (rounds.length < size.rounds) {
    const round = await runRound(parts)
    rounds.push(round)
    const told = `${formatNumber(round.serverMiB)} MiB, ${round.openFiles} open files, p99 ${formatNumber(latencyAt(99)(round.load))} ms`
    progress(`soak, round ${rounds.length} of ${size.rounds}: ${told}`)
  }
  const metrics = metricsOf(new Map([["corrente", rounds] as const]), rows)
  const charges = rounds.reduce((sum, { load }) => sum + load.answered, 0)
  const problems = rounds.flatMap((round) => round.problems)
  return {
    suite: "soak",
    parameters: { ...size, connections, simulatorDelayMillis, "endpoints that never answer": "half" },
    metrics,
    targets: Object.entries(flat).map(([name, atMost]) => {
      const values = metrics.find((metric) => metric.name === name)?.values.corrente ?? []
      return targetOf(`${name}: second half at most ${atMost} of the first`, growthOf(values), { atMost })
    }),
    checks: [problemsCheck("soak", problems, `${charges} charges, every answer right`, charges > 0)],
  }
}

/** Prepares what sells, follows and receives, and what does nothing. */
const withParts = async (size: SoakSize, load: Load, side: Side, receiver: Receiver, progress: Progress) => {
  progress(`soak: making ${size.idleSellers} idle sellers and ${size.endpoints} endpoints`)
  await fillSellers(side.redis.url, size.idleSellers)
  const ports = Array.from({ length: size.endpoints }, (_, index) => receiver.endpoints[index % receivers])
  const known = ports.filter((port) => port !== undefined)
  const set = await makeEndpointSet(side.redis.url, known, size.endpoints, limits.endpointsPerModeMax)
  const stream: Parts["stream"] = startWorker(new URL("../load/streamClient.ts", import.meta.url))
  try {
    const followed = set.apiKeys.slice(0, size.streams)
    const targets = followed.map((apiKey, index) => ({
      feed: set.feeds[index]?.sellerId ?? "",
      request: `GET /events HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${apiKey}\r\n\r\n`,
      streams: Math.ceil(size.streams / followed.length),
    }))
    await stream.ask({ kind: "open", group, port: side.port, targets, readyAt: "frame", sourceAddresses: 1 })
    return await soak({ size, side, load, receiver, stream, apiKeys: set.apiKeys }, progress)
  } finally {
    await stream.stop()
  }
}

export const runSoak: RunSuite = async (size, progress) => {
  const receiver = await startReceiver(receivers)
  const settings = { ...receiver.settings, SIMULATOR_DELAY_MS: String(simulatorDelayMillis) }
  const options = { nodeArguments: collectArguments }
  return withLoad((load) =>
    withService(settings, (side) => withParts(sizes[size], load, side, receiver, progress), options),
  ).finally(receiver.stop)
}
