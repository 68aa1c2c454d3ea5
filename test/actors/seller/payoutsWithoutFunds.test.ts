import { assert, describe, it } from "@effect/vitest"
import { Effect, Metric } from "effect"
import { AcquirerRefused, type PayoutReport } from "../../../actors/ports/acquirer.ts"
import { initialSettings } from "../../../actors/seller/decisions/newSeller.ts"
import { withoutFundsDelayMillis } from "../../../actors/seller/decisions/withdrawalTransitions.ts"
import { payoutsWithoutFunds } from "../../../actors/seller/programs/withoutFunds.ts"
import { payoutIdOf } from "../../../schema/ids.ts"
import { limits } from "../../../schema/limits.ts"
import { away, makeBank, paid, refused, unknown } from "../support/bank.ts"
import { openPayout, secondsOf } from "../support/payout.ts"
import { startProcess } from "../support/process.ts"
import { balanceNow, withdraw, withdrawalNow } from "../support/purse.ts"
import { pass, settle } from "../support/settle.ts"
import { eventTypesOf, openShop, type ShopOptions, timersOf } from "../support/shop.ts"
import { onStore } from "../support/store.ts"

const refusedWithoutFunds = new AcquirerRefused({ reason: "Saldo insuficiente", isWithoutFunds: true })
const notPaidWithoutFunds: PayoutReport = { status: "notPaid", reason: "AM04", isWithoutFunds: true }

const statusNow = (id: string) => Effect.map(withdrawalNow(id), ({ status }) => status)
const sentAt = (sent: ReadonlyArray<{ readonly atMillis: number }>) =>
  secondsOf(sent.map(({ atMillis }) => atMillis))
const alarms = Effect.map(Metric.value(payoutsWithoutFunds), ({ count }) => Number(count))
const isHeld = { available: 0, reserve: 0, pendingWithdraw: 1_100, pendingRefund: 0 }
const isGone = { available: 0, reserve: 0, pendingWithdraw: 0, pendingRefund: 0 }

