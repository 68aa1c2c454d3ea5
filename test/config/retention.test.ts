import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { loadSettings } from "../../src/config/settings.ts"

/** Settings with a key, so that no key file is written. */
const load = (environment: Record<string, string | undefined>) =>
  loadSettings({ ENCRYPTION_KEY: Buffer.alloc(32, 7).toString("base64"), ...environment })

const problemsOf = (environment: Record<string, string | undefined>) =>
  Effect.map(Effect.flip(load(environment)), (error) => error.problems)

describe("EVENT_RETENTION_DAYS", () => {
  const days = (count: number) => String(count * 86_400)
  const schedule = (lastSeconds: string) => ({ RETRY_SCHEDULE_SECONDS: `0.01,0.01,0.01,0.01,${lastSeconds}` })
  // Six attempts, each up to a lease of 20 s, plus the short waits between them take 120.04 s.
  const fitting = 86_400 - 120.04

  it.effect("EVENT_RETENTION_DAYS may be as short as the retries take, and not shorter", () =>
    Effect.gen(function* () {
      yield* load({ EVENT_RETENTION_DAYS: "1", ...schedule(String(fitting)) })
      const problems = yield* problemsOf({
        EVENT_RETENTION_DAYS: "1",
        ...schedule(String(fitting + 0.001)),
      })
      assert.strictEqual(problems.length, 1)
      assert.include(problems[0], "EVENT_RETENTION_DAYS is 1, but RETRY_SCHEDULE_SECONDS")
      assert.include(problems[0], "Set EVENT_RETENTION_DAYS to 2 or more")
      yield* load({ EVENT_RETENTION_DAYS: "2", ...schedule(String(fitting + 0.001)) })
    }),
  )

  it.effect("RETRY_SCHEDULE_SECONDS set alone is checked against the default EVENT_RETENTION_DAYS", () =>
    Effect.gen(function* () {
      const problems = yield* problemsOf(schedule(days(30)))
      assert.strictEqual(problems.length, 1)
      assert.include(problems[0], "Set EVENT_RETENTION_DAYS to 31 or more")
    }),
  )
})

describe("TEST_RETENTION_DAYS", () => {
  const daysOf = (environment: Record<string, string>) =>
    Effect.map(load(environment), ({ testRetentionMillis }) => testRetentionMillis / 86_400_000)

  it.effect("TEST_RETENTION_DAYS may be as short as EVENT_RETENTION_DAYS, and not shorter", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* daysOf({ TEST_RETENTION_DAYS: "30" }), 30)
      assert.deepStrictEqual(yield* problemsOf({ TEST_RETENTION_DAYS: "29" }), [
        "TEST_RETENTION_DAYS is 29, but EVENT_RETENTION_DAYS keeps the events of test mode for longer than that. " +
          "Set TEST_RETENTION_DAYS to 30 or more, or leave it out.",
      ])
    }),
  )

  it.effect("TEST_RETENTION_DAYS is 9 days or more, so that a withdrawal outlives the sums of its day", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* daysOf({ EVENT_RETENTION_DAYS: "2", TEST_RETENTION_DAYS: "9" }), 9)
      const [problem] = yield* problemsOf({ EVENT_RETENTION_DAYS: "2", TEST_RETENTION_DAYS: "8" })
      assert.include(problem, 'TEST_RETENTION_DAYS is "8", but must be a whole number from 9 to 3650.')
    }),
  )

  it.effect("left out, TEST_RETENTION_DAYS is 90, or EVENT_RETENTION_DAYS where that is longer", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* daysOf({}), 90)
      assert.strictEqual(yield* daysOf({ EVENT_RETENTION_DAYS: "90" }), 90)
      assert.strictEqual(yield* daysOf({ EVENT_RETENTION_DAYS: "91" }), 91)
    }),
  )
})
