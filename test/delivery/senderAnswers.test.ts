import { describe, expect, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { limits } from "../../schema/limits.ts"
import { behaviours } from "../support/tlsReceiver.ts"
import { attemptAgainst, attemptTo, receiver, send, senderFor } from "./senderTesting.ts"

describe("the answer of a receiver", () => {
  it.effect.each([200, 201, 204, 299])("an answer of %d is a success", (status) =>
    Effect.gen(function* () {
      const result = yield* attemptAgainst(behaviours.respond(status))
      expect(result).toMatchObject({ outcome: "success", retriable: false, error: null, statusCode: status })
      expect(result.responseMillis).toBe(0)
    }),
  )

  it.effect.each([400, 401, 404, 410, 429, 500, 503, 599])(
    "an answer of %d is a failure that is retried",
    (status) =>
      Effect.gen(function* () {
        expect(yield* attemptAgainst(behaviours.respond(status, "no"))).toMatchObject({
          outcome: "failed",
          retriable: true,
          error: `http_${status}`,
          statusCode: status,
          responseBodyExcerpt: "no",
        })
      }),
  )

  it.effect.each([300, 301, 302, 304, 307, 308])(
    "a redirect of %d is a failure and is not followed",
    (status) =>
      Effect.gen(function* () {
        const elsewhere = yield* receiver()
        const result = yield* attemptAgainst(behaviours.redirectTo(elsewhere.url, status))
        expect(result).toMatchObject({
          outcome: "failed",
          retriable: true,
          error: "redirect_not_followed",
          statusCode: status,
        })
        expect(elsewhere.requests).toEqual([])
      }),
  )

  it.effect("an attempt records how long the head of its answer took", () =>
    Effect.gen(function* () {
      let release = () => {}
      const after = new Promise<void>((resolve) => {
        release = resolve
      })
      const target = yield* receiver({ behaviour: { kind: "respond", after } })
      const fiber = yield* Effect.forkChild(
        send(attemptTo(target.url)).pipe(Effect.provide(senderFor([target]))),
      )
      yield* Effect.promise(() => target.waitFor(1))
      yield* TestClock.adjust(1_234)
      release()
      expect((yield* Fiber.join(fiber)).responseMillis).toBe(1_234)
    }),
  )

  it.effect("an answer with a compressed body is not decompressed", () =>
    Effect.gen(function* () {
      const result = yield* attemptAgainst(behaviours.gzipped("a".repeat(50_000)))
      expect(result.outcome).toBe("success")
      expect(result.responseBodyExcerpt).not.toContain("aaaa")
      expect(result.responseBodyExcerpt).not.toContain("\0")
    }),
  )

  it.effect("an answer with an empty body has an empty excerpt", () =>
    Effect.gen(function* () {
      expect((yield* attemptAgainst(behaviours.respond(200, ""))).responseBodyExcerpt).toBe("")
    }),
  )

  it.effect.each([
    limits.responseExcerptBytes - 1,
    limits.responseExcerptBytes,
    limits.responseExcerptBytes + 1,
  ])("an answer with a body of %d bytes is kept up to 1 KiB", (bytes) =>
    Effect.gen(function* () {
      const result = yield* attemptAgainst(behaviours.hugeBody(bytes))
      expect(result.outcome).toBe("success")
      expect(result.responseBodyExcerpt).toBe("x".repeat(Math.min(bytes, 1024)))
    }),
  )

  it.effect("an answer that stalls after 1 KiB is not waited for", () =>
    Effect.gen(function* () {
      const result = yield* attemptAgainst({ kind: "stall", body: "z".repeat(1024) })
      expect(result).toMatchObject({ outcome: "success", responseBodyExcerpt: "z".repeat(1024) })
    }),
  )

  it.effect("an answer that never ends is cut at 1 KiB", () =>
    Effect.gen(function* () {
      const result = yield* attemptAgainst({ kind: "trickle", piece: "y".repeat(100) })
      expect(result).toMatchObject({ outcome: "success", responseBodyExcerpt: "y".repeat(1024) })
    }),
  )

  it.effect.each([
    [200, "success", null],
    [500, "failed", "http_500"],
  ] as const)("an answer counts by its head, though its body is cut off: %d", ([status, outcome, error]) =>
    Effect.gen(function* () {
      expect(yield* attemptAgainst({ kind: "cut", status, body: "partial" })).toMatchObject({
        outcome,
        error,
        statusCode: status,
      })
    }),
  )
})
