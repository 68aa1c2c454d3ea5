import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Metric } from "effect"
import { AcquirerRefused, AcquirerUnavailable } from "../../actors/ports/acquirer.ts"
import { measured } from "../../src/acquirers/measured.ts"
import { expositionOf } from "../../src/scrape/exposition.ts"
import { reportOf } from "../../src/scrape/series.ts"
import { silentAcquirer } from "../actors/support/acquirer.ts"
import { parseExposition, valueOf } from "../support/exposition.ts"

const payout = {
  payoutId: "01KB2N4Y8Q6ZJ5T7R9W3X1V000",
  amount: 100,
  pixKey: { type: "email", value: "ana@example.com" },
  description: null,
} as const

describe("calls to an acquirer", () => {
  it.effect(
    "calls to an acquirer are counted as answered, refused or unavailable, and keep their answers",
    () =>
      Effect.gen(function* () {
        const answers = [
          Effect.succeed({ status: "unknown" } as const),
          Effect.fail(new AcquirerRefused({ reason: "no" })),
          Effect.fail(new AcquirerUnavailable({ operation: "send payout", reason: "away" })),
          Effect.die(new Error("broken")),
          Effect.never,
        ]
        let asked = 0
        const sendPayout = () => answers[asked++] ?? Effect.never
        const acquirer = yield* measured({ ...silentAcquirer, slug: "bank", sendPayout })
        assert.deepStrictEqual(yield* acquirer.sendPayout(payout), { status: "unknown" })
        assert.instanceOf(yield* Effect.flip(acquirer.sendPayout(payout)), AcquirerRefused)
        assert.instanceOf(yield* Effect.flip(acquirer.sendPayout(payout)), AcquirerUnavailable)
        yield* Effect.exit(acquirer.sendPayout(payout))
        const unanswered = yield* Effect.forkChild(acquirer.sendPayout(payout), { startImmediately: true })
        yield* Fiber.interrupt(unanswered)

        const families = parseExposition(expositionOf(reportOf(yield* Effect.context<never>())))
        const calls = (outcome: string) =>
          valueOf(families, "corrente_acquirer_calls_total", {
            acquirer: "bank",
            operation: "send_payout",
            outcome,
          })
        assert.deepStrictEqual([calls("answered"), calls("refused"), calls("unavailable")], [1, 1, 3])
        assert.strictEqual(valueOf(families, "corrente_acquirer_call_duration_seconds_count"), 5)
      }).pipe(Effect.scoped, Effect.provideService(Metric.MetricRegistry, new Map())),
  )
})
