import { Clock, Effect, Redacted } from "effect"
import { withoutPassword } from "./config/redisUrl.ts"
import { loadSettings } from "./config/settings.ts"
import type { SettingsShape } from "./config/settingsShape.ts"
import { greeting, startLine } from "./processes/greeting.ts"
import { LogLive } from "./processes/logging.ts"
import { warnAboutSettings } from "./processes/settingsWarnings.ts"
import { makeShutdown, runProcess, type Shutdown, unlessStopped } from "./processes/shutdown.ts"
import { supervise } from "./processes/supervisor.ts"
import { ownRedisServer } from "./start/ownRedis/ownRedisServer.ts"

/**
 * Loads what serves requests. Wrong settings are reported without it, and a supervisor, which serves none, does with a third
 * of the modules.
 */
const loadServing = Effect.promise(() => import("./processes/serving.ts"))

/** Starts everything and runs until asked to stop. */
const start = Effect.fnUntraced(function* (settings: SettingsShape, shutdown: Shutdown) {
  const own = settings.redisUrl === undefined ? yield* ownRedisServer(settings) : undefined
  const redisUrl = own?.url ?? Redacted.value(settings.redisUrl ?? Redacted.make(""))
  const redisText =
    own === undefined
      ? `${withoutPassword(redisUrl)} (REDIS_URL)`
      : `${withoutPassword(own.url)}, run by this process, data in ${settings.dataDir}/redis`
  yield* warnAboutSettings(settings)
  const onListening = (address: { readonly host: string; readonly port: number }) =>
    Effect.map(Clock.currentTimeMillis, (nowMillis) => {
      const text =
        settings.environment === "production"
          ? startLine(settings, address, redisText, nowMillis)
          : greeting(settings, address, redisText)
      process.stdout.write(`${text}\n`)
    })
  if (settings.processes > 1) return yield* supervise(settings, { redisUrl, onListening }, shutdown)
  const options = { redisUrl, isShared: false, warns: true, onListening }
  const { serveUntilStopped } = yield* loadServing
  yield* serveUntilStopped(settings, options, shutdown)
})

const main = Effect.gen(function* () {
  const shutdown = yield* makeShutdown
  const settings = yield* loadSettings(process.env)
  yield* Effect.scoped(unlessStopped(shutdown, start(settings, shutdown))).pipe(
    Effect.provide(LogLive(settings)),
  )
})

runProcess(main, (sentence, onSent) => {
  process.stderr.write(`${sentence}\n`)
  onSent()
})
