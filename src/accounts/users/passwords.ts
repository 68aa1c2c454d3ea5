import { availableParallelism } from "node:os"
import { fileURLToPath } from "node:url"
import { Context, Effect, Layer, Scope } from "effect"
import type { Piscina } from "piscina"
import type { ApiError } from "../../../schema/errors.ts"
import { limits } from "../../../schema/limits.ts"
import type { Asker } from "./fairWaitingRoom.ts"
import { makePasswordQueue } from "./passwordQueue.ts"
import type { PasswordJob } from "./passwordWorker.ts"

/**
 * Hashes and verifies passwords: bcrypt over SHA-256 (docs/accounts.md#passwords). Low-priority threads
 * do the work, never the event loop, except for costs of at most {@link cheapCostMax}. Known askers go first, then
 * networks without a wrong password, and networks take turns; 503 when too many wait, or when one waited too long.
 */
export class Passwords extends Context.Service<
  Passwords,
  {
    readonly hash: (password: string, asker: Asker) => Effect.Effect<string, ApiError<"service_unavailable">>
    /**
     * Whether `hashed` is the hash of the password. Without a hash (unknown user) it takes as long and answers false.
     */
    readonly verify: (
      password: string,
      hashed: string | undefined,
      asker: Asker,
    ) => Effect.Effect<boolean, ApiError<"service_unavailable">>
  }
>()("corrente/accounts/Passwords") {}

/** bcrypt's cost of new hashes: each step doubles the time (docs/accounts.md#passwords). */
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
    const queue = makePasswordQueue(threadsMax)
    const workInThread = (job: PasswordJob) =>
      Effect.flatMap(threads, (pool) => Effect.promise((signal) => pool.run(job, { signal })))
    const run = (job: PasswordJob, asker: Asker) =>
      isCheap(job) ? workHere(job) : queue(asker, workInThread(job), (answer) => answer === "")
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
