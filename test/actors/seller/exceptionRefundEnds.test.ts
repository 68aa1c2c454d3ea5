import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { limits } from "../../../schema/limits.ts"
import { kindsNow, onlyException, openUnknown, resolve } from "../support/exceptions.ts"
import { startProcess } from "../support/process.ts"
import {
  away,
  done,
  makeRefundBank,
  processing,
  type RefundScript,
  refused,
  unknown,
} from "../support/refunds.ts"
import { pass, settle } from "../support/settle.ts"
import { openShop, timersOf } from "../support/shop.ts"
import { onStore } from "../support/store.ts"

type Said = NonNullable<RefundScript["query"]>
const hour = limits.refundUnknownMillisMax

/** A refund of an exception whose first sending is lost, and which the bank refuses from then on. */
const openLost = (
  query: Said,
  send: RefundScript["send"] = (call) => Effect.fail(call === 0 ? away : refused),
) =>
  Effect.gen(function* () {
    const bank = makeRefundBank({ send, query })
    const process = yield* startProcess({ acquirer: bank.acquirer })
    const id = yield* openUnknown()
    yield* resolve(process, id, "refund")
    yield* settle
    return { bank, process, id }
  })

const underWay = { details: { reason: "act_under_way", act: "refund" } }

describe("a refund of an exception that the bank refuses and never heard of", () => {
  it.effect("it ends once the bank has said so for an hour, not before, and all acts are open again", () =>
    onStore(
      Effect.gen(function* () {
        const shop = yield* openShop()
        const { bank, process, id } = yield* openLost(() => Effect.succeed(unknown))
        // The bank is asked first after 2 s, and then says that it does not know it.
        yield* pass(hour + 1_999)
        assert.deepInclude(yield* Effect.flip(resolve(process, id, "dismiss")), underWay)
        const sent = bank.sent.length
        yield* pass(2 * limits.payoutPollMillisMax)
        const exception = yield* onlyException
        assert.deepInclude(exception, { state: "open", act: null })
        assert.deepInclude(exception.details, { refund_failure: "out of time", refund_attempts: 1 })
        assert.deepStrictEqual(yield* timersOf(id), [])
        yield* pass(hour)
        assert.isAtMost(bank.sent.length, sent + 1)

        yield* resolve(process, id, "credit", { sellerId: shop.sellerId })
        assert.deepStrictEqual(yield* kindsNow, ["payment_unknown resolved"])
      }),
    ),
  )

  it.effect("the next refund has an id of its own", () =>
    onStore(
      Effect.gen(function* () {
        const { bank, process, id } = yield* openLost(() => Effect.succeed(unknown))
        yield* pass(hour + 2 * limits.payoutPollMillisMax)
        yield* resolve(process, id, "refund")
        yield* settle
        assert.strictEqual(bank.sent.at(-1)?.refundId, `${id.slice(4)}1`)
      }),
    ),
  )

  for (const [what, query] of [
    [
      "says in between that it is processing",
      (call: number) => Effect.succeed(call === 30 ? processing : unknown),
    ],
    ["makes it just before", (call: number) => Effect.succeed(call === 30 ? done : unknown)],
  ] as const) {
    it.effect(`the hour does not end it where the bank ${what}`, () =>
      onStore(
        Effect.gen(function* () {
          const { process, id } = yield* openLost(query)
          yield* pass(hour + 2 * limits.payoutPollMillisMax)
          if (what === "makes it just before") {
            assert.deepStrictEqual(yield* kindsNow, ["payment_unknown resolved"])
            return
          }
          assert.deepInclude(yield* Effect.flip(resolve(process, id, "dismiss")), underWay)
          yield* pass(hour)
          assert.deepInclude((yield* onlyException).details, { refund_failure: "out of time" })
        }),
      ),
    )
  }

  it.effect("a bank that does not answer ends nothing, and its silence does not begin the hour anew", () =>
    onStore(
      Effect.gen(function* () {
        let isAway = false
        const { process, id } = yield* openLost(() =>
          Effect.suspend(
            (): Effect.Effect<typeof unknown, typeof away> =>
              isAway ? Effect.fail(away) : Effect.succeed(unknown),
          ),
        )
        yield* pass(10 * 60_000)
        isAway = true
        yield* pass(2 * hour)
        assert.deepInclude(yield* Effect.flip(resolve(process, id, "dismiss")), underWay)
        isAway = false
        yield* pass(2 * limits.payoutPollMillisMax)
        assert.deepInclude((yield* onlyException).details, { refund_failure: "out of time" })
      }),
    ),
  )

  it.effect("a refund that is never refused is sent again every ten minutes at most after an hour", () =>
    onStore(
      Effect.gen(function* () {
        const { bank, process, id } = yield* openLost(
          () => Effect.succeed(unknown),
          () => Effect.fail(away),
        )
        yield* pass(hour)
        const within = bank.sent.length
        yield* pass(2 * hour)
        const later = bank.sent.slice(within).map(({ atMillis }) => atMillis)
        assert.isAtLeast(later.length, 10)
        later.slice(1).forEach((atMillis, nth) => {
          assert.isAtLeast(atMillis - (later[nth] ?? 0), limits.resendMillisMin)
        })
        assert.deepInclude(yield* Effect.flip(resolve(process, id, "dismiss")), underWay)
      }),
    ),
  )
})
