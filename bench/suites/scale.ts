import { randomUUID } from "node:crypto"
import { readFileSync } from "node:fs"
import type { LoadResult } from "../load/generator.ts"
import type { AnsweredCharge, WorkloadOptions } from "../load/workload.ts"
import {
  type Check,
  inTurns,
  type Metric,
  metricsOf,
  type Progress,
  problemsCheck,
  type RunSuite,
  sizesOf,
  targetOf,
} from "../report/result.ts"
import {
  cpuMicros,
  creating,
  type Load,
  latencyAt,
  runWindow,
  throughputOf,
  withLoad,
} from "../support/load.ts"
import { startBenchCluster, startBenchRedis, startBenchReplicas } from "../support/redisServer.ts"
import { startSide } from "../support/sides.ts"
import { median, medianOfRatios } from "../support/statistics.ts"

const sizes = sizesOf({
  connections: [16, 64, 64],
  sellers: [2, 6, 12],
  rounds: [1, 5, 11],
  warmUpMillis: [100, 3_000, 10_000],
  measureMillis: [200, 2_000, 5_000],
})
type ScaleSize = (typeof sizes)["default"]

const chargesToRead = 1_000
/** Target: two processes relative to one, if there are enough cores. */
const scaleTarget = 1.7
/** Targets of waiting for replicas, relative to not waiting: throughput, and milliseconds more at {@link calmPerSecond}. */
const replicasTarget = 0.85
const replicasMillisTarget = 2
/** Requests a second that no layout is busy with. */
const calmPerSecond = 500

const layouts = {
  corrente: { settings: {}, openRedis: startBenchRedis },
  "corrente-2": { settings: { PROCESSES: "2" }, openRedis: startBenchRedis },
  "corrente-replicas": { settings: { REDIS_WAIT_REPLICAS: "1" }, openRedis: startBenchReplicas },
  "corrente-cluster": { settings: {}, openRedis: startBenchCluster },
} as const
type LayoutName = keyof typeof layouts

/** The child processes of a process; none without /proc. */
const childrenOf = (pid: number): ReadonlyArray<number> => {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ").map(Number)
  } catch {
    return []
  }
}

const named = (what: string, pids: ReadonlyArray<number>) =>
  Object.fromEntries(pids.map((pid, index) => [`${what} ${index + 1}`, pid]))

const startLayout = async (name: LayoutName, sellers: number) => {
  const { settings, openRedis } = layouts[name]
  const side = await startSide("corrente", settings, { openRedis })
  const apiKeys = [side.apiKey]
  while (apiKeys.length < sellers) {
    const email = `bench-${apiKeys.length}@example.com`
    const seller = ["seller", "create", "--email", email, "--name", "Bench", "--password", randomUUID()]
    const made = (await side.ops(seller)) as { readonly api_keys: { readonly test: string } }
    apiKeys.push(made.api_keys.test)
  }
  return {
    ...side,
    name,
    apiKeys,
    processes: {
      ...named("server", name === "corrente-2" ? childrenOf(side.pid) : [side.pid]),
      ...named("redis", side.redis.pids),
    },
    /** What it has acknowledged, over the whole run. */
    tally: { created: 0, problems: [] as ReadonlyArray<string> },
    /** Charges of the first seller, which reads use. */
    charges: [] as ReadonlyArray<AnsweredCharge>,
  }
}

type Layout = Awaited<ReturnType<typeof startLayout>>

