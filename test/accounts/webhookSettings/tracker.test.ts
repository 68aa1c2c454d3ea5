import { describe, expect, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { destinationIdOfTracker } from "../../../actors/delivery/destinationId.ts"
import { DestinationCheck } from "../../../actors/ports/destinationCheck.ts"
import { TrackerStore } from "../../../actors/ports/trackerStore.ts"
import { sealedPlaces } from "../../../actors/values/sealedPlaces.ts"
import { StoreUnavailable } from "../../../actors/values/storeUnavailable.ts"
import { ApiError } from "../../../schema/errors.ts"
import { decodePartition, partitionOfId } from "../../../schema/ids.ts"
import { Trackers, TrackersLive } from "../../../src/accounts/webhookSettings/trackers.ts"
import { MemoryStoreLive } from "../../model/memoryStore.ts"
import { MemoryStore } from "../../model/state.ts"
import { cipher, freshSellerId, openSeller, SecretsLive } from "../sellers/sellerFixture.ts"

/** Accepts every host but one that has no address. */
const Checks = Layer.succeed(DestinationCheck, {
  checkEndpoint: (url) => Effect.succeed({ url, password: undefined }),
  checkForm: () => Effect.void,
  check: (url) =>
    url.startsWith("https://nowhere.")
      ? Effect.fail(new ApiError({ code: "invalid_url", param: "url", message: "no such host" }))
      : Effect.void,
})
const TestLayer = TrackersLive.pipe(
  Layer.provide(Layer.merge(SecretsLive, Checks)),
  Layer.provideMerge(MemoryStoreLive()),
)

const url = "https://tracker.example/in"
const secretValue = "Bearer 3f6d2c"

describe("a tracker", () => {
  it.effect("a tracker keeps its headers as ciphertext and shows their names alone", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(1_800_000_000_000)
      const trackers = yield* Trackers
      const { id: sellerId } = yield* openSeller()
      const feed = { sellerId, mode: "live" } as const
      const headers = { Authorization: secretValue, "X-Api-Key": "k" }
      const shown = {
        url,
        headers: { Authorization: "***", "X-Api-Key": "***" },
        created_at: "2027-01-15T08:00:00.000Z",
      }
      expect(yield* trackers.put(feed, { url, headers })).toEqual(shown)
      expect(yield* trackers.get(feed)).toEqual(shown)
      const stored = (yield* MemoryStore).trackers.get(destinationIdOfTracker(sellerId, "live"))?.tracker
      expect(JSON.stringify(stored)).not.toContain(secretValue)
      const place = sealedPlaces.trackerHeaders(stored?.id ?? "")
      expect(JSON.parse(cipher.open(stored?.headers ?? "", place) ?? "")).toEqual(headers)

      yield* TestClock.adjust(1_000)
      expect(yield* trackers.put(feed, { url: `${url}/2`, headers: {} })).toEqual({
        url: `${url}/2`,
        headers: {},
        created_at: shown.created_at,
      })
    }).pipe(Effect.provide(TestLayer)),
  )

  it.effect("a tracker gets every event of charges that is delivered, and no other", () =>
    Effect.gen(function* () {
      const { id: sellerId } = yield* openSeller()
      yield* (yield* Trackers).put({ sellerId, mode: "test" }, { url, headers: {} })
      const { types } = (yield* MemoryStore).trackers.get(destinationIdOfTracker(sellerId, "test")) ?? {}
      expect(types).toEqual(
        ["paid", "expired", "failed", "refunded", "partially_refunded", "chargeback", "exception"].map(
          (status) => `transaction.${status}`,
        ),
      )
    }).pipe(Effect.provide(TestLayer)),
  )

  it.effect("each mode of each seller has a tracker of its own", () =>
    Effect.gen(function* () {
      const trackers = yield* Trackers
      const one = yield* openSeller()
      const other = yield* openSeller()
      yield* trackers.put({ sellerId: one.id, mode: "live" }, { url, headers: {} })
      const missing = { code: "resource_not_found" }
      for (const feed of [
        { sellerId: one.id, mode: "test" },
        { sellerId: other.id, mode: "live" },
      ] as const) {
        expect(yield* Effect.flip(trackers.get(feed))).toMatchObject(missing)
        expect(yield* Effect.flip(trackers.remove(feed))).toMatchObject(missing)
      }
      const id = destinationIdOfTracker(one.id, "live")
      expect(id).toMatch(/^tr_[\w-]{24}$/)
      expect(decodePartition(id.slice(3, 5))).toBe(partitionOfId(one.id))
    }).pipe(Effect.provide(TestLayer)),
  )

  it.effect.each([
    "Content-Type",
    "user-agent",
    "X-Signature",
    "x-event-id",
    "X-Event-Type",
    "X-Delivery-Id",
    "X-Attempt",
    "Idempotency-Key",
    "webhook-id",
    "Webhook-Signature",
    "webhook-anything",
    "Host",
    "Connection",
    "Content-Length",
    "Content-Encoding",
    "Transfer-Encoding",
    "TE",
    "Trailer",
    "Upgrade",
    "Expect",
    "Keep-Alive",
    "Proxy-Connection",
    "bad name",
    "",
  ])("a tracker may not set the header '%s'", (name) =>
    Effect.gen(function* () {
      const trackers = yield* Trackers
      const { id: sellerId } = yield* openSeller()
      const feed = { sellerId, mode: "live" } as const
      const refused = yield* Effect.flip(trackers.put(feed, { url, headers: { [name]: "1" } }))
      expect(refused).toMatchObject({ code: "validation_failed", param: "headers" })
      expect(yield* Effect.flip(trackers.get(feed))).toMatchObject({ code: "resource_not_found" })
    }).pipe(Effect.provide(TestLayer)),
  )

  it.effect("a tracker may not set one header twice, nor a value that breaks the request", () =>
    Effect.gen(function* () {
      const trackers = yield* Trackers
      const { id: sellerId } = yield* openSeller()
      for (const headers of [{ "X-Key": "1", "x-key": "2" }, { "X-Key": "1\r\nX-Other: 2" }] as ReadonlyArray<
        Record<string, string>
      >) {
        const refused = yield* Effect.flip(trackers.put({ sellerId, mode: "live" }, { url, headers }))
        expect(refused).toMatchObject({ code: "validation_failed", param: "headers" })
      }
    }).pipe(Effect.provide(TestLayer)),
  )

  it.effect("a tracker is refused where its URL is no valid destination", () =>
    Effect.gen(function* () {
      const trackers = yield* Trackers
      const { id: sellerId } = yield* openSeller()
      const feed = { sellerId, mode: "live" } as const
      const refused = yield* Effect.flip(trackers.put(feed, { url: "https://nowhere.example", headers: {} }))
      expect(refused).toMatchObject({ code: "invalid_url", param: "url" })
      expect(yield* Effect.flip(trackers.get(feed))).toMatchObject({ code: "resource_not_found" })
    }).pipe(Effect.provide(TestLayer)),
  )

  it.effect("a tracker is removed, even where the store's answer was lost", () => {
    let asked = 0
    const Losing = Layer.effect(
      TrackerStore,
      Effect.map(TrackerStore, (store) => ({
        ...store,
        delete: (...args: Parameters<typeof store.delete>) =>
          Effect.flatMap(store.delete(...args), (answer) =>
            asked++ === 0
              ? Effect.fail(new StoreUnavailable({ operation: "delete_tracker", reason: "test" }))
              : Effect.succeed(answer),
          ),
      })),
    )
    return Effect.gen(function* () {
      const trackers = yield* Trackers
      const { id: sellerId } = yield* openSeller()
      const feed = { sellerId, mode: "live" } as const
      yield* trackers.put(feed, { url, headers: {} })
      yield* trackers.remove(feed)
      expect(asked).toBe(2)
      expect(yield* Effect.flip(trackers.remove(feed))).toMatchObject({ code: "resource_not_found" })
    }).pipe(
      Effect.provide(
        TrackersLive.pipe(
          Layer.provide(Layer.mergeAll(SecretsLive, Checks, Losing)),
          Layer.provideMerge(MemoryStoreLive()),
        ),
      ),
      TestClock.withLive,
    )
  })

  it.effect("a tracker of an unknown seller cannot be set", () =>
    Effect.gen(function* () {
      const feed = { sellerId: freshSellerId(), mode: "live" } as const
      const error = yield* Effect.flip((yield* Trackers).put(feed, { url, headers: {} }))
      expect(error._tag).toBe("StoreUnavailable")
    }).pipe(Effect.provide(TestLayer), TestClock.withLive),
  )
})
