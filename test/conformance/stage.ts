import type { Scope } from "effect"
import { Clock, Context, Effect } from "effect"
import type { AlertStore } from "../../actors/ports/alertStore.ts"
import type { ApiKeyStore } from "../../actors/ports/apiKeyStore.ts"
import type { BulkStore } from "../../actors/ports/bulkStore.ts"
import type { ClosingStore } from "../../actors/ports/closingStore.ts"
import type { CustomerStore } from "../../actors/ports/customerStore.ts"
import type { DeliveryQueue } from "../../actors/ports/deliveryQueue.ts"
import type { EndpointStore } from "../../actors/ports/endpointStore.ts"
import type { EventLog } from "../../actors/ports/eventLog.ts"
import type { ExceptionStore } from "../../actors/ports/exceptionStore.ts"
import type { FeedHints } from "../../actors/ports/feedHints.ts"
import type { InboxStore } from "../../actors/ports/inboxStore.ts"
import type { Ledger } from "../../actors/ports/ledger.ts"
import type { MemberStore } from "../../actors/ports/memberStore.ts"
import type { NoteStore } from "../../actors/ports/noteStore.ts"
import type { Partitions } from "../../actors/ports/partitions.ts"
import type { PaymentLinkStore } from "../../actors/ports/paymentLinkStore.ts"
import type { PixClaimStore } from "../../actors/ports/pixClaimStore.ts"
import type { PixKeyStore } from "../../actors/ports/pixKeyStore.ts"
import type { RateLimiter } from "../../actors/ports/rateLimiter.ts"
import type { RefundStore } from "../../actors/ports/refundStore.ts"
import type { ReportStore } from "../../actors/ports/reportStore.ts"
import type { RequestLogStore } from "../../actors/ports/requestLogStore.ts"
import type { Retention } from "../../actors/ports/retention.ts"
import type { SellerClock } from "../../actors/ports/sellerClock.ts"
import type { SellerHints } from "../../actors/ports/sellerHints.ts"
import type { SellerStore } from "../../actors/ports/sellerStore.ts"
import type { SeriesStore } from "../../actors/ports/seriesStore.ts"
import type { StreamSlots } from "../../actors/ports/streamSlots.ts"
import type { SweepStore } from "../../actors/ports/sweepStore.ts"
import type { TimerQueue } from "../../actors/ports/timerQueue.ts"
import type { TrackerStore } from "../../actors/ports/trackerStore.ts"
import type { TransactionStore } from "../../actors/ports/transactionStore.ts"
import type { WithdrawalStore } from "../../actors/ports/withdrawalStore.ts"
import type { IdempotencyScope } from "../../actors/values/idempotency.ts"
import type { Principal } from "../../actors/values/principal.ts"

/** All that a store provides: every port except those to the outside (sender, acquirer). */
export type StoreServices =
  | TransactionStore
  | TimerQueue
  | DeliveryQueue
  | EventLog
  | FeedHints
  | SellerHints
  | StreamSlots
  | RateLimiter
  | SellerStore
  | TrackerStore
  | SellerClock
  | ApiKeyStore
  | EndpointStore
  | PixKeyStore
  | WithdrawalStore
  | RefundStore
  | PaymentLinkStore
  | ExceptionStore
  | PixClaimStore
  | SweepStore
  | Ledger
  | ClosingStore
  | SeriesStore
  | RequestLogStore
  | BulkStore
  | AlertStore
  | NoteStore
  | MemberStore
  | ReportStore
  | CustomerStore
  | InboxStore
  | Retention
  | Partitions

/** How a store is set up for the suite. */
export interface StoreSettings {
  readonly eventRetentionMillis: number
  /** Absent: test mode keeps everything. */
  readonly testRetentionMillis?: number
  /** Absent: the default. */
  readonly inboxBytesMax?: number
  readonly partitions: number
}

