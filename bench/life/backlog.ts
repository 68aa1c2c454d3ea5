import { randomUUID } from "node:crypto"
import { setTimeout as sleep } from "node:timers/promises"
import { timerNames } from "../../actors/seller/decisions/transactionTransitions.ts"
import * as keys from "../../src/store/keys.ts"
import type { LoadResult } from "../load/job.ts"
import type { Progress } from "../report/result.ts"
import { formatNumber } from "../report/text.ts"
import { fillCharges } from "../support/filler.ts"
import { Histogram } from "../support/histogram.ts"
import type { LifeEnvironment, LifeSide } from "./lifeEnvironment.ts"
import type { LifeSize } from "./sizes.ts"

/** Never paid (docs/contract/transactions.md#test-amounts): these requests cause no due work of their own. */
const unpaidEnding = 1
/** Paid by the simulator. */
const paidAmount = 1_000_000
const chunkSize = 500
const progressStep = 20_000
/** After this time the service owns its partitions. */
const heldMillis = 1_500

/** Requests at a rate, and their results. */
export interface Asked {
  readonly load: LoadResult
  readonly p50Millis: number
  readonly p99Millis: number
}

/** A backlog found at start, drained first beside requests and then alone. */
export interface BacklogResult {
  readonly what: "timers" | "deliveries"
  readonly beside: Asked
  /** Rate at which the backlog drained, beside requests and alone. */
  readonly besidePerSecond: number
  readonly alonePerSecond: number
  readonly left: number
}

/** Durations of requests while nothing is due. */
export type IdleResult = Asked

type Target = Pick<LifeSide, "apiKey"> & { readonly port: number }

const ask = async (
  { load }: LifeEnvironment,
  target: Target,
  size: LifeSize,
  measureMillis: number,
): Promise<Asked> => {
  const result = await load.ask({
    port: target.port,
    apiKey: target.apiKey,
    workload: {
      kind: "create",
      amountEnding: unpaidEnding,
      keepMax: 0,
      keyPrefix: randomUUID().slice(0, 8),
    },
    connections: size.connections,
    warmUpMillis: measureMillis / 4,
    measureMillis,
    ratePerSecond: size.backlogRatePerSecond,
    processes: {},
  })
  const latency = new Histogram(result.latency)
  return { load: result, p50Millis: latency.percentile(50), p99Millis: latency.percentile(99) }
}

/** Rate of completion while `work` runs, from what is left before and after. */
const rateOver = async <A>(
  left: () => Promise<number>,
  work: () => Promise<A>,
): Promise<{ readonly result: A; readonly perSecond: number; readonly left: number }> => {
  const before = await left()
  const startedMillis = performance.now()
  const result = await work()
  const after = await left()
  const seconds = (performance.now() - startedMillis) / 1_000
  return { result, perSecond: (before - after) / seconds, left: after }
}

const lookMillis = 20

/** Waits until nothing is left, or for `millis`. */
const untilDrained = async (left: () => Promise<number>, millis: number): Promise<void> => {
  const deadline = performance.now() + millis
  while (performance.now() < deadline && (await left()) > 0) await sleep(lookMillis)
}

const drain = async (
  what: BacklogResult["what"],
  environment: LifeEnvironment,
  side: LifeSide,
  size: LifeSize,
  left: () => Promise<number>,
): Promise<BacklogResult> => {
  const server = await side.startServer()
  try {
    await sleep(heldMillis)
    const target = { ...side, port: server.port }
    const beside = await rateOver(left, () => ask(environment, target, size, size.backlogMillis))
    const alone = await rateOver(left, () => untilDrained(left, size.backlogMillis))
    return {
      what,
      beside: beside.result,
      besidePerSecond: beside.perSecond,
      alonePerSecond: alone.perSecond,
      left: alone.left,
    }
  } finally {
    await server.stop()
  }
}

/** Sends requests at the backlog's rate to a service that has nothing else to do. */
export const runIdle = async (
  environment: LifeEnvironment,
  side: LifeSide,
  size: LifeSize,
): Promise<IdleResult> => {
  const server = await side.startServer()
  try {
    // Warms up, because the phases it is compared with run after much more work.
    await ask(environment, { ...side, port: server.port }, size, size.idleMillis)
    return await ask(environment, { ...side, port: server.port }, size, size.idleMillis)
  } finally {
    await server.stop()
  }
}

/** Charges whose payment is due when the service starts. */
export const runDueTimers = async (
  environment: LifeEnvironment,
  side: LifeSide,
  size: LifeSize,
  progress: Progress,
): Promise<BacklogResult> => {
  let step = progressStep
  await fillCharges(side, size.backlog, {
    amount: paidAmount,
    paidInMillis: 0,
    onStored: (stored) => {
      if (stored < step) return
      step += progressStep
      progress(`life: ${formatNumber(stored)} of ${formatNumber(size.backlog)} due timers are stored`)
    },
  })
  const { client } = side.redis
  const paid = keys.transactionsKey(side.sellerId, "test", "paid")
  return drain("timers", environment, side, size, async () => size.backlog - (await client.zcard(paid)))
}

/** Owes the events of the seller's paid charges to an endpoint, due at once, as a commit would. */
const oweAll = async ({ redis: { client }, sellerId }: LifeSide, endpointId: string): Promise<number> => {
  const events = keys.eventsKey({ sellerId, mode: "test" })
  const queue = keys.queueKey(endpointId)
  let after = "-"
  let owed = 0
  while (true) {
    const entries = await client.xrange(events, after, "+", "COUNT", chunkSize)
    const due = entries.flatMap(([entryId, fields]) =>
      fields[3] === "transaction.paid" ? ["1", entryId] : [],
    )
    if (due.length > 0) await client.zadd(queue, ...due)
    owed += due.length / 2
    const last = entries.at(-1)?.[0]
    if (last === undefined || entries.length < chunkSize) break
    after = `(${last}`
  }
  await client.zadd(keys.dueKey(keys.tagOf(sellerId)), 1, endpointId)
  return owed
}

/** Waits until no payment timer is left. */
const finishTimers = async (side: LifeSide, left: () => Promise<number>): Promise<void> => {
  const server = await side.startServer()
  try {
    for (let looks = 0; looks < 600 && (await left()) > 0; looks++) await sleep(200)
  } finally {
    await server.stop()
  }
}

/** Deliveries of these payments, all due when the service starts. */
export const runDueDeliveries = async (
  environment: LifeEnvironment,
  side: LifeSide,
  size: LifeSize,
): Promise<BacklogResult> => {
  const { client } = side.redis
  const timers = keys.timersKey(keys.tagOf(side.sellerId))
  await finishTimers(side, async () => {
    const [next] = await client.zrange(timers, "0", "0")
    return next?.endsWith(`:${timerNames.ask}`) ? 1 : 0
  })
  const endpoint = await environment.addEndpoint(side)
  await environment.receiver.ask({ kind: "expect", secret: endpoint.secret })
  const owed = await oweAll(side, endpoint.id)
  return drain("deliveries", environment, side, size, async () => {
    const { charges } = await environment.receiver.ask({ kind: "count" })
    return owed - charges
  })
}
