import { readFileSync } from "node:fs"
import { Cause, Deferred, Effect, Exit, Layer, Logger, Redacted, References } from "effect"
import { EndpointActors } from "../actors/endpoint/endpointActor.ts"
import { api } from "../schema/api/index.ts"
import { limits } from "../schema/limits.ts"
import { loadSettings } from "./config/settings.ts"
import type { SettingsShape } from "./config/settingsShape.ts"
import { Scheduler } from "./delivery/scheduler.ts"
import { FeedHub } from "./feed/hub.ts"
import { limitHandlers } from "./http/apiRateLimit.ts"
import { bindApi } from "./http/bind.ts"
import { documentRoutes } from "./http/documents.ts"
import { makeHandlers } from "./http/handlers/index.ts"
import { serve } from "./http/server.ts"
import { ownRedisServer } from "./redisServer/ownRedisServer.ts"
import { ServiceLive, warnAboutSettings } from "./service.ts"
import { cutWriteProblem, durabilityProblem } from "./store/durability.ts"
import { RedisClient, withoutPassword } from "./store/redisClient.ts"

const { version } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")) as {
  readonly version: string
}

/** What the process' signals and its start know of each other. */
interface Life {
  /** Done by the first signal that asks to stop, with its name. */
  readonly stop: Deferred.Deferred<string>
  /** Done when it listens: from then on stopping is draining. */
  readonly listening: Deferred.Deferred<void>
}

/** The first SIGTERM or Ctrl-C asks to stop; two are one (decisions 5). */
const stopAsked = Effect.gen(function* () {
  const asked = yield* Deferred.make<string>()
  for (const signal of ["SIGTERM", "SIGINT"] as const) {
    process.on(signal, () => Deferred.doneUnsafe(asked, Effect.succeed(signal)))
  }
  return asked
})

const greeting = (settings: SettingsShape, origin: string, redisText: string): string =>
  [
    `Corrente ${version} is listening on ${origin}`,
    `  Redis:    ${redisText}`,
    `  API:      ${origin}/docs`,
    "",
    "Next:",
    "  1. Create a seller:    npm run --silent ops -- seller create --email you@example.com --password 'at least 12 characters' --name 'Your store'",
    `  2. Make a charge:      curl -s ${origin}/v1/transactions -H "Authorization: Bearer sk_test_…" -H "Content-Type: application/json" -H "Idempotency-Key: first" \\`,
    `                           -d '{"amount":12990,"payment_method":"pix","customer":{"name":"Ana","email":"ana@example.com","document":"52998224725"},"items":[{"name":"Book","quantity":1,"unit_amount":12990}]}'`,
    `  3. Follow the stream:  curl -N ${origin}/events -H "Authorization: Bearer sk_test_…"`,
    "",
    `Test charges are paid ${settings.simulatorDelayMillis} ms after creation. Ctrl-C stops the service.`,
    "",
  ].join("\n")

/** Streams are told to come back, requests end, partitions go to others, attempts under way end; then all closes. */
const drain = (http: { readonly drain: Effect.Effect<void> }) =>
  Effect.gen(function* () {
    const scheduler = yield* Scheduler
    const endpoints = yield* EndpointActors
    yield* Effect.all([http.drain, Effect.andThen(scheduler.stop, endpoints.drain)], { concurrency: 2 }).pipe(
      Effect.timeoutOption(limits.drainTimeoutMillis),
    )
  })

const run = (settings: SettingsShape, redisText: string, { stop, listening }: Life) =>
  Effect.gen(function* () {
    yield* warnAboutSettings(settings)
    const problem = yield* durabilityProblem(yield* RedisClient)
    if (problem !== undefined && problem !== "skipped") yield* Effect.logWarning(problem)
    const cutWrites = yield* cutWriteProblem(yield* RedisClient)
    if (cutWrites !== undefined) yield* Effect.logWarning(cutWrites)
    const feedHub = yield* FeedHub
    const handlers = yield* limitHandlers(yield* makeHandlers(version), settings.apiRateLimitPerSecond)
    const routes = [
      ...(yield* bindApi(api, handlers)),
      ...documentRoutes(settings.publicUrl, `http://localhost:${settings.port}`),
    ]
    const http = yield* serve({
      host: settings.host,
      port: settings.port,
      routes,
      drainHooks: [feedHub.drain],
    })
    const host = http.host === "0.0.0.0" || http.host === "127.0.0.1" ? "localhost" : http.host
    yield* Deferred.succeed(listening, undefined)
    process.stdout.write(`${greeting(settings, `http://${host}:${http.port}`, redisText)}\n`)
    const signal = yield* Deferred.await(stop)
    yield* Effect.logInfo(`${signal}: draining`)
    yield* drain(http)
  })

/** Starts everything, and runs it until it is asked to stop. */
const start = Effect.fnUntraced(function* (settings: SettingsShape, life: Life) {
  const own = settings.redisUrl === undefined ? yield* ownRedisServer(settings) : undefined
  const redisUrl = own?.url ?? Redacted.value(settings.redisUrl ?? Redacted.make(""))
  const redisText =
    own === undefined
      ? `${withoutPassword(redisUrl)} (REDIS_URL)`
      : `${own.url}, run by this process, data in ${settings.dataDir}/redis`
  yield* Effect.scoped(run(settings, redisText, life)).pipe(Effect.provide(ServiceLive(settings, redisUrl)))
})

/** Asked to stop while it starts, which may take as long as a Redis loads, it leaves off. */
const stopWhileStarting = Effect.fnUntraced(function* ({ stop, listening }: Life) {
  const signal = yield* Deferred.await(stop)
  if (yield* Deferred.isDone(listening)) return yield* Effect.never
  yield* Effect.logInfo(`${signal}: not started`)
})

const main = Effect.gen(function* () {
  const life: Life = { stop: yield* stopAsked, listening: yield* Deferred.make<void>() }
  const settings = yield* loadSettings(process.env)
  const logger = settings.environment === "production" ? Logger.consoleJson : Logger.consolePretty()
  yield* Effect.scoped(Effect.raceFirst(start(settings, life), stopWhileStarting(life))).pipe(
    Effect.provide(
      Layer.mergeAll(Logger.layer([logger]), Layer.succeed(References.MinimumLogLevel, settings.logLevel)),
    ),
  )
})

/** What a user can mend is said in its own words; anything else is a defect and shows its cause. */
const sentenceOf = (cause: Cause.Cause<unknown>): string => {
  const failure = Cause.findErrorOption(cause)
  if (failure._tag === "Some") {
    const error = failure.value as { readonly message?: string; readonly reason?: string }
    const text = error.message || error.reason
    if (text) return text
  }
  return Cause.pretty(cause)
}

Effect.runFork(main).addObserver((exit) => {
  if (Exit.isFailure(exit)) process.stderr.write(`${sentenceOf(exit.cause)}\n`)
  process.exit(Exit.isFailure(exit) ? 1 : 0)
})
