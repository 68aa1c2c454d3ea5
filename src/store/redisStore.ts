import { Effect, Layer } from "effect"
import { ApiKeyStoreLive } from "./apiKeys/apiKeyStore.ts"
import { DeliveryQueueLive } from "./deliveries/deliveryQueue.ts"
import { EndpointStoreLive } from "./endpoints/endpointStore.ts"
import { EventLogLive } from "./events/eventLog.ts"
import { FeedHintsLive } from "./events/feedHints.ts"
import { StreamSlotsLive } from "./events/streamSlots.ts"
import { InboxStoreLive } from "./inbox/inboxStore.ts"
import { LedgerLive } from "./ledger/ledger.ts"
import { PartitionsLive } from "./partitions/partitions.ts"
import { ProcessesLive } from "./partitions/processes.ts"
import { PixKeyStoreLive } from "./pixKeys/pixKeyStore.ts"
import { RateLimiterLive } from "./rateLimits/rateLimiter.ts"
import "./functions.ts"
import { ensureLibrary } from "./redis/functionLibrary.ts"
import { RedisClient, RedisClientLive } from "./redis/redisClient.ts"
import { SubscriberLive } from "./redis/subscriber.ts"
import { SellerClockLive } from "./sellers/sellerClock.ts"
import { SellerHintsLive } from "./sellers/sellerHints.ts"
import { SellerRecordsLive } from "./sellers/sellerRecords.ts"
import { SellerStoreLive } from "./sellers/sellerStore.ts"
import { StoreOptions } from "./storeOptions.ts"
import { TimerQueueLive } from "./timers/timerQueue.ts"
import { TransactionStoreLive } from "./transactions/transactionStore.ts"
import { WithdrawalStoreLive } from "./withdrawals/withdrawalStore.ts"

/** Loads the function library before anything calls it. */
const LibraryLive = Layer.effectDiscard(
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
    SellerRecordsLive,
    SellerClockLive,
    RateLimiterLive,
    InboxStoreLive,
    LedgerLive,
    PixKeyStoreLive,
    WithdrawalStoreLive,
    Layer.mergeAll(StreamSlotsLive, PartitionsLive).pipe(Layer.provideMerge(ProcessesLive)),
  ).pipe(Layer.provideMerge(connections))
}
