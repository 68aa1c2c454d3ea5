import { assert } from "@effect/vitest"
import { Effect, Queue, Scope } from "effect"
import { type FeedHint, FeedHints } from "../../actors/ports/feedHints.ts"
import type { Principal } from "../../actors/values/principal.ts"
import { eventsOf, listenToHints, openCharge, openShop } from "./fixtures.ts"
import { type StoreCase, storeCase } from "./stage.ts"

const feedOf = ({ sellerId, mode }: Principal) => ({ sellerId, mode })

/** The hints that a feed's events should give, each with the entry before it. */
const hintsOf = (owner: Principal) =>
  Effect.map(eventsOf(owner), (events) =>
    events.map(
      ({ entryId }, index): FeedHint => ({
        kind: "appended",
        feed: feedOf(owner),
        entryId,
        previousEntryId: events[index - 1]?.entryId ?? "0-0",
      }),
    ),
  )

/** Hints that a feed has grown (`docs/architecture.md#rule-4`). */
export const feedHintCases: ReadonlyArray<StoreCase> = [
  storeCase(
    "a watched feed gives a hint for each new entry, with the entry before it",
    Effect.gen(function* () {
      const { live } = yield* openShop()
      yield* openCharge(live)
      const heard = yield* listenToHints(live)
      yield* (yield* FeedHints).watch(feedOf(live))
      yield* openCharge(live)
      yield* openCharge(live)
      const hints = [yield* Queue.take(heard), yield* Queue.take(heard)]
      assert.deepStrictEqual(hints, (yield* hintsOf(live)).slice(1))
    }),
  ),
  storeCase(
    "the hint for a feed's first entry names 0-0 as the entry before it",
    Effect.gen(function* () {
      const { test } = yield* openShop()
      const heard = yield* listenToHints()
      yield* (yield* FeedHints).watch(feedOf(test))
      yield* openCharge(test)
      assert.deepStrictEqual([yield* Queue.take(heard)], yield* hintsOf(test))
    }),
  ),
  storeCase(
    "hints come only from watched feeds, and stop when a feed is unwatched",
    Effect.gen(function* () {
      const hints = yield* FeedHints
      const { live, test } = yield* openShop()
      const heard = yield* listenToHints()
      yield* hints.watch(feedOf(live))
      yield* openCharge(test)
      yield* openCharge(live)
      assert.deepStrictEqual([yield* Queue.take(heard)], yield* hintsOf(live))
      yield* hints.unwatch(feedOf(live))
      yield* hints.watch(feedOf(test))
      yield* openCharge(live)
      yield* openCharge(test)
      assert.deepStrictEqual([yield* Queue.take(heard)], (yield* hintsOf(test)).slice(1))
    }),
  ),
  storeCase(
    "every hint listener hears each hint until its scope closes",
    Effect.gen(function* () {
      const { live } = yield* openShop()
      const scope = yield* Scope.make()
      const one = yield* Effect.provideService(listenToHints(), Scope.Scope, scope)
      const two = yield* listenToHints()
      yield* (yield* FeedHints).watch(feedOf(live))
      yield* openCharge(live)
      const [hint] = yield* hintsOf(live)
      assert.deepStrictEqual([yield* Queue.take(one), yield* Queue.take(two)], [
        hint,
        hint,
      ] as Array<FeedHint>)
      yield* Scope.close(scope, yield* Effect.exit(Effect.void))
      yield* openCharge(live)
      yield* Queue.take(two)
      assert.strictEqual(yield* Queue.size(one), 0)
    }),
  ),
]
