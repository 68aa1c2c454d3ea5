import { Effect, Layer } from "effect"
import { ApiKeyStoreLive } from "./apiKeys/apiKeyStore.ts"
import { ClosingStoreLive } from "./closings/closingStore.ts"
import { DeliveryQueueLive } from "./deliveries/deliveryQueue.ts"
import { EndpointStoreLive } from "./endpoints/endpointStore.ts"
import { TrackerStoreLive } from "./endpoints/trackerStore.ts"
import { EventLogLive } from "./events/eventLog.ts"
import { FeedHintsLive } from "./events/feedHints.ts"
import { StreamSlotsLive } from "./events/streamSlots.ts"
import { ExceptionStoreLive } from "./exceptions/exceptionStore.ts"
import { InboxStoreLive } from "./inbox/inboxStore.ts"
import { LedgerLive } from "./ledger/ledger.ts"
import { PartitionsLive } from "./partitions/partitions.ts"
import { ProcessesLive } from "./partitions/processes.ts"
import { PixClaimStoreLive } from "./pixClaims/pixClaimStore.ts"
import { PixKeyStoreLive } from "./pixKeys/pixKeyStore.ts"
import { RateLimiterLive } from "./rateLimits/rateLimiter.ts"
import { ensureLibrary } from "./redis/functionLibrary.ts"
import { RedisClient, RedisClientLive } from "./redis/redisClient.ts"
import { SubscriberLive } from "./redis/subscriber.ts"
import { RefundStoreLive } from "./refunds/refundStore.ts"
import { RequestErrorStoreLive } from "./requestErrors/requestErrorStore.ts"
import { RetentionLive } from "./retention/retention.ts"
import { SellerClockLive } from "./sellers/sellerClock.ts"
import { SellerHintsLive } from "./sellers/sellerHints.ts"
import { SellerStoreLive } from "./sellers/sellerStore.ts"
import { SeriesStoreLive } from "./series/seriesStore.ts"
import { StoreOptions } from "./storeOptions.ts"
import { SweepStoreLive } from "./sweeps/sweepStore.ts"
import { TimerQueueLive } from "./timers/timerQueue.ts"
import { TransactionStoreLive } from "./transactions/transactionStore.ts"
import { WithdrawalStoreLive } from "./withdrawals/withdrawalStore.ts"
// Stores without a port, which accounts and the audit use: the library needs their functions too.
import "./audit/auditAnchor.ts"
import "./audit/auditEvents.ts"
import "./encryption/countSealedEvents.ts"
import "./encryption/resealMember.ts"
import "./encryption/resealPixKey.ts"
import "./encryption/resealText.ts"
import "./partitions/liveProcessKeys.ts"
import "./erasure/copyEvents.ts"
import "./erasure/eraseText.ts"
import "./erasure/swapEvents.ts"
import "./audit/repairCounters.ts"
import "./audit/repairIndexes.ts"
import "./audit/repairSeries.ts"
import "./sessions/sessionStore.ts"
import "./twoFactor/twoFactorStore.ts"
import "./users/inviteStore.ts"
import "./users/tokenStore.ts"
import "./users/userStore.ts"

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
  const connections = Layer.mergeAll(
    LibraryLive.pipe(Layer.provideMerge(RedisClientLive(url))),
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
    ExceptionStoreLive,
    PixClaimStoreLive,
    SweepStoreLive,
    RetentionLive,
    ClosingStoreLive,
    SeriesStoreLive,
    RequestErrorStoreLive,
    Layer.mergeAll(StreamSlotsLive, PartitionsLive).pipe(Layer.provideMerge(ProcessesLive)),
  ).pipe(Layer.provideMerge(connections))
}
