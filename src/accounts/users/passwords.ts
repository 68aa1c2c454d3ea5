import { availableParallelism } from "node:os"
import { fileURLToPath } from "node:url"
import { Context, Deferred, Duration, Effect, Layer } from "effect"
import { Piscina } from "piscina"
import { type ApiError, serviceUnavailable } from "../../../schema/errors.ts"
import { limits } from "../../../schema/limits.ts"
import type { PasswordJob } from "./passwordWorker.ts"
import { type Asker, Turns } from "./turns.ts"

/**
 * Passwords as they are stored (decisions 4): bcrypt, cost 12, over the base64 of the SHA-256 of their UTF-8. All work is
 * done by threads of low priority, never on the event loop. Known askers go first and networks take turns, so that
 * whoever fills the queue waits for itself; 503 where too many wait.
 */
export class Passwords extends Context.Service<
  Passwords,
  {
    readonly hash: (password: string, asker: Asker) => Effect.Effect<string, ApiError>
    /** Whether `hashed` is of the password. Without one (an unknown user) it takes as long, and is false. */
    readonly verify: (
      password: string,
      hashed: string | undefined,
      asker: Asker,
    ) => Effect.Effect<boolean, ApiError>
  }
>()("corrente/accounts/Passwords") {}

/** Of 32 random bytes that nobody has kept, at the same cost: what is compared where there is no user. */
const decoyHash = "$2b$12$BctGR/aeLF89.sopLMSUoehcp38yP4AEZ/L96bkR9dJa.YGglaN4i"

/** Requests go before: Linux counts a thread's niceness by itself. */
const niceIncrement = 10

const threadsMax = Math.max(1, Math.min(limits.passwordWorkersMax, availableParallelism() - 1))

/** Threads end when idle for so long; starting one takes tens of ms. */
const idleMillis = 30_000

/** How much of the mean the newest time makes. */
const newestShare = 0.2

/**
 * How many passwords may wait: no more than get their turns in time, when each takes as long as those before. `workMillis`:
 * what one takes, undefined before the first.
 */
export const passwordPlaces = (threads: number, workMillis: number | undefined): number => {
  if (workMillis === undefined) return limits.passwordsWaitingMax
  const inTime = Math.floor((limits.passwordWaitMillisMax * threads) / workMillis)
  return Math.max(threads, Math.min(limits.passwordsWaitingMax, inTime))
}

const tooManyWait = () => serviceUnavailable("Too many passwords are being checked. Try again.", 5)

interface Waiting {
  readonly asker: Asker
  readonly turn: Deferred.Deferred<void, ApiError>
  hasTurn: boolean
}

/** Runs at most `threads` works at once; others wait for their turns, or are told that there is no room. */
const makeTurns = (threads: number) => {
  let free = threads
  let workMillis: number | undefined
  const waiting = new Turns<Waiting>(() => passwordPlaces(threads, workMillis))

  const timed = <A>(work: Effect.Effect<A>) =>
    Effect.map(Effect.timed(work), ([took, result]) => {
      const millis = Duration.toMillis(took)
      workMillis = workMillis === undefined ? millis : workMillis + newestShare * (millis - workMillis)
      return result
    })

  const pass = (): void => {
    const next = waiting.take()
    if (next === undefined) {
      free += 1
      return
    }
    next.hasTurn = true
    Deferred.doneUnsafe(next.turn, Effect.void)
  }
  /** Whoever goes away before its turn holds no place, and hands on a turn that has come meanwhile. */
  const leave = (one: Waiting) =>
    Effect.sync(() => {
      if (one.hasTurn) pass()
      else waiting.remove(one)
    })
  const waitFor = (one: Waiting, restore: <A, E>(effect: Effect.Effect<A, E>) => Effect.Effect<A, E>) => {
    const outcast = waiting.add(one)
    if (outcast !== undefined) Deferred.doneUnsafe(outcast.turn, Effect.fail(tooManyWait()))
    return Effect.onInterrupt(restore(Deferred.await(one.turn)), () => leave(one))
  }

  return <A>(asker: Asker, work: Effect.Effect<A>): Effect.Effect<A, ApiError> =>
    Effect.uninterruptibleMask((restore) =>
      Effect.suspend(() => {
        const turn = Deferred.makeUnsafe<void, ApiError>()
        const isFree = free > 0
        if (isFree) free -= 1
        const joined = isFree ? Effect.void : waitFor({ asker, turn, hasTurn: false }, restore)
        return Effect.andThen(joined, Effect.ensuring(restore(timed(work)), Effect.sync(pass)))
      }),
    )
}

export const PasswordsLive = Layer.effect(
  Passwords,
  Effect.gen(function* () {
    const pool = yield* Effect.acquireRelease(
      Effect.sync(
        () =>
          new Piscina<PasswordJob, string>({
            filename: fileURLToPath(new URL("./passwordWorker.ts", import.meta.url)),
            minThreads: 0,
            maxThreads: threadsMax,
            idleTimeout: idleMillis,
            niceIncrement,
          }),
      ),
      (running) => Effect.promise(() => running.destroy()),
    )
    const waitForTurn = makeTurns(threadsMax)
    const run = (job: PasswordJob, asker: Asker) =>
      waitForTurn(
        asker,
        Effect.promise((signal) => pool.run(job, { signal })),
      )
    return Passwords.of({
      hash: (password, asker) => run({ password }, asker),
      verify: (password, hashed, asker) =>
        Effect.map(
          run({ password, hashed: hashed ?? decoyHash }, asker),
          (matches) => matches === "1" && hashed !== undefined,
        ),
    })
  }),
)
