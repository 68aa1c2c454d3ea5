import { Clock, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { type Acquirer, type AcquirerBooks, Acquirers } from "../../actors/ports/acquirer.ts"
import type { LedgerMovement } from "../../actors/ports/ledger.ts"
import { PartitionCount } from "../../actors/ports/partitionCount.ts"
import { RequestDelay } from "../../actors/ports/requestDelay.ts"
import { newStoredSeller } from "../../actors/seller/decisions/newSeller.ts"
import { type Feed, type Mode, makeId } from "../../schema/ids.ts"
import { CloserLive } from "../../src/closings/closer.ts"
import { moveMoney } from "../model/ledger.ts"
import { MemoryStoreLive } from "../model/memoryStore.ts"
import { MemoryStore } from "../model/state.ts"

export const partitions = 4

/** The `index`th seller; they are spread over the partitions. */
export const sellerAt = (index: number): string =>
  makeId("sel_", 1_500_000_000_000 + index, index % partitions, new Uint8Array(14))

/** A movement of a seller at a time, with amounts in centavos. */
export interface Moved {
  readonly seller: number
  readonly mode: Mode
  readonly atMillis: number
  readonly movement: LedgerMovement
}

/** A payment: what the payer sends, and what the service keeps of it. */
export const paid = (amount: number, fee = 0, resourceId = "txn_x"): LedgerMovement => ({
  kind: "charge_paid",
  resourceType: "transaction",
  resourceId,
  postings: [
    { bucket: "external", amount: -amount },
    { bucket: "fees", amount: fee },
    { bucket: "available", amount: amount - fee },
  ],
})

/** Money of a withdrawal that is set aside. */
export const held = (amount: number): LedgerMovement => ({
  kind: "withdrawal_held",
  resourceType: "withdrawal",
  resourceId: "wd_x",
  postings: [
    { bucket: "available", amount: -amount },
    { bucket: "pending_withdraw", amount },
  ],
})

/** Writes movements into ledgers of the model; those of one ledger must be in order. */
export const write = (moves: ReadonlyArray<Moved>) =>
  Effect.map(MemoryStore, (state) => {
    for (const { seller, mode, atMillis, movement } of moves) {
      const sellerId = sellerAt(seller)
      if (!state.sellers.has(sellerId)) {
        const stored = newStoredSeller({
          ...{ id: sellerId, name: "Shop", userId: "user" },
          ...{ kycStatus: "approved", createdAt: "2018-01-01T00:00:00.000Z" },
        })
        state.sellers.set(sellerId, { seller: stored, postbackSecret: undefined })
      }
      moveMoney(state, atMillis, { sellerId, mode }, movement, undefined)
    }
  })

/** All that closings have written, without the times of writing. */
export const written = Effect.map(MemoryStore, ({ closings }) => ({
  wholes: [...closings.wholes].map(([mode, days]) => [
    mode,
    days.map(({ createdAtMillis: _, ...closing }) => closing),
  ]),
  parts: [...closings.parts].map(([partition, { lastDay, days }]) => [partition, lastDay, days]),
  sellers: [...closings.sellers],
}))

/** Moves the clock to a time. */
export const goTo = (millis: number) =>
  Effect.flatMap(Clock.currentTimeMillis, (now) => TestClock.adjust(millis - now))

/** The account of the stage's acquirer. */
export const account = "acquirer:1"

const acquirersWith = (books: AcquirerBooks | undefined, queryBalance?: Acquirer["queryBalance"]) =>
  Layer.succeed(Acquirers, { live: { account, books, queryBalance } as never, test: {} as never })

/** No request waits. */
const idle: RequestDelay["Service"] = { currentMillis: () => 0, inProgress: () => 0, started: () => 0 }

/** The stores in memory, under the closer. */
export const StageLive = (books?: AcquirerBooks, requests = idle, queryBalance?: Acquirer["queryBalance"]) =>
  Layer.mergeAll(
    Layer.succeed(RequestDelay, requests),
    MemoryStoreLive({ partitions }),
    Layer.succeed(PartitionCount, { partitions }),
    acquirersWith(books, queryBalance),
  )

/** The stores in memory with a closer. */
export const ClosingsLive = (books?: AcquirerBooks, queryBalance?: Acquirer["queryBalance"]) =>
  CloserLive.pipe(Layer.provideMerge(StageLive(books, idle, queryBalance)))

/** A seller's feed. */
export const feedOf = (seller: number, mode: Mode): Feed => ({ sellerId: sellerAt(seller), mode })
