import type { Scope } from "effect"
import { Clock, Context, Effect } from "effect"
import type { ApiKeyStore } from "../../actors/ports/apiKeyStore.ts"
import type { DeliveryQueue } from "../../actors/ports/deliveryQueue.ts"
import type { EndpointStore } from "../../actors/ports/endpointStore.ts"
import type { EventLog } from "../../actors/ports/eventLog.ts"
import type { FeedHints } from "../../actors/ports/feedHints.ts"
import type { Partitions } from "../../actors/ports/partitions.ts"
import type { RateLimiter } from "../../actors/ports/rateLimiter.ts"
import type { SellerRecords } from "../../actors/ports/sellerRecords.ts"
import type { SellerStore } from "../../actors/ports/sellerStore.ts"
import type { StreamSlots } from "../../actors/ports/streamSlots.ts"
import type { TimerQueue } from "../../actors/ports/timerQueue.ts"
import type { Principal, TransactionStore } from "../../actors/ports/transactionStore.ts"

/** All that a store provides: every port but those of the world outside (sender, acquirer). */
export type StoreServices =
  | TransactionStore
  | TimerQueue
  | DeliveryQueue
  | EventLog
  | FeedHints
  | StreamSlots
  | RateLimiter
  | SellerStore
  | SellerRecords
  | ApiKeyStore
  | EndpointStore
  | Partitions

/** How a store is set up for the suite. */
export interface StoreSettings {
  readonly eventRetentionMillis: number
  readonly partitions: number
}

/** What only some stores let a test do; the cases that need an absent one are skipped. */
export interface Capabilities<R> {
  /** Lets time pass without waiting. Absent: the store's time is real. */
  readonly advance?: (millis: number) => Effect.Effect<void, unknown, R>
  /** Ends an API key now. */
  readonly revokeKey?: (principal: Principal) => Effect.Effect<void, unknown, R>
  /** Soft-deletes a webhook endpoint (spec 3). */
  readonly deleteEndpoint?: (endpointId: string) => Effect.Effect<void, unknown, R>
}
export type CapabilityName = keyof Capabilities<never>

/** What a case sees of the store's settings and capabilities. */
export interface StageShape {
  readonly settings: StoreSettings
  readonly isTimeControlled: boolean
  /** At least that long passes: at once where time can be moved, else for real. For short spans. */
  readonly elapse: (millis: number) => Effect.Effect<void, unknown>
  readonly revokeKey: (principal: Principal) => Effect.Effect<void, unknown>
  readonly deleteEndpoint: (endpointId: string) => Effect.Effect<void, unknown>
}
export class Stage extends Context.Service<Stage, StageShape>()("corrente/test/Stage") {}

/** Builds the stage of one case from what the store's layer provides. */
export const makeStage = <R>(
  settings: StoreSettings,
  capabilities: Capabilities<R>,
): Effect.Effect<StageShape, never, R> =>
  Effect.map(Effect.context<R>(), (context) => {
    const absent = (name: CapabilityName) => Effect.die(new Error(`this store cannot ${name}`))
    const { advance, revokeKey, deleteEndpoint } = capabilities
    return {
      settings,
      isTimeControlled: advance !== undefined,
      elapse: (millis) =>
        advance === undefined ? Effect.sleep(millis) : Effect.provideContext(advance(millis), context),
      revokeKey: (principal) =>
        revokeKey === undefined ? absent("revokeKey") : Effect.provideContext(revokeKey(principal), context),
      deleteEndpoint: (id) =>
        deleteEndpoint === undefined
          ? absent("deleteEndpoint")
          : Effect.provideContext(deleteEndpoint(id), context),
    }
  })

/** One rule of the ports. The store is fresh and empty for each case. */
export interface StoreCase {
  readonly name: string
  readonly needs: ReadonlyArray<CapabilityName>
  readonly settings: Partial<StoreSettings>
  readonly run: Effect.Effect<void, unknown, StoreServices | Stage | Scope.Scope>
}

/** A case for every store, or for those with what it needs. */
export const storeCase = (
  name: string,
  run: StoreCase["run"],
  options: {
    readonly needs?: ReadonlyArray<CapabilityName>
    readonly settings?: Partial<StoreSettings>
  } = {},
): StoreCase => ({ name, run, needs: options.needs ?? [], settings: options.settings ?? {} })

/** A case that must move time: hours, or to the very millisecond of a bound. */
export const timedCase = (
  name: string,
  run: StoreCase["run"],
  settings: Partial<StoreSettings> = {},
): StoreCase => storeCase(name, run, { needs: ["advance"], settings })

/** Lets that long pass. */
export const elapse = (millis: number) => Effect.flatMap(Stage, (stage) => stage.elapse(millis))

export const nowMillis = Clock.currentTimeMillis
