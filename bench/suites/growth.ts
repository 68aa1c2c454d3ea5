import * as keys from "../../src/store/keys.ts"
import { signInAsSeller } from "../../test/support/dashboard.ts"
import type { LoadResult } from "../load/generator.ts"
import { createBody, type WorkloadOptions } from "../load/workload.ts"
import {
  type Metric,
  metricsOf,
  oneValue,
  type Progress,
  problemsCheck,
  type RunSuite,
  type SuiteResult,
  sizesOf,
  type Target,
  targetOf,
} from "../report/result.ts"
import { fillCharges } from "../support/filler.ts"
import { cpuMicros, creating, type Load, latencyAt, withLoad } from "../support/load.ts"
import { residentMiBOf } from "../support/processUsage.ts"
import { Proof } from "../support/proof.ts"
import { type Receiver, withReceiver } from "../support/receiver.ts"
import { type Side, withSides } from "../support/sides.ts"
import { formatNumber, medianOfRatios, percentileOf } from "../support/statistics.ts"
import { measureBytes } from "./growthBytes.ts"
import { measureSellers } from "./growthSellers.ts"

const sizes = sizesOf({
  stored: [
    [200, 1_000],
    [1_000, 10_000, 100_000],
    [1_000, 10_000, 100_000, 1_000_000],
  ],
  rounds: [2, 7, 15],
  warmUpMillis: [100, 2_000, 5_000],
  measureMillis: [150, 2_000, 4_000],
  searches: [5, 300, 1_000],
  paidCharges: [50, 2_000, 10_000],
  sellers: [50, 5_000, 100_000],
  sellersPerSecond: [200, 1_000, 1_000],
  // Actors leave after a minute. A small run does not wait for it.
  restMillis: [0, 90_000, 150_000],
})
type GrowthSize = (typeof sizes)["default"]

/** Generous estimate of a stored charge's memory in Redis: a number that does not fit is not measured. */
const bytesPerCharge = 10_000
const simulatorDelayMillis = 50
/** Progress is reported each time this many more are stored. */
const progressStep = 100_000
const connections = 64
/** Charges that reads are spread over, of all that are stored. */
const chargesToRead = 2_000
const pageSize = 50
/** Target: p50 with the most charges, relative to that with the fewest. */
const p50RatioMax = 1.2

const whole = (count: number): string => count.toLocaleString("en-US")

/** The numbers of charges that fit this machine's memory, side by side. */
const fitting = (wanted: ReadonlyArray<number>): ReadonlyArray<number> => {
  let free = process.availableMemory() / bytesPerCharge
  return wanted.filter((stored) => {
    if (stored > free) return false
    free -= stored
    return true
  })
}

/** Makes an operation's workload, once what it reads is known. */
type Prepare = (side: Side) => Promise<() => WorkloadOptions>

/** Operations at rates far below a service's limits, so that latency shows a request's own time. */
const operations: Readonly<Record<string, { readonly ratePerSecond: number; readonly prepare: Prepare }>> = {
  POST: { ratePerSecond: 400, prepare: async () => () => creating("unpaid") },
  GET: {
    ratePerSecond: 1_000,
    prepare: async ({ redis: { client }, sellerId }) => {
      const index = keys.transactionsKey(sellerId, "test")
      const ids = (await client.zrandmember(index, chargesToRead)) as unknown as ReadonlyArray<string>
      const documents = ids.map((id) => ["hget", keys.transactionKey(id), "document"])
      const charges = ((await client.pipeline(documents).exec()) ?? []).map(([, document], at) => {
        const { amount } = JSON.parse(String(document)) as { readonly amount: number }
        return { id: ids[at] ?? "", amount, answeredAtMillis: 0 }
      })
      return () => ({ kind: "read", charges })
    },
  },
  "list of 50": {
    ratePerSecond: 100,
    prepare: async ({ redis: { client }, sellerId }) => {
      const index = keys.transactionsKey(sellerId, "test")
      const ids = await client.zrange(index, "+", "-", "BYLEX", "REV", "LIMIT", 0, pageSize)
      return () => ({ kind: "list", ids })
    },
  },
}

/** A side, how many charges its seller has before any load, and what is proved of it. */
interface FilledSide {
  readonly side: Side
  readonly stored: number
  readonly proof: Proof
}

