import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestConsole } from "effect/testing"
import { LogLive } from "../../src/processes/logging.ts"

/** What a program logs. */
const linesOf = (environment: "production" | "development", program: Effect.Effect<void>) =>
  Effect.gen(function* () {
    const before = (yield* TestConsole.logLines).length
    yield* Effect.provide(program, LogLive({ environment, logLevel: "Info" }))
    return (yield* TestConsole.logLines).slice(before).map(String)
  })

const escape = String.fromCharCode(27)
const secret = `sk_live_01${"a".repeat(41)}`

describe("the log", () => {
  it.effect("in production a line is one JSON object with time, level, message and the line's fields", () =>
    Effect.gen(function* () {
      const lines = yield* linesOf(
        "production",
        Effect.annotateLogs(Effect.logWarning("one", { two: 2 }), { event: "x.y", lines: 3 }),
      )
      expect(lines.map((line) => JSON.parse(line))).toEqual([
        {
          timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
          level: "warn",
          event: "x.y",
          lines: 3,
          message: 'one {"two":2}',
        },
      ])
    }),
  )

  it.effect("a failure is logged with its cause, in the same line", () =>
    Effect.gen(function* () {
      const failing = Effect.catchCause(Effect.die(new Error("broken")), (cause) =>
        Effect.logError("bad", cause),
      )
      const [line = "", ...more] = yield* linesOf("production", failing)
      expect(more).toEqual([])
      expect(line).not.toContain("\n")
      expect(JSON.parse(line)).toMatchObject({ level: "error", message: "bad" })
      expect(JSON.parse(line).cause).toContain("Error: broken")
    }),
  )

  it.effect("nothing that is logged ends its line of JSON, and nothing acts in a terminal", () =>
    Effect.gen(function* () {
      const evil = `a\nlevel=error\r${escape}[2J\u009b2J\u2028\u202e\u007f`
      const [json = "", ...more] = yield* linesOf("production", Effect.logInfo(evil))
      expect(more).toEqual([])
      expect(json).not.toMatch(/[\p{Cc}\u2028\u202e]/u)
      expect(JSON.parse(json).message).toBe(evil)
      const text = (yield* linesOf("development", Effect.logInfo(evil))).join("\n")
      expect(text.replaceAll("\n", "")).not.toMatch(/[\p{Cc}\u2028\u202e]/u)
      expect(text).toContain("\\u001b[2J")
    }),
  )

  it.effect("what looks like one of our secrets is masked", () =>
    Effect.gen(function* () {
      const logging = Effect.annotateLogs(Effect.logInfo(`key ${secret}`), { field: secret })
      const [json = ""] = yield* linesOf("production", logging)
      expect(JSON.parse(json)).toMatchObject({ message: "key sk_live_…", field: "sk_live_…" })
      expect((yield* linesOf("development", Effect.logInfo(secret))).join()).toContain("sk_live_…")
    }),
  )

  it.effect("lines below the level of the settings are not written", () =>
    Effect.gen(function* () {
      expect(yield* linesOf("production", Effect.logDebug("no"))).toEqual([])
    }),
  )
})
