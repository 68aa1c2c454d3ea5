import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { sealedPlaces } from "../../../actors/values/sealedPlaces.ts"
import { makeEndpointStore } from "../../model/endpointStore.ts"
import { MemoryStore } from "../../model/state.ts"
import { cipher, startProcess } from "../support/process.ts"
import { pass } from "../support/settle.ts"
import { createCharge, openEndpoint, openShop } from "../support/shop.ts"
import { onStore } from "../support/store.ts"

const paidAfterMillis = 3_000

describe("the memory of an endpoint's actor", () => {
  it.effect("an endpoint's actor uses each rotated secret from the next delivery on", () =>
    onStore(
      Effect.gen(function* () {
        const shop = yield* openShop()
        const { id, url } = yield* openEndpoint(shop.test, ["transaction.paid"])
        const process = yield* startProcess()
        const endpoints = makeEndpointStore(yield* MemoryStore)
        const scope = { feed: { sellerId: shop.sellerId, mode: "test" as const }, endpointId: id }
        const names = [`secret-of-${id}`]
        const deliver = Effect.andThen(createCharge(process, shop.test), pass(paidAfterMillis))

        yield* deliver
        // More secrets than the actor remembers.
        for (let rotation = 1; rotation <= 10; rotation++) {
          names.unshift(`secret-${rotation}`)
          const sealed = cipher.seal(`secret-${rotation}`, sealedPlaces.endpointSecret(id))
          yield* endpoints.rotateSecret(scope, sealed, "secret")
          yield* deliver
        }

        const expected = names.map((_, index) => names.slice(index, index + 2)).toReversed()
        assert.deepStrictEqual(
          process.receivers.sentTo(url).map(({ secrets }) => secrets),
          expected,
        )
      }),
    ),
  )

  it.effect("each event keeps a body of its own, the same for all of its destinations", () =>
    onStore(
      Effect.gen(function* () {
        const process = yield* startProcess()
        const postbackUrl = "https://other.example/postback"
        for (let seller = 0; seller < 2; seller++) {
          const shop = yield* openShop()
          yield* openEndpoint(shop.test, ["transaction.paid"])
          yield* openEndpoint(shop.test, ["transaction.paid"])
          for (let charge = 0; charge < 100; charge++) {
            yield* createCharge(process, shop.test, { body: { postback_url: postbackUrl } })
          }
        }
        yield* pass(paidAfterMillis)

        const bodies = new Map<string, Set<string>>()
        for (const { eventId, body } of process.receivers.sent) {
          const { id } = JSON.parse(body) as { readonly id: string }
          assert.strictEqual(id, eventId)
          bodies.set(eventId, (bodies.get(eventId) ?? new Set()).add(body))
        }
        assert.lengthOf(process.receivers.sent, 600)
        assert.strictEqual(bodies.size, 200)
        assert.isTrue([...bodies.values()].every((texts) => texts.size === 1))
      }),
    ),
  )
})
