import { Context, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import type { ApiKeyStore } from "../../../actors/ports/apiKeyStore.ts"
import { BulkStore } from "../../../actors/ports/bulkStore.ts"
import { DeliveryQueue } from "../../../actors/ports/deliveryQueue.ts"
import type { EventLog } from "../../../actors/ports/eventLog.ts"
import { ExceptionStore } from "../../../actors/ports/exceptionStore.ts"
import type { Ledger } from "../../../actors/ports/ledger.ts"
import type { MemberStore } from "../../../actors/ports/memberStore.ts"
import { Partitions } from "../../../actors/ports/partitions.ts"
import { PixClaimStore } from "../../../actors/ports/pixClaimStore.ts"
import { RefundStore } from "../../../actors/ports/refundStore.ts"
import { Retention } from "../../../actors/ports/retention.ts"
import type { SellerClock } from "../../../actors/ports/sellerClock.ts"
import type { SellerHints } from "../../../actors/ports/sellerHints.ts"
import { SellerStore } from "../../../actors/ports/sellerStore.ts"
import type { SweepStore } from "../../../actors/ports/sweepStore.ts"
import { TimerQueue } from "../../../actors/ports/timerQueue.ts"
import type { TrackerStore } from "../../../actors/ports/trackerStore.ts"
import { TransactionStore } from "../../../actors/ports/transactionStore.ts"
import { WithdrawalStore } from "../../../actors/ports/withdrawalStore.ts"
import { StoreUnavailable } from "../../../actors/values/storeUnavailable.ts"
import { MemoryStoreLive } from "../../model/memoryStore.ts"
import type { MemoryStore, MemoryStoreOptions } from "../../model/state.ts"

/** 2026-11-21, a time as real clocks show. */
export const startMillis = 1_795_219_200_000

/**
 * The faults that a test injects into the store. Operations are named `claimDeliveries`, `record`, `createTransaction`,
 * …; with a partition behind the name (`claimTimers 1`) only those of that partition.
 */
export class StoreFaults extends Context.Service<
  StoreFaults,
  {
    /** Fail as StoreUnavailable, nothing applied. */
    readonly away: Set<string>
    /** Are applied, but fail as StoreUnavailable. */
    readonly answersLost: Set<string>
    /** Break with a defect, nothing applied. */
    readonly broken: Set<string>
    /** Answer `stale`, nothing applied: another process was faster each time. */
    readonly stale: Set<string>
    /** How long these wait before they are applied. */
    readonly delaysMillis: Map<string, number>
    /** How long these wait to answer after they are applied. */
    readonly delaysAfterMillis: Map<string, number>
    /** How often each was called. */
    readonly calls: Map<string, number>
    /** Whether wakes of partitions get lost. */
    areWakesLost: boolean
  }
>()("corrente/test/StoreFaults") {}

type Service = Readonly<
  Record<string, (...values: ReadonlyArray<never>) => Effect.Effect<unknown, StoreUnavailable>>
>

/** The same service with its calls counted and faults injected. */
const trouble = <S extends object>(
  service: S,
  names: Readonly<Record<string, string>>,
  faults: StoreFaults["Service"],
): S => {
  const methods = Object.entries(service as unknown as Service).map(([method, call]) => {
    const operation = names[method] ?? method
    const troubled: Service[string] = (...values) =>
      Effect.gen(function* () {
        const ofPartition = `${operation} ${String(values[0])}`
        const isIn = (names: Set<string>) => names.has(operation) || names.has(ofPartition)
        faults.calls.set(operation, (faults.calls.get(operation) ?? 0) + 1)
        const delayMillis = faults.delaysMillis.get(operation) ?? faults.delaysMillis.get(ofPartition)
        if (delayMillis !== undefined) yield* Effect.sleep(delayMillis)
        if (isIn(faults.broken)) return yield* Effect.die(new Error(`${operation} is broken`))
        // Made where it is needed: each one records its stack.
        const away = () => new StoreUnavailable({ operation, reason: "away for the test" })
        if (isIn(faults.away)) return yield* away()
        if (isIn(faults.stale)) return { kind: "stale" }
        const answer = yield* call(...values)
        const delayAfterMillis = faults.delaysAfterMillis.get(operation)
        if (delayAfterMillis !== undefined) yield* Effect.sleep(delayAfterMillis)
        return isIn(faults.answersLost) ? yield* away() : answer
      })
    return [method, troubled]
  })
  return Object.fromEntries(methods) as S
}

/** Everything the processes of a test share. */
export type SharedStore =
  | MemoryStore
  | StoreFaults
  | TransactionStore
  | TimerQueue
  | DeliveryQueue
  | SellerStore
  | SellerHints
  | TrackerStore
  | ApiKeyStore
  | EventLog
  | Ledger
  | Partitions
  | SellerClock
  | WithdrawalStore
  | RefundStore
  | ExceptionStore
  | PixClaimStore
  | SweepStore
  | Retention
  | BulkStore
  | MemberStore

/** A fresh store in memory. */
const SharedStoreLive = (
  partitions: number,
  options: Partial<MemoryStoreOptions>,
): Layer.Layer<SharedStore> =>
  Layer.effectContext(
    Effect.gen(function* () {
      const inner = yield* Layer.build(Layer.fresh(MemoryStoreLive({ ...options, partitions })))
      const hints = Context.get(inner, Partitions)
      const faults = StoreFaults.of({
        away: new Set(),
        answersLost: new Set(),
        broken: new Set(),
        stale: new Set(),
        delaysMillis: new Map(),
        delaysAfterMillis: new Map(),
        calls: new Map(),
        areWakesLost: false,
      })
      const names = {
        transactions: { create: "createTransaction", claim: "claimIdempotency" },
        timers: { claim: "claimTimers", drop: "dropTimer" },
        deliveries: { claim: "claimDeliveries" },
        sellers: { get: "getSeller" },
        retention: { trim: "trimRetention", trimTest: "trimTestData" },
        withdrawals: {
          create: "createWithdrawal",
          transition: "transitionWithdrawal",
          load: "loadWithdrawal",
        },
        refunds: {
          readPreconditions: "readRefundPreconditions",
          create: "createRefund",
          transition: "transitionRefund",
          load: "loadRefund",
        },
        pixClaims: { claim: "claimPix" },
        bulks: { create: "createBulk", load: "loadBulk", advance: "advanceBulk" },
        exceptions: { open: "openException", load: "loadException", commit: "commitException" },
      }
      const looks = trouble(
        {
          nextDue: (partition: number) =>
            Effect.map(Effect.all(hints.nextDue([partition])), (found) => found.flat()),
        },
        {},
        faults,
      )
      return inner.pipe(
        Context.add(StoreFaults, faults),
        Context.add(Partitions, {
          ...hints,
          // By partition, so that one can fail alone: `nextDue 0`.
          nextDue: (partitions) => partitions.map((partition) => looks.nextDue(partition)),
          listen: (listener) =>
            hints.listen((wake) => {
              if (!faults.areWakesLost) listener(wake)
            }),
        }),
        Context.add(
          TransactionStore,
          trouble(Context.get(inner, TransactionStore), names.transactions, faults),
        ),
        Context.add(WithdrawalStore, trouble(Context.get(inner, WithdrawalStore), names.withdrawals, faults)),
        Context.add(Retention, trouble(Context.get(inner, Retention), names.retention, faults)),
        Context.add(RefundStore, trouble(Context.get(inner, RefundStore), names.refunds, faults)),
        Context.add(ExceptionStore, trouble(Context.get(inner, ExceptionStore), names.exceptions, faults)),
        Context.add(PixClaimStore, trouble(Context.get(inner, PixClaimStore), names.pixClaims, faults)),
        Context.add(TimerQueue, trouble(Context.get(inner, TimerQueue), names.timers, faults)),
        Context.add(DeliveryQueue, trouble(Context.get(inner, DeliveryQueue), names.deliveries, faults)),
        Context.add(BulkStore, trouble(Context.get(inner, BulkStore), names.bulks, faults)),
        Context.add(SellerStore, trouble(Context.get(inner, SellerStore), names.sellers, faults)),
      )
    }),
  )

/** A busy machine may take this long over one moment of test time; by default the clock warns after a second. */
const PatientClock = TestClock.layer({ warningDelay: "30 seconds" })

/** Runs a test on a fresh store, by default of one partition, at a time as real clocks show. */
export const onStore = <A, E, R>(
  test: Effect.Effect<A, E, R>,
  partitions = 1,
  options: Partial<MemoryStoreOptions> = {},
) =>
  Effect.andThen(TestClock.setTime(startMillis), test).pipe(
    Effect.provide(SharedStoreLive(partitions, options)),
    Effect.provide(PatientClock),
  )
