import { Effect, Layer } from "effect"
import { AlertStoreLive } from "./alerts.ts"
import { ApiKeyStoreLive } from "./apiKeys.ts"
import { BulkStoreLive } from "./bulk.ts"
import { TransactionStoreLive } from "./charges.ts"
import { ClosingStoreLive } from "./closings.ts"
import { CustomerStoreLive } from "./customers.ts"
import { DeliveryQueueLive } from "./deliveries.ts"
import { EndpointStoreLive } from "./endpoints.ts"
import { EventLogLive } from "./events.ts"
import { ExceptionStoreLive } from "./exceptions.ts"
import { FeedHintsLive } from "./feedHints.ts"
import { InboxStoreLive } from "./inbox.ts"
import { LedgerLive } from "./ledger.ts"
import { MemberStoreLive } from "./members.ts"
import { NoteStoreLive } from "./notes.ts"
import { PartitionsLive } from "./partitions.ts"
import { PaymentLinkStoreLive } from "./paymentLinks.ts"
import { PixClaimStoreLive } from "./pixClaims.ts"
import { PixKeyStoreLive } from "./pixKeys.ts"
import { ProcessesLive } from "./processes.ts"
import { RateLimiterLive } from "./rateLimits.ts"
import { ensureLibrary } from "./redis/functionLibrary.ts"
import { RedisClient, RedisClientLive } from "./redis/redisClient.ts"
import { awaitReplicasAtStart } from "./redis/replicasAtStart.ts"
import { SubscriberLive } from "./redis/subscriber.ts"
import { RefundStoreLive } from "./refunds.ts"
import { ReportStoreLive } from "./reports.ts"
import { RequestLogStoreLive } from "./requestLog.ts"
import { RetentionLive } from "./retention.ts"
import { SellerClockLive } from "./sellerClock.ts"
import { SellerHintsLive } from "./sellerHints.ts"
import { SellerStoreLive } from "./sellers.ts"
import { SeriesStoreLive } from "./series.ts"
import { StoreOptions } from "./storeOptions.ts"
import { StreamSlotsLive } from "./streamSlots.ts"
import { SweepStoreLive } from "./sweeps.ts"
import { TimerQueueLive } from "./timers.ts"
import { TrackerStoreLive } from "./trackers.ts"
import { WithdrawalStoreLive } from "./withdrawals.ts"
// Stores without a port, which accounts and the audit use: the library needs their functions too.
import "./audit.ts"
import "./encryption.ts"
import "./erasure.ts"
import "./sellerAudit.ts"
import "./sessions.ts"
import "./mailCodes.ts"
import "./passkeys.ts"
import "./twoFactor.ts"
import "./invites.ts"
import "./userTokens.ts"
import "./users.ts"

/**
 * Loads the function library before anything calls it. It is whole because this module imports every store, and with it the
 * declaration of every function; a Lua file that none of them imports fails the load.
 */
export const LibraryLive = Layer.effectDiscard(
  Effect.gen(function* () {
    yield* ensureLibrary(yield* RedisClient)
  }),
)

/** All ports of the store on one Redis, and their connections. */
export const RedisStoreLive = (url: string, options: StoreOptions["Service"]) => {
  const replicas = Layer.effectDiscard(Effect.flatMap(RedisClient, awaitReplicasAtStart))
  const connections = Layer.mergeAll(
    LibraryLive.pipe(
      Layer.provideMerge(replicas),
      Layer.provideMerge(RedisClientLive(url, options.replication)),
    ),
    SubscriberLive(url),
    Layer.succeed(StoreOptions, options),
  )
  return Layer.mergeAll(
    TransactionStoreLive,
    TimerQueueLive,
    DeliveryQueueLive,
    EventLogLive,
    FeedHintsLive,
    SellerHintsLive,
    SellerStoreLive,
    ApiKeyStoreLive,
    EndpointStoreLive,
    TrackerStoreLive,
    SellerClockLive,
    RateLimiterLive,
    InboxStoreLive,
    LedgerLive,
    PixKeyStoreLive,
    WithdrawalStoreLive,
    RefundStoreLive,
    PaymentLinkStoreLive,
    ExceptionStoreLive,
    PixClaimStoreLive,
    SweepStoreLive,
    RetentionLive,
    ClosingStoreLive,
    SeriesStoreLive,
    RequestLogStoreLive,
    Layer.mergeAll(
      BulkStoreLive,
      AlertStoreLive,
      NoteStoreLive,
      MemberStoreLive,
      ReportStoreLive,
      CustomerStoreLive,
    ),
    Layer.mergeAll(StreamSlotsLive, PartitionsLive).pipe(Layer.provideMerge(ProcessesLive)),
  ).pipe(Layer.provideMerge(connections))
}
