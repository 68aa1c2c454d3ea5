import { describe, expect, it } from "@effect/vitest"
import { Effect, Metric } from "effect"
import { TestClock } from "effect/testing"
import type { RequestErrorStore, StoredRequestError } from "../../actors/ports/requestErrorStore.ts"
import { type Principal, sessionPrincipal } from "../../actors/values/principal.ts"
import { StoreUnavailable } from "../../actors/values/storeUnavailable.ts"
import { limits } from "../../schema/limits.ts"
import { noteRefusals } from "../../src/http/server/refusals.ts"

const ownRegistry = Effect.provideService(Metric.MetricRegistry, new Map())

const ofKey = (sellerId: string): Principal => ({
  sellerId,
  mode: "test",
  keyId: "key_1",
  keyHash: "hash of the key",
})
const route = { method: "POST", path: "/v1/transactions" }
const bodyOf = (message: string) => JSON.stringify({ error: { code: "validation_failed", message } })

/** A store that remembers its calls, and is away while `isAway`. */
const makeStore = () => {
  const calls: Array<{ sellerId: string; errors: ReadonlyArray<StoredRequestError> }> = []
  const state = { isAway: false }
  const store: RequestErrorStore["Service"] = {
    note: ({ sellerId }, errors) =>
      Effect.suspend(() => {
        if (state.isAway) return Effect.fail(new StoreUnavailable({ operation: "note", reason: "test" }))
        calls.push({ sellerId, errors })
        return Effect.void
      }),
    list: () => Effect.succeed([]),
  }
  return { calls, state, store }
}

const second = limits.requestErrorsWriteMillis

describe("refused requests that wait to be written", () => {
  it.effect("a flood is written once a second with its newest, and the rest is counted", () =>
    Effect.gen(function* () {
      const { calls, store } = makeStore()
      const refusals = yield* noteRefusals(store)
      const flood = 1_000
      for (let i = 0; i < flood; i++) {
        refusals.note({ requestId: `req_${i}`, principal: ofKey("sel_1"), route }, 400, bodyOf("no"))
      }
      refusals.note({ requestId: "quiet", principal: ofKey("sel_2"), route }, 400, bodyOf("no"))
      expect(calls).toEqual([])
      yield* TestClock.adjust(second)
      const most = limits.requestErrorsPerWriteMax
      const newest = Array.from({ length: most }, (_, i) => `req_${flood - most + i}`)
      expect(calls.map(({ errors }) => errors.map(({ requestId }) => requestId))).toEqual([newest, ["quiet"]])
      yield* TestClock.adjust(10 * second)
      expect(calls).toHaveLength(2)
      expect(refusals.counts).toMatchObject({ kept: most + 1, over_rate: flood - most })
    }).pipe(ownRegistry),
  )

  it.effect("sellers that find no room are counted, and those that have it are not pushed out", () =>
    Effect.gen(function* () {
      const { calls, store } = makeStore()
      const refusals = yield* noteRefusals(store)
      for (let i = 0; i < limits.requestErrorsFeedsMax + 7; i++) {
        refusals.note({ requestId: "one", principal: ofKey(`sel_${i}`), route }, 404, bodyOf("no"))
      }
      yield* TestClock.adjust(second)
      expect(calls).toHaveLength(limits.requestErrorsFeedsMax)
      expect(refusals.counts.queue_full).toBe(7)
    }).pipe(ownRegistry),
  )

  it.effect(
    "what a store that is away does not take is dropped and counted, and later errors are written",
    () =>
      Effect.gen(function* () {
        const { calls, state, store } = makeStore()
        const refusals = yield* noteRefusals(store)
        const refuse = (requestId: string) =>
          refusals.note({ requestId, principal: ofKey("sel_1"), route }, 503, bodyOf("away"))
        state.isAway = true
        refuse("lost")
        yield* TestClock.adjust(second)
        state.isAway = false
        refuse("found")
        yield* TestClock.adjust(second)
        expect(calls.flatMap(({ errors }) => errors.map(({ requestId }) => requestId))).toEqual(["found"])
        expect(refusals.counts).toMatchObject({ kept: 1, store_away: 1 })
      }).pipe(ownRegistry),
  )

  it.effect("what waits when the server ends is written", () =>
    Effect.gen(function* () {
      const { calls, store } = makeStore()
      yield* Effect.scoped(
        Effect.map(noteRefusals(store), (refusals) =>
          refusals.note({ requestId: "last", principal: ofKey("sel_1"), route }, 409, bodyOf("no")),
        ),
      )
      expect(calls).toHaveLength(1)
    }).pipe(ownRegistry),
  )

  it.effect(
    "secrets are masked, long texts cut, a session has no key, and an unreadable answer has no code",
    () =>
      Effect.gen(function* () {
        const { calls, store } = makeStore()
        const refusals = yield* noteRefusals(store)
        const secret = `sk_test_${"A".repeat(43)}`
        const session = sessionPrincipal("sel_1", "test", "user-1")
        refusals.note(
          { requestId: "a", principal: session, route },
          400,
          bodyOf(`Not ${secret} ${"x".repeat(999)}`),
        )
        refusals.note({ requestId: "b", principal: ofKey("sel_1"), route }, 500, Buffer.from("<html>"))
        refusals.note({ requestId: "c", principal: undefined, route }, 401, bodyOf("nobody"))
        yield* TestClock.adjust(second)
        const [first, other, ...more] = calls.flatMap(({ errors }) => errors)
        expect(more).toEqual([])
        expect(first?.message).toMatch(/^Not sk_test_… x+$/)
        expect(first?.message).toHaveLength(limits.requestErrorMessageMax)
        expect(first?.apiKeyId).toBeUndefined()
        expect(other).toMatchObject({ code: "", message: "", status: 500, apiKeyId: "key_1" })
      }).pipe(ownRegistry),
  )
})
