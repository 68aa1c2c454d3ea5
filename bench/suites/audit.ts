import { Effect, Layer } from "effect"
import { TransactionStore } from "../../actors/ports/transactionStore.ts"
import { decidePaid } from "../../actors/seller/decisions/transactionTransitions.ts"
import * as keys from "../../src/store/keys.ts"
import { RedisStoreLive } from "../../src/store/redisStore.ts"
import type { Check, Metric, Progress, Size, SuiteResult } from "../report/result.ts"
import { makeMetric } from "../report/result.ts"
import { fillCharges } from "../support/filler.ts"
import { multiplyPaidCharge } from "../support/paidCharges.ts"
import { startBenchRedis } from "../support/redisServer.ts"
import { type SideBackend, startSideBackend } from "../support/sides.ts"

const sizes = {
  small: { entries: 200, newer: 20, rounds: 2 },
  default: { entries: 100_000, newer: 1_000, rounds: 3 },
  full: { entries: 1_000_000, newer: 1_000, rounds: 1 },
} as const satisfies Record<Size, object>

/** Concurrent calls: they share one wait for the disk. */
const batch = 500

/** Pays the oldest pending charges of a side's seller, with the service's own decision and commit: one ledger entry each. */
const payCharges = ({ redis, sellerId }: SideBackend, count: number, onPaid: (paid: number) => void) =>
  Effect.gen(function* () {
    const store = yield* TransactionStore
    const time = { nowMillis: Date.now(), offsetMillis: 0 }
    const pending = keys.transactionsKey(sellerId, "test", "pending")
    for (let paid = 0; paid < count; paid += batch) {
      const ids = yield* Effect.promise(() =>
        redis.client.zrange(pending, "0", String(Math.min(batch, count - paid) - 1)),
      )
      const payOne = Effect.fnUntraced(function* (id: string) {
        const stored = yield* store.load(id)
        const reserve = { reserveBps: 0, reserveDays: 30 }
        const commit = stored && decidePaid(stored, `E${id.slice(4)}`, reserve, time)
        if (commit === undefined) return yield* Effect.die(new Error(`${id} cannot be paid`))
        const { kind } = yield* store.transition(commit)
        if (kind !== "applied") return yield* Effect.die(new Error(`${id} is ${kind}`))
      })
      yield* Effect.forEach(ids, payOne, { concurrency: "unbounded", discard: true })
      onPaid(paid + ids.length)
    }
  }).pipe(
    Effect.provide(
      Layer.fresh(
        RedisStoreLive(redis.url, { retentionMillis: 30 * 86_400_000, partitions: 64, processId: "bench" }),
      ),
    ),
    Effect.runPromise,
  )

/** What `ops audit verify` prints, as far as it is measured. */
interface Audited {
  readonly ok: boolean
  readonly ledger_entries: number
  readonly from_checkpoints: number
  readonly took_ms: number
}

const auditOf = async ({ ops }: SideBackend, ...flags: ReadonlyArray<string>): Promise<Audited> =>
  (await ops(["audit", "verify", ...flags])) as Audited

const metricOf = (name: string, audits: ReadonlyArray<Audited>): Metric =>
  makeMetric(name, "s", { corrente: audits.map(({ took_ms }) => took_ms / 1_000) })

const checkOf = (
  name: string,
  audits: ReadonlyArray<Audited>,
  entriesOf: (round: number) => number,
  fromCheckpoints: number,
): Check => {
  const isRight = audits.every(
    (audit, round) =>
      audit.ok && audit.ledger_entries === entriesOf(round) && audit.from_checkpoints === fromCheckpoints,
  )
  return {
    name,
    isRight: isRight && audits.length > 0,
    detail: `read ${audits.map(({ ledger_entries }) => ledger_entries).join(", ")} ledger entries`,
  }
}

/** How long audits of one seller take: from the beginning, from a checkpoint, and from one with newer entries. */
export const runAudit = async (size: Size, progress: Progress): Promise<SuiteResult> => {
  const { entries, newer, rounds } = sizes[size]
  // Audits read, and what they find is proved by the checks below: no file, so that there is room for 10^6 charges.
  const side = await startSideBackend("corrente", {}, () => startBenchRedis(["--appendonly", "no"]))
  const add = async (count: number) => {
    await fillCharges(side, count, { onStored: (stored) => told(progress, "created", stored, count) })
    await payCharges(side, count, (paid) => told(progress, "paid", paid, count))
  }
  try {
    await add(1)
    await multiplyPaidCharge(side, entries, (stored) => told(progress, "stored", stored, entries))
    const full: Array<Audited> = []
    const newest: Array<Audited> = []
    const idle: Array<Audited> = []
    for (let round = 0; round < rounds; round++) {
      full.push(await auditOf(side, "--full"))
      await add(newer)
      newest.push(await auditOf(side))
      idle.push(await auditOf(side))
      progress(`audit, round ${round + 1} of ${rounds}`)
    }
    return {
      suite: "audit",
      parameters: { ...sizes[size], what: "paid charges of one seller, in test mode, one ledger entry each" },
      metrics: [
        metricOf("from the beginning", full),
        metricOf(`from a checkpoint, ${newer} newer entries`, newest),
        metricOf("from a checkpoint, nothing new", idle),
      ],
      targets: [],
      checks: [
        checkOf("from the beginning", full, (round) => entries + round * newer, 0),
        checkOf("newer entries", newest, () => newer, 1),
        checkOf("nothing new", idle, () => 0, 1),
      ],
    }
  } finally {
    await side.stop()
  }
}

const told = (progress: Progress, what: string, done: number, count: number): void => {
  if (done % 50_000 < batch) progress(`audit: ${done} of ${count} ${what}`)
}
