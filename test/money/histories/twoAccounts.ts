import { Effect, References } from "effect"
import { makeFireTimer } from "../../../actors/seller/programs/chargeTimer.ts"
import { makeFireRefund } from "../../../actors/seller/programs/exceptionRefund.ts"
import { makeRefund } from "../../../actors/seller/programs/refund.ts"
import { makeFireWithdrawalTimer } from "../../../actors/seller/programs/withdrawalTimer.ts"
import { startMoneyProcess } from "../process.ts"
import type { Services } from "../twoProcesses.ts"
import { FrozenBy, gateOfHistories } from "./freezeGate.ts"
import { makePartnerAccount } from "./partnerAccount.ts"

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

const quietly = <A, E, R>(program: Effect.Effect<A, E, R>) =>
  // Each exception is an error of the log.
  Effect.provideService(program, References.MinimumLogLevel, "None")

/**
 * Starts a process for each of our two accounts at the partner, both on one Redis: a history changes the configured account by going on
 * in the other process.
 */
export const startTwoAccounts = async (redisUrl: string) => {
  const accounts = { a: makePartnerAccount("acquirer:a"), b: makePartnerAccount("acquirer:b") }
  const start = (side: Side) =>
    startMoneyProcess(redisUrl, accounts[side], `histories-${side}`, gateOfHistories)
  const processes = { a: start("a"), b: start("b") }
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
      program: Effect.Effect<A, E, Services>,
      frozenBy: (typeof FrozenBy)["Service"] = () => Promise.resolve(undefined),
    ): Promise<A> => processes[side].runPromise(Effect.provideService(quietly(program), FrozenBy, frozenBy)),
    stop: async () => {
      for (const side of sides) await processes[side].dispose()
    },
  }
}
export type TwoAccounts = Awaited<ReturnType<typeof startTwoAccounts>>
