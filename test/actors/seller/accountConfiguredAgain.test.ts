import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { limits } from "../../../schema/limits.ts"
import { makeBank, paid, processing } from "../support/bank.ts"
import { exceptionsNow, kindsNow, resolve } from "../support/exceptions.ts"
import { automatic } from "../support/payout.ts"
import { startProcess } from "../support/process.ts"
import { withdraw, withdrawalNow } from "../support/purse.ts"
import { pass, settle } from "../support/settle.ts"
import { openShop } from "../support/shop.ts"
import { onStore } from "../support/store.ts"

describe("a withdrawal whose acquirer account is configured again", () => {
  it.effect(
    "a withdrawal that the bank has is not failed by the exception of a passing misconfiguration",
    () =>
      onStore(
        Effect.gen(function* () {
          let isPaid = false
          const bank = makeBank({
            send: () => Effect.succeed(processing),
            query: () => Effect.sync(() => (isPaid ? paid : processing)),
          })
          const shop = yield* openShop(automatic)
          const gate = { frozen: () => Effect.succeed("held") }
          const first = yield* startProcess({ acquirer: bank.acquirer, gate })
          const { id } = yield* withdraw(first, shop.live, {})
          yield* settle
          yield* first.kill
          // A wrong setting, for a while.
          const wrong = yield* startProcess({ acquirer: { ...bank.acquirer, account: "elsewhere:2" } })
          yield* pass(limits.timerLeaseMillis)
          assert.deepStrictEqual(yield* kindsNow, ["partner_changed open"])
          yield* wrong.kill
          const right = yield* startProcess({ acquirer: bank.acquirer })
          yield* pass(limits.otherAccountWaitMillis)
          assert.strictEqual(bank.sent.length, 1)
          assert.strictEqual((yield* withdrawalNow(id)).status, "processing")

          const [exception] = yield* exceptionsNow("open")
          const outcome = yield* Effect.result(resolve(right, exception?.id ?? "", "fail"))
          isPaid = true
          yield* pass(2 * limits.payoutPollMillisMax)
          assert.strictEqual(outcome._tag, "Failure")
          assert.strictEqual((yield* withdrawalNow(id)).status, "successful")
        }),
      ),
  )
})
