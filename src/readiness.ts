import { Clock, Effect, Layer } from "effect"
import type { StoreUnavailable } from "../actors/values/storeUnavailable.ts"
import { FeedHub } from "./feed/hub.ts"
import { type Check, Readiness } from "./http/readiness.ts"
import { Load } from "./load/load.ts"
import { Scheduler } from "./scheduler/scheduler.ts"
import { durabilityProblem, pingServers } from "./store/redis/durability.ts"
import { isLibraryLoaded, library } from "./store/redis/functionLibrary.ts"
import { RedisClient } from "./store/redis/redisClient.ts"

/** The scheduler checks everything twice a second; later than this means that it falls behind. */
const schedulerLagMaxMillis = 5_000

/** Probes within this time share one look at Redis, since anyone may ask. */
export const readyCachedMillis = 100

/** A process that refuses a greater share of its requests should get fewer. */
const refusedShareMax = 0.1

/**
 * What anyone may learn about an unavailable Redis: a library's message reveals hosts, users and versions. The first
 * word of an error from Redis is its kind.
 */
const redisProblem = ({ reason }: StoreUnavailable): string => {
  const kind = /\b(LOADING|NOAUTH|WRONGPASS|NOPERM|READONLY|MASTERDOWN|CLUSTERDOWN)\b/.exec(reason)?.[1]
  switch (kind) {
    case undefined:
      return "Redis does not answer; see the log for the reason"
    case "LOADING":
      return "Redis is still loading its data"
    case "NOAUTH":
    case "WRONGPASS":
    case "NOPERM":
      return "Redis denies access to the user of REDIS_URL"
    default:
      return "no primary of Redis answers"
  }
}

/** A check that reports only the kind of a Redis problem; its details go to the log. */
const orRedisProblem = (check: Effect.Effect<Check, StoreUnavailable>): Effect.Effect<Check> =>
  Effect.catch(check, (error) =>
    Effect.as(Effect.logDebug(`/ready: ${error.operation} failed: ${error.reason}`), {
      error: redisProblem(error),
    }),
  )

/** The checks of `/ready` (`docs/contract/health.md#readiness`). */
export const ReadinessLive = Layer.effect(
  Readiness,
  Effect.gen(function* () {
    const client = yield* RedisClient
    const scheduler = yield* Scheduler
    const feed = yield* FeedHub
    const { admission } = yield* Load

    const redis = Effect.as(pingServers(client), "ok" as const)
    const durability = Effect.map(durabilityProblem(client), (problem): Check => {
      if (problem === undefined) return "ok"
      return problem === "skipped" ? "skipped" : { error: problem }
    })
    const replicas = Effect.map(
      client.awaitReplicas ?? Effect.succeed("skipped" as const),
      (skipped): Check => skipped ?? "ok",
    ).pipe(
      Effect.catch((error) =>
        Effect.as(Effect.logDebug(`/ready: ${error.operation} failed: ${error.reason}`), {
          error: "too few replicas of Redis have acknowledged the newest writes in time",
        }),
      ),
    )
    const functions = Effect.map(
      isLibraryLoaded(client),
      (isLoaded): Check => (isLoaded ? "ok" : { error: `Redis lacks the function library ${library.name}` }),
    )
    const schedulerCheck = Effect.map(Clock.currentTimeMillis, (nowMillis): Check => {
      const lagMillis = scheduler.lagMillis(nowMillis)
      return lagMillis <= schedulerLagMaxMillis
        ? "ok"
        : { error: `timers and deliveries were last checked ${Math.round(lagMillis)} ms ago` }
    })
    // Hints use a Redis connection of their own, which may recover later than the others.
    const streams = Effect.map(
      feed.isServing,
      (isServing): Check =>
        isServing ? "ok" : { error: "event streams are turned away until Redis sends hints again" },
    )
    const load = Effect.sync((): Check => {
      const share = admission.refusedShare
      return share <= refusedShareMax
        ? "ok"
        : { error: `overloaded: ${Math.round(share * 100)} % of the last requests were refused` }
    })

    const ofRedis = yield* Effect.cachedWithTTL(
      Effect.all(
        {
          redis: orRedisProblem(redis),
          durability: orRedisProblem(durability),
          replicas,
          functions: orRedisProblem(functions),
        },
        { concurrency: "unbounded" },
      ),
      readyCachedMillis,
    )
    // Of now: streams may have been turned away since Redis was asked.
    const ofProcess = Effect.all({ streams, scheduler: schedulerCheck, load })
    return Readiness.of({
      checks: Effect.gen(function* () {
        const asked = yield* ofRedis
        return { ...asked, ...(yield* ofProcess) }
      }),
    })
  }),
)
