import { Clock, Effect } from "effect"
import type { Mode } from "../../schema/ids.ts"
import { limits } from "../../schema/limits.ts"
import type { SellerSettings } from "../ports/sellerStore.ts"
import type { StoreUnavailable } from "../values/storeUnavailable.ts"
import type { SellerTime } from "./decisions/sellerTime.ts"
import type { RecentChanges } from "./recentChanges.ts"

/** What an actor remembers about its seller for a while. */
export interface Known {
  readonly settings: SellerSettings
  /** What its codes call it; undefined before an operator has approved a legal name. */
  readonly approvedName: string | undefined
  /** How far test mode's clock is ahead. */
  readonly offsetMillis: number
  /** When it began to be read. */
  readonly readAtMillis: number
}

/** Where actors read what they remember. */
export interface MemorySource {
  readonly all: (sellerId: string) => Effect.Effect<Known, { readonly _tag: string }>
  readonly offsetMillis: (sellerId: string) => Effect.Effect<number, StoreUnavailable>
  readonly changes: RecentChanges
}

/** What an operation knows about its seller while it runs. */
export interface SellerView {
  readonly settings: SellerSettings
  /** The legal name that an operator has approved, if one has. */
  readonly approvedName: string | undefined
  /** The seller's time as far as the actor knows. */
  readonly timeOf: (mode: Mode) => Effect.Effect<SellerTime>
  /** Reads test mode's clock first: another process may have advanced it. */
  readonly freshTimeOf: (mode: Mode) => Effect.Effect<SellerTime, StoreUnavailable>
  /** The seller's time, given how far ahead test mode's clock was a moment ago; it never goes back. */
  readonly timeSince: (mode: Mode, offsetMillis: number) => Effect.Effect<SellerTime>
  /** Notes that test mode's clock is so far ahead. */
  readonly setOffset: (offsetMillis: number) => void
}

/** What a seller's actor remembers about its seller, kept fresh. */
export class SellerMemory implements SellerView {
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

  get approvedName(): string | undefined {
    return this.#known.approvedName
  }

  timeOf(mode: Mode): Effect.Effect<SellerTime> {
    return Effect.map(Clock.currentTimeMillis, (trueMillis) => {
      const offsetMillis = mode === "test" ? this.#known.offsetMillis : 0
      return { nowMillis: trueMillis + offsetMillis, offsetMillis }
    })
  }

  freshTimeOf(mode: Mode): Effect.Effect<SellerTime, StoreUnavailable> {
    if (mode === "live") return this.timeOf(mode)
    return Effect.flatMap(this.#source.offsetMillis(this.#sellerId), (offsetMillis) => {
      this.setOffset(offsetMillis)
      return this.timeOf(mode)
    })
  }

  timeSince(mode: Mode, offsetMillis: number): Effect.Effect<SellerTime> {
    if (mode === "test" && offsetMillis > this.#known.offsetMillis) this.setOffset(offsetMillis)
    return this.timeOf(mode)
  }

  setOffset(offsetMillis: number): void {
    this.#known = { ...this.#known, offsetMillis }
  }

  /** Reads everything again where it has changed or become old; what cannot be read stays as it was. */
  get refresh(): Effect.Effect<void> {
    return Effect.flatMap(Clock.currentTimeMillis, (nowMillis) => {
      const { readAtMillis } = this.#known
      const isOld = nowMillis - readAtMillis > limits.sellerSettingsMaxAgeMillis
      // Within the same millisecond the change may have come after the read.
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
