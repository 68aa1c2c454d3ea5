import { describe, expect, it } from "@effect/vitest"
import { Effect, Layer, Logger, References } from "effect"
import { TestClock } from "effect/testing"
import { ApiError } from "../../schema/errors.ts"
import { limits } from "../../schema/limits.ts"
import { SecurityLog, SecurityLogLive } from "../../src/accounts/securityLog.ts"

/** A security log, and the lines it writes, each with its annotations. */
const logged = () => {
  const lines: Array<string> = []
  const logger = Logger.make(({ message, fiber }) => {
    const annotations = fiber.getRef(References.CurrentLogAnnotations)
    lines.push(`${[message].flat().join(" ")} ${JSON.stringify(annotations)}`)
  })
  return { lines, layer: Layer.mergeAll(SecurityLogLive, Logger.layer([logger])) }
}

const refuse = (userId: string) =>
  Effect.flatMap(SecurityLog, (log) => log.refused("sign-in", "wrong_password", { userId }))
const times = (count: number) =>
  Effect.forEach(Array.from({ length: count }), () => refuse("u"), { discard: true })

describe("refusals in the log", () => {
  it.effect("refusals are logged up to a bound a second, and the next line counts those left out", () => {
    const { lines, layer } = logged()
    return Effect.gen(function* () {
      yield* times(limits.refusalLinesPerSecondMax)
      expect(lines).toHaveLength(limits.refusalLinesPerSecondMax)
      yield* times(3)
      expect(lines).toHaveLength(limits.refusalLinesPerSecondMax)
      yield* TestClock.adjust(1_000)
      yield* times(2)
      expect(lines.slice(limits.refusalLinesPerSecondMax)).toEqual([
        'sign-in refused: wrong_password {"user":"u","refusals_not_logged":"3"}',
        'sign-in refused: wrong_password {"user":"u"}',
      ])
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
        expect(lines).toEqual(["step-up refused: wrong_code {}", "step-up refused: too_many_tries {}"])
      }).pipe(Effect.provide(layer))
    },
  )
})
