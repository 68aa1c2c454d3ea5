import { randomUUID } from "node:crypto"
import * as keys from "../../src/store/keys.ts"
import type { AnsweredCharge, ChargeWorkloadOptions, CreateOptions } from "../load/workload.ts"
import type { Side, SideName } from "../support/sides.ts"

/**
 * Never paid (docs/contract/transactions.md#test-amounts): the simulator's payments would be work that the others do
 * not do.
 */
const amountEnding = 1
/** Charges that reads are spread over. */
const chargesToRead = 2_000
/** How many of its own charges a mixed load reads. */
const chargesToReadBetween = 500
/** Charges that are repeated. */
const chargesToReplay = 100
/** Charges on a list's page. */
export const pageSize = 50

/** Creates charges for a side's reads: at least one page. Each call of `stock` makes a workload. */
export type MakeCharges = (stock: () => ChargeWorkloadOptions) => Promise<ReadonlyArray<AnsweredCharge>>

/** An operation of users, measured separately. */
export interface Operation {
  readonly name: "POST" | "GET" | "list of 50" | "replay" | "mixed"
  /** The contenders whose throughput is measured; latency is measured for the service and `bare`. */
  readonly sides: ReadonlyArray<SideName>
  /** Whether it creates charges: these are read back and removed after each window. */
  readonly isWriting: boolean
  /** Prepares a side; returns a function that makes a window's workload. */
  readonly prepare: (side: Side, makeCharges: MakeCharges) => Promise<() => ChargeWorkloadOptions>
}

const createOptions = (keepMax: number): CreateOptions => ({
  amountEnding,
  keepMax,
  keyPrefix: randomUUID().slice(0, 8),
})

const stock = (): ChargeWorkloadOptions => ({ kind: "create", ...createOptions(chargesToRead) })

const pair = ["corrente", "bare"] as const

/** All operations, in the order in which they are measured. */
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
