import { Context, Effect, Layer, Option, type Scope } from "effect"
import type { Redis } from "ioredis"
import { StoreUnavailable } from "../../../actors/ports/store.ts"
import { openSubscription } from "./redisSubscription.ts"

/** What the connection that listens tells. */
export type Signal =
  | { readonly kind: "message"; readonly channel: string; readonly message: string }
  | { readonly kind: "dropped" }
  | { readonly kind: "restored" }

/** The connection that listens to channels; what is published while it is down is lost, and said so. */
export class Subscriber extends Context.Service<
  Subscriber,
  {
    readonly listen: (listener: (signal: Signal) => void) => Effect.Effect<void, never, Scope.Scope>
    readonly subscribe: (channels: ReadonlyArray<string>) => Effect.Effect<void, StoreUnavailable>
    readonly unsubscribe: (channels: ReadonlyArray<string>) => Effect.Effect<void>
  }
>()("corrente/store/Subscriber") {}

/** Nothing need come over this connection for hours, so only asking tells that it is alive. */
const askMillis = 1_000
const answerTimeoutMillis = 1_000

/** Makes a connection anew that does not answer: what is published would be lost without a word. */
const watchAnswers = (redis: Redis) =>
  Effect.gen(function* () {
    yield* Effect.sleep(askMillis)
    const answer = yield* Effect.tryPromise(() => redis.ping()).pipe(
      Effect.timeoutOption(answerTimeoutMillis),
      // A broken connection is made anew by itself.
      Effect.orElseSucceed(() => Option.some("broken")),
    )
    if (Option.isNone(answer)) redis.disconnect(true)
  }).pipe(Effect.forever)

/** A subscriber on its own connection; it subscribes again by itself after a break. */
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
        // A break of the connection comes back as another `ready`; a server that refuses is asked again by a new one.
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
