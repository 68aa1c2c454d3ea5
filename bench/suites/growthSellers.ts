import { setTimeout as sleep } from "node:timers/promises"
import { limits } from "../../schema/limits.ts"
import * as keys from "../../src/store/keys.ts"
import { oneValue, type Progress, problemsCheck, targetOf } from "../report/result.ts"
import { type FilledSeller, fillSellers } from "../support/filler.ts"
import { creating, type Load } from "../support/load.ts"
import { residentMiBOf, settledMiB } from "../support/processUsage.ts"
import { collectArguments, type Side, withService } from "../support/sides.ts"
import { formatNumber } from "../support/statistics.ts"

interface SellersParameters {
  readonly sellers: number
  readonly sellersPerSecond: number
  /** How long the service is left alone once all have come: actors leave, and an idle V8 returns memory by itself. */
  readonly restMillis: number
}

const connections = 64
/** Charges of one seller before all others come: code is compiled, buffers and pools have grown. */
const warmUpCharges = 5_000
/** Target: memory after all have left, relative to before they came. */
const memoryRatioMax = 1.1
/** Sellers that come back after all have left. */
const returningSellers = 50

/** How many of the sellers hold as many charges as they should. */
const countCharged = async ({ redis }: Side, sellers: ReadonlyArray<FilledSeller>, charges: number) => {
  const commands = sellers.map(({ sellerId }) => ["zcard", keys.transactionsKey(sellerId, "test")])
  const counts = (await redis.client.pipeline(commands).exec()) ?? []
  return counts.filter(([, count]) => count === charges).length
}

const measure = async (
  side: Side,
  load: Load,
  { sellersPerSecond, restMillis }: SellersParameters,
  sellers: ReadonlyArray<FilledSeller>,
  progress: Progress,
) => {
  const { pid, port, apiKey } = side
  /** Creates `count` charges with these keys in turn, which are never paid: a payment would wake its seller again. */
  const charge = (apiKeys: ReadonlyArray<string>, count: number) =>
    load.ask({
      port,
      apiKey,
      connections,
      workload: creating("unpaid", { apiKeys }),
      measureMillis: (count / sellersPerSecond) * 1_000,
      ratePerSecond: sellersPerSecond,
    })
  const apiKeys = sellers.map((seller) => seller.apiKey)
  const warmUp = await charge([apiKey], Math.min(warmUpCharges, sellers.length))
  const before = await settledMiB(pid)
  progress(`growth: ${sellers.length} sellers come, ${formatNumber(sellersPerSecond)}/s`)
  const came = await charge(apiKeys, sellers.length)
  const atPeak = residentMiBOf(pid)
  const awake = Math.min(sellers.length, (sellersPerSecond * limits.actorIdleMillis) / 1_000)
  const withAwake = await settledMiB(pid)
  progress("growth: all sellers leave")
  await sleep(restMillis)
  const left = residentMiBOf(pid)
  const after = await settledMiB(pid)
  const charged = await countCharged(side, sellers, 1)
  const returning = apiKeys.slice(0, returningSellers)
  const returned = await charge(returning, returning.length)
  const again = await countCharged(side, sellers, 2)
  const memory: Readonly<Record<string, number>> = {
    "before the sellers, collected": before,
    "once all have come": atPeak,
    [`${awake.toLocaleString("en-US")} sellers awake, collected`]: withAwake,
    "all sellers gone": left,
    "all sellers gone, collected": after,
  }
  const count = sellers.length.toLocaleString("en-US")
  const title = `memory after ${count} sellers at most ${memoryRatioMax} of before`
  return {
    metrics: [
      ...Object.entries(memory).map(([name, value]) => oneValue(`memory, ${name}`, "MiB", value)),
      oneValue("memory of a seller that is awake", "KiB", ((withAwake - before) * 1_024) / awake),
    ],
    target: targetOf(title, after / before, { atMost: memoryRatioMax }),
    check: problemsCheck(
      "sellers",
      [...warmUp.problems, ...came.problems, ...returned.problems],
      `${charged} of ${sellers.length} charged once, ${again} of ${returning.length} again after they had left`,
      charged === sellers.length && again === returning.length,
    ),
  }
}

/** Resident memory of a service whose sellers come once and leave: before, with all, and after. */
export const measureSellers = (load: Load, parameters: SellersParameters, progress: Progress) =>
  withService(
    {},
    async (side) => {
      progress(`growth: making ${parameters.sellers} sellers`)
      const sellers = await fillSellers(side.redis.url, parameters.sellers)
      return measure(side, load, parameters, sellers, progress)
    },
    { nodeArguments: collectArguments },
  )
