import { Context, Effect, Layer, Option, type Scope } from "effect"
import type { Redis } from "ioredis"
import { StoreUnavailable } from "../../../actors/values/storeUnavailable.ts"
import { openSubscription } from "./redisSubscription.ts"

/** What happens on the subscriber's connection. */
export type Signal =
  | { readonly kind: "message"; readonly channel: string; readonly message: string }
  | { readonly kind: "dropped" }
  | { readonly kind: "restored" }

/** Subscriptions to channels. Messages published while the connection is down are lost; `dropped` and `restored` say when. */
export class Subscriber extends Context.Service<
  Subscriber,
  {
    readonly listen: (listener: (signal: Signal) => void) => Effect.Effect<void, never, Scope.Scope>
    readonly subscribe: (channels: ReadonlyArray<string>) => Effect.Effect<void, StoreUnavailable>
    readonly unsubscribe: (channels: ReadonlyArray<string>) => Effect.Effect<void>
  }
>()("corrente/store/Subscriber") {}

/** This connection may be idle for hours, so only a ping shows whether it is alive. */
const askMillis = 1_000
const answerTimeoutMillis = 1_000

/** Reconnects if the connection stops answering: messages would be lost unnoticed. */
const watchAnswers = (redis: Redis) =>
  Effect.gen(function* () {
    yield* Effect.sleep(askMillis)
    const answer = yield* Effect.tryPromise(() => redis.ping()).pipe(
      Effect.timeoutOption(answerTimeoutMillis),
      // ioredis reconnects a broken connection by itself.
      Effect.orElseSucceed(() => Option.some("broken")),
    )
    if (Option.isNone(answer)) redis.disconnect(true)
  }).pipe(Effect.forever)

/** A subscriber on its own connection. It subscribes again after a break. */
export const SubscriberLive = (url: string) =>
  Layer.effect(
    Subscriber,
    Effect.gen(function* () {
      const redis = yield* openSubscription(url, "hints")
      yield* Effect.forkScoped(watchAnswers(redis))
      const listeners = new Set<(signal: Signal) => void>()
      const channels = new Set<string>()
      const tell = (signal: Signal) => {
        for (const listener of listeners) listener(signal)
      }
      let isDown = false
      redis.on("message", (channel: string, message: string) => tell({ kind: "message", channel, message }))
      redis.on("close", () => {
        if (isDown) return
        isDown = true
        tell({ kind: "dropped" })
      })
      const restore = async () => {
        if (channels.size > 0) await redis.subscribe(...channels)
        isDown = false
        tell({ kind: "restored" })
      }
      redis.on("ready", () => {
        // A new connection emits `ready` again; if the server refuses the subscription, reconnect.
        const refused = () => {
          if (redis.status === "ready") redis.disconnect(true)
        }
        if (isDown) restore().catch(refused)
      })

      const subscribe = (names: ReadonlyArray<string>) =>
        Effect.tryPromise({
          try: async () => {
            for (const name of names) channels.add(name)
            if (names.length > 0) await redis.subscribe(...names)
          },
          catch: (cause) => new StoreUnavailable({ operation: "subscribe", reason: String(cause) }),
        })
      const unsubscribe = (names: ReadonlyArray<string>) =>
        Effect.tryPromise(async () => {
          for (const name of names) channels.delete(name)
          if (names.length > 0) await redis.unsubscribe(...names)
        }).pipe(Effect.ignore)

      return Subscriber.of({
        listen: (listener) =>
          Effect.acquireRelease(
            Effect.sync(() => {
              listeners.add(listener)
            }),
            () => Effect.sync(() => listeners.delete(listener)),
          ),
        subscribe,
        unsubscribe,
      })
    }),
  )
