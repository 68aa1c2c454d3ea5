import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { loadSettings } from "../../src/config/settings.ts"

/** The settings with a time without use; the key is there so that none is written to a file. */
const load = (seconds: string) =>
  loadSettings({ ENCRYPTION_KEY: Buffer.alloc(32).toString("base64"), SESSION_IDLE_SECONDS: seconds })

describe("SESSION_IDLE_SECONDS", () => {
  it.effect("SESSION_IDLE_SECONDS is a second to 30 days, and 14 days where it is left out", () =>
    Effect.gen(function* () {
      for (const [text, millis] of [
        ["1", 1_000],
        ["2592000", 2_592_000_000],
        ["", 1_209_600_000],
      ] as const) {
        assert.strictEqual((yield* load(text)).sessionIdleMillis, millis)
      }
      for (const text of ["0", "2592001", "1.5", "a day"]) {
        const { problems } = yield* Effect.flip(load(text))
        assert.match(problems.join(), /^SESSION_IDLE_SECONDS/)
      }
    }),
  )
})
