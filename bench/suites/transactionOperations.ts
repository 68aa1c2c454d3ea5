import { randomUUID } from "node:crypto"
import * as keys from "../../src/store/keys.ts"
import type { AnsweredCharge, ChargeWorkloadOptions, CreateOptions } from "../load/workload.ts"
import type { Side, SideName } from "../support/sides.ts"

/** Never paid (decisions 2): the simulator's payments would be work that the others do not do. */
const amountEnding = 1
/** Charges that reads are spread over. */
const chargesToRead = 2_000
/** Of a mixed load's own charges, those that it reads. */
const chargesToReadBetween = 500
/** Charges that are asked for again, and again. */
const chargesToReplay = 100
/** Charges of a list's page. */
export const pageSize = 50

/** Makes charges that a side's reads are to ask for: a page of them at least. Each call of `stock` makes a workload. */
export type MakeCharges = (stock: () => ChargeWorkloadOptions) => Promise<ReadonlyArray<AnsweredCharge>>

/** What a user does, measured by itself. */
export interface Operation {
  readonly name: "POST" | "GET" | "list of 50" | "replay" | "mixed"
  /** Of which throughput is measured; latency beside, of the service and of `bare`. */
  readonly sides: ReadonlyArray<SideName>
  /** Whether it makes charges: they are read back and removed after each window. */
  readonly isWriting: boolean
  /** Prepares a side; its answer makes the workload of a window. */
  readonly prepare: (side: Side, makeCharges: MakeCharges) => Promise<() => ChargeWorkloadOptions>
}

const createOptions = (keepMax: number): CreateOptions => ({
  amountEnding,
  keepMax,
  keyPrefix: randomUUID().slice(0, 8),
})

const stock = (): ChargeWorkloadOptions => ({ kind: "create", ...createOptions(chargesToRead) })

const pair = ["corrente", "bare"] as const

/** All of them, in the order in which they are measured. */
export const operations: ReadonlyArray<Operation> = [
  {
    name: "POST",
    sides: [...pair, "fastify", "fastify-qrcode"],
    isWriting: true,
    prepare: async () => () => ({ kind: "create", ...createOptions(0) }),
  },
  {
    name: "GET",
    sides: [...pair, "fastify"],
    isWriting: false,
    prepare: async (_, makeCharges) => {
      const charges = await makeCharges(stock)
      return () => ({ kind: "read", charges })
    },
  },
  {
    name: "list of 50",
    sides: pair,
    isWriting: false,
    prepare: async (side, makeCharges) => {
      await makeCharges(stock)
      const index = keys.transactionsKey(side.sellerId, "test")
      const ids = await side.redis.client.zrange(index, "+", "-", "BYLEX", "REV", "LIMIT", 0, pageSize)
      return () => ({ kind: "list", ids })
    },
  },
  {
    name: "replay",
    sides: pair,
    isWriting: true,
    prepare: async () => () => ({ kind: "replay", distinct: chargesToReplay, ...createOptions(0) }),
  },
  {
    name: "mixed",
    sides: pair,
    isWriting: true,
    prepare: async () => () => ({ kind: "mixed", ...createOptions(chargesToReadBetween) }),
  },
]
