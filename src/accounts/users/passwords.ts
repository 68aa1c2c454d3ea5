import { availableParallelism } from "node:os"
import { fileURLToPath } from "node:url"
import { Context, Deferred, Duration, Effect, Layer, Scope } from "effect"
import type { Piscina } from "piscina"
import { type ApiError, serviceUnavailable } from "../../../schema/errors.ts"
import { limits } from "../../../schema/limits.ts"
import type { PasswordJob } from "./passwordWorker.ts"
import { type Asker, Turns } from "./turns.ts"

/**
 * Hashes and verifies passwords: bcrypt over SHA-256 (docs/decisions/0052-password-hashes.md). Low-priority threads
 * do the work, never the event loop, except for costs of at most {@link cheapCostMax}. Known askers go first and networks
 * take turns, so whoever fills the queue waits for itself; 503 when too many wait.
 */
export class Passwords extends Context.Service<
  Passwords,
  {
    readonly hash: (password: string, asker: Asker) => Effect.Effect<string, ApiError>
    /**
     * Whether `hashed` is the hash of the password. Without a hash (unknown user) it takes as long and answers false.
     */
    readonly verify: (
      password: string,
      hashed: string | undefined,
      asker: Asker,
    ) => Effect.Effect<boolean, ApiError>
  }
>()("corrente/accounts/Passwords") {}

/** bcrypt's cost of new hashes: each step doubles the time (docs/decisions/0052-password-hashes.md). */
export class PasswordCost extends Context.Reference<number>("corrente/accounts/PasswordCost", {
  defaultValue: () => limits.passwordCostDefault,
}) {}

/**
 * Hashes of this cost or less, which production never makes, are made on the event loop: they take 3 ms, and starting a thread
 * takes a hundred.
 */
export const cheapCostMax = 4

/** The hash of 32 random bytes that nobody kept, at this cost: compared when there is no user. */
const decoyHashOf = (cost: number): string =>
  `$2b$${String(cost).padStart(2, "0")}$BctGR/aeLF89.sopLMSUoehcp38yP4AEZ/L96bkR9dJa.YGglaN4i`

/** Requests come first: Linux counts niceness per thread. */
const niceIncrement = 10

const threadsMax = Math.max(1, Math.min(limits.passwordWorkersMax, availableParallelism() - 1))

/** Idle threads end after this; starting one takes tens of ms. */
const idleMillis = 30_000

/** Weight of the newest duration in the running mean. */
const newestShare = 0.2

/**
 * How many passwords may wait: as many as get their turn in time if each takes as long as those before. `workMillis`
 * is the duration of one, undefined before the first.
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

/** Runs at most `threads` jobs at once; others wait for their turn or are refused when the queue is full. */
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
  /** A caller that leaves before its turn gives up its place, and passes on a turn that came meanwhile. */
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

/** The threads; the first dear password starts them. */
const openThreads = Effect.acquireRelease(
  Effect.promise(async () => {
    const { Piscina } = await import("piscina")
    return new Piscina<PasswordJob, string>({
      filename: fileURLToPath(new URL("./passwordWorker.ts", import.meta.url)),
      minThreads: 0,
      maxThreads: threadsMax,
      idleTimeout: idleMillis,
      niceIncrement,
    })
  }),
  (running: Piscina<PasswordJob, string>) => Effect.promise(() => running.destroy()),
)

const isCheap = (job: PasswordJob): boolean => ("cost" in job ? job.cost : costOf(job.hashed)) <= cheapCostMax

/** The cost in a hash of bcrypt: `$2b$12$…`. */
const costOf = (hashed: string): number => Number(hashed.split("$")[2])

const workHere = (job: PasswordJob): Effect.Effect<string> =>
  Effect.map(
    Effect.promise(() => import("./passwordWorker.ts")),
    (worker) => worker.default(job),
  )

export const PasswordsLive = Layer.effect(
  Passwords,
  Effect.gen(function* () {
    const scope = yield* Effect.scope
    const threads = yield* Effect.cached(Scope.provide(openThreads, scope))
    const cost = yield* PasswordCost
    const decoyHash = decoyHashOf(cost)
    const waitForTurn = makeTurns(threadsMax)
    const workInThread = (job: PasswordJob) =>
      Effect.flatMap(threads, (pool) => Effect.promise((signal) => pool.run(job, { signal })))
    const run = (job: PasswordJob, asker: Asker) =>
      isCheap(job) ? workHere(job) : waitForTurn(asker, workInThread(job))
    return Passwords.of({
      hash: (password, asker) => run({ password, cost }, asker),
      verify: (password, hashed, asker) =>
        Effect.map(
          run({ password, hashed: hashed ?? decoyHash }, asker),
          (matches) => matches === "1" && hashed !== undefined,
        ),
    })
  }),
)
