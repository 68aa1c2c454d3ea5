import { describe, expect, it } from "@effect/vitest"
import { Effect, Metric } from "effect"
import { TestClock } from "effect/testing"
import type { AnsweredRequest, RequestLogStore } from "../../actors/ports/requestLogStore.ts"
import { type Principal, sessionPrincipal } from "../../actors/values/principal.ts"
import { StoreUnavailable } from "../../actors/values/storeUnavailable.ts"
import { limits } from "../../schema/limits.ts"
import { keepRequestLog, type RequestLog } from "../../src/http/server/requestLog.ts"

const ownRegistry = Effect.provideService(Metric.MetricRegistry, new Map())

const ofKey = (sellerId: string, keyId = "key_1"): Principal => ({
  ...{ sellerId, mode: "test", keyId },
  keyHash: `hash of ${sellerId} ${keyId}`,
})
const session = sessionPrincipal("sel_1", "test", "user-1")
const headerNames = ["idempotency-key", "x-forwarded-for"]
const route = { method: "POST", path: "/v1/transactions", headerNames, takesAllHeaders: false }
const bodyOf = (message: string) => JSON.stringify({ error: { code: "validation_failed", message } })

const requestBy = (principal: Principal | undefined, requestId: string, headers = ["", ""]) => ({
  ...{ principal, requestId, headers, route },
  remoteAddress: "203.0.113.7",
})

/** A store that remembers its calls, and is away while `isAway`. */
const makeStore = () => {
  const calls: Array<{ sellerId: string; requests: ReadonlyArray<AnsweredRequest> }> = []
  const state = { isAway: false }
  const store: RequestLogStore["Service"] = {
    note: ({ sellerId }, requests) =>
      Effect.suspend(() => {
        if (state.isAway) return Effect.fail(new StoreUnavailable({ operation: "note", reason: "test" }))
        calls.push({ sellerId, requests })
        return Effect.succeed(requests.length)
      }),
    list: () => Effect.succeed({ entries: [], nextBeforeId: undefined }),
  }
  const written = () => calls.flatMap(({ requests }) => requests)
  return { calls, state, store, written, ids: () => written().map(({ requestId }) => requestId) }
}

const answer = (log: RequestLog, principal: Principal, requestId: string) =>
  log.note(requestBy(principal, requestId), 200, "{}", 0)
const refuse = (log: RequestLog, principal: Principal, requestId: string) =>
  log.note(requestBy(principal, requestId), 400, bodyOf("no"), 0)

const second = limits.requestLogWriteMillis
const minute = 60_000
const most = limits.requestLogPerMinuteMax

