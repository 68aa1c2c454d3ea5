import { randomBytes } from "node:crypto"
import { Effect, Layer, Redacted } from "effect"
import { bulkTimers } from "../actors/bulk/bulkTimers.ts"
import { EndpointActorsLive } from "../actors/endpoint/endpointActor.ts"
import { RetrySchedule } from "../actors/endpoint/makeAttempt.ts"
import { InboxLive } from "../actors/inbox/inbox.ts"
import { noticeTimers } from "../actors/inbox/noticeTimers.ts"
import { ExceptionRules } from "../actors/ports/exceptionRules.ts"
import { PartitionCount } from "../actors/ports/partitionCount.ts"
import { SimulatedOperator } from "../actors/ports/simulatedOperator.ts"
import { TimerHandlers } from "../actors/ports/timerHandlers.ts"
import { SellerActorsLive } from "../actors/seller/sellerActor.ts"
import {
  chargeTimers,
  exceptionTimers,
  refundTimers,
  withdrawalTimers,
} from "../actors/seller/sellerTimers.ts"
import { SweeperLive } from "../actors/sweeps/sweeper.ts"
import { AccountSecrets } from "./accounts/accountSecrets.ts"
import { AccountsLive } from "./accounts/accountsLive.ts"
import { alertTimers } from "./accounts/alerts/alertTimers.ts"
import { ApiKeys, ApiKeysLive } from "./accounts/apiKeys/apiKeys.ts"
import { apiKeyTimers } from "./accounts/apiKeys/apiKeyTimers.ts"
import { ResolveExceptionsLive } from "./accounts/exceptions/resolveExceptions.ts"
import { ResolveManyLive } from "./accounts/exceptions/resolveMany.ts"
import { reportTimers } from "./accounts/reports/reportTimers.ts"
import { DisablingEventsLive } from "./accounts/sellers/disablingEvents.ts"
import { SessionIdle, Sessions } from "./accounts/sessions/sessions.ts"
import { PasswordCost } from "./accounts/users/passwords.ts"
import { Users } from "./accounts/users/users.ts"
import { AcquirersLive, NoticeSourcesLive } from "./acquirers/acquirersLive.ts"
import { AuditTimerLive } from "./audit/auditTimer.ts"
import { CloserLive } from "./closings/closer.ts"
import { ClosingTimerLive } from "./closings/closingTimer.ts"
import { Settings } from "./config/settings.ts"
import type { SettingsShape } from "./config/settingsShape.ts"
import { CipherLive, makeCipher, makeFingerprints } from "./crypto/cipher.ts"
import type { EncryptionKeys } from "./crypto/encryptionKeys.ts"
import { IdentifiersLive } from "./crypto/identifiers.ts"
import { DestinationCheckLive } from "./delivery/destination/destinationCheck.ts"
import { layerDnsResolver } from "./delivery/destination/dnsResolver.ts"
import { SenderLive } from "./delivery/sender/sender.ts"
import { generateEndpointSecret } from "./delivery/signature.ts"
import { FaultPointsLive } from "./faults/faultPointsLive.ts"
import { FeedHubLive } from "./feed/hub.ts"
import { PayoutGateLive } from "./freeze/payoutGate.ts"
import { Authenticator } from "./http/contract/authenticator.ts"
import { BrowserRequests, makeBrowserRequests } from "./http/contract/browserRequest.ts"
import { SessionAuthenticator } from "./http/contract/sessionGuard.ts"
import { CursorsLive } from "./http/handlers/cursors.ts"
import { LoadLive } from "./load/load.ts"
import { MailLive } from "./mail/mailLive.ts"
import { OwnAddressLive } from "./mail/ownAddress.ts"
import { LogosLive } from "./payments/logos/logos.ts"
import { PaymentUrlsLive } from "./payments/paymentUrls.ts"
import { ReceiptPdfLive } from "./payments/receipts/receiptPdf.ts"
import { ReceiptsLive } from "./payments/receipts/receipts.ts"
import { ChargeRendererLive } from "./payments/renderCharge.ts"
import { PixCodeLive } from "./pixCode/pixCode.ts"
import { ReadinessLive } from "./readiness.ts"
import { SchedulerLive } from "./scheduler/scheduler.ts"
import { CustomerDigestsLive } from "./store/customerDigests.ts"
import { EncryptionKeyCheckLive } from "./store/redis/encryptionKeyCheck.ts"
import { RedisStoreLive } from "./store/redisStore.ts"

/** Seals account secrets in the format of webhook secrets. */
const AccountSecretsLive = (keys: EncryptionKeys) =>
  Layer.succeed(AccountSecrets, {
    signingSecret: () => generateEndpointSecret(randomBytes),
    seal: makeCipher(keys).seal,
    fingerprints: makeFingerprints(keys),
  })

/** Authenticates requests by API keys. */
const AuthenticatorLive = Layer.effect(Authenticator, ApiKeys)

/** Finds sessions in the account plane. */
const SessionAuthenticatorLive = Layer.effect(
  SessionAuthenticator,
  Effect.gen(function* () {
    const sessions = yield* Sessions
    const users = yield* Users
    return SessionAuthenticator.of({
      find: sessions.find,
      isLive: sessions.isLive,
      // Preferences are for those who can step up: without a second factor, the password alone would do.
      wantsStepUp: (session, kind) =>
        Effect.map(
          users.find(session.userId),
          (user) =>
            user?.twoFactorEnabled !== true || (kind === "webhook" ? user.stepUpWebhook : user.stepUpAccount),
        ),
    })
  }),
)

