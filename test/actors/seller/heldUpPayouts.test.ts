import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect } from "effect"
import { limits } from "../../../schema/limits.ts"
import { paid, refused, unknown } from "../support/bank.ts"
import { openPayout } from "../support/payout.ts"
import { pass } from "../support/settle.ts"
import { onStore, startMillis } from "../support/store.ts"

describe("a payout whose sending was held up", () => {
  it.effect(
    "a payout whose sending was held up is not sent again before its first sending is a minute old",
    () =>
      onStore(
        Effect.gen(function* () {
          // The check of the freeze waits for a Redis that hangs, or the process is paused.
          const heldUntil = startMillis + limits.payoutResendAfterMillis
          const gate = {
            frozen: () =>
              Effect.flatMap(Clock.currentTimeMillis, (now) =>
                Effect.delay(Effect.succeed(undefined), Math.max(0, heldUntil - now)),
              ),
          }
          const { bank } = yield* openPayout(
            {
              send: (call) =>
                call === 0
                  ? Effect.delay(Effect.fail(refused), 1_000)
                  : Effect.delay(Effect.succeed(paid), 3_000),
              query: () => Effect.succeed(unknown),
            },
            { gate },
          )
          while (bank.sent.length === 0) yield* pass(1_000)
          yield* pass(30_000)
          assert.strictEqual(bank.sent.length, 1)
        }),
      ),
  )
})
