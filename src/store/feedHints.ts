import { Effect, Layer } from "effect"
import { type FeedHint, FeedHints } from "../../actors/ports/feedHints.ts"
import * as keys from "./keys.ts"
import { type Signal, Subscriber } from "./redis/subscriber.ts"

const readSignal = (signal: Signal): FeedHint | undefined => {
  if (signal.kind !== "message") return signal
  const feed = keys.feedOfChannel(signal.channel)
  if (feed === undefined) return undefined
  const [previousEntryId = "", entryId = ""] = signal.message.split(" ")
  if (previousEntryId === "revoked") return { kind: "revoked", feed, credentialId: entryId }
  if (previousEntryId === "moved") return { kind: "moved", feed }
  return { kind: "appended", feed, entryId, previousEntryId }
}

/** Feed hints by pub/sub: one channel per feed, subscribed to only while somebody watches. */
export const FeedHintsLive = Layer.effect(
  FeedHints,
  Effect.gen(function* () {
    const subscriber = yield* Subscriber
    return FeedHints.of({
      listen: (listener) =>
        subscriber.listen((signal) => {
          const hint = readSignal(signal)
          if (hint !== undefined) listener(hint)
        }),
      watch: (feed) => subscriber.subscribe([keys.feedChannel(feed)]),
      unwatch: (feed) => subscriber.unsubscribe([keys.feedChannel(feed)]),
    })
  }),
)
