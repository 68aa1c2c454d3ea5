import type { Effect } from "effect"
import { afterAll, beforeAll } from "vitest"
import { startTestRedis, type TestRedis } from "../support/redis.ts"
import { sizes } from "../support/sizes.ts"
import { makeAcquirerBooks } from "./acquirerBooks.ts"
import { startMoneyProcess } from "./process.ts"

type MoneyProcess = ReturnType<typeof startMoneyProcess>

/** The services of a process of money. */
export type Services = MoneyProcess extends {
  runPromise: <A, E>(effect: Effect.Effect<A, E, infer R>) => unknown
}
  ? R
  : never

/** How many run at once in a race. */
export const racers = 50
/** Rounds that run side by side, each on a seller of its own. */
const sideBySide = 8

/** Registers two processes on one Redis and one acquirer's books, for the tests of a file. */
export const withTwoProcesses = () => {
  let redis: TestRedis
  let both: readonly [MoneyProcess, MoneyProcess]
  const books = makeAcquirerBooks()
  beforeAll(async () => {
    redis = await startTestRedis({ appendfsync: "no" })
    both = [startMoneyProcess(redis.url, books, "first"), startMoneyProcess(redis.url, books, "second")]
  })
  afterAll(async () => {
    for (const process of both) await process.dispose()
    await redis.stop()
  })
  return {
    books,
    /** Runs a program in the first process. */
    run: <A, E>(program: Effect.Effect<A, E, Services>): Promise<A> => both[0].runPromise(program),
    /** Runs a program in the second process. */
    runInOther: <A, E>(program: Effect.Effect<A, E, Services>): Promise<A> => both[1].runPromise(program),
    /** Runs 50 racers at once, in the two processes in turn. */
    race: <A, E>(racer: (index: number) => Effect.Effect<A, E, Services>): Promise<ReadonlyArray<A>> =>
      Promise.all(
        Array.from({ length: racers }, (_, i) => (i % 2 === 0 ? both[0] : both[1]).runPromise(racer(i))),
      ),
  }
}

/** Plays all rounds, eight side by side. */
export const play = async (round: () => Promise<void>): Promise<void> => {
  for (let played = 0; played < sizes.moneyRaceRounds; played += sideBySide) {
    await Promise.all(Array.from({ length: sideBySide }, round))
  }
}
