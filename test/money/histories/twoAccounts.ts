import { Context, Effect, Layer, ManagedRuntime, References } from "effect"
import { TimerQueue } from "../../../actors/ports/timerQueue.ts"
import { makeFireTimer } from "../../../actors/seller/programs/chargeTimer.ts"
import { makeFireRefund } from "../../../actors/seller/programs/exceptionRefund.ts"
import { makeRefund } from "../../../actors/seller/programs/refund.ts"
import { makeFireWithdrawalTimer } from "../../../actors/seller/programs/withdrawalTimer.ts"
import { RedisStoreLive } from "../../../src/store/redisStore.ts"
import { MemoryStoreLive } from "../../model/memoryStore.ts"
import { MemoryStore } from "../../model/state.ts"
import { moneyProcess, storeOptions } from "../process.ts"
import { backUpState } from "./backups.ts"
import { FrozenBy, gateOfHistories } from "./freezeGate.ts"
import { makePartnerAccount, type PartnerAccount } from "./partnerAccount.ts"
import { MemoryReadsLive, RedisReadsLive, type StoreReads } from "./storeReads.ts"

/** One of our two accounts at the partner. */
export type Side = "a" | "b"
export const sides: ReadonlyArray<Side> = ["a", "b"]
export const otherSide = (side: Side): Side => (side === "a" ? "b" : "a")

/** What timers run; no timer fires by itself in these processes. */
const makeTimers = Effect.gen(function* () {
  const queue = yield* TimerQueue
  const leased: TimerQueue["Service"] = {
    ...queue,
    // A history fires its timers without a lease on them; nobody else does.
    postpone: (timer, delayMillis) =>
      Effect.map(queue.postpone(timer, delayMillis), (postponed) => postponed ?? timer),
  }
  const all = Effect.all({
    fireCharge: makeFireTimer,
    fireWithdrawal: makeFireWithdrawalTimer,
    fireRefund: makeFireRefund,
    refunds: makeRefund,
  })
  return yield* Effect.provideService(all, TimerQueue, leased)
})

/** What both stores offer a history. */
export type HistoryServices =
  | Extract<
      Layer.Success<
        ReturnType<typeof moneyProcess<Layer.Success<ReturnType<typeof MemoryStoreLive>>, never>>
      >,
      Layer.Success<ReturnType<typeof moneyProcess<Layer.Success<ReturnType<typeof RedisStoreLive>>, never>>>
    >
  | StoreReads

const quietly = <A, E, R>(program: Effect.Effect<A, E, R>) =>
  // Each exception is an error of the log.
  Effect.provideService(program, References.MinimumLogLevel, "None")

/** The process in which an account is configured. */
type Process<R> = ManagedRuntime.ManagedRuntime<R, unknown>

const twoAccountsIn = async <R>(
  start: (account: PartnerAccount, side: Side) => Process<R | HistoryServices>,
) => {
  const accounts = { a: makePartnerAccount("acquirer:a"), b: makePartnerAccount("acquirer:b") }
  const startAll = () => ({ a: start(accounts.a, "a"), b: start(accounts.b, "b") })
  const timersOf = async (started: typeof processes) => ({
    a: await started.a.runPromise(makeTimers),
    b: await started.b.runPromise(makeTimers),
  })
  let processes = startAll()
  const timers = await timersOf(processes)
  const stop = async () => {
    for (const side of sides) await processes[side].dispose()
  }
  return {
    accounts,
    timers,
    /** Starts both processes anew. */
    restart: async () => {
      await stop()
      processes = startAll()
      Object.assign(timers, await timersOf(processes))
    },
    /** Runs a program in the process in which an account is configured, with what freezes its history. */
    run: <A, E>(
      side: Side,
      program: Effect.Effect<A, E, R | HistoryServices>,
      frozenBy: (typeof FrozenBy)["Service"] = () => Promise.resolve(undefined),
    ): Promise<A> => processes[side].runPromise(Effect.provideService(quietly(program), FrozenBy, frozenBy)),
    stop,
  }
}

/**
 * Starts a process for each of our two accounts at the partner, both on one Redis: a history changes the configured account by going on
 * in the other process.
 */
export const startTwoAccounts = (redisUrl: string) =>
  twoAccountsIn((account, side) => {
    const stores = RedisStoreLive(redisUrl, { ...storeOptions, processId: `histories-${side}` })
    const store = RedisReadsLive.pipe(Layer.provideMerge(stores))
    return ManagedRuntime.make(moneyProcess(store, account, gateOfHistories))
  })

/** The same on one store in memory, which is new and empty. */
export const modelTwoAccounts = async () => {
  const options = { eventRetentionMillis: storeOptions.retentionMillis, partitions: storeOptions.partitions }
  const stores = MemoryReadsLive.pipe(Layer.provideMerge(MemoryStoreLive(options)))
  const context = await Effect.runPromise(Effect.scoped(Layer.build(stores)))
  const store = Layer.succeedContext(context)
  const world = await twoAccountsIn((account) =>
    ManagedRuntime.make(moneyProcess(store, account, gateOfHistories)),
  )
  return { ...world, backUpState: () => backUpState(Context.get(context, MemoryStore)) }
}

/** What the parts of a history ask of their world. */
export type TwoAccounts = Pick<
  Awaited<ReturnType<typeof modelTwoAccounts>>,
  "accounts" | "timers" | "restart"
> & {
  /** Backs the store up and answers what restores it, where the world can. */
  readonly backUpState?: () => () => void
  readonly run: <A, E>(
    side: Side,
    program: Effect.Effect<A, E, HistoryServices>,
    frozenBy?: (typeof FrozenBy)["Service"],
  ) => Promise<A>
}
