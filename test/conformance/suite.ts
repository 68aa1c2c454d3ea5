import { describe, it } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import { alertCases } from "./alertCases.ts"
import { apiKeyCases } from "./apiKeyCases.ts"
import { attemptListCases } from "./attemptListCases.ts"
import { bulkCases } from "./bulkCases.ts"
import { closingCases } from "./closingCases.ts"
import { concurrencyCases } from "./concurrencyCases.ts"
import { customerCases } from "./customerCases.ts"
import { deadStreakCases } from "./deadStreakCases.ts"
import { deliveryCases } from "./deliveryCases.ts"
import { dueDestinationCases } from "./dueDestinationCases.ts"
import { endpointCases } from "./endpointCases.ts"
import { endpointRecoveryCases } from "./endpointRecoveryCases.ts"
import { eventLogCases } from "./eventLogCases.ts"
import { exceptionCases } from "./exceptionCases.ts"
import { exceptionCreditCases } from "./exceptionCreditCases.ts"
import { exceptionEffectCases } from "./exceptionEffectCases.ts"
import { feedHintCases } from "./feedHintCases.ts"
import { idempotencyCases } from "./idempotencyCases.ts"
import { inboxCases } from "./inboxCases.ts"
import { ledgerCases } from "./ledgerCases.ts"
import { memberCases } from "./memberCases.ts"
import { missedEventCases } from "./missedEventCases.ts"
import { modelCases } from "./modelCases.ts"
import { noteCases } from "./noteCases.ts"
import { orderingCases } from "./orderingCases.ts"
import { orderingSequenceCases } from "./orderingSequenceCases.ts"
import { partitionCases } from "./partitionCases.ts"
import { paymentLinkCases } from "./paymentLinkCases.ts"
import { pixClaimCases } from "./pixClaimCases.ts"
import { pixKeyCases } from "./pixKeyCases.ts"
import { rateLimitCases } from "./rateLimitCases.ts"
import { refundAccessCases } from "./refundAccessCases.ts"
import { refundBookingCases } from "./refundBookingCases.ts"
import { refundCases } from "./refundCases.ts"
import { refundConcurrencyCases } from "./refundConcurrencyCases.ts"
import { refundTransitionCases } from "./refundTransitionCases.ts"
import { reportCases } from "./reportCases.ts"
import { requestLogCases } from "./requestLogCases.ts"
import { retentionCases } from "./retentionCases.ts"
import { retryCases } from "./retryCases.ts"
import { sellerCases } from "./sellerCases.ts"
import { sellerChangeCases } from "./sellerChangeCases.ts"
import { sellerClockCases } from "./sellerClockCases.ts"
import { sellerSearchCases } from "./sellerSearchCases.ts"
import { seriesCases } from "./seriesCases.ts"
import {
  type Capabilities,
  type CapabilityName,
  makeStage,
  Stage,
  type StoreCase,
  type StoreServices,
  type StoreSettings,
} from "./stage.ts"
import { streamSlotCases } from "./streamSlotCases.ts"
import { sweepCases } from "./sweepCases.ts"
import { timerCases } from "./timerCases.ts"
import { trackerCases } from "./trackerCases.ts"
import { transactionCases } from "./transactionCases.ts"
import { transitionCases } from "./transitionCases.ts"
import { withdrawalAccessCases } from "./withdrawalAccessCases.ts"
import { withdrawalCases } from "./withdrawalCases.ts"
import { withdrawalTransitionCases } from "./withdrawalTransitionCases.ts"

