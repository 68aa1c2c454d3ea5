import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { dayStartMillis } from "../../actors/values/saoPauloDays.ts"
import type { SellerDayBooks } from "../../schema/resources/closing.ts"
import { Closer, closingDueMillis } from "../../src/closings/closer.ts"
import { makeClosingView } from "../../src/closings/closingView.ts"
import { ClosingsLive, goTo, held, paid, sellerAt, write } from "./closingStage.ts"

const at = (day: string) => dayStartMillis(day) + 3_600_000

/** Three sellers: the first moves on both days, the second on the first day, the third on the third. */
const threeDays = Effect.gen(function* () {
  yield* write([
    { seller: 0, mode: "live", atMillis: at("2026-11-20"), movement: paid(1_000, 50) },
    { seller: 1, mode: "live", atMillis: at("2026-11-20"), movement: paid(500) },
    { seller: 0, mode: "live", atMillis: at("2026-11-21"), movement: held(300) },
    { seller: 2, mode: "live", atMillis: at("2026-11-22"), movement: paid(7) },
  ])
  yield* goTo(closingDueMillis("2026-11-22"))
  yield* (yield* Closer).closeDue("one")
  return yield* makeClosingView
})

const availableOf = ({ seller_id, opening, movements, closing }: SellerDayBooks) => [
  seller_id,
  opening.available,
  Object.keys(movements),
  closing.available,
]

describe("a closing as operators see it", () => {
  it.effect("it has the books of the platform and of each seller whose money had moved by then", () =>
    Effect.gen(function* () {
      const view = yield* threeDays
      const found = yield* view("live", "2026-11-21", { beforeId: undefined, limit: 10 })
      const { platform, sellers } = found?.closing ?? (yield* Effect.die("no closing"))
      expect(platform).toMatchObject({
        opening: { available: 1_450, external: -1_500, fees: 50, pending_withdraw: 0 },
        movements: { withdrawal_held: { available: -300, pending_withdraw: 300, external: 0 } },
        closing: { available: 1_150, external: -1_500, fees: 50, pending_withdraw: 300 },
      })
      // The second one has not moved since: its last closing stands. The third one has not moved yet.
      expect(sellers.map(availableOf)).toEqual([
        [sellerAt(1), 500, [], 500],
        [sellerAt(0), 950, ["withdrawal_held"], 650],
      ])
      expect(found?.nextBeforeId).toBeUndefined()
      expect(yield* view("test", "2026-11-21", { beforeId: undefined, limit: 10 })).toBeUndefined()
      expect(yield* view("live", "2026-11-23", { beforeId: undefined, limit: 10 })).toBeUndefined()
    }).pipe(Effect.provide(ClosingsLive())),
  )

  it.effect("its sellers come in pages, which together have each of them once", () =>
    Effect.gen(function* () {
      const view = yield* threeDays
      const seen: Array<string> = []
      let beforeId: string | undefined
      do {
        const page = yield* view("live", "2026-11-22", { beforeId, limit: 1 })
        seen.push(...(page?.closing.sellers ?? []).map(({ seller_id }) => seller_id))
        beforeId = page?.nextBeforeId
      } while (beforeId !== undefined)
      expect(seen).toEqual([sellerAt(2), sellerAt(1), sellerAt(0)])
    }).pipe(Effect.provide(ClosingsLive())),
  )
})
