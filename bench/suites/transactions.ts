import * as keys from "../../src/store/keys.ts"
import type { LoadResult } from "../load/generator.ts"
import type { AnsweredCharge, WorkloadOptions } from "../load/workload.ts"
import {
  inTurns,
  type Metric,
  metricsOf,
  type Progress,
  type Rounds,
  type RunSuite,
  ratioTarget,
  sizesOf,
  type Target,
} from "../report/result.ts"
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
import { Proof, takeStored } from "../support/proof.ts"
import { type Side, type SideName, sideNames, withSides } from "../support/sides.ts"
import { formatNumber, median, percentileOf } from "../support/statistics.ts"
import { compareAnswers } from "./compareAnswers.ts"

/** Many short rounds rather than few long ones: the closer in time a pair is, the more its two sides have in common. */
const sizes = sizesOf({
  connections: [16, 64, 64],
  rounds: [2, 7, 15],
  latencyRounds: [1, 7, 15],
  warmUpMillis: [100, 3_000, 10_000],
  throughputMillis: [120, 1_500, 5_000],
  latencyMillis: [120, 1_500, 5_000],
})

/** A side that takes 5 ms per picture is measured soon enough. */
const shareOfTime = (side: Side): number => (side.name === "fastify-qrcode" ? 0.5 : 1)
/** Longest time to create charges for reads. */
const stockMillis = 500
/** Charges that reads are spread over; how many of its own charges a mixed load reads; charges that are repeated. */
const [chargesToRead, chargesToReadBetween, chargesToReplay] = [2_000, 500, 100]
const pageSize = 50

const latencySides: ReadonlyArray<SideName> = ["corrente", "bare"]

/** An operation of users, measured separately. Latency is measured for the service and `bare`. */
interface Operation {
  readonly name: "POST" | "GET" | "list of 50" | "replay" | "mixed"
  readonly sides: ReadonlyArray<SideName>
  /** Whether it creates charges: these are read back and removed after each window. */
  readonly isWriting: boolean
  /** A window's workload, by the charges that were made for its reads. */
  readonly workload: (stock: Stock) => WorkloadOptions
}

/** Charges to read, and those on the first page. */
interface Stock {
  readonly charges: ReadonlyArray<AnsweredCharge>
  readonly newest: ReadonlyArray<string>
}

/** All operations, in the order in which they are measured. Amounts end in 01: no side has work besides the requests. */
const operations: ReadonlyArray<Operation> = [
  { name: "POST", sides: sideNames, isWriting: true, workload: () => creating("unpaid") },
  {
    name: "GET",
    sides: [...latencySides, "fastify"],
    isWriting: false,
    workload: ({ charges }) => ({ kind: "read", charges }),
  },
  {
    name: "list of 50",
    sides: latencySides,
    isWriting: false,
    workload: ({ newest }) => ({ kind: "list", ids: newest }),
  },
  {
    name: "replay",
    sides: latencySides,
    isWriting: true,
    workload: () => ({ ...creating("unpaid"), kind: "replay", distinct: chargesToReplay }),
  },
  {
    name: "mixed",
    sides: latencySides,
    isWriting: true,
    workload: () => ({ ...creating("unpaid", { keepMax: chargesToReadBetween }), kind: "mixed" }),
  },
]

interface Window extends LoadResult {
  readonly serverMiB: number
  readonly redisMiB: number
}

interface Parts {
  readonly size: (typeof sizes)["default"]
  readonly load: Load
  readonly progress: Progress
}

/** Charges to read, at least one page: retries if the machine is too busy for one at once. */
const makeStock = async (proof: Proof, { size, load }: Parts): Promise<Stock> => {
  const { connections, warmUpMillis } = size
  const charges: Array<AnsweredCharge> = []
  while (charges.length < pageSize) {
    const workload = creating("unpaid", { keepMax: chargesToRead })
    const measureMillis = Math.min(warmUpMillis, stockMillis)
    const made = await proof.ask(load, { workload, connections, measureMillis })
    if (made.problemCount > 0) throw new Error(`${proof.name}: ${made.problems.join("; ")}`)
    charges.push(...made.charges)
  }
  const { redis, sellerId } = proof.side
  const index = keys.transactionsKey(sellerId, "test")
  return { charges, newest: await redis.client.zrange(index, "+", "-", "BYLEX", "REV", "LIMIT", 0, pageSize) }
}

