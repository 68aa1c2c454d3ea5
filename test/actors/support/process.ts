import { Context, Effect, Exit, Layer, Scope } from "effect"
import { bulkTimers } from "../../../actors/bulk/bulkTimers.ts"
import { EndpointActors, EndpointActorsLive } from "../../../actors/endpoint/endpointActor.ts"
import { RetrySchedule } from "../../../actors/endpoint/makeAttempt.ts"
import { Inbox } from "../../../actors/inbox/inbox.ts"
import { noticeTimers } from "../../../actors/inbox/noticeTimers.ts"
import { type Acquirer, Acquirers } from "../../../actors/ports/acquirer.ts"
import { CustomerDigests } from "../../../actors/ports/customerDigests.ts"
import { ExceptionRules } from "../../../actors/ports/exceptionRules.ts"
import { Identifiers } from "../../../actors/ports/identifiers.ts"
import { PartitionCount } from "../../../actors/ports/partitionCount.ts"
import { Partitions } from "../../../actors/ports/partitions.ts"
import { PayoutGate } from "../../../actors/ports/payoutGate.ts"
import { RequestDelay } from "../../../actors/ports/requestDelay.ts"
import { Sender } from "../../../actors/ports/sender.ts"
import { SimulatedOperator } from "../../../actors/ports/simulatedOperator.ts"
import { TimerHandlers } from "../../../actors/ports/timerHandlers.ts"
import type { ManualEnd } from "../../../actors/seller/decisions/manualPayouts.ts"
import type { NoticedTransfer } from "../../../actors/seller/decisions/noticeAnswer.ts"
import type { RefundAct } from "../../../actors/seller/decisions/refundTransitions.ts"
import type { SimulatedStatus } from "../../../actors/seller/decisions/simulatedOutcome.ts"
import type { WithdrawalAct } from "../../../actors/seller/decisions/withdrawalActs.ts"
import { advanceClock } from "../../../actors/seller/operations/advanceClock.ts"
import { type CreateRefundRequest, createRefund } from "../../../actors/seller/operations/createRefund.ts"
import {
  type CreateWithdrawalRequest,
  createWithdrawal,
} from "../../../actors/seller/operations/createWithdrawal.ts"
import { decideWithdrawal } from "../../../actors/seller/operations/decideWithdrawal.ts"
import { endManualPayout } from "../../../actors/seller/operations/endManualPayout.ts"
import { reconcileCharge } from "../../../actors/seller/operations/reconcileCharge.ts"
import { reconcilePayout } from "../../../actors/seller/operations/reconcilePayout.ts"
import { reconcileRefund } from "../../../actors/seller/operations/reconcileRefund.ts"
import {
  type ResolveExceptionRequest,
  resolveException,
} from "../../../actors/seller/operations/resolveException.ts"
import { simulateOutcome } from "../../../actors/seller/operations/simulateOutcome.ts"
import { simulateRefund } from "../../../actors/seller/operations/simulateRefund.ts"
import { SellerActors, SellerActorsLive } from "../../../actors/seller/sellerActor.ts"
import {
  chargeTimers,
  exceptionTimers,
  refundTimers,
  withdrawalTimers,
} from "../../../actors/seller/sellerTimers.ts"
import { makeId } from "../../../schema/ids.ts"
import { apiKeyTimers } from "../../../src/accounts/apiKeys/apiKeyTimers.ts"
import { DisablingEventsLive } from "../../../src/accounts/sellers/disablingEvents.ts"
import { AcquirersLive } from "../../../src/acquirers/acquirersLive.ts"
import type { SimulatorOptions } from "../../../src/acquirers/simulator/simulator.ts"
import { CipherLive, makeCipher } from "../../../src/crypto/cipher.ts"
import { plainKey } from "../../../src/crypto/encryptionKeys.ts"
import { makePaymentUrls, PaymentUrls } from "../../../src/payments/paymentUrls.ts"
import { ChargeRendererLive } from "../../../src/payments/renderCharge.ts"
import { PixCodeLive } from "../../../src/pixCode/pixCode.ts"
import { Scheduler, SchedulerLive } from "../../../src/scheduler/scheduler.ts"
import { makeCustomerDigests } from "../../../src/store/customerDigests.ts"
import { MemoryStore } from "../../model/state.ts"
import { makeReceivers, type Receivers } from "./scriptedSender.ts"
import { settle } from "./settle.ts"
import type { SharedStore } from "./store.ts"

