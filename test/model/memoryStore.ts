import { Context, Effect, Layer } from "effect"
import { AlertStore } from "../../actors/ports/alertStore.ts"
import { ApiKeyStore } from "../../actors/ports/apiKeyStore.ts"
import { BulkStore } from "../../actors/ports/bulkStore.ts"
import { ClosingStore } from "../../actors/ports/closingStore.ts"
import { CustomerStore } from "../../actors/ports/customerStore.ts"
import { DeliveryQueue } from "../../actors/ports/deliveryQueue.ts"
import { EndpointStore } from "../../actors/ports/endpointStore.ts"
import { EventLog } from "../../actors/ports/eventLog.ts"
import { ExceptionStore } from "../../actors/ports/exceptionStore.ts"
import { FeedHints } from "../../actors/ports/feedHints.ts"
import { InboxStore } from "../../actors/ports/inboxStore.ts"
import { Ledger } from "../../actors/ports/ledger.ts"
import { MemberStore } from "../../actors/ports/memberStore.ts"
import { NoteStore } from "../../actors/ports/noteStore.ts"
import { Partitions } from "../../actors/ports/partitions.ts"
import { PaymentLinkStore } from "../../actors/ports/paymentLinkStore.ts"
import { PixClaimStore } from "../../actors/ports/pixClaimStore.ts"
import { PixKeyStore } from "../../actors/ports/pixKeyStore.ts"
import { RateLimiter } from "../../actors/ports/rateLimiter.ts"
import { RefundStore } from "../../actors/ports/refundStore.ts"
import { ReportStore } from "../../actors/ports/reportStore.ts"
import { RequestLogStore } from "../../actors/ports/requestLogStore.ts"
import { Retention } from "../../actors/ports/retention.ts"
import { SellerClock } from "../../actors/ports/sellerClock.ts"
import { SellerHints } from "../../actors/ports/sellerHints.ts"
import { SellerStore } from "../../actors/ports/sellerStore.ts"
import { SeriesStore } from "../../actors/ports/seriesStore.ts"
import { StreamSlots } from "../../actors/ports/streamSlots.ts"
import { SweepStore } from "../../actors/ports/sweepStore.ts"
import { TimerQueue } from "../../actors/ports/timerQueue.ts"
import { TrackerStore } from "../../actors/ports/trackerStore.ts"
import { TransactionStore } from "../../actors/ports/transactionStore.ts"
import { WithdrawalStore } from "../../actors/ports/withdrawalStore.ts"
import { limits } from "../../schema/limits.ts"
import { makeAlertStore } from "./alertStore.ts"
import { makeApiKeyStore } from "./apiKeyStore.ts"
import { makeBulkStore } from "./bulkStore.ts"
import { makeClosingStore } from "./closingStore.ts"
import { makeCustomerStore } from "./customerStore.ts"
import { makeDeliveryQueue } from "./deliveryQueue.ts"
import { makeEndpointStore } from "./endpointStore.ts"
import { makeEventLog } from "./eventLog.ts"
import { makeExceptionStore } from "./exceptionStore.ts"
import { makeFeedHints } from "./feedHints.ts"
import { makeInboxStore } from "./inboxStore.ts"
import { makeLedger } from "./ledger.ts"
import { makeMemberStore } from "./memberStore.ts"
import { makeNoteStore } from "./noteStore.ts"
import { makePartitions } from "./partitions.ts"
import { makePaymentLinkStore } from "./paymentLinkStore.ts"
import { makePixClaimStore } from "./pixClaimStore.ts"
import { makePixKeyStore } from "./pixKeyStore.ts"
import { makeRateLimiter } from "./rateLimiter.ts"
import { makeRefundStore } from "./refundStore.ts"
import { makeReportStore } from "./reportStore.ts"
import { makeRequestLogStore } from "./requestLogStore.ts"
import { makeRetention } from "./retention.ts"
import { makeSellerClock } from "./sellerClock.ts"
import { makeSellerHints } from "./sellerHints.ts"
import { makeSellerStore } from "./sellerStore.ts"
import { makeSeriesStore } from "./seriesStore.ts"
import { type MemoryState, MemoryStore, type MemoryStoreOptions, makeState } from "./state.ts"
import { makeStreamSlots } from "./streamSlots.ts"
import { makeSweepStore } from "./sweepStore.ts"
import { makeTimerQueue } from "./timerQueue.ts"
import { makeTrackerStore } from "./trackerStore.ts"
import { makeTransactionStore } from "./transactionStore.ts"
import { makeWithdrawalStore } from "./withdrawalStore.ts"

/** The service's defaults. */
const defaults: MemoryStoreOptions = {
  eventRetentionMillis: 30 * 24 * 60 * 60 * 1000,
  testRetentionMillis: undefined,
  inboxBytesMax: limits.inboxBytesMaxDefault,
  partitions: 64,
}

/** The ports on books and on what is trimmed; apart, because a pipe takes at most 20 steps. */
const booksStores = (state: MemoryState) =>
  Context.make(ExceptionStore, makeExceptionStore(state)).pipe(
    Context.add(PixClaimStore, makePixClaimStore(state)),
    Context.add(SweepStore, makeSweepStore(state)),
    Context.add(Retention, makeRetention(state)),
    Context.add(ClosingStore, makeClosingStore(state)),
    Context.add(SeriesStore, makeSeriesStore(state)),
    Context.add(RequestLogStore, makeRequestLogStore(state)),
    Context.add(BulkStore, makeBulkStore(state)),
    Context.add(AlertStore, makeAlertStore(state)),
    Context.add(PaymentLinkStore, makePaymentLinkStore(state)),
    Context.add(NoteStore, makeNoteStore(state)),
    Context.add(MemberStore, makeMemberStore(state)),
    Context.add(ReportStore, makeReportStore(state)),
    Context.add(CustomerStore, makeCustomerStore(state)),
  )

/**
 * All store ports over one state in memory: a model of what Redis does, for tests of behaviour and to compare the
 * Redis store with. Each layer built is a fresh, empty store. Time is only Effect's Clock, so `TestClock` moves it; no
 * port call ever fails with `StoreUnavailable`.
 */
export const MemoryStoreLive = (options: Partial<MemoryStoreOptions> = {}) =>
  Layer.effectContext(
    Effect.sync(() => {
      const state = makeState({ ...defaults, ...options })
      return booksStores(state).pipe(
        Context.add(MemoryStore, state),
        Context.add(TransactionStore, makeTransactionStore(state)),
        Context.add(TimerQueue, makeTimerQueue(state)),
        Context.add(DeliveryQueue, makeDeliveryQueue(state)),
        Context.add(EventLog, makeEventLog(state)),
        Context.add(FeedHints, makeFeedHints(state)),
        Context.add(StreamSlots, makeStreamSlots(state)),
        Context.add(SellerStore, makeSellerStore(state)),
        Context.add(SellerClock, makeSellerClock(state)),
        Context.add(SellerHints, makeSellerHints(state)),
        Context.add(TrackerStore, makeTrackerStore(state)),
        Context.add(ApiKeyStore, makeApiKeyStore(state)),
        Context.add(EndpointStore, makeEndpointStore(state)),
        Context.add(PixKeyStore, makePixKeyStore(state)),
        Context.add(InboxStore, makeInboxStore(state)),
        Context.add(Ledger, makeLedger(state)),
        Context.add(WithdrawalStore, makeWithdrawalStore(state)),
        Context.add(RefundStore, makeRefundStore(state)),
        Context.add(RateLimiter, makeRateLimiter(state)),
        Context.add(Partitions, makePartitions(state)),
      )
    }),
  )
