import { Worker } from "node:worker_threads"
import { Context, Effect, Layer, Semaphore } from "effect"
import { limits } from "../../schema/limits.ts"

/** Passwords as they are stored (decisions 4): bcrypt, cost 12, over the base64 of the SHA-256 of their UTF-8. */
export class Passwords extends Context.Service<
  Passwords,
  {
    /** Hashes in a worker thread; waits while as many are under way as may be. */
    readonly hash: (password: string) => Effect.Effect<string>
  }
>()("corrente/accounts/Passwords") {}

const workerFile = new URL("./passwordWorker.ts", import.meta.url)

const hashInWorker = (password: string): Effect.Effect<string> =>
  Effect.callback<string>((resume) => {
    const worker = new Worker(workerFile, { workerData: password })
    worker.once("message", (hashed: string) => resume(Effect.succeed(hashed)))
    worker.once("error", (cause) => resume(Effect.die(cause)))
    worker.once("exit", (code) => resume(Effect.die(new Error(`the password worker ended with ${code}`))))
    return Effect.promise(() => worker.terminate())
  })

export const PasswordsLive = Layer.effect(
  Passwords,
  Effect.map(Semaphore.make(limits.passwordWorkersMax), (workers) =>
    Passwords.of({ hash: (password) => workers.withPermit(hashInWorker(password)) }),
  ),
)
