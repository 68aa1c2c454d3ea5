import { limits } from "../../schema/limits.ts"
import type { Check, Metric, Progress, Size, SuiteResult, Unit } from "../report/result.ts"
import { makeMetric } from "../report/result.ts"
import { startWorker } from "../support/child.ts"
import { fillHashes } from "../support/filler.ts"
import { nodeFlags } from "../support/nodeFlags.ts"
import { type BenchRedis, redisInfo, startBenchRedis } from "../support/redisServer.ts"
import { type Bank, startBank } from "./bank.ts"
import { chargeIdOf, makePaidCharge } from "./charges.ts"
import type { SweepDone, SweepJob } from "./sweepJob.ts"

const sizes = {
  small: { pix: 1_200, charges: 2_000, rounds: 2 },
  default: { pix: 10_000, charges: 100_000, rounds: 3 },
  full: { pix: 100_000, charges: 1_000_000, rounds: 3 },
} as const satisfies Record<Size, object>

/** A sweep, and what it asked others for. */
interface Round extends SweepDone {
  readonly bankRequests: number
  readonly redisCommands: number
}

const commandsOf = async ({ client }: BenchRedis): Promise<number> =>
  Number(await redisInfo(client, "total_commands_processed"))

/** Sweeps once in a new process, so that its memory is that of one sweep. */
const sweepOnce = async (redis: BenchRedis, bank: Bank, endMillis: number): Promise<Round> => {
  const worker = startWorker<SweepJob, SweepDone>(new URL("sweeper.ts", import.meta.url), nodeFlags)
  try {
    const { origin, clientSecret, cert, key, ca } = bank
    const requestsBefore = bank.requests()
    const commandsBefore = await commandsOf(redis)
    const done = await worker.ask({
      redisUrl: redis.url,
      bank: { origin, clientSecret, cert, key, ca },
      window: { fromMillis: endMillis - limits.sweepLongMillis, toMillis: endMillis },
    })
    // Less the command that reads the number.
    const redisCommands = (await commandsOf(redis)) - commandsBefore - 1
    return { ...done, bankRequests: bank.requests() - requestsBefore, redisCommands }
  } finally {
    await worker.stop()
  }
}

const metricsOf = (rounds: ReadonlyArray<Round>): ReadonlyArray<Metric> => {
  const metricOf = (name: string, unit: Unit, valueOf: (round: Round) => number): Metric =>
    makeMetric(name, unit, { corrente: rounds.map(valueOf) })
  return [
    metricOf("sweep, by the clock", "s", ({ wallMillis }) => wallMillis / 1_000),
    metricOf("sweep, CPU of the service", "s", ({ cpuMillis }) => cpuMillis / 1_000),
    metricOf(
      "sweep, CPU of the service per Pix",
      "us",
      ({ cpuMillis, items }) => (cpuMillis * 1_000) / items,
    ),
    metricOf("sweep, requests to the bank", "count", ({ bankRequests }) => bankRequests),
    metricOf("sweep, Redis commands", "count", ({ redisCommands }) => redisCommands),
    metricOf("memory before the sweep", "MiB", ({ residentMiB }) => residentMiB),
    metricOf("memory at the peak of the sweep", "MiB", ({ peakMiB }) => peakMiB),
  ]
}

const checksOf = (rounds: ReadonlyArray<Round>, pix: number): ReadonlyArray<Check> => {
  const pages = Math.ceil(pix / limits.acquirerBooksPageItems)
  const [least, most] = [Math.min, Math.max].map((pick) =>
    pick(...rounds.map(({ bankRequests }) => bankRequests)),
  )
  return [
    {
      name: "every Pix is compared, and none differs",
      isRight: rounds.every(
        ({ items, differences, failures }) => items === pix && differences + failures === 0,
      ),
      detail: rounds.map(({ items, differences }) => `${items} items, ${differences} differ`).join("; "),
    },
    {
      name: "each page is asked for once",
      // The list of sent payouts, and a token.
      isRight: rounds.every(({ bankRequests }) => bankRequests === pages + 2),
      detail: `${least} to ${most} requests for ${pages} pages of Pix, one of payouts and a token`,
    },
    {
      name: "each charge is read once",
      isRight: rounds.every(({ redisCommands }) => redisCommands >= pix && redisCommands < pix * 1.1 + 100),
      detail: rounds.map(({ redisCommands }) => `${redisCommands} commands`).join("; "),
    },
  ]
}

/** What a sweep costs that finds no difference, which is what sweeps mostly find: Pix of a window against stored charges. */
export const runSweeps = async (size: Size, progress: Progress): Promise<SuiteResult> => {
  const { pix, charges, rounds: count } = sizes[size]
  const endMillis = Date.now()
  // A sweep that finds nothing writes nothing but its lease; without the file, 10^6 charges are stored in a minute.
  const redis = await startBenchRedis(["--appendonly", "no"])
  const bank = await startBank({ pixCount: pix, chargeCount: charges, endMillis })
  try {
    const fieldsOf = makePaidCharge(endMillis)
    await fillHashes(redis, charges, (n) => [chargeIdOf(n, endMillis), fieldsOf(n)], {
      onStored: (stored) => {
        if (stored % 100_000 === 0) progress(`sweeps: ${stored} of ${charges} charges stored`)
      },
    })
    const rounds: Array<Round> = []
    for (let round = 1; round <= count; round++) {
      rounds.push(await sweepOnce(redis, bank, endMillis))
      progress(`sweeps, round ${round} of ${count}`)
    }
    return {
      suite: "sweeps",
      parameters: {
        ...sizes[size],
        what: "received Pix of charges that are paid here as well, over mutual TLS",
      },
      metrics: metricsOf(rounds),
      targets: [],
      checks: checksOf(rounds, pix),
    }
  } finally {
    await bank.stop()
    await redis.stop()
  }
}