const key = new Uint8Array(32).fill(7)

/** The ciphers of every process. */
export const cipher = makeCipher(plainKey(key))

/** The default schedule (docs/contract/deliveries.md#retries): 1 min, 5 min, 30 min, 2 h, 12 h. */
export const specDelaysMillis = [60, 300, 1_800, 7_200, 43_200].map((seconds) => seconds * 1_000)

let count = 0
/** 14 bytes that no other call returns; ids made of them sort in order of creation. */
const nextBytes = (): Uint8Array => {
  const bytes = new Uint8Array(14)
  let rest = ++count
  for (let i = bytes.length - 1; rest > 0; i--) {
    bytes[i] = rest & 31
    rest = Math.floor(rest / 32)
  }
  return bytes
}

/** Identifiers that sort in order of creation. */
export const identifiers = Identifiers.of({
  id: (prefix, partition, millis) => makeId(prefix, millis, partition, nextBytes()),
  alphanumeric: (length) => String(++count).padStart(length, "0"),
})

export interface ProcessOptions {
  readonly receivers?: Receivers
  readonly delaysMillis?: ReadonlyArray<number>
  /** `delayMillis` applies to the simulated operator too. */
  readonly simulator?: Partial<SimulatorOptions>
  /** Instead of the simulator, in both modes. */
  readonly acquirer?: Acquirer
  readonly rules?: Partial<ExceptionRules["Service"]>
  /** Whether payouts and refunds are frozen; by default not. */
  readonly gate?: (typeof PayoutGate)["Service"]
  /** How long its requests wait; by default there are none. */
  readonly requests?: RequestDelay["Service"]
  /** The partitions that the process runs; by default all. */
  readonly share?: Share
}

/** The partitions that the test grants to a process. */
export interface Share {
  readonly rebalance: Partitions["Service"]["rebalance"]
  readonly releaseAll?: Effect.Effect<void>
}

const defaults: SimulatorOptions = {
  delayMillis: 3_000,
  chargeLatencyMillis: 0,
  locationHost: "pix.corrente.test",
}

/** The store's partitions: all of them, or the share that the test grants. */
const PartitionsOfTest = (share: Share | undefined) =>
  Layer.effect(
    Partitions,
    Effect.map(Partitions, (all) => {
      if (share === undefined) return all
      const { rebalance, releaseAll = Effect.void } = share
      return { ...all, rebalance: Effect.andThen(all.rebalance, rebalance), releaseAll }
    }),
  )