/** What only some stores let a test do; cases that need an absent capability are skipped. */
export interface Capabilities<R> {
  /** Lets time pass without waiting. Absent: the store's time is real. */
  readonly advance?: (millis: number) => Effect.Effect<void, unknown, R>
  /** Ends an API key now. */
  readonly revokeKey?: (principal: Principal) => Effect.Effect<void, unknown, R>
  /** Soft-deletes a webhook endpoint (`docs/contract/endpoints.md#deletion`). */
  readonly deleteEndpoint?: (endpointId: string) => Effect.Effect<void, unknown, R>
  /** All that the store holds, by name, in any form: two readings are equal if nothing was written between them. */
  readonly contents?: Effect.Effect<Readonly<Record<string, unknown>>, unknown, R>
  /** How long an `Idempotency-Key`'s record is still kept, in ms; undefined: without expiry. */
  readonly keptMillis?: (
    principal: Principal,
    scope: Pick<IdempotencyScope, "route" | "key">,
  ) => Effect.Effect<number | undefined, unknown, R>
}
export type CapabilityName = keyof Capabilities<never>

/** What a case sees of the store's settings and capabilities. */
export interface StageShape {
  readonly settings: StoreSettings
  readonly isTimeControlled: boolean
  /** Lets at least that long pass: at once if time can be moved, else for real, so only for short spans. */
  readonly elapse: (millis: number) => Effect.Effect<void, unknown>
  readonly revokeKey: (principal: Principal) => Effect.Effect<void, unknown>
  readonly deleteEndpoint: (endpointId: string) => Effect.Effect<void, unknown>
  readonly contents: Effect.Effect<Readonly<Record<string, unknown>>, unknown>
  readonly keptMillis: (
    principal: Principal,
    scope: Pick<IdempotencyScope, "route" | "key">,
  ) => Effect.Effect<number | undefined, unknown>
}
export class Stage extends Context.Service<Stage, StageShape>()("corrente/test/Stage") {}

/** Builds the stage of one case from what the store's layer provides. */
export const makeStage = <R>(
  settings: StoreSettings,
  capabilities: Capabilities<R>,
): Effect.Effect<StageShape, never, R> =>
  Effect.map(Effect.context<R>(), (context) => {
    const absent = (name: CapabilityName) => Effect.die(new Error(`this store cannot ${name}`))
    const { advance, revokeKey, deleteEndpoint, contents, keptMillis } = capabilities
    return {
      settings,
      isTimeControlled: advance !== undefined,
      elapse: (millis) =>
        // A timer may fire a millisecond early by the clock that dates.
        advance === undefined ? Effect.sleep(millis + 1) : Effect.provideContext(advance(millis), context),
      revokeKey: (principal) =>
        revokeKey === undefined ? absent("revokeKey") : Effect.provideContext(revokeKey(principal), context),
      deleteEndpoint: (id) =>
        deleteEndpoint === undefined
          ? absent("deleteEndpoint")
          : Effect.provideContext(deleteEndpoint(id), context),
      contents: contents === undefined ? absent("contents") : Effect.provideContext(contents, context),
      keptMillis: (principal, scope) =>
        keptMillis === undefined
          ? absent("keptMillis")
          : Effect.provideContext(keptMillis(principal, scope), context),
    }
  })

/** One rule of the ports. The store is fresh and empty for each case. */
export interface StoreCase {
  readonly name: string
  readonly needs: ReadonlyArray<CapabilityName>
  readonly settings: Partial<StoreSettings>
  readonly run: Effect.Effect<void, unknown, StoreServices | Stage | Scope.Scope>
}

/** A case for every store that has the capabilities it needs. */
export const storeCase = (
  name: string,
  run: StoreCase["run"],
  options: {
    readonly needs?: ReadonlyArray<CapabilityName>
    readonly settings?: Partial<StoreSettings>
  } = {},
): StoreCase => ({ name, run, needs: options.needs ?? [], settings: options.settings ?? {} })

/** A case that must move time: by hours, or to the exact millisecond of a bound. */
export const timedCase = (
  name: string,
  run: StoreCase["run"],
  settings: Partial<StoreSettings> = {},
): StoreCase => storeCase(name, run, { needs: ["advance"], settings })

/**
 * A retention that a case outlives. On real time, too, what a case has just written must still be kept when it looks: this is
 * longer than a busy machine stalls.
 */
export const shortRetentionMillis = 2_000

/** Lets at least that long pass, in ms. */
export const elapse = (millis: number) => Effect.flatMap(Stage, (stage) => stage.elapse(millis))

export const nowMillis = Clock.currentTimeMillis
