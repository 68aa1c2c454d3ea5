import { readdirSync, readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Metric } from "effect"
import { expositionOf } from "../../src/scrape/exposition.ts"
import { reportOf } from "../../src/scrape/series.ts"
import { makeCommandTimes, readOnlyFunctions } from "../../src/store/redis/commandTimes.ts"
import { parseExposition, valueOf } from "../support/exposition.ts"

const store = new URL("../../src/store/", import.meta.url)

const scraped = Effect.map(Effect.context<never>(), (context) =>
  parseExposition(expositionOf(reportOf(context))),
)

describe("times of commands", () => {
  it.effect("commands are timed, commits by their function, and failures are counted", () =>
    Effect.gen(function* () {
      const times = yield* makeCommandTimes
      const outcomes: Array<string> = []
      const outcome = {
        answered: (reply: unknown) => outcomes.push(`answered ${reply}`),
        failed: (cause: unknown) => outcomes.push(`failed ${cause}`),
      }
      const send = times.timed((command, _, timed) =>
        command === "GET" ? timed.failed("away") : timed.answered(command, performance.now()),
      )
      send("FCALL", ["corrente_create_transaction", 1, "key"], outcome)
      send("FCALL", ["corrente_create_transaction", 1, "key"], outcome)
      send("FCALL", ["corrente_due_destinations", 1, "key"], outcome)
      send("SET", ["key", "value"], outcome)
      send("GET", ["key"], outcome)
      assert.deepStrictEqual(outcomes, [
        ...["answered FCALL", "answered FCALL", "answered FCALL", "answered SET", "failed away"],
      ])
      const families = yield* scraped
      const commits = "corrente_commit_duration_seconds_count"
      assert.strictEqual(valueOf(families, commits, { function: "create_transaction" }), 2)
      assert.strictEqual(valueOf(families, commits), 2)
      assert.strictEqual(valueOf(families, "corrente_redis_command_duration_seconds_count"), 4)
      assert.strictEqual(valueOf(families, "corrente_redis_command_failures_total"), 1)
    }).pipe(Effect.scoped, Effect.provideService(Metric.MetricRegistry, new Map())),
  )

  it("the functions that are no commits are those that Redis lets write nothing", () => {
    const lua = readdirSync(store, { recursive: true, encoding: "utf8" }).filter((file) =>
      file.endsWith(".lua"),
    )
    const readOnly = lua.flatMap((file) => {
      const text = readFileSync(new URL(file, store), "utf8")
      return [...text.matchAll(/register_function\(\{(.*?)\}\s*\)/gs)]
        .filter(([, declaration = ""]) => declaration.includes("no-writes"))
        .map(([, declaration = ""]) => /function_name = '(\w+)'/.exec(declaration)?.[1] ?? file)
    })
    assert.deepStrictEqual(readOnly.toSorted(), [...readOnlyFunctions].toSorted())
  })
})
