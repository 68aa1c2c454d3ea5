// A process that runs our own Redis on the data folder given as its argument. It prints one line of JSON, with
// what it runs or why it does not, and stays until SIGTERM. For tests that kill it.
import { Effect, Fiber, Logger } from "effect"
import { ownRedisServer } from "../../src/start/ownRedis/ownRedisServer.ts"

const [dataDir = ""] = process.argv.slice(2)
const print = (line: unknown) => process.stdout.write(`${JSON.stringify(line)}\n`)

const fiber = Effect.runFork(
  Effect.gen(function* () {
    const redis = yield* ownRedisServer({ dataDir })
    print({ url: redis.url, pid: redis.pid })
    return yield* Effect.never
  }).pipe(
    Effect.scoped,
    Effect.catch((error) => Effect.sync(() => print({ error: error.message }))),
    Effect.provide(Logger.layer([])),
  ),
)
// An effect that never completes holds no handle, so the process would end by itself.
const alive = setInterval(() => {}, 60_000)
const stop = async () => {
  await Effect.runPromise(Fiber.interrupt(fiber))
  clearInterval(alive)
}
process.on("SIGTERM", stop)
void Effect.runPromise(Fiber.await(fiber)).then(() => clearInterval(alive))
