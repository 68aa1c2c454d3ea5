import type { ObserverAnswer, ObserverRequest } from "../load/eventProtocol.ts"
import type { LoadJob, LoadResult } from "../load/job.ts"
import type { Progress, Size, SuiteResult } from "../report/result.ts"
import { startWorker, type Worker } from "../support/child.ts"
import { fillCharges } from "../support/filler.ts"
import { withSides } from "../support/sides.ts"
import { measureBytes } from "./growthBytes.ts"
import { measureSellers } from "./growthSellers.ts"
import { type FilledSide, StoredRun, storedNote, storedTargets } from "./growthStored.ts"

const sizes = {
  small: {
    stored: [200, 1_000],
    rounds: 2,
    warmUpMillis: 100,
    measureMillis: 150,
    paidCharges: 50,
    sellers: 50,
    sellersPerSecond: 200,
    actorIdleMillis: 1_500,
    settleMillis: 0,
  },
  default: {
    stored: [1_000, 10_000, 100_000],
    rounds: 7,
    warmUpMillis: 2_000,
    measureMillis: 2_000,
    paidCharges: 2_000,
    sellers: 5_000,
    sellersPerSecond: 1_000,
    actorIdleMillis: 10_000,
    settleMillis: 30_000,
  },
  full: {
    stored: [1_000, 10_000, 100_000, 1_000_000],
    rounds: 15,
    warmUpMillis: 5_000,
    measureMillis: 4_000,
    paidCharges: 10_000,
    sellers: 100_000,
    sellersPerSecond: 1_000,
    // Realistic: the first have left by the time the last come.
    actorIdleMillis: 60_000,
    settleMillis: 60_000,
  },
} as const satisfies Record<Size, object>

/** Generous estimate of a stored charge's memory in Redis: a number that does not fit is not measured. */
const bytesPerCharge = 10_000
const simulatorDelayMillis = 50
/** Progress is reported each time this many more are stored. */
const progressStep = 100_000

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

/** The workers of a run. */
interface Workers {
  readonly load: Worker<LoadJob, LoadResult>
  readonly receiver: Worker<ObserverRequest, ObserverAnswer>
}

/** Measures latency by stored charges, and then the bytes of a charge, on the side with the fewest. */
const measureStored = async (
  size: Size,
  stored: ReadonlyArray<number>,
  { load, receiver }: Workers,
  progress: Progress,
) => {
  const { listening } = await receiver.ask({ kind: "listen" })
  if (listening === undefined) throw new Error("the receiver did not start")
  const settings = {
    SIMULATOR_DELAY_MS: String(simulatorDelayMillis),
    WEBHOOK_ALLOW_DESTINATIONS: listening.origin,
    WEBHOOK_CA_FILE: listening.caFile,
  }
  return withSides(
    stored.map(() => "corrente"),
    settings,
    async (sides) => {
      const filled: Array<FilledSide> = []
      for (const [at, side] of sides.entries()) {
        const count = stored[at] ?? 0
        let step = progressStep
        const onStored = (now: number) => {
          if (now < step && now < count) return
          step += progressStep
          progress(`growth: ${whole(now)} of ${whole(count)} charges stored`)
        }
        await fillCharges(side, count, { onStored })
        filled.push({ side, stored: count })
      }
      const run = new StoredRun(load, sizes[size], progress)
      const metrics = await run.measure(filled)
      const [side] = sides
      if (side === undefined) throw new Error("the service did not start")
      const parts = { side, load, receiver, receiverUrl: listening.url }
      const bytes = await measureBytes(parts, sizes[size].paidCharges, progress)
      return {
        metrics: [...metrics, ...bytes.metrics],
        targets: [...storedTargets(metrics, stored[0] ?? 0, stored.at(-1) ?? 0), bytes.target],
        checks: [...run.checks(), bytes.check],
      }
    },
  )
}

/** What grows: with stored charges, with each charge, and with sellers that were active once. */
export const runGrowth = async (size: Size, progress: Progress): Promise<SuiteResult> => {
  const { stored: wanted, ...parameters } = sizes[size]
  const stored = fitting(wanted)
  const missing = wanted.filter((count) => !stored.includes(count)).map(whole)
  if (missing.length > 0) progress(`growth: not enough memory for ${missing.join(" and ")} charges, left out`)
  const load = startWorker<LoadJob, LoadResult>(new URL("../load/main.ts", import.meta.url))
  const receiver = startWorker<ObserverRequest, ObserverAnswer>(
    new URL("../load/receiver.ts", import.meta.url),
  )
  try {
    const charges = await measureStored(size, stored, { load, receiver }, progress)
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
      checks: [...charges.checks, ...sellers.checks],
    }
  } finally {
    await Promise.all([load.stop(), receiver.stop()])
  }
}

const notes = {
  "stored charges": storedNote,
  "a charge in Redis":
    "created, paid and delivered to one endpoint that takes transaction.paid: MEMORY USAGE of all keys, and used_memory",
  "active sellers":
    "each makes one charge, in turn; before them one seller makes as many charges, 5,000 at most",
  collected: "after a forced garbage collection; otherwise as measured after settleMillis of rest",
  "actors' idle time":
    "a minute in the service; set by idlePreload.ts here. As many sellers are awake as come within it",
}