/** Fires due timers: one handler per owner. */
const TimerHandlersLive = Layer.effect(
  TimerHandlers,
  Effect.all([
    chargeTimers,
    withdrawalTimers,
    refundTimers,
    exceptionTimers,
    apiKeyTimers,
    noticeTimers,
    bulkTimers,
    alertTimers,
    reportTimers,
  ]),
)

/** Everything that calls out of the process: acquirers, receivers, DNS. */
const OutsideLive = (settings: SettingsShape) => {
  const allowed = new Set(settings.webhookAllowDestinations)
  const dns = layerDnsResolver()
  return Layer.mergeAll(
    AcquirersLive(settings.liveAcquirer, settings.acquirers, settings.booksFromMillis),
    NoticeSourcesLive(settings.acquirers),
    SenderLive({
      allowDestinations: allowed,
      ...(settings.webhookCaFile === undefined ? {} : { caFile: settings.webhookCaFile }),
    }),
    DestinationCheckLive(allowed),
  ).pipe(Layer.provide(dns), Layer.provideMerge(IdentifiersLive))
}

/** The whole service except its front end, with the Redis at `redisUrl`. */
export const ServiceLive = (settings: SettingsShape, redisUrl: string) => {
  const keys = Redacted.value(settings.encryptionKeys)
  // One layer, wherever it is provided: where the service listens is known to all who make links.
  const address = OwnAddressLive(settings)
  const ciphers = ChargeRendererLive.pipe(
    Layer.provideMerge(CipherLive(keys)),
    Layer.provideMerge(PaymentUrlsLive(keys).pipe(Layer.provide(address))),
  )
  const store = RedisStoreLive(redisUrl, {
    retentionMillis: settings.eventRetentionMillis,
    testRetentionMillis: settings.testRetentionMillis,
    partitions: settings.partitions,
    inboxBytesMax: settings.inboxBytesMax,
    processId: randomBytes(8).toString("hex"),
    encryptionKeyIds: keys.map(({ id }) => id),
    replication: settings.replication,
  })
  const outside = OutsideLive(settings)
  const adapters = Layer.mergeAll(
    outside,
    PixCodeLive({ merchantName: settings.pixMerchantName, merchantCity: settings.pixMerchantCity }),
    ciphers,
    CursorsLive(keys),
    Layer.succeed(PartitionCount, { partitions: settings.partitions }),
    Layer.succeed(SimulatedOperator, { delayMillis: settings.acquirers.simulator.delayMillis }),
    Layer.succeed(ExceptionRules, settings.exceptionRules),
    Layer.succeed(RetrySchedule, { delaysMillis: settings.retryScheduleMillis }),
    DisablingEventsLive.pipe(Layer.provide(ciphers)),
    AuthenticatorLive.pipe(Layer.provideMerge(ApiKeysLive)),
    SessionAuthenticatorLive.pipe(
      Layer.provideMerge(
        AccountsLive(keys).pipe(
          Layer.provide(Layer.succeed(PasswordCost, settings.passwordCost)),
          Layer.provide(Layer.succeed(SessionIdle, settings.sessionIdleMillis)),
        ),
      ),
      Layer.provideMerge(MailLive(settings)),
      Layer.provideMerge(address),
      Layer.provideMerge(AccountSecretsLive(keys)),
      Layer.provide(Layer.merge(ciphers, outside)),
      Layer.provideMerge(Layer.succeed(Settings, settings)),
    ),
    ReceiptPdfLive,
    LogosLive,
    ReceiptsLive.pipe(Layer.provide(ciphers)),
    Layer.succeed(BrowserRequests, makeBrowserRequests(settings)),
    FeedHubLive({
      heartbeatMillis: settings.sseHeartbeatMillis,
      lifetimeMillis: settings.sseLifetimeMillis,
    }).pipe(Layer.provide(ciphers)),
  ).pipe(
    Layer.provideMerge(CustomerDigestsLive(keys)),
    Layer.provideMerge(EncryptionKeyCheckLive(keys).pipe(Layer.provideMerge(store))),
  )
  const { faultPoint } = settings
  const ports =
    faultPoint === undefined ? adapters : FaultPointsLive(faultPoint).pipe(Layer.provideMerge(adapters))
  const actors = Layer.mergeAll(
    Layer.mergeAll(InboxLive, ResolveManyLive.pipe(Layer.provideMerge(ResolveExceptionsLive))).pipe(
      Layer.provideMerge(SellerActorsLive),
    ),
    EndpointActorsLive,
  ).pipe(
    // Its reads handle no money: they need no fault points.
    Layer.provideMerge(PayoutGateLive.pipe(Layer.provide(adapters))),
    Layer.provideMerge(ports),
  )
  return ReadinessLive.pipe(
    Layer.provideMerge(SchedulerLive.pipe(Layer.provide(TimerHandlersLive))),
    Layer.provideMerge(AuditTimerLive(settings.auditIntervalMillis)),
    Layer.provideMerge(ClosingTimerLive.pipe(Layer.provide(CloserLive))),
    Layer.provideMerge(SweeperLive(settings.reconcileIntervalMillis)),
    Layer.provideMerge(actors),
    Layer.provideMerge(LoadLive(settings.admissionTargetMillis)),
  )
}
