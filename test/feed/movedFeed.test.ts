import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { connect, feed, foreignFeed, makeBench, settle } from "./feedTesting.ts"

it.effect(
  "streams of a feed that has moved to another server are told to reconnect, those of others go on",
  () => {
    const bench = makeBench()
    return Effect.gen(function* () {
      const [moved, other] = [yield* connect(), yield* connect({ feed: foreignFeed })]
      yield* Effect.sync(() => bench.hints.tell({ kind: "moved", feed }))
      yield* settle
      assert.isTrue(moved.hasEnded)
      assert.deepStrictEqual(moved.controls, ["retry", "ready", "reconnect"])
      assert.isFalse(other.hasEnded)
    }).pipe(Effect.provide(bench.layer))
  },
)
