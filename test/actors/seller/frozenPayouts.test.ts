import { assert, describe, it } from "@effect/vitest"
import { Effect, Logger } from "effect"
import type { PayoutGate } from "../../../actors/ports/payoutGate.ts"
import { StoreUnavailable } from "../../../actors/values/storeUnavailable.ts"
import { limits } from "../../../schema/limits.ts"
import * as bank from "../support/bank.ts"
import { openPayout, secondsOf } from "../support/payout.ts"
import { balanceNow, withdrawalNow } from "../support/purse.ts"
import * as refunds from "../support/refunds.ts"
import { pass } from "../support/settle.ts"
import { eventTypesOf, timersOf } from "../support/shop.ts"
import { onStore } from "../support/store.ts"

/** A gate that the test opens and closes; closed at first. */
const makeGate = () => {
  const state: { answer: ReturnType<(typeof PayoutGate)["Service"]["frozen"]> } = {
    answer: Effect.succeed("no sweep is complete"),
  }
  return {
    frozen: () => state.answer,
    open: () => {
      state.answer = Effect.succeed(undefined)
    },
    close: () => {
      state.answer = Effect.succeed("an exception is open")
    },
    breakDown: () => {
      state.answer = Effect.fail(new StoreUnavailable({ operation: "countOpen", reason: "away" }))
    },
  }
}

const sentAt = (sent: ReadonlyArray<{ readonly atMillis: number }>) =>
  secondsOf(sent.map(({ atMillis }) => atMillis))

/** Keeps what the test logs. */
const recorded = () => {
  const lines: Array<string> = []
  const logger = Logger.make(({ message }) => {
    lines.push(String(message))
  })
  return {
    about: (text: string) => lines.filter((line) => line.includes(text)),
    layer: Logger.layer([logger]),
  }
}

describe("a payout during a freeze", () => {
  it.effect("an approved withdrawal stays as it is until the freeze ends, then is sent within the wait", () =>
    onStore(
      Effect.gen(function* () {
        const gate = makeGate()
        const { bank: bankOf, shop, id } = yield* openPayout({}, { gate })
        yield* pass(limits.frozenWaitMillis - 1)
        assert.strictEqual((yield* withdrawalNow(id)).status, "approved")
        assert.deepStrictEqual(yield* timersOf(id), ["pay"])
        assert.deepStrictEqual(yield* eventTypesOf(shop.live, id), ["withdrawal.approved"])
        assert.strictEqual((yield* balanceNow(shop.live)).pendingWithdraw, 1_100)
        gate.open()
        yield* pass(0)
        assert.deepStrictEqual(bankOf.sent, [])
        yield* pass(1)

        assert.deepStrictEqual(sentAt(bankOf.sent), [limits.frozenWaitMillis / 1_000])
        assert.strictEqual((yield* withdrawalNow(id)).status, "processing")
      }),
    ),
  )

  it.effect("a payout that the bank does not know is not sent again during a freeze, and is at its end", () =>
    onStore(
      Effect.gen(function* () {
        const gate = makeGate()
        gate.open()
        const { bank: bankOf, id } = yield* openPayout(
          {
            send: (call) => (call === 0 ? Effect.fail(bank.away) : Effect.succeed(bank.paid)),
            query: () => Effect.succeed(bank.unknown),
          },
          { gate },
        )
        gate.close()
        yield* pass(62_000 + limits.frozenWaitMillis)
        assert.deepStrictEqual(sentAt(bankOf.sent), [0])
        assert.deepStrictEqual(secondsOf(bankOf.askedAtMillis), [2, 6, 14, 30, 62, 67])
        assert.strictEqual((yield* withdrawalNow(id)).status, "processing")
        gate.open()
        yield* pass(limits.frozenWaitMillis)

        assert.deepStrictEqual(sentAt(bankOf.sent), [0, 72])
        assert.strictEqual((yield* withdrawalNow(id)).status, "successful")
      }),
    ),
  )

  it.effect("a payout that the bank knows is asked about and settled during a freeze", () =>
    onStore(
      Effect.gen(function* () {
        const gate = makeGate()
        gate.open()
        const { id } = yield* openPayout({ query: () => Effect.succeed(bank.paid) }, { gate })
        gate.close()
        yield* pass(2_000)

        assert.strictEqual((yield* withdrawalNow(id)).status, "successful")
      }),
    ),
  )

  it.effect("a payout is not sent while the store does not say whether there is a freeze", () =>
    onStore(
      Effect.gen(function* () {
        const gate = makeGate()
        gate.breakDown()
        const { bank: bankOf, id } = yield* openPayout({}, { gate })
        yield* pass(limits.timerLeaseMillis - 1)
        assert.deepStrictEqual(bankOf.sent, [])
        assert.strictEqual((yield* withdrawalNow(id)).status, "approved")
        gate.open()
        yield* pass(1)

        assert.strictEqual(bankOf.sent.length, 1)
      }),
    ),
  )

  it.effect("a freeze is logged once a minute, with its reason", () =>
    Effect.suspend(() => {
      const log = recorded()
      return onStore(
        Effect.gen(function* () {
          const gate = makeGate()
          yield* openPayout({}, { gate })
          yield* pass(limits.frozenReportMillis - 1)
          assert.lengthOf(log.about("frozen: no sweep is complete"), 1)
          yield* pass(1)
          assert.lengthOf(log.about("frozen: no sweep is complete"), 2)
        }),
      ).pipe(Effect.provide(log.layer))
    }),
  )
})

describe("a refund during a freeze", () => {
  it.effect("a refund stays pending until the freeze ends, then is sent within the wait", () =>
    onStore(
      Effect.gen(function* () {
        const gate = makeGate()
        const { bank: bankOf, shop, id } = yield* refunds.openRefund({}, {}, { gate })
        yield* pass(limits.frozenWaitMillis - 1)
        assert.strictEqual((yield* refunds.refundNow(id)).status, "pending")
        assert.strictEqual((yield* balanceNow(shop.live)).pendingRefund, 400)
        gate.open()
        yield* pass(1)

        assert.deepStrictEqual(sentAt(bankOf.sent), [limits.frozenWaitMillis / 1_000])
        assert.strictEqual((yield* refunds.refundNow(id)).status, "processing")
      }),
    ),
  )

  it.effect("a refund that the bank does not know is not sent again during a freeze, and is at its end", () =>
    onStore(
      Effect.gen(function* () {
        const gate = makeGate()
        gate.open()
        const { bank: bankOf, id } = yield* refunds.openRefund(
          {
            send: (call) => (call === 0 ? Effect.fail(refunds.away) : Effect.succeed(refunds.done)),
            query: () => Effect.succeed(refunds.unknown),
          },
          {},
          { gate },
        )
        gate.close()
        yield* pass(62_000 + limits.frozenWaitMillis)
        assert.deepStrictEqual(sentAt(bankOf.sent), [0])
        gate.open()
        yield* pass(limits.frozenWaitMillis)

        assert.deepStrictEqual(sentAt(bankOf.sent), [0, 72])
        assert.strictEqual((yield* refunds.refundNow(id)).status, "succeeded")
      }),
    ),
  )
})
