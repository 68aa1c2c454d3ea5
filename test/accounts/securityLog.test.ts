import { describe, expect, it } from "@effect/vitest"
import { Effect, Exit, Layer, Logger, References, Scope } from "effect"
import { TestClock } from "effect/testing"
import { ApiError } from "../../schema/errors.ts"
import { limits } from "../../schema/limits.ts"
import { CurrentRequest } from "../../src/accounts/currentRequest.ts"
import { SecurityLog, SecurityLogLive } from "../../src/accounts/securityLog.ts"

/** A security log, and the lines it writes, each with its annotations. */
const logged = () => {
  const lines: Array<string> = []
  const logger = Logger.make(({ message, fiber }) => {
    const annotations = fiber.getRef(References.CurrentLogAnnotations)
    lines.push(`${[message].flat().join(" ")} ${JSON.stringify(annotations)}`)
  })
  return { lines, layer: Layer.provideMerge(SecurityLogLive, Logger.layer([logger])) }
}

const refuse = (userId: string) =>
  Effect.flatMap(SecurityLog, (log) => log.refused("sign-in", "wrong_password", { userId }))
const times = (count: number) =>
  Effect.forEach(Array.from({ length: count }), () => refuse("u"), { discard: true })
const line =
  'Sign-in failed: wrong_password {"event":"sign_in.failed","reason":"wrong_password","user_id":"u"}'
const bound = limits.refusalLinesPerSecondMax

describe("refusals in the log", () => {
  it.effect(
    "refusals are logged up to a bound a second, and one line a second later counts those left out",
    () => {
      const { lines, layer } = logged()
      return Effect.gen(function* () {
        yield* times(bound)
        expect(lines).toEqual(Array.from({ length: bound }, () => line))
        yield* TestClock.adjust(1_000)
        expect(lines).toHaveLength(bound)
        yield* times(bound + 3)
        expect(lines).toHaveLength(2 * bound)
        yield* TestClock.adjust(1_000)
        expect(lines.slice(2 * bound)).toEqual([
          'Lines were left out {"event":"log.lines_left_out","of":"sign_in.failed","lines":3}',
        ])
        yield* times(1)
        expect(lines.at(-1)).toBe(line)
      }).pipe(Effect.provide(layer))
    },
  )

  it.effect("a flood of one refusal leaves the lines of others", () => {
    const { lines, layer } = logged()
    return Effect.gen(function* () {
      yield* times(bound + 1)
      const log = yield* SecurityLog
      yield* log.write("api_key.refused", { reason: "missing" })
      expect(lines.at(-1)).toBe(
        'An API key was refused: missing {"event":"api_key.refused","reason":"missing"}',
      )
    }).pipe(Effect.provide(layer))
  })

  it.effect("what is no refusal is never left out", () => {
    const { lines, layer } = logged()
    return Effect.gen(function* () {
      const log = yield* SecurityLog
      const one = log.write("sign_in.succeeded", { user_id: "u" })
      yield* Effect.forEach(Array.from({ length: bound + 1 }), () => one, { discard: true })
      expect(lines).toHaveLength(bound + 1)
    }).pipe(Effect.provide(layer))
  })

  it.effect("lines that were left out are counted at the end, too", () => {
    const { lines, layer } = logged()
    return Effect.gen(function* () {
      const scope = yield* Scope.make()
      const services = yield* Layer.buildWithScope(layer, scope)
      yield* Effect.provide(times(bound + 2), services)
      yield* Scope.close(scope, Exit.void)
      expect(lines.at(-1)).toContain('"of":"sign_in.failed","lines":2')
    })
  })

  it.effect("a line names its request, but that of lines left out, which is about many", () => {
    const { lines, layer } = logged()
    const request = { requestId: "req_1", clientAddress: "203.0.113.7", userId: "u", sellerId: "sel_1" }
    return Effect.gen(function* () {
      yield* Effect.provideService(times(bound + 1), CurrentRequest, request)
      expect(lines[0]).toContain('"request_id":"req_1","client_address":"203.0.113.7","user_id":"u"')
      expect(lines[0]).toContain('"seller_id":"sel_1"')
      yield* TestClock.adjust(1_000)
      expect(lines.at(-1)).not.toContain("req_1")
    }).pipe(Effect.provide(layer))
  })

  it.effect(
    "a watched refusal is logged with its error code's reason, and only for the codes asked for",
    () => {
      const { lines, layer } = logged()
      const failing = (code: "invalid_mfa_code" | "rate_limited" | "invalid_state") =>
        Effect.fail(new ApiError({ code, message: "no" }))
      return Effect.gen(function* () {
        const { watch } = yield* SecurityLog
        for (const code of ["invalid_mfa_code", "rate_limited", "invalid_state"] as const) {
          expect(yield* Effect.flip(watch("step-up", {}, failing(code)))).toMatchObject({ code })
        }
        yield* Effect.flip(watch("step-up", {}, failing("invalid_mfa_code"), ["rate_limited"]))
        expect(lines).toEqual([
          'A step-up failed: wrong_code {"event":"step_up.failed","reason":"wrong_code"}',
          'A step-up failed: too_many_tries {"event":"step_up.failed","reason":"too_many_tries"}',
        ])
      }).pipe(Effect.provide(layer))
    },
  )

  it.effect("a watched barrier that is passed is logged, unless only some refusals are watched for", () => {
    const { lines, layer } = logged()
    return Effect.gen(function* () {
      const { watch } = yield* SecurityLog
      yield* watch("step-up", { userId: "u" }, Effect.void)
      yield* watch("step-up", { userId: "u" }, Effect.void, ["rate_limited"])
      expect(lines).toEqual(['Stepped up {"event":"step_up.succeeded","user_id":"u"}'])
    }).pipe(Effect.provide(layer))
  })
})
