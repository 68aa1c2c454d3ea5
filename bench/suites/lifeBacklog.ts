import { setTimeout as sleep } from "node:timers/promises"
import { timerNames } from "../../actors/seller/decisions/transactionTransitions.ts"
import * as keys from "../../src/store/keys.ts"
import type { LoadResult } from "../load/generator.ts"
import { type Metric, oneValue, type Progress } from "../report/result.ts"
import { fillCharges } from "../support/filler.ts"
import { creating, type Load, latencyAt } from "../support/load.ts"
import type { Receiver } from "../support/receiver.ts"
import type { SideBackend } from "../support/sides.ts"
import { formatNumber } from "../support/statistics.ts"
import { until } from "../support/until.ts"

/** Paid by the simulator (docs/contract/transactions.md#test-amounts). */
const paidAmount = 1_000_000
const chunkSize = 500
/** After this time the service owns its partitions. */
const heldMillis = 1_500

interface BacklogParts {
  readonly load: Load
  readonly receiver: Receiver
  readonly size: {
    readonly connections: number
    readonly backlog: number
    readonly backlogRatePerSecond: number
    readonly idleMillis: number
    readonly backlogMillis: number
  }
  readonly progress: Progress
}

const withServer = async <A>(side: SideBackend, body: (port: number) => Promise<A>): Promise<A> => {
  const server = await side.startServer()
  return body(server.port).finally(server.stop)
}

/** Sends requests at the backlog's rate; they cause no due work of their own. */
const ask = ({ load, size }: BacklogParts, { apiKey }: SideBackend, port: number, measureMillis: number) =>
  load.ask({
    port,
    apiKey,
    measureMillis,
    workload: creating("unpaid"),
    connections: size.connections,
    warmUpMillis: measureMillis / 4,
    ratePerSecond: size.backlogRatePerSecond,
  })

/** Starts the service with a backlog, and drains it first beside requests and then alone. */
const drain = (
  what: "timers" | "deliveries",
  parts: BacklogParts,
  side: SideBackend,
  left: () => Promise<number>,
) =>
  withServer(side, async (port) => {
    await sleep(heldMillis)
    const millis = parts.size.backlogMillis
    /** Rate of completion while `work` runs, from what is left before and after. */
    const rateOver = async (work: () => Promise<unknown>): Promise<number> => {
      const [before, startedMillis] = [await left(), performance.now()]
      await work()
      return ((before - (await left())) * 1_000) / (performance.now() - startedMillis)
    }
    let beside: LoadResult | undefined
    const besidePerSecond = await rateOver(async () => {
      beside = await ask(parts, side, port, millis)
    })
    const alonePerSecond = await rateOver(() => until(async () => (await left()) <= 0, millis, 20))
    if (beside === undefined) throw new Error("there was no load")
    parts.progress(`life: ${formatNumber(besidePerSecond)} ${what}/s beside requests`)
    return { what, beside, besidePerSecond, alonePerSecond, left: await left() }
  })

export type BacklogResult = Awaited<ReturnType<typeof drain>>

/** Charges whose payment is due when the service starts. */
const runDueTimers = async (parts: BacklogParts, side: SideBackend): Promise<BacklogResult> => {
  const { backlog } = parts.size
  parts.progress(`life: storing ${formatNumber(backlog)} due timers`)
  await fillCharges(side, backlog, { amount: paidAmount, paidInMillis: 0 })
  const paid = keys.transactionsKey(side.sellerId, "test", "paid")
  return drain("timers", parts, side, async () => backlog - (await side.redis.client.zcard(paid)))
}

/** Owes the events of the seller's paid charges to an endpoint, due at once, as a commit would. */
const oweAll = async ({ redis: { client }, sellerId }: SideBackend, endpointId: string): Promise<number> => {
  const events = keys.eventsKey({ sellerId, mode: "test" })
  let after = "-"
  let owed = 0
  while (true) {
    const entries = await client.xrange(events, after, "+", "COUNT", chunkSize)
    const due = entries.flatMap(([entryId, fields]) =>
      fields[3] === "transaction.paid" ? ["1", entryId] : [],
    )
    if (due.length > 0) await client.zadd(keys.queueKey(endpointId), ...due)
    owed += due.length / 2
    const last = entries.at(-1)?.[0]
    if (last === undefined || entries.length < chunkSize) break
    after = `(${last}`
  }
  await client.zadd(keys.dueKey(keys.tagOf(sellerId)), 1, endpointId)
  return owed
}

/** Deliveries of these payments, all due when the service starts. */
const runDueDeliveries = async (parts: BacklogParts, side: SideBackend): Promise<BacklogResult> => {
  const { client } = side.redis
  const timers = keys.timersKey(keys.tagOf(side.sellerId))
  // Lets the service pay what is left.
  const isPaid = async () => {
    const [next] = await client.zrange(timers, "0", "0")
    return !next?.endsWith(`:${timerNames.ask}`)
  }
  await withServer(side, () => until(isPaid, 120_000, 200))
  const endpoint = await parts.receiver.addEndpoint(side)
  await parts.receiver.ask({ kind: "expect", secrets: [endpoint.secret] })
  const owed = await oweAll(side, endpoint.id)
  return drain("deliveries", parts, side, async () => {
    const { charges } = await parts.receiver.ask({ kind: "count" })
    return owed - charges
  })
}

const latencies = (name: string, load: LoadResult): ReadonlyArray<Metric> =>
  [50, 99].map((percent) => oneValue(`${name} p${percent}`, "ms", latencyAt(percent)(load)))

/** Requests while nothing is due, and beside timers and deliveries that are all due when the service starts. */
export const measureBacklogs = async (parts: BacklogParts, side: SideBackend) => {
  const { size } = parts
  parts.progress("life: requests with nothing due")
  const idle = await withServer(side, async (port) => {
    // Warms up, because the phases it is compared with run after much more work.
    await ask(parts, side, port, size.idleMillis)
    return ask(parts, side, port, size.idleMillis)
  })
  const results = [await runDueTimers(parts, side), await runDueDeliveries(parts, side)]
  const rate = `POST at ${formatNumber(size.backlogRatePerSecond)}/s`
  const metrics = results.flatMap(({ what, beside, besidePerSecond, alonePerSecond }) => [
    ...latencies(`${what} due at the start, ${rate}`, beside),
    oneValue(`${what} drained beside requests`, "1/s", besidePerSecond),
    oneValue(`${what} drained alone`, "1/s", alonePerSecond),
    oneValue(`${what} drained beside requests, of alone`, "%", (100 * besidePerSecond) / alonePerSecond),
  ])
  return { idle, results, metrics: [...latencies(`idle, ${rate}`, idle), ...metrics] }
}
