import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import type { CustomerStore } from "../../actors/ports/customerStore.ts"
import type {
  StoredTransaction,
  TransactionPage,
  TransactionStore,
} from "../../actors/ports/transactionStore.ts"
import { encodeTime } from "../../schema/ids.ts"
import { limits } from "../../schema/limits.ts"
import { exampleTransaction } from "../../schema/resources/transaction.ts"
import { makeChargePages } from "../../src/http/handlers/chargePages.ts"

const principal = { sellerId: "sel_01KA0000000700000000000000", mode: "test", kind: "session" } as never
const begun = Date.parse("2026-11-21T12:00:00.000Z")
const idOf = (place: number) => `txn_${encodeTime(begun + place)}0700000000000000`

/** Charges of 1, 2, 3… centavos, newest first; the first is the oldest. */
const chargesOf = (count: number): ReadonlyArray<StoredTransaction> =>
  Array.from({ length: count }, (_, i) => {
    const place = count - 1 - i
    const charge = { ...exampleTransaction, id: idOf(place), amount: place + 1 }
    return { id: charge.id, status: "pending", document: JSON.stringify(charge) } as StoredTransaction
  })

const pagesOf = (charges: ReadonlyArray<StoredTransaction>) => {
  const reads: Array<number> = []
  const list = (_: unknown, { beforeId, limit }: TransactionPage) => {
    reads.push(limit)
    const begin = beforeId === undefined ? 0 : charges.findIndex(({ id }) => id < beforeId)
    return Effect.succeed(begin === -1 ? [] : charges.slice(begin, begin + limit))
  }
  return {
    ...makeChargePages(
      { list } as unknown as TransactionStore["Service"],
      { read: () => Effect.succeed([]) } as unknown as CustomerStore["Service"],
      { open: () => undefined },
    ),
    reads,
  }
}

const run = <A>(effect: Effect.Effect<A, unknown>) => Effect.runPromise(effect as Effect.Effect<A>)

describe("pages of charges", () => {
  it("a page that finds nothing among 5,000 charges is empty, and the next one goes on after them", async () => {
    const { page, reads } = pagesOf(chargesOf(limits.filterScanEntriesMax + 1))
    const first = await run(page(principal, { amount_max: "1" }, undefined, 50))
    expect(first).toEqual({ found: [], next: idOf(1) })
    expect(reads.every((limit) => limit <= limits.replayBatchEntries)).toBe(true)
    const second = await run(page(principal, { amount_max: "1" }, first.next, 50))
    expect([second.found.map(({ id }) => id), second.next]).toEqual([[idOf(0)], undefined])
  })

  it("a page that has looked at 5,000 charges, and all of them, is the last", async () => {
    const { page } = pagesOf(chargesOf(limits.filterScanEntriesMax))
    const { found, next } = await run(page(principal, { amount_max: "1" }, undefined, 50))
    expect([found.map(({ id }) => id), next]).toEqual([[idOf(0)], undefined])
  })

  it("a page without filters that look at charges is read at once", async () => {
    const { page, reads } = pagesOf(chargesOf(200))
    const { found, next } = await run(page(principal, {}, undefined, 50))
    expect([found.length, next, reads]).toEqual([50, idOf(150), [51]])
  })
})

describe("totals of charges", () => {
  it("10,000 charges are added up, and of 10,001 the newest, with the time since when", async () => {
    const whole = await run(pagesOf(chargesOf(limits.chargesAddedUpMax)).totals(principal, {}))
    expect([whole.count, whole.complete, whole.since]).toEqual([10_000, true, null])
    const cut = await run(pagesOf(chargesOf(limits.chargesAddedUpMax + 1)).totals(principal, {}))
    expect([cut.count, cut.complete, cut.since]).toEqual([
      ...[10_000, false, new Date(begun + 1).toISOString()],
    ])
    expect(cut.amount).toBe((10_001 * 10_002) / 2 - 1)
  })
})
