import { assert, describe, it } from "@effect/vitest"
import { Effect, Metric } from "effect"
import { expositionOf } from "../../src/scrape/exposition.ts"
import { reportOf } from "../../src/scrape/series.ts"
import { makeCommandTimes } from "../../src/store/redis/commandTimes.ts"
import "../../src/store/redisStore.ts"
import { parseExposition, valueOf } from "../support/exposition.ts"

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
      send("FCALL", ["corrente_0123456789ab_charges_create", 1, "key"], outcome)
      send("FCALL", ["corrente_0123456789ab_charges_create", 1, "key"], outcome)
      send("FCALL", ["corrente_0123456789ab_deliveries_due_destinations", 1, "key"], outcome)
      send("SET", ["key", "value"], outcome)
      send("GET", ["key"], outcome)
      assert.deepStrictEqual(outcomes, [
        ...["answered FCALL", "answered FCALL", "answered FCALL", "answered SET", "failed away"],
      ])
      const families = yield* scraped
      const commits = "corrente_commit_duration_seconds_count"
      assert.strictEqual(valueOf(families, commits, { function: "charges_create" }), 2)
      assert.strictEqual(valueOf(families, commits), 2)
      assert.strictEqual(valueOf(families, "corrente_redis_command_duration_seconds_count"), 4)
      assert.strictEqual(valueOf(families, "corrente_redis_command_failures_total"), 1)
    }).pipe(Effect.scoped, Effect.provideService(Metric.MetricRegistry, new Map())),
  )
})