const processLayer = (options: ProcessOptions, receivers: Receivers) => {
  const { acquirer, simulator, delaysMillis = specDelaysMillis } = options
  const acquirers =
    acquirer === undefined
      ? AcquirersLive("simulator", {
          simulator: { ...defaults, ...simulator, webhookSecret: undefined },
        })
      : Layer.succeed(Acquirers, { live: acquirer, test: acquirer })
  const { delayMillis } = { ...defaults, ...simulator }
  const adapters = Layer.mergeAll(
    acquirers,
    Layer.succeed(SimulatedOperator, { delayMillis }),
    // These tests send no notices: their own tests do.
    Layer.mock(Inbox, {}),
    PixCodeLive({ merchantName: "Padaria", merchantCity: "Recife" }),
    Layer.succeed(CustomerDigests, makeCustomerDigests(key)),
    ChargeRendererLive.pipe(
      Layer.provideMerge(CipherLive(plainKey(key))),
      Layer.provide(
        Layer.succeed(
          PaymentUrls,
          makePaymentUrls(plainKey(key), () => "https://pay.example.com"),
        ),
      ),
    ),
    DisablingEventsLive.pipe(Layer.provide(CipherLive(plainKey(key)))),
    PartitionsOfTest(options.share),
    Layer.effect(
      PartitionCount,
      Effect.map(MemoryStore, ({ options: { partitions } }) => ({ partitions })),
    ),
    Layer.succeed(RetrySchedule, { delaysMillis }),
    Layer.succeed(
      RequestDelay,
      options.requests ?? { currentMillis: () => 0, inProgress: () => 0, started: () => 0 },
    ),
    Layer.succeed(Sender, receivers.sender),
    Layer.succeed(ExceptionRules, { payoutStuckMillis: 3_600_000, operatorApprovals: 1, ...options.rules }),
    Layer.succeed(PayoutGate, options.gate ?? { frozen: () => Effect.succeed(undefined) }),
  ).pipe(Layer.provideMerge(Layer.succeed(Identifiers, identifiers)))
  const actors = Layer.mergeAll(SellerActorsLive, EndpointActorsLive)
  const timerHandlers = Layer.effect(
    TimerHandlers,
    Effect.all([
      chargeTimers,
      withdrawalTimers,
      refundTimers,
      exceptionTimers,
      apiKeyTimers,
      noticeTimers,
      bulkTimers,
    ]),
  )
  return SchedulerLive.pipe(
    Layer.provide(timerHandlers),
    Layer.provideMerge(actors),
    Layer.provideMerge(adapters),
  )
}

/** The sellers' operations as functions. */
const commandsOf = ({ ask }: SellerActors["Service"]) => ({
  createWithdrawal: (request: CreateWithdrawalRequest) => ask(createWithdrawal, request),
  decideWithdrawal: (withdrawalId: string, act: WithdrawalAct, reason: string | undefined) =>
    ask(decideWithdrawal, { withdrawalId, act, reason }),
  endManualPayout: (withdrawalId: string, end: ManualEnd) => ask(endManualPayout, { withdrawalId, end }),
  simulateOutcome: (transactionId: string, to: SimulatedStatus) =>
    ask(simulateOutcome, { transactionId, to }),
  reconcileCharge: (transactionId: string, noticed: NoticedTransfer) =>
    ask(reconcileCharge, { transactionId, noticed }),
  reconcilePayout: (withdrawalId: string) => ask(reconcilePayout, { withdrawalId }),
  createRefund: (request: CreateRefundRequest) => ask(createRefund, request),
  simulateRefund: (refundId: string, act: RefundAct) => ask(simulateRefund, { refundId, act }),
  reconcileRefund: (refundId: string) => ask(reconcileRefund, { refundId }),
  resolveException: (request: ResolveExceptionRequest) => ask(resolveException, request),
  advanceClock: (sellerId: string, seconds: number) => ask(advanceClock, { sellerId, seconds }),
})

/** Starts a process of the service on the test's store: its actors and its scheduler. */
export const startProcess = (options: ProcessOptions = {}) =>
  Effect.gen(function* () {
    const receivers = options.receivers ?? makeReceivers()
    const scope = yield* Scope.fork(yield* Effect.scope)
    const store = yield* Effect.context<SharedStore>()
    const layer = Layer.fresh(processLayer(options, receivers)).pipe(
      Layer.provide(Layer.succeedContext(store)),
    )
    const services = yield* Layer.buildWithScope(layer, scope)
    const sellers = Context.get(services, SellerActors)
    yield* settle
    return {
      /** All services of the process. */
      services,
      sellers,
      commands: commandsOf(sellers),
      endpoints: Context.get(services, EndpointActors),
      scheduler: Context.get(services, Scheduler),
      receivers,
      /** Kills the process: nothing that is under way is finished. */
      kill: Effect.andThen(Scope.close(scope, Exit.void), settle),
    }
  })
export type Process = Effect.Success<ReturnType<typeof startProcess>>
