import { describe, expect, it } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import { ClosingStore } from "../../actors/ports/closingStore.ts"
import { Ledger, type LedgerSpan } from "../../actors/ports/ledger.ts"
import type { Principal } from "../../actors/values/principal.ts"
import { dayEndMillis, dayStartMillis } from "../../actors/values/saoPauloDays.ts"
import { closingLimits } from "../../schema/closingLimits.ts"
import { limits } from "../../schema/limits.ts"
import { Closer, CloserLive, closingDueMillis } from "../../src/closings/closer.ts"
import { goTo, paid, StageLive, write } from "./closingStage.ts"

const day = "2018-11-04"
/** So long one read of a service on which requests wait all day is held up. */
const heldUpMillis = limits.auditYieldLooksMax * limits.dueWorkLookMillis

/** A full page of a ledger. */
const page = Array.from({ length: closingLimits.pageEntries }, (_, i) => ({
  ...{ entryId: `${dayStartMillis(day)}-${i}`, seq: i, eventEntryId: undefined, ...paid(1) },
  balance: { available: 0, reserve: 0, pendingWithdraw: 0, pendingRefund: 0 },
}))

describe("a closing of a large platform", () => {
  /** A ledger of one seller with so many full pages in a day, and how often it was read. */
  const hugeLedger = (pages: number, reads: { count: number; largest: number }) =>
    Layer.effect(
      Ledger,
      Effect.map(Ledger, (ledger) => ({
        ...ledger,
        readSpan: ({ mode }: Principal, span: LedgerSpan) =>
          Effect.sync(() => {
            if (mode !== "live") return []
            if (span.fromMillis === 0) return page.slice(0, 1)
            reads.count += 1
            reads.largest = Math.max(reads.largest, span.entriesMax)
            return reads.count <= pages ? page : []
          }),
      })),
    )

  it.effect(
    "pages are bounded, wait for requests one by one, and keep the lease however long a seller's day is",
    () =>
      Effect.gen(function* () {
        const reads = { count: 0, largest: 0 }
        const requests = {
          currentMillis: () => limits.dueWorkYieldsAboveMillis + 1,
          inProgress: () => 1,
          started: () => 1,
        }
        // Longer than the lease, which only renewals between the pages of one seller keep.
        const pages = Math.ceil((2 * closingLimits.leaseMillis) / heldUpMillis)
        yield* Effect.gen(function* () {
          yield* write([{ seller: 0, mode: "live", atMillis: dayEndMillis(day), movement: paid(1) }])
          yield* goTo(closingDueMillis(day))
          const store = yield* ClosingStore
          const close = Effect.flatMap(Closer, (closer) => closer.closeDue("one"))
          const closing = yield* Effect.forkChild(
            Effect.provide(close, CloserLive.pipe(Layer.provide(hugeLedger(pages, reads)))),
          )
          yield* TestClock.adjust(heldUpMillis)
          for (let before = reads.count; reads.count < 10; before = reads.count) {
            yield* TestClock.adjust(heldUpMillis)
            expect(reads.count - before).toBeLessThanOrEqual(1)
          }
          while (reads.count < pages) {
            yield* TestClock.adjust(closingLimits.leaseMillis / 2)
            expect(yield* store.claim("two", closingLimits.leaseMillis)).toBeUndefined()
          }
          yield* TestClock.adjust(closingLimits.leaseMillis)
          yield* Fiber.join(closing)
          const whole = yield* store.get("live", day)
          expect(whole?.closing.available).toBe(pages * closingLimits.pageEntries)
          expect(reads.largest).toBe(closingLimits.pageEntries)
        }).pipe(Effect.provide(StageLive(undefined, requests)))
      }),
  )
})