describe("a payout that our account at the acquirer cannot pay for", () => {
  it.effect("a payout refused for lack of our funds is sent again under its id until it is accepted", () =>
    onStore(
      Effect.gen(function* () {
        const before = yield* alarms
        const { bank, shop, id } = yield* openPayout({
          send: (call) => (call < 4 ? Effect.fail(refusedWithoutFunds) : Effect.succeed(paid)),
          query: () => Effect.succeed(unknown),
        })
        assert.strictEqual(yield* statusNow(id), "processing")
        assert.strictEqual((yield* alarms) - before, 1)
        yield* pass(495_999)
        assert.deepStrictEqual(sentAt(bank.sent), [0, 62, 124, 248])
        assert.strictEqual(yield* statusNow(id), "processing")
        assert.deepStrictEqual(yield* balanceNow(shop.live), isHeld)
        assert.strictEqual((yield* alarms) - before, 4)
        yield* pass(1)

        assert.deepStrictEqual([...new Set(bank.sent.map(({ payoutId }) => payoutId))], [payoutIdOf(id)])
        assert.strictEqual(bank.sent.length, 5)
        assert.strictEqual(yield* statusNow(id), "successful")
        assert.deepStrictEqual(yield* balanceNow(shop.live), isGone)
        assert.deepStrictEqual(
          yield* eventTypesOf(shop.live, id),
          ["approved", "processing", "successful"].map((status) => `withdrawal.${status}`),
        )
        assert.deepStrictEqual(yield* timersOf(id), [])
      }),
    ),
  )

  it("a payout without funds is sent again after as long as it is processing, 1 to 10 min", () => {
    const { payoutWithoutFundsMillisMin: min, payoutWithoutFundsMillisMax: max } = limits
    assert.deepStrictEqual([min, max], [60_000, 600_000])
    assert.deepStrictEqual(
      [0, min, min + 1, max - 1, max, max + 1].map((millis) =>
        withoutFundsDelayMillis(1_000, 1_000 + millis),
      ),
      [min, min, min + 1, max - 1, max, max],
    )
  })

  it.effect("a payout without funds is not sent again while the bank may have it after all", () =>
    onStore(
      Effect.gen(function* () {
        const { bank, id } = yield* openPayout({
          send: () => Effect.fail(refusedWithoutFunds),
          query: () => Effect.fail(away),
        })
        yield* pass(20 * 60_000)

        assert.strictEqual(bank.sent.length, 1)
        assert.strictEqual(yield* statusNow(id), "processing")
      }),
    ),
  )

  it.effect("a payout refused for good after a lack of funds stays processing until someone ends it", () =>
    onStore(
      Effect.gen(function* () {
        const { bank, shop, id } = yield* openPayout({
          send: (call) => Effect.fail(call === 0 ? refusedWithoutFunds : refused),
          query: () => Effect.succeed(unknown),
        })
        yield* pass(130_000)

        assert.deepStrictEqual(sentAt(bank.sent), [0, 62, 122])
        assert.strictEqual(yield* statusNow(id), "processing")
        assert.deepStrictEqual(yield* balanceNow(shop.live), isHeld)
      }),
    ),
  )

  for (const [how, script] of [
    ["at once", { send: () => Effect.succeed(notPaidWithoutFunds) }],
    ["later", {}],
  ] as const) {
    it.effect(
      `a payout that was accepted and ${how} failed without our funds is neither failed nor sent again`,
      () =>
        onStore(
          Effect.gen(function* () {
            const before = yield* alarms
            const { bank, process, shop, id } = yield* openPayout({
              ...script,
              query: () => Effect.succeed(notPaidWithoutFunds),
            })
            yield* pass(30 * 60_000)

            assert.strictEqual(bank.sent.length, 1)
            assert.strictEqual(yield* statusNow(id), "processing")
            assert.deepStrictEqual(yield* balanceNow(shop.live), isHeld)
            const asked = secondsOf(bank.askedAtMillis)
            assert.deepStrictEqual(asked, [2, 62, 124, 248, 496, 992, 1_592])
            assert.strictEqual((yield* alarms) - before, asked.length + (how === "at once" ? 1 : 0))
            assert.deepInclude(yield* process.commands.reconcilePayout(id), { kind: "settled" })
            assert.strictEqual(yield* statusNow(id), "processing")
          }),
        ),
    )
  }
})

describe("the document of a payout's payee", () => {
  const settings = { ...initialSettings, withdrawalAutoApproval: true }
  const payFrom = (seller: ShopOptions) =>
    Effect.gen(function* () {
      const bank = makeBank({ query: () => Effect.succeed(unknown) })
      const shop = yield* openShop({ settings, ...seller })
      const process = yield* startProcess({ acquirer: bank.acquirer })
      const { id } = yield* withdraw(process, shop.live)
      yield* settle
      return { bank, id }
    })

  it.effect("a payout names the seller's document in plain text at every sending", () =>
    onStore(
      Effect.gen(function* () {
        const { bank } = yield* payFrom({ plainDocument: "52998224725" })
        yield* pass(62_000)

        assert.deepStrictEqual(
          bank.sent.map(({ holderDocument }) => holderDocument),
          ["52998224725", "52998224725"],
        )
      }),
    ),
  )

  it.effect("a payout of a seller without a document names none", () =>
    onStore(
      Effect.gen(function* () {
        const { bank } = yield* payFrom({})

        assert.strictEqual(bank.sent.length, 1)
        assert.notProperty(bank.sent[0], "holderDocument")
      }),
    ),
  )

  it.effect("a payout whose seller's document cannot be opened is not sent", () =>
    onStore(
      Effect.gen(function* () {
        const { bank, id } = yield* payFrom({ document: "enc:v2:other:of-another-key" })
        yield* pass(limits.payoutPollMillisMax)

        assert.deepStrictEqual(bank.sent, [])
        assert.strictEqual(yield* statusNow(id), "approved")
      }),
    ),
  )
})