describe("requests that wait to be logged", () => {
  it.effect("they are written once a second, one call for each seller, and nothing where nobody asked", () =>
    Effect.gen(function* () {
      const { calls, store, ids } = makeStore()
      const log = yield* keepRequestLog(store, [])
      for (const id of ["a", "b", "c"]) answer(log, ofKey("sel_1"), id)
      refuse(log, ofKey("sel_2"), "d")
      expect(calls).toEqual([])
      yield* TestClock.adjust(second)
      expect(calls.map(({ sellerId, requests }) => [sellerId, requests.length])).toEqual([
        ["sel_1", 3],
        ["sel_2", 1],
      ])
      yield* TestClock.adjust(10 * second)
      expect(calls).toHaveLength(2)
      expect(ids()).toEqual(["a", "b", "c", "d"])
      expect(log.counts).toMatchObject({ kept: 4, over_rate: 0 })
    }).pipe(ownRegistry),
  )

  it.effect("a flood is written with its first of each minute, refused ones beside the others", () =>
    Effect.gen(function* () {
      const { store, ids, written } = makeStore()
      const log = yield* keepRequestLog(store, [])
      for (let i = 0; i < most + 1; i++) answer(log, ofKey("sel_1"), `answered ${i}`)
      yield* TestClock.adjust(second)
      expect(ids()).toHaveLength(most)
      expect(ids()).not.toContain(`answered ${most}`)
      for (let i = 0; i < most + 1; i++) refuse(log, ofKey("sel_1"), `refused ${i}`)
      answer(log, ofKey("sel_1", "key_2"), "of another key")
      yield* TestClock.adjust(second)
      expect(written().filter(({ error }) => error !== undefined)).toHaveLength(most)
      expect(ids()).toContain("of another key")
      expect(log.counts.over_rate).toBe(2)
      yield* TestClock.adjust(minute)
      answer(log, ofKey("sel_1"), "a minute later")
      yield* TestClock.adjust(second)
      expect(ids()).toContain("a minute later")
    }).pipe(ownRegistry),
  )

  it.effect("a refused request that came first takes the room of one that was answered", () =>
    Effect.gen(function* () {
      const { store, ids } = makeStore()
      const log = yield* keepRequestLog(store, [])
      refuse(log, ofKey("sel_1"), "refused")
      for (let i = 0; i < most; i++) answer(log, ofKey("sel_1"), `answered ${i}`)
      yield* TestClock.adjust(second)
      expect(ids()).toHaveLength(most)
      expect(ids().at(-1)).toBe(`answered ${most - 2}`)
    }).pipe(ownRegistry),
  )

  it.effect("keys that find no room are counted, and those that have it are not pushed out", () =>
    Effect.gen(function* () {
      const { store, ids } = makeStore()
      const log = yield* keepRequestLog(store, [])
      for (let i = 0; i < limits.requestLogCredentialsMax + 7; i++)
        answer(log, ofKey("sel_1", `key_${i}`), "x")
      yield* TestClock.adjust(second)
      expect(ids()).toHaveLength(limits.requestLogCredentialsMax)
      expect(log.counts.queue_full).toBe(7)
    }).pipe(ownRegistry),
  )

  it.effect("no more than the limit wait, and many of a seller are written in parts", () =>
    Effect.gen(function* () {
      const { calls, store } = makeStore()
      const log = yield* keepRequestLog(store, [])
      for (let i = 0; i < limits.requestLogWaitingMax + 5; i++) {
        answer(log, ofKey("sel_1", `key_${i % 1_000}`), "x")
      }
      expect(log.counts.queue_full).toBe(5)
      yield* TestClock.adjust(second)
      expect(calls).toHaveLength(limits.requestLogWaitingMax / limits.requestLogPerCallMax)
      expect(log.counts.kept).toBe(limits.requestLogWaitingMax)
    }).pipe(ownRegistry),
  )

  it.effect(
    "what a store that is away does not take is dropped and counted, and later ones are written",
    () =>
      Effect.gen(function* () {
        const { state, store, ids } = makeStore()
        const log = yield* keepRequestLog(store, [])
        state.isAway = true
        answer(log, ofKey("sel_1"), "lost")
        yield* TestClock.adjust(second)
        state.isAway = false
        answer(log, ofKey("sel_1"), "found")
        yield* TestClock.adjust(second)
        expect(ids()).toEqual(["found"])
        expect(log.counts).toMatchObject({ kept: 1, store_away: 1 })
      }).pipe(ownRegistry),
  )

  it.effect("what waits when the server ends is written", () =>
    Effect.gen(function* () {
      const { store, ids } = makeStore()
      yield* Effect.scoped(
        Effect.map(keepRequestLog(store, []), (log) => answer(log, ofKey("sel_1"), "last")),
      )
      expect(ids()).toEqual(["last"])
    }).pipe(ownRegistry),
  )

  it.effect("of sessions only what is refused is written, without a key; of nobody, nothing", () =>
    Effect.gen(function* () {
      const { store, written } = makeStore()
      const log = yield* keepRequestLog(store, [])
      answer(log, session, "looked")
      refuse(log, session, "refused")
      log.note(requestBy(undefined, "nobody"), 401, bodyOf("no"), 0)
      yield* TestClock.adjust(second)
      expect(written()).toMatchObject([{ requestId: "refused", apiKeyId: undefined }])
    }).pipe(ownRegistry),
  )

  it.effect("secrets are masked, long texts cut, and an unreadable answer has no code", () =>
    Effect.gen(function* () {
      const { store, written } = makeStore()
      const log = yield* keepRequestLog(store, [])
      const secret = `sk_test_${"A".repeat(43)}`
      const said = bodyOf(`Not ${secret} ${"x".repeat(999)}`)
      const hash = "12".repeat(32)
      log.note(requestBy(ofKey("sel_1"), "a", [secret, ""]), 400, said, 0)
      log.note(requestBy(ofKey("sel_1"), "b", [hash, ""]), 500, Buffer.from("<html>"), 0)
      log.note(requestBy(ofKey("sel_1"), "c", ["k".repeat(300), ""]), 200, "{}", 0)
      yield* TestClock.adjust(second)
      const [first, other, long] = written()
      expect(first?.error?.message).toMatch(/^Not sk_test_… x+$/)
      expect(first?.error?.message).toHaveLength(limits.requestErrorMessageMax)
      expect(first?.idempotencyKey).toBe("sk_test_…")
      expect(other).toMatchObject({
        status: 500,
        idempotencyKey: hash,
        error: { code: "", param: undefined, message: "" },
      })
      expect(long?.idempotencyKey).toHaveLength(limits.idempotencyKeyLengthMax)
    }).pipe(ownRegistry),
  )

  it.effect(
    "the address is the one that a trusted proxy names, and the connection's where none is trusted",
    () =>
      Effect.gen(function* () {
        const { store, written } = makeStore()
        const headers = ["", "198.51.100.9"]
        for (const trusted of [[], ["203.0.113.0/24"]]) {
          const log = yield* keepRequestLog(store, trusted)
          log.note(requestBy(ofKey("sel_1"), "x", headers), 200, "{}", 0)
        }
        yield* TestClock.adjust(second)
        expect(written().map(({ ipAddress }) => ipAddress)).toEqual(["203.0.113.7", "198.51.100.9"])
      }).pipe(ownRegistry),
  )
})
