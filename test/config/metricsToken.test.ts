import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { loadSettings } from "../../src/config/settings.ts"

/** The settings with a token; the key is there so that none is written to a file. */
const load = (token: string) =>
  loadSettings({ ENCRYPTION_KEY: Buffer.alloc(32).toString("base64"), METRICS_TOKEN: token })

describe("METRICS_TOKEN", () => {
  it.effect("METRICS_TOKEN has 16 to 256 ASCII characters without spaces", () =>
    Effect.gen(function* () {
      for (const token of ["!".repeat(16), "~".repeat(256)]) {
        const { metricsToken } = yield* load(token)
        assert.strictEqual(metricsToken && Redacted.value(metricsToken), token)
      }
      const wrong = ["a".repeat(15), "a".repeat(257), `${"a".repeat(16)} b`, "é".repeat(16)]
      for (const token of wrong) {
        const { problems } = yield* Effect.flip(load(token))
        assert.strictEqual(problems.length, 1)
        assert.match(
          problems[0] ?? "",
          /^METRICS_TOKEN \(value not shown\) must be 16 to 256 ASCII characters/,
        )
        assert.notInclude(problems[0], token)
      }
    }),
  )

  it.effect("without METRICS_TOKEN, or with an empty one, there is none", () =>
    Effect.map(load(""), ({ metricsToken }) => assert.isUndefined(metricsToken)),
  )
})