const measure = async (
  operation: "POST" | "GET",
  running: ReadonlyArray<Layout>,
  load: Load,
  { connections, rounds, warmUpMillis, measureMillis }: ScaleSize,
  progress: Progress,
): Promise<ReadonlyArray<Metric>> => {
  const ask = async (
    layout: Layout,
    workload: WorkloadOptions,
    millis: number,
    ratePerSecond?: number,
  ): Promise<LoadResult> => {
    const { processes, tally } = layout
    const job = { workload, connections, measureMillis: millis, ratePerSecond, processes }
    const result = await runWindow(load, layout, job)
    tally.created += result.created
    tally.problems = [...tally.problems, ...result.problems].slice(0, 3)
    return result
  }
  const workloadOf = ({ apiKeys, charges }: Layout): WorkloadOptions =>
    operation === "POST" ? creating("unpaid", { apiKeys }) : { kind: "read", charges }
  for (const layout of running) {
    progress(`scale, ${operation}: warming up ${layout.name}`)
    const stock = creating("unpaid", { keepMax: chargesToRead })
    if (operation === "GET") layout.charges = (await ask(layout, stock, measureMillis)).charges
    await ask(layout, workloadOf(layout), warmUpMillis)
  }
  const windows = await inTurns(running, rounds, (layout, round) => {
    progress(`scale, ${operation}, round ${round + 1} of ${rounds}, ${layout.name}`)
    return ask(layout, workloadOf(layout), measureMillis)
  })
  const calm = await inTurns(running, rounds, (layout, round) => {
    progress(`scale, ${operation} at ${calmPerSecond}/s, round ${round + 1} of ${rounds}, ${layout.name}`)
    return ask(layout, workloadOf(layout), measureMillis, calmPerSecond)
  })
  return [
    ...metricsOf(windows, [
      [`${operation} throughput`, "1/s", throughputOf],
      [`${operation} CPU of the servers per request`, "us", cpuMicros("server ")],
      [`${operation} CPU of Redis per request`, "us", cpuMicros("redis ")],
      [`${operation} CPU of the load per request`, "us", cpuMicros("load")],
    ]),
    ...metricsOf(calm, [
      [`${operation} at ${calmPerSecond}/s: latency p50`, "ms", latencyAt(50)],
      [`${operation} at ${calmPerSecond}/s: latency p99`, "ms", latencyAt(99)],
    ]),
  ]
}

/** Recomputes balances, counters and indexes: everything acknowledged is there, with its event, and nothing else. */
const checksOf = async ({ name, ops, tally }: Layout): Promise<ReadonlyArray<Check>> => {
  const audit = (await ops(["audit", "verify", "--full"])) as Record<"transactions" | "events", number>
  const { created, problems } = tally
  return [
    {
      name: `${name}, charges`,
      isRight: created > 0 && audit.transactions === created && audit.events === created,
      detail: `${created} answered 201, ${audit.transactions} audited, ${audit.events} events`,
    },
    problemsCheck(`${name}, answers`, problems, "all as expected"),
  ]
}

/** POST and GET of charges with one process, with two, with replicas that are waited for, and on a Redis Cluster. */
export const runScale: RunSuite = (size, progress) =>
  withLoad(async (load) => {
    const running: Array<Layout> = []
    try {
      for (const name of ["corrente", "corrente-2", "corrente-replicas", "corrente-cluster"] as const) {
        running.push(await startLayout(name, sizes[size].sellers))
      }
      const metrics: Array<Metric> = []
      for (const operation of ["POST", "GET"] as const) {
        metrics.push(...(await measure(operation, running, load, sizes[size], progress)))
      }
      const checks: Array<Check> = []
      for (const layout of running) checks.push(...(await checksOf(layout)))
      const targets = ["POST", "GET"].flatMap((operation) => {
        const values = metrics.find(({ name }) => name === `${operation} throughput`)?.values
        const p50 = metrics.find(
          ({ name }) => name === `${operation} at ${calmPerSecond}/s: latency p50`,
        )?.values
        const cores = `cores: ${navigator.hardwareConcurrency}, shared with Redis and the load`
        const name = `${operation}: two processes at least ${scaleTarget} of one (${cores})`
        const measured = medianOfRatios(values?.["corrente-2"] ?? [], values?.corrente ?? [])
        const waits = medianOfRatios(values?.["corrente-replicas"] ?? [], values?.corrente ?? [])
        const more = median(p50?.["corrente-replicas"] ?? []) - median(p50?.corrente ?? [])
        return [
          targetOf(name, measured, { atLeast: scaleTarget }),
          targetOf(`${operation}: waiting for replicas at least ${replicasTarget} of not waiting`, waits, {
            atLeast: replicasTarget,
          }),
          targetOf(`${operation} at ${calmPerSecond}/s: waiting for replicas takes at most 2 ms more`, more, {
            atMost: replicasMillisTarget,
          }),
        ]
      })
      return { suite: "scale", parameters: { ...sizes[size], ...notes }, metrics, targets, checks }
    } finally {
      for (const layout of running) await layout.stop()
    }
  })

const notes = {
  layouts:
    "each with its own Redis (append-only, fsync always); `corrente-replicas` waits for replicas " +
    "(REDIS_WAIT_REPLICAS=1), of which its Redis has two; the Cluster has three primaries and no replicas",
  throughput: "closed loop; POST by all sellers in turn, GET by one of them",
  proof: "ops audit verify on each layout",
}
