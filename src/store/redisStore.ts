import { Effect, Layer } from "effect"
import { ApiKeyStoreLive } from "./apiKeyStore.ts"
import { DeliveryQueueLive } from "./deliveryQueue.ts"
import { EndpointStoreLive } from "./endpointStore.ts"
import { EventLogLive } from "./eventLog.ts"
import { FeedHintsLive } from "./feedHints.ts"
import { ensureLibrary } from "./functionLibrary.ts"
import { InboxStoreLive } from "./inboxStore.ts"
import { LedgerLive } from "./ledger.ts"
import { PartitionsLive } from "./partitions.ts"
import { PixKeyStoreLive } from "./pixKeyStore.ts"
import { ProcessesLive } from "./processes.ts"
import { RateLimiterLive } from "./rateLimiter.ts"
import { RedisClient, RedisClientLive } from "./redisClient.ts"
import { SellerClockLive } from "./sellerClock.ts"
import { SellerHintsLive } from "./sellerHints.ts"
import { SellerRecordsLive } from "./sellerRecords.ts"
import { SellerStoreLive } from "./sellerStore.ts"
import { StoreOptions } from "./storeOptions.ts"
import { StreamSlotsLive } from "./streamSlots.ts"
import { SubscriberLive } from "./subscriber.ts"
import { TimerQueueLive } from "./timerQueue.ts"
import { TransactionStoreLive } from "./transactionStore.ts"
import { WithdrawalStoreLive } from "./withdrawalStore.ts"

/** Loads the function library before anything calls it. */
const LibraryLive = Layer.effectDiscard(
  Effect.gen(function* () {
    yield* ensureLibrary(yield* RedisClient)
  }),
)

/** Every port of the store on one Redis, and the connection behind them. */
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
