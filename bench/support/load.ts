import { randomUUID } from "node:crypto"
import type { LoadJob, LoadResult } from "../load/generator.ts"
import type { CreateOptions } from "../load/workload.ts"
import { startWorker } from "./child.ts"
import { percentileOf } from "./statistics.ts"

export const startLoad = () =>
  startWorker<LoadJob, LoadResult>(new URL("../load/generator.ts", import.meta.url))

export type Load = ReturnType<typeof startLoad>

export const withLoad = async <A>(body: (load: Load) => Promise<A>): Promise<A> => {
  const load = startLoad()
  try {
    return await body(load)
  } finally {
    await load.stop()
  }
}

/** What a window of load is aimed at. */
interface Target {
  readonly port: number
  readonly apiKey: string
  readonly pid: number
  readonly redis: { readonly pid: number }
}

/**
 * Runs a window of load: closed loop, or open with a rate. A fifth of its length goes before it: other sides have used the
 * processor's caches meanwhile.
 */
export const runWindow = (
  load: Load,
  { port, apiKey, pid, redis }: Target,
  job: Pick<LoadJob, "workload" | "connections" | "measureMillis" | "ratePerSecond" | "processes">,
): Promise<LoadResult> => {
  const processes = { server: pid, redis: redis.pid }
  return load.ask({ port, apiKey, processes, warmUpMillis: job.measureMillis * 0.2, ...job })
}

/** Endings of amounts that the simulator pays, and never pays (docs/contract/transactions.md#test-amounts). */
const endings = { paid: 0, unpaid: 1 } as const

/** A new workload that creates charges, none of whose Idempotency-Keys was used before. */
export const creating = (outcome: keyof typeof endings, options: Partial<CreateOptions> = {}) =>
  ({
    kind: "create",
    amountEnding: endings[outcome],
    keepMax: 0,
    keyPrefix: randomUUID().slice(0, 8),
    ...options,
  }) as const

export const throughputOf = ({ completed, seconds }: LoadResult): number => completed / seconds

export const latencyAt =
  (percent: number) =>
  ({ latency }: LoadResult): number =>
    percentileOf(latency, percent)

/** CPU time per response of the processes with this name, or a name that starts with it, in us. */
export const cpuMicros =
  (process: string) =>
  ({ cpuMillis, completed }: LoadResult): number =>
    Object.entries(cpuMillis)
      .filter(([name]) => name.startsWith(process))
      .reduce((sum, [, millis]) => sum + millis * 1_000, 0) / completed

/** Cores busy with anything but the job's processes: the kernel's own work, and whatever else runs here. */
export const otherCores = ({ cpuMillis, seconds }: LoadResult): number => {
  const { machine = Number.NaN, ...known } = cpuMillis
  const knownMillis = Object.values(known).reduce((sum, millis) => sum + millis, 0)
  return Math.max(0, machine - knownMillis) / 1_000 / seconds
}
