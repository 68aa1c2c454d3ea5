import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { limits } from "../../../schema/limits.ts"
import { onlyException, openUnknown, resolve } from "../support/exceptions.ts"
import { startProcess } from "../support/process.ts"
import { done, failed, makeRefundBank, processing, refused } from "../support/refunds.ts"
import { pass, settle } from "../support/settle.ts"
import { onStore } from "../support/store.ts"

describe("the refund of an exception", () => {
  for (const late of ["failed", "refused"] as const) {
    it.effect(`a late '${late}' about an earlier attempt does not end the one under way`, () =>
      onStore(
        Effect.gen(function* () {
          const bank = makeRefundBank({
            // The answer to the first sending takes 10 s; the poll after 2 s hears already that it failed.
            send: (call) =>
              call === 0
                ? Effect.delay(late === "failed" ? Effect.succeed(failed) : Effect.fail(refused), 10_000)
                : Effect.succeed(processing),
            query: (call) => Effect.succeed(call === 0 ? failed : done),
          })
          const process = yield* startProcess({ acquirer: bank.acquirer })
          const id = yield* openUnknown()
          yield* resolve(process, id, "refund")
          yield* settle
          yield* pass(limits.payoutPollMillisMin)
          assert.deepInclude((yield* onlyException).details, { refund_attempts: 1 })

          yield* pass(7_000)
          // An operator tries again: a second refund, under another id, is accepted by the bank.
          assert.strictEqual((yield* resolve(process, id, "refund")).kind, "underWay")
          yield* settle
          assert.deepStrictEqual(
            bank.sent.map((sent) => sent.refundId),
            [id.slice(4), `${id.slice(4)}1`],
          )
          // The answer to the first sending arrives.
          yield* pass(1_500)
          assert.deepInclude((yield* onlyException).details, { refund_attempts: 1 })
          assert.deepInclude(yield* Effect.flip(resolve(process, id, "dismiss")), {
            details: { reason: "act_under_way", act: "refund" },
          })
          yield* pass(limits.payoutPollMillisMin)
          assert.deepInclude(yield* onlyException, { state: "resolved", act: "refund" })
        }),
      ),
    )
  }
})
