import { Clock, Effect, type Scope } from "effect"
import { limits } from "../../schema/limits.ts"
import { SellerHints } from "../ports/sellerHints.ts"

/** When sellers last changed, by the hints: a seller read before then is out of date. */
export interface RecentChanges {
  /** In ms of this process's clock; -Infinity where no change is remembered. */
  readonly lastMillisOf: (sellerId: string) => number
}

/**
 * Remembers which sellers changed, for as long as anything read before may still be in use. Where hints may be lost, or too many
 * came to remember, all sellers count as changed.
 */
export const listenToChanges: Effect.Effect<RecentChanges, never, SellerHints | Scope.Scope> = Effect.gen(
  function* () {
    const hints = yield* SellerHints
    const clock = yield* Clock.Clock
    /** Oldest first. */
    const changedMillis = new Map<string, number>()
    let allChangedMillis = Number.NEGATIVE_INFINITY

    const forgetOld = (nowMillis: number) => {
      for (const [sellerId, millis] of changedMillis) {
        if (nowMillis - millis <= limits.sellerSettingsMaxAgeMillis) return
        changedMillis.delete(sellerId)
      }
    }
    const allChanged = (nowMillis: number) => {
      allChangedMillis = nowMillis
      changedMillis.clear()
    }
    yield* hints.listen((hint) => {
      const nowMillis = clock.currentTimeMillisUnsafe()
      if (hint.kind !== "changed") return allChanged(nowMillis)
      forgetOld(nowMillis)
      changedMillis.delete(hint.sellerId)
      if (changedMillis.size >= limits.changedSellersMax) return allChanged(nowMillis)
      changedMillis.set(hint.sellerId, nowMillis)
    })
    return {
      lastMillisOf: (sellerId) => Math.max(allChangedMillis, changedMillis.get(sellerId) ?? allChangedMillis),
    }
  },
)