const fill = async (side: Side, stored: number, progress: Progress): Promise<FilledSide> => {
  const onStored = (now: number) => {
    if (now % progressStep < 512) progress(`growth: ${whole(now)} of ${whole(stored)} charges stored`)
  }
  await fillCharges(side, stored, { onStored })
  return { side, stored, proof: new Proof(side, `${whole(stored)} stored`) }
}

interface Parts {
  readonly load: Load
  readonly size: GrowthSize
  readonly progress: Progress
}

const p50Name = (operation: string, stored: number): string =>
  `${operation}, ${whole(stored)} stored: latency p50`

/** p50 and p99 at a fixed rate, and CPU per response, of an operation with each number of charges, in turn. */
const measureOperation = async (
  operation: string,
  sides: ReadonlyArray<FilledSide>,
  { load, size, progress }: Parts,
): Promise<ReadonlyArray<Metric>> => {
  const { ratePerSecond, prepare } = operations[operation] ?? {}
  if (prepare === undefined) throw new Error(`no operation ${operation}`)
  const runs: Array<(measureMillis: number) => Promise<LoadResult>> = []
  for (const { side, stored, proof } of sides) {
    const workload = await prepare(side)
    const run = async (measureMillis: number) => {
      const job = { workload: workload(), connections, measureMillis, ratePerSecond }
      const result = await proof.ask(load, job)
      await proof.readBack(stored)
      return result
    }
    await run(size.warmUpMillis)
    runs.push(run)
  }
  const results = sides.map((): Array<LoadResult> => [])
  for (let round = 0; round < size.rounds; round++) {
    const order = [...runs.entries()]
    for (const [at, run] of round % 2 === 0 ? order : order.toReversed()) {
      results[at]?.push(await run(size.measureMillis))
    }
    progress(`growth, ${operation}: round ${round + 1} of ${size.rounds}`)
  }
  return sides.flatMap(({ stored }, at) => {
    const name = `${operation}, ${whole(stored)} stored`
    return metricsOf(new Map([["corrente", results[at] ?? []] as const]), [
      [p50Name(operation, stored), "ms", latencyAt(50)],
      [`${name}: latency p99`, "ms", latencyAt(99)],
      [`${name}: CPU of the server`, "us", cpuMicros("server")],
      [`${name}: CPU of Redis`, "us", cpuMicros("redis")],
    ])
  })
}

/** The targets: p50 with the most charges relative to that with the fewest, round by round. */
export const storedTargets = (
  metrics: ReadonlyArray<Metric>,
  fewest: number,
  most: number,
): ReadonlyArray<Target> =>
  Object.keys(operations).map((operation) => {
    const valuesOf = (stored: number) =>
      metrics.find(({ name }) => name === p50Name(operation, stored))?.values.corrente ?? []
    const measured = medianOfRatios(valuesOf(most), valuesOf(fewest))
    const title = `${operation}, ${whole(most)} stored: p50 at most ${p50RatioMax} of that with ${whole(fewest)}`
    return targetOf(title, measured, { atMost: p50RatioMax })
  })

/** Searches of a seller's session, one request at a time: for an id, and for an address that all charges have. */
const measureSearches = async ({ side, stored }: FilledSide, requests: number) => {
  const { cookie } = await signInAsSeller({ redisUrl: side.redis.url }, side.sellerId)
  const index = keys.transactionsKey(side.sellerId, "test")
  const [oldest = ""] = await side.redis.client.zrange(index, "-", "+", "BYLEX", "LIMIT", 0, 1)
  const metrics: Array<Metric> = []
  const wrong: Array<string> = []
  for (const [what, sought] of [
    ["an id", oldest],
    ["an address", createBody.customer.email],
  ] as const) {
    const millis: Array<number> = []
    while (millis.length < requests) {
      const startedAt = performance.now()
      const url = `http://127.0.0.1:${side.port}/v1/me/search?q=${sought}`
      const answer = await fetch(url, { headers: { cookie, "x-mode": "test" } })
      const { data } = (await answer.json()) as { readonly data: ReadonlyArray<{ readonly id: string }> }
      millis.push(performance.now() - startedAt)
      const isFound = sought === oldest ? data[0]?.id === oldest : data.length > 1
      if (!isFound) wrong.push(`${what}: ${answer.status}, ${data.length} found`)
    }
    for (const percent of [50, 99]) {
      const title = `search of ${what}, ${whole(stored)} stored: p${percent}`
      metrics.push(oneValue(title, "ms", percentileOf(millis, percent)))
    }
  }
  return { metrics, check: problemsCheck("searches", wrong, "each found what was sought") }
}