/** Measures throughput first, then latency at half of what the slower of the service and `bare` has reached. */
const measure = async (
  { name, sides, isWriting, workload }: Operation,
  all: ReadonlyArray<Proof>,
  parts: Parts,
): Promise<ReadonlyArray<Metric>> => {
  const { size, load, progress } = parts
  const { connections, rounds, latencyRounds, warmUpMillis, throughputMillis, latencyMillis } = size
  const running = all.filter((proof) => sides.includes(proof.name))
  const stocks = new Map<Proof, Stock>()
  const run = async (proof: Proof, millis: number, ratePerSecond?: number): Promise<Window> => {
    const { side } = proof
    const measureMillis = millis * shareOfTime(side)
    const ofStock = workload(stocks.get(proof) ?? { charges: [], newest: [] })
    const result = await proof.ask(load, { workload: ofStock, connections, measureMillis, ratePerSecond })
    const memory = { serverMiB: residentMiBOf(side.pid), redisMiB: residentMiBOf(side.redis.pid) }
    if (isWriting) await proof.readBack()
    return { ...result, ...memory }
  }
  for (const proof of running) {
    progress(`${name}: warming up ${proof.name}`)
    if (!isWriting) stocks.set(proof, await makeStock(proof, parts))
    await run(proof, warmUpMillis)
  }
  const closed = await inTurns(running, rounds, async (proof, round) => {
    const window = await run(proof, throughputMillis)
    const rate = formatNumber(throughputOf(window))
    progress(`${name} throughput, round ${round + 1} of ${rounds}, ${proof.name}: ${rate}/s`)
    return window
  })
  const slower = Math.min(...latencySides.map((side) => median((closed.get(side) ?? []).map(throughputOf))))
  const ratePerSecond = Math.max(1, Math.round(slower / 2))
  const pair = running.filter((proof) => latencySides.includes(proof.name))
  const open = await inTurns(pair, latencyRounds, async (proof, round) => {
    progress(`${name} latency, round ${round + 1} of ${latencyRounds}, ${proof.name}`)
    return run(proof, latencyMillis, ratePerSecond)
  })
  for (const proof of running) await proof.readBack()
  return [...throughputMetrics(name, closed), ...latencyMetrics(`${name} at half the maximum`, open)]
}

/** Closed loop: throughput, CPU per response of each process, and memory. */
const throughputMetrics = (name: string, rounds: Rounds<Window>): ReadonlyArray<Metric> =>
  metricsOf(rounds, [
    [`${name} throughput`, "1/s", throughputOf],
    [`${name} CPU of the server per request`, "us", cpuMicros("server")],
    [`${name} CPU of Redis per request`, "us", cpuMicros("redis")],
    [`${name} CPU of the load per request`, "us", cpuMicros("load")],
    [`${name} CPU of anything else`, "cores", otherCores],
    [`${name} memory of the server`, "MiB", ({ serverMiB }) => serverMiB],
    [`${name} memory of Redis`, "MiB", ({ redisMiB }) => redisMiB],
  ])

/** Open loop at a rate: latency, and the generator's own lateness. */
const latencyMetrics = (name: string, rounds: Rounds<Window>): ReadonlyArray<Metric> =>
  metricsOf(rounds, [
    [`${name}: rate`, "1/s", throughputOf],
    [`${name}: latency p50`, "ms", latencyAt(50)],
    [`${name}: latency p99`, "ms", latencyAt(99)],
    [`${name}: latency p99.9`, "ms", latencyAt(99.9)],
    [`${name}: load's own lateness p99`, "ms", ({ lateness }) => percentileOf(lateness, 99)],
  ])

/** Targets: medians of the rounds' ratios. */
const throughputTargets = [
  ["POST", "bare", 1],
  ["POST", "fastify", 1.3],
  ["POST", "fastify-qrcode", 20],
  ["GET", "bare", 0.75],
  ["GET", "fastify", 1.1],
  ["list of 50", "bare", 0.5],
  ["replay", "bare", 0.75],
] as const satisfies ReadonlyArray<readonly [Operation["name"], SideName, number]>

const targetsOf = (metrics: ReadonlyArray<Metric>): ReadonlyArray<Target> => [
  ratioTarget(metrics, "POST CPU of the server per request", "bare", { atMost: 1 }),
  ...throughputTargets.map(([operation, other, atLeast]) =>
    ratioTarget(metrics, `${operation} throughput`, other, { atLeast }),
  ),
  ...metrics
    .filter(({ name }) => name.endsWith(": latency p50"))
    .map(({ name }) => ratioTarget(metrics, name, "bare", { atMost: 1.5 })),
]

/**
 * What users do with charges: the service beside peers and a bare server that does the same commit and nothing else.
 */
export const runTransactions: RunSuite = (size, progress) =>
  withSides(sideNames, {}, (sides) =>
    withLoad(async (load) => {
      const sameAnswers = await compareAnswers(sides)
      for (const side of sides) await takeStored(side)
      const proofs = sides.map((side) => new Proof(side))
      const metrics: Array<Metric> = []
      for (const operation of operations) {
        metrics.push(...(await measure(operation, proofs, { size: sizes[size], load, progress })))
      }
      return {
        suite: "transactions",
        parameters: { ...sizes[size], ...notes },
        metrics,
        targets: targetsOf(metrics),
        checks: [sameAnswers, ...proofs.flatMap((proof) => proof.checks())],
      }
    }),
  )

const notes = {
  sides: "one process and one redis-server each: append-only, fsync always, noeviction",
  throughput: "closed loop, one request at a time per connection",
  latency:
    "open loop at half the throughput of the slower of corrente and bare, timed from when each request was due",
  memory: "resident set at the end of each closed-loop window",
  bare: "uWebSockets.js and ioredis; no validation, actors, limits or deadlines; lists by one pipeline of documents",
  fastify:
    "Fastify 5, Ajv for headers, path and body, JSON by a compiled schema; auto-pipelining for commits only, as in bare: reads are faster without it",
  "QR of bare and fastify":
    "package qr: raw, ecc medium, border 4, fixed mask, byte; 1-bit PNG, 4 pixels per module, zlib level 1",
  "QR of fastify-qrcode": "package qrcode: toBuffer with ecc M and its defaults; windows of half the length",
  replay:
    "100 charges per window, then repeated under their Idempotency-Keys; each answer must equal the first, byte for byte",
  mixed: "80 % GET of the newest charges of the window, 20 % POST",
  amounts: "end in 01: never paid, so no side has work besides the requests",
}
