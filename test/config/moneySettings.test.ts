import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { loadSettings } from "../../src/config/settings.ts"

/** Settings with a key, so that no key file is written. */
const load = (environment: Record<string, string | undefined>) =>
  loadSettings({ ENCRYPTION_KEY: Buffer.alloc(32, 7).toString("base64"), ...environment })

const problemsOf = (environment: Record<string, string | undefined>) =>
  Effect.map(Effect.flip(load(environment)), (error) => error.problems)

describe("FAULT_POINT", () => {
  it.effect("FAULT_POINT is read in development, and undefined where it is not set", () =>
    Effect.gen(function* () {
      const { faultPoint } = yield* load({ FAULT_POINT: "after:acquirer.sendPayout[01HX]#2@order_7" })
      const where = { moment: "after", call: "acquirer.sendPayout" } as const
      assert.deepStrictEqual(faultPoint, { ...where, about: "01HX", occurrence: 2, since: "order_7" })
      assert.isUndefined((yield* load({})).faultPoint)
    }),
  )

  it.effect("a malformed FAULT_POINT is refused with its value and the forms it may have", () =>
    Effect.gen(function* () {
      const problems = yield* problemsOf({ FAULT_POINT: "before:nothing.create" })
      assert.strictEqual(problems.length, 1)
      assert.include(
        problems[0],
        'FAULT_POINT is "before:nothing.create", but must be before:<port>.<function>',
      )
    }),
  )

  it.effect("FAULT_POINT is refused in production", () =>
    Effect.gen(function* () {
      const environment = {
        NODE_ENV: "production",
        LIVE_ACQUIRER: "simulator",
        ALLOW_SIMULATED_LIVE: "yes",
      }
      const problems = yield* problemsOf({ ...environment, FAULT_POINT: "before:inbox.load" })
      assert.strictEqual(problems.length, 1)
      assert.include(problems[0], "FAULT_POINT is set, which kills the process")
    }),
  )
})

describe("LIVE_ACQUIRER=simulator", () => {
  const simulated = { NODE_ENV: "production", LIVE_ACQUIRER: "simulator" }

  it.effect("LIVE_ACQUIRER=simulator is refused in production unless ALLOW_SIMULATED_LIVE is yes", () =>
    Effect.gen(function* () {
      for (const allowed of [undefined, "", "no"]) {
        const problems = yield* problemsOf({ ...simulated, ALLOW_SIMULATED_LIVE: allowed })
        assert.strictEqual(problems.length, 1)
        assert.include(problems[0], "LIVE_ACQUIRER is simulator, which invents live payments and payouts")
        assert.include(problems[0], "ALLOW_SIMULATED_LIVE=yes")
      }
      const misread = yield* problemsOf({ ...simulated, ALLOW_SIMULATED_LIVE: "true" })
      assert.include(misread[0], 'ALLOW_SIMULATED_LIVE is "true", but must be one of yes, no')
      const settings = yield* load({ ...simulated, ALLOW_SIMULATED_LIVE: "yes" })
      assert.strictEqual(settings.liveAcquirer, "simulator")
    }),
  )

  it.effect("LIVE_ACQUIRER=simulator needs no permission outside production", () =>
    Effect.gen(function* () {
      for (const NODE_ENV of [undefined, "development", "test"]) {
        assert.strictEqual((yield* load({ ...simulated, NODE_ENV })).liveAcquirer, "simulator")
      }
    }),
  )

  it.effect("production must name LIVE_ACQUIRER, even with ALLOW_SIMULATED_LIVE=yes", () =>
    Effect.gen(function* () {
      const problems = yield* problemsOf({ NODE_ENV: "production", ALLOW_SIMULATED_LIVE: "yes" })
      assert.strictEqual(problems.length, 1)
      assert.include(problems[0], "LIVE_ACQUIRER is not set, and production must name one")
    }),
  )
})

describe("SIMULATOR_WEBHOOK_SECRET", () => {
  it.effect("SIMULATOR_WEBHOOK_SECRET is undefined unless it is set, and its value is never shown", () =>
    Effect.gen(function* () {
      const { webhookSecret } = (yield* load({ SIMULATOR_WEBHOOK_SECRET: "hunter2" })).acquirers.simulator
      assert.strictEqual(webhookSecret && Redacted.value(webhookSecret), "hunter2")
      assert.isUndefined((yield* load({})).acquirers.simulator.webhookSecret)
      const problems = yield* problemsOf({ SIMULATOR_WEBHOOK_SECRET: `hunter2${"x".repeat(256)}` })
      assert.strictEqual(problems.length, 1)
      assert.notInclude(problems[0], "hunter2")
    }),
  )
})

describe("API_PIX_BOOKS_FROM", () => {
  it.effect("it is a moment, or the first one of a day in São Paulo, and none where it is not set", () =>
    Effect.gen(function* () {
      for (const [text, millis] of [
        ["2026-01-31T00:00:00-03:00", Date.UTC(2026, 0, 31, 3)],
        ["2026-01-31T12:30:00.5Z", Date.UTC(2026, 0, 31, 12, 30, 0, 500)],
        ["2026-01-31", Date.UTC(2026, 0, 31, 3)],
        [undefined, undefined],
      ] as const) {
        assert.strictEqual((yield* load({ API_PIX_BOOKS_FROM: text })).booksFromMillis, millis)
      }
    }),
  )

  it.effect("it is not in the future, has a zone, and is of the calendar", () =>
    Effect.gen(function* () {
      const now = Date.now()
      const at = (millis: number) => new Date(millis).toISOString()
      assert.isNumber((yield* load({ API_PIX_BOOKS_FROM: at(now) })).booksFromMillis)
      for (const text of [
        at(now + 60_000),
        "2026-01-31T00:00:00",
        "2026-02-30T00:00:00Z",
        "31/01/2026",
        "0",
      ]) {
        const [problem] = yield* problemsOf({ API_PIX_BOOKS_FROM: text })
        assert.include(problem, `API_PIX_BOOKS_FROM is "${text}", but must be a date-time`)
      }
    }),
  )
})
