import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { AcquirerRefused } from "../../../actors/ports/acquirer.ts"
import { limits } from "../../../schema/limits.ts"
import { paid, unknown } from "../support/bank.ts"
import { exceptionsNow, kindsNow, resolve } from "../support/exceptions.ts"
import { openPayout } from "../support/payout.ts"
import { balanceNow, withdrawalNow } from "../support/purse.ts"
import { pass, settle } from "../support/settle.ts"
import { onStore } from "../support/store.ts"

const withoutFunds = new AcquirerRefused({ reason: "Saldo insuficiente", isWithoutFunds: true })

describe("a stuck payout", () => {
  it.effect("a stuck payout that an operator fails while the bank is asked about it is not sent again", () =>
    onStore(
      Effect.gen(function* () {
        let isToppedUp = false
        let isSlow = false
        const { bank, shop, process, id } = yield* openPayout(
          {
            send: () => (isToppedUp ? Effect.succeed(paid) : Effect.fail(withoutFunds)),
            query: () => Effect.delay(Effect.succeed(unknown), isSlow ? 5_000 : 0),
          },
          { rules: { payoutStuckMillis: 100_000 } },
        )
        while ((yield* exceptionsNow("open")).length === 0) yield* pass(1_000)
        const [stuck] = yield* exceptionsNow("open")
        const sentBefore = bank.sent.length

        // The next poll asks the bank, which takes its time.
        isSlow = true
        isToppedUp = true
        const asked = bank.askedAtMillis.length
        while (bank.askedAtMillis.length === asked) yield* pass(1_000)
        // The operator's act asks it, too, and is answered at once.
        isSlow = false
        const acting = yield* Effect.forkChild(resolve(process, stuck?.id ?? "", "fail"))
        while (acting.pollUnsafe() === undefined) yield* pass(1)
        assert.strictEqual((yield* Fiber.join(acting)).kind, "resolved")
        assert.strictEqual((yield* withdrawalNow(id)).status, "failed")
        assert.deepInclude(yield* balanceNow(shop.live), { available: 1_100, pendingWithdraw: 0 })
        yield* settle
        yield* pass(limits.payoutPollMillisMax)

        assert.strictEqual(bank.sent.length, sentBefore)
        assert.deepStrictEqual(yield* kindsNow, ["payout_stuck resolved"])
      }),
    ),
  )
})
