import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { ApiKeyStore } from "../../actors/ports/apiKeyStore.ts"
import { ChargeRenderer } from "../../actors/ports/chargeRenderer.ts"
import { FeedHints } from "../../actors/ports/feedHints.ts"
import { SellerStore } from "../../actors/ports/sellerStore.ts"
import { StreamSlots } from "../../actors/ports/streamSlots.ts"
import { fullAccess } from "../../actors/values/apiKeyAccess.ts"
import type { Principal } from "../../actors/values/principal.ts"
import { limits } from "../../schema/limits.ts"
import { FeedHub, FeedHubLive } from "../../src/feed/hub.ts"
import { identifiers, startProcess } from "../actors/support/process.ts"
import { pass, settle } from "../actors/support/settle.ts"
import { openShop, timersOf } from "../actors/support/shop.ts"
import { onStore, startMillis } from "../actors/support/store.ts"
import { TestConnection } from "../feed/testConnection.ts"
import { makeFeedHints } from "../model/feedHints.ts"
import { MemoryStore } from "../model/state.ts"
import { makeStreamSlots } from "../model/streamSlots.ts"

const grace = limits.rotationGraceMillis
const minute = 60_000

/** A feed hub on the test's store, as a function that opens a principal's event stream. */
const startFeed = Effect.gen(function* () {
  const state = yield* MemoryStore
  const ports = Layer.mergeAll(
    Layer.succeed(FeedHints, makeFeedHints(state)),
    Layer.succeed(StreamSlots, makeStreamSlots(state)),
    Layer.succeed(ChargeRenderer, { render: (data) => data, renderSummary: (data) => data }),
  )
  const times = { heartbeatMillis: 15_000, lifetimeMillis: 3_300_000 }
  const services = yield* Layer.build(FeedHubLive(times).pipe(Layer.provide(ports)))
  const hub = Context.get(services, FeedHub)
  return Effect.fnUntraced(function* (principal: Principal) {
    const connection = new TestConnection()
    const start = yield* hub.open({ feed: principal, credentialId: principal.keyId })
    start(connection)
    yield* settle
    return connection
  })
})

/** Rotates a key and returns the new one. */
const rotate = (old: Principal) =>
  Effect.gen(function* () {
    const id = identifiers.id("key_", 0, startMillis)
    const key = {
      ...{ id, keyHash: `hash-of-${id}`, mode: old.mode, name: "x", keyPrefix: "", createdAt: "" },
      ...fullAccess,
    }
    const answer = yield* (yield* ApiKeyStore).rotate(old.sellerId, old.keyId, key)
    assert.deepStrictEqual(answer, { kind: "rotated", revokeAtMillis: startMillis + grace })
    return { ...old, keyId: id, keyHash: key.keyHash } satisfies Principal
  })

const isStored = ({ keyHash }: Principal) => Effect.map(MemoryStore, (state) => state.apiKeys.has(keyHash))

describe("a rotated API key", () => {
  it.effect(
    "a rotated API key and its streams end a day later; those of the new key and the other mode stay",
    () =>
      onStore(
        Effect.gen(function* () {
          const { live, test } = yield* openShop()
          const fresh = yield* rotate(test)
          // The process that fires the timer starts long after the rotation.
          yield* TestClock.adjust(grace - minute)
          yield* startProcess()
          const open = yield* startFeed
          const old = yield* open(test)
          const others = [yield* open(fresh), yield* open(live)]
          yield* pass(minute - 1)
          assert.isTrue(yield* isStored(test))
          assert.isTrue(yield* (yield* SellerStore).isValid(test))
          assert.isFalse(old.hasEnded)

          yield* pass(1)
          assert.isFalse(yield* isStored(test))
          assert.deepStrictEqual(yield* timersOf(test.keyId), [])
          assert.isTrue(old.hasEnded)
          assert.notInclude(old.controls, "reconnect")
          yield* pass(minute)
          for (const connection of others) assert.isFalse(connection.hasEnded)
          for (const principal of [fresh, live]) assert.isTrue(yield* isStored(principal))
        }),
      ),
  )

  it.effect("a rotated API key that is deleted early leaves no timer, and its successor stays", () =>
    onStore(
      Effect.gen(function* () {
        const { sellerId, test } = yield* openShop()
        const fresh = yield* rotate(test)
        yield* (yield* ApiKeyStore).delete(sellerId, "test", test.keyId)
        yield* TestClock.adjust(grace - minute)
        yield* startProcess()
        yield* pass(2 * minute)

        assert.isTrue(yield* isStored(fresh))
        assert.deepStrictEqual(yield* timersOf(test.keyId), [])
      }),
    ),
  )

  it.effect(
    "a timer of a missing key is dropped, one of an unknown kind stays, and neither revokes anything",
    () =>
      onStore(
        Effect.gen(function* () {
          const { sellerId, test } = yield* openShop()
          const { timers } = yield* MemoryStore
          const gone = identifiers.id("key_", 0, startMillis)
          const names = [
            [gone, `revoke:${sellerId}:test`],
            [test.keyId, "unknown"],
          ] as const
          for (const [resourceId, name] of names) {
            timers.set(`${resourceId}:${name}`, { name, resourceId, dueMillis: startMillis + 10 })
          }
          yield* startProcess()
          yield* pass(10)

          assert.deepStrictEqual(yield* timersOf(gone), [])
          assert.strictEqual((yield* timersOf(test.keyId)).length, 1)
          assert.isTrue(yield* isStored(test))
        }),
      ),
  )
})