const sections: ReadonlyArray<readonly [string, ReadonlyArray<StoreCase>]> = [
  ["sellers", sellerCases],
  ["seller changes", sellerChangeCases],
  ["seller search", sellerSearchCases],
  ["trackers", trackerCases],
  ["API keys", apiKeyCases],
  ["PIX keys", pixKeyCases],
  ["charges", transactionCases],
  ["idempotency", idempotencyCases],
  ["charge transitions", transitionCases],
  ["ledger and balance", ledgerCases],
  ["closings", closingCases],
  ["series and search", seriesCases],
  ["request log", requestLogCases],
  ["bulk acts", bulkCases],
  ["alerts", alertCases],
  ["payment links", paymentLinkCases],
  ["notes", noteCases],
  ["members", memberCases],
  ["reports by mail", reportCases],
  ["customers", customerCases],
  ["withdrawals", withdrawalCases],
  ["withdrawal transitions", withdrawalTransitionCases],
  ["withdrawal reads", withdrawalAccessCases],
  ["refunds", refundCases],
  ["refund transitions", refundTransitionCases],
  ["refunds begun at the acquirer", refundBookingCases],
  ["refunds at once", refundConcurrencyCases],
  ["refund reads", refundAccessCases],
  ["exceptions", exceptionCases],
  ["exceptions beside other commits", exceptionEffectCases],
  ["exceptions credited to sellers", exceptionCreditCases],
  ["claims of received Pix", pixClaimCases],
  ["sweeps", sweepCases],
  ["timers", timerCases],
  ["test mode clocks", sellerClockCases],
  ["inbox of notices", inboxCases],
  ["event feeds", eventLogCases],
  ["retention", retentionCases],
  ["feed hints", feedHintCases],
  ["partitions", partitionCases],
  ["stream slots", streamSlotCases],
  ["rate limits", rateLimitCases],
  ["deliveries", deliveryCases],
  ["due destinations", dueDestinationCases],
  ["manual retries", retryCases],
  ["attempt list", attemptListCases],
  ["automatic disabling", deadStreakCases],
  ["webhook endpoints", endpointCases],
  ["endpoint statistics and recovery", endpointRecoveryCases],
  ["missed events", missedEventCases],
  ["ordered deliveries", orderingCases],
  ["ordered deliveries at random", orderingSequenceCases],
  ["concurrency", concurrencyCases],
  ["random sequences", modelCases],
]

const defaults: StoreSettings = { eventRetentionMillis: 30 * 24 * 60 * 60 * 1000, partitions: 64 }

/** 2026-11-18: a controlled clock starts at a realistic time, not in 1970. */
const startMillis = 1_795_000_000_000

/**
 * Tests a store against the rules of the ports: the same cases for the store in memory and for Redis.
 *
 * `makeLayer` builds a fresh, empty store for each case, with the settings of the case. `capabilities` are the further
 * things that the store lets a test do; cases that need an absent one are skipped. With `advance` the cases run on a
 * test clock, which the store must follow; without it they run on real time, and none depends on speed. `atOnce` runs some
 * of the cases at a time, for a store whose cases share nothing: most of real time is waiting.
 */
export const storeConformance = <R = never>(
  name: string,
  makeLayer: (settings: StoreSettings) => Layer.Layer<StoreServices | R, unknown>,
  capabilities: Capabilities<R> = {},
  { atOnce = false }: { readonly atOnce?: boolean } = {},
): void => {
  const isTimeControlled = capabilities.advance !== undefined
  const test = isTimeControlled ? it.effect : it.live
  const isAble = (needed: CapabilityName) => capabilities[needed] !== undefined

  const runCase = (storeCase: StoreCase) => {
    const settings = { ...defaults, ...storeCase.settings }
    return Effect.gen(function* () {
      const stage = yield* makeStage(settings, capabilities)
      if (isTimeControlled) yield* stage.elapse(startMillis)
      yield* Effect.provideService(storeCase.run, Stage, stage)
    }).pipe(Effect.scoped, Effect.provide(makeLayer(settings)))
  }

  describe(name, { concurrent: atOnce }, () => {
    for (const [section, cases] of sections) {
      describe(section, () => {
        for (const storeCase of cases) {
          test.runIf(storeCase.needs.every(isAble))(storeCase.name, () => runCase(storeCase))
        }
      })
    }
  })
}