/** `ops audit verify --full` of a seller's charges. */
const measureAudit = async ({ side, stored }: FilledSide) => {
  const audit = (await side.ops(["audit", "verify", "--full"])) as Readonly<
    Record<"took_ms" | "transactions", number> & { ok: boolean }
  >
  const detail = `${whole(audit.transactions)} of ${whole(stored)} charges audited`
  const problems = audit.ok && audit.transactions === stored ? [] : [detail]
  return {
    metrics: [oneValue(`audit, ${whole(stored)} stored`, "s", audit.took_ms / 1_000)],
    check: problemsCheck("audit", problems, `${detail}: no difference`),
  }
}

/** Measures what grows with stored charges, and then the bytes of a charge, on the side with the fewest. */
const measureStored = (
  stored: ReadonlyArray<number>,
  receiver: Receiver,
  parts: Parts,
): Promise<Pick<SuiteResult, "metrics" | "targets" | "checks">> =>
  withSides(
    stored.map(() => "corrente"),
    { SIMULATOR_DELAY_MS: String(simulatorDelayMillis), ...receiver.settings },
    async (sides) => {
      const { load, size, progress } = parts
      const filled: Array<FilledSide> = []
      for (const [at, side] of sides.entries()) filled.push(await fill(side, stored[at] ?? 0, progress))
      const [fewest, most] = [filled[0], filled.at(-1)]
      if (fewest === undefined || most === undefined) throw new Error("the service did not start")
      // First, while the store has what was filled and nothing was removed.
      const found = [await measureAudit(most)]
      const latencies: Array<Metric> = []
      for (const name of Object.keys(operations)) {
        latencies.push(...(await measureOperation(name, filled, parts)))
      }
      const memory = filled.map(({ side, stored: count }) =>
        oneValue(`memory of the server, ${whole(count)} stored`, "MiB", residentMiBOf(side.pid)),
      )
      progress("growth: searches")
      found.push(await measureSearches(most, size.searches))
      const bytes = await measureBytes({ side: fewest.side, load, receiver }, size.paidCharges, progress)
      return {
        metrics: [...latencies, ...memory, ...found.flatMap(({ metrics }) => metrics), ...bytes.metrics],
        targets: [...storedTargets(latencies, fewest.stored, most.stored), bytes.target],
        checks: [
          ...filled.flatMap(({ proof }) => proof.checks()),
          ...found.map(({ check }) => check),
          bytes.check,
        ],
      }
    },
  )

/** What grows: with stored charges, with each charge, and with sellers that were active once. */
export const runGrowth: RunSuite = (size, progress) =>
  withLoad((load) =>
    withReceiver(async (receiver) => {
      const { stored: wanted, ...parameters } = sizes[size]
      const stored = fitting(wanted)
      const missing = wanted.filter((count) => !stored.includes(count)).map(whole)
      if (missing.length > 0) progress(`growth: not enough memory for ${missing.join(" and ")} charges`)
      const charges = await measureStored(stored, receiver, { load, size: sizes[size], progress })
      const sellers = await measureSellers(load, parameters, progress)
      return {
        suite: "growth",
        parameters: {
          stored: stored.map(whole).join(", "),
          ...(missing.length === 0 ? {} : { "left out": `${missing.join(", ")}: not enough memory` }),
          ...parameters,
          ...notes,
        },
        metrics: [...charges.metrics, ...sellers.metrics],
        targets: [...charges.targets, sellers.target],
        checks: [...charges.checks, sellers.check],
      }
    }),
  )

const rates = Object.entries(operations).map(
  ([name, { ratePerSecond }]) => `${name} ${formatNumber(ratePerSecond)}/s`,
)

const notes = {
  "stored charges": `one seller's charges; open loop, ${rates.join(", ")}; a separate server and Redis for each number, in turn`,
  "searches, audit":
    "with the most charges; an audit by ops audit verify --full, of charges that are not paid",
  "a charge in Redis":
    "created, paid and delivered to one endpoint that takes transaction.paid: MEMORY USAGE of all keys, and used_memory",
  "active sellers":
    "each makes one charge, in turn; before them one seller makes as many charges, 5,000 at most",
  collected: "after a forced garbage collection; otherwise as measured after restMillis of rest",
}
