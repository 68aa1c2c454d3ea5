import { Clock, Effect } from "effect"
import type { Mode } from "../../schema/ids.ts"
import { limits } from "../../schema/limits.ts"
import type { SellerSettings } from "../ports/sellerStore.ts"
import type { StoreUnavailable } from "../ports/store.ts"
import type { SellerTime } from "./decisions/sellerTime.ts"
import type { RecentChanges } from "./recentChanges.ts"

/** What an actor remembers of its seller for a while. */
export interface Known {
  readonly settings: SellerSettings
  /** How far ahead the clock of its test mode is. */
  readonly offsetMillis: number
  /** When reading it began. */
  readonly readAtMillis: number
}

/** Where actors read what they remember of a seller. */
export interface MemorySource {
  readonly all: (sellerId: string) => Effect.Effect<Known, { readonly _tag: string }>
  readonly offsetMillis: (sellerId: string) => Effect.Effect<number, StoreUnavailable>
  readonly changes: RecentChanges
}

/** What a seller's actor remembers, kept fresh, and the seller's time by it. */
export class SellerMemory {
  readonly #sellerId: string
  readonly #source: MemorySource
  #known: Known

  constructor(sellerId: string, first: Known, source: MemorySource) {
    this.#sellerId = sellerId
    this.#source = source
    this.#known = first
  }

  get settings(): SellerSettings {
    return this.#known.settings
  }

  /** The seller's time by what is remembered. */
  timeOf(mode: Mode): Effect.Effect<SellerTime> {
    return Effect.map(Clock.currentTimeMillis, (trueMillis) => {
      const offsetMillis = mode === "test" ? this.#known.offsetMillis : 0
      return { nowMillis: trueMillis + offsetMillis, offsetMillis }
    })
  }

  /** Asks first how far test mode's clock is: another process may have advanced it just now. */
  freshTimeOf(mode: Mode): Effect.Effect<SellerTime, StoreUnavailable> {
    if (mode === "live") return this.timeOf(mode)
    return Effect.flatMap(this.#source.offsetMillis(this.#sellerId), (offsetMillis) => {
      this.setOffset(offsetMillis)
      return this.timeOf(mode)
    })
  }

  /** The seller's time where the clock of its test mode was as far ahead a moment ago; it never goes back. */
  timeSince(mode: Mode, offsetMillis: number): Effect.Effect<SellerTime> {
    if (mode === "test" && offsetMillis > this.#known.offsetMillis) this.setOffset(offsetMillis)
    return this.timeOf(mode)
  }

  setOffset(offsetMillis: number): void {
    this.#known = { ...this.#known, offsetMillis }
  }

  /** Reads all of it again where it has changed since or become old; what cannot be read stays as it was. */
  get refresh(): Effect.Effect<void> {
    return Effect.flatMap(Clock.currentTimeMillis, (nowMillis) => {
      const { readAtMillis } = this.#known
      const isOld = nowMillis - readAtMillis > limits.sellerSettingsMaxAgeMillis
      // In one and the same millisecond the change may have come after the reading.
      if (!isOld && this.#source.changes.lastMillisOf(this.#sellerId) < readAtMillis) return Effect.void
      return Effect.map(
        Effect.orElseSucceed(this.#source.all(this.#sellerId), () => this.#known),
        (known) => {
          this.#known = known
        },
      )
    })
  }
}
