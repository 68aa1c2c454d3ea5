import { availableParallelism } from "node:os"
import { fileURLToPath } from "node:url"
import { Context, Effect, Layer, Semaphore } from "effect"
import { Piscina } from "piscina"
import { type ApiError, serviceUnavailable } from "../../schema/errors.ts"
import { limits } from "../../schema/limits.ts"
import type { PasswordJob } from "./passwordWorker.ts"

/**
 * Passwords as they are stored (decisions 4): bcrypt, cost 12, over the base64 of the SHA-256 of their UTF-8. All work is
 * done by threads of low priority, never on the event loop; 503 where too many wait.
 */
export class Passwords extends Context.Service<
  Passwords,
  {
    readonly hash: (password: string) => Effect.Effect<string, ApiError>
    /** Whether `hashed` is of the password. Without one (an unknown user) it takes as long, and is false. */
    readonly verify: (password: string, hashed: string | undefined) => Effect.Effect<boolean, ApiError>
  }
>()("corrente/accounts/Passwords") {}

/** Of 32 random bytes that nobody has kept, at the same cost: what is compared where there is no user. */
const decoyHash = "$2b$12$BctGR/aeLF89.sopLMSUoehcp38yP4AEZ/L96bkR9dJa.YGglaN4i"

/** Requests go before: Linux counts a thread's niceness by itself. */
const niceIncrement = 10

const threadsMax = Math.max(1, Math.min(limits.passwordWorkersMax, availableParallelism() - 1))

/** Threads end when idle for so long; starting one takes tens of ms. */
const idleMillis = 30_000

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
    // The pool's own queue is not first come, first served: under load some would wait until their request is given up.
    const threads = yield* Semaphore.make(threadsMax)
    let underWay = 0
    const run = (job: PasswordJob) =>
      Effect.suspend(() => {
        if (underWay >= threadsMax + limits.passwordsWaitingMax) {
          return Effect.fail(serviceUnavailable("Too many passwords are being checked. Try again.", 5))
        }
        underWay += 1
        return threads
          .withPermit(Effect.promise((signal) => pool.run(job, { signal })))
          .pipe(Effect.ensuring(Effect.sync(() => (underWay -= 1))))
      })
    return Passwords.of({
      hash: (password) => run({ password }),
      verify: (password, hashed) =>
        Effect.map(
          run({ password, hashed: hashed ?? decoyHash }),
          (matches) => matches === "1" && hashed !== undefined,
        ),
    })
  }),
)
