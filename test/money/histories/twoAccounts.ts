import { Effect, Layer, ManagedRuntime, References } from "effect"
import { makeFireTimer } from "../../../actors/seller/programs/chargeTimer.ts"
import { makeFireRefund } from "../../../actors/seller/programs/exceptionRefund.ts"
import { makeRefund } from "../../../actors/seller/programs/refund.ts"
import { makeFireWithdrawalTimer } from "../../../actors/seller/programs/withdrawalTimer.ts"
import { RedisStoreLive } from "../../../src/store/redisStore.ts"
import { MemoryStoreLive } from "../../model/memoryStore.ts"
import { moneyProcess, storeOptions } from "../process.ts"
import { FrozenBy, gateOfHistories } from "./freezeGate.ts"
import { makePartnerAccount, type PartnerAccount } from "./partnerAccount.ts"
import { MemoryReadsLive, RedisReadsLive, type StoreReads } from "./storeReads.ts"

/** One of our two accounts at the partner. */
export type Side = "a" | "b"
export const sides: ReadonlyArray<Side> = ["a", "b"]
export const otherSide = (side: Side): Side => (side === "a" ? "b" : "a")

/** What timers run; no timer fires by itself in these processes. */
const makeTimers = Effect.gen(function* () {
  return {
    fireCharge: yield* makeFireTimer,
    fireWithdrawal: yield* makeFireWithdrawalTimer,
    fireRefund: yield* makeFireRefund,
    refunds: yield* makeRefund,
  }
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
  const processes = { a: start(accounts.a, "a"), b: start(accounts.b, "b") }
  const timers = {
    a: await processes.a.runPromise(makeTimers),
    b: await processes.b.runPromise(makeTimers),
  }
  return {
    accounts,
    timers,
    /** Runs a program in the process in which an account is configured, with what freezes its history. */
    run: <A, E>(
      side: Side,
      program: Effect.Effect<A, E, R | HistoryServices>,
      frozenBy: (typeof FrozenBy)["Service"] = () => Promise.resolve(undefined),
    ): Promise<A> => processes[side].runPromise(Effect.provideService(quietly(program), FrozenBy, frozenBy)),
    stop: async () => {
      for (const side of sides) await processes[side].dispose()
    },
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
  const store = Layer.succeedContext(await Effect.runPromise(Effect.scoped(Layer.build(stores))))
  return twoAccountsIn((account) => ManagedRuntime.make(moneyProcess(store, account, gateOfHistories)))
}

/** What the parts of a history ask of their world. */
export type TwoAccounts = Pick<Awaited<ReturnType<typeof modelTwoAccounts>>, "accounts" | "timers"> & {
  readonly run: <A, E>(
    side: Side,
    program: Effect.Effect<A, E, HistoryServices>,
    frozenBy?: (typeof FrozenBy)["Service"],
  ) => Promise<A>
}
