import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { AcquirerUnavailable, BooksWindow, SentPayout } from "../../../actors/ports/acquirer.ts"
import { payoutIdOf } from "../../../schema/ids.ts"
import { limits } from "../../../schema/limits.ts"
import { away, makeBank, notPaid, paid, processing, refused, unknown } from "../support/bank.ts"
import { automatic, openPayout, secondsOf } from "../support/payout.ts"
import { startProcess } from "../support/process.ts"
import { balanceNow, withdraw, withdrawalNow } from "../support/purse.ts"
import { pass, settle } from "../support/settle.ts"
import { eventTypesOf, openShop, timersOf } from "../support/shop.ts"
import { onStore, StoreFaults, startMillis } from "../support/store.ts"

const statusNow = (id: string) => Effect.map(withdrawalNow(id), ({ status }) => status)
const eventsTo = (end: "successful" | "failed") =>
  ["approved", "processing", end].map((status) => `withdrawal.${status}`)
const isBack = { available: 1_100, reserve: 0, pendingWithdraw: 0, pendingRefund: 0 }
const isHeld = { available: 0, reserve: 0, pendingWithdraw: 1_100, pendingRefund: 0 }
const isGone = { available: 0, reserve: 0, pendingWithdraw: 0, pendingRefund: 0 }

describe("a payout that the bank does not know", () => {
  it.effect("an unknown payout is sent again under its id only once its first sending is surely over", () =>
    onStore(
      Effect.gen(function* () {
        const { bank, shop, id } = yield* openPayout({
          send: (call) => (call === 0 ? Effect.fail(away) : Effect.succeed(paid)),
          query: () => Effect.succeed(unknown),
        })
        yield* pass(61_999)
        assert.strictEqual(bank.sent.length, 1)
        assert.isBelow(limits.payoutResendAfterMillis, 62_000)
        yield* pass(1)

        assert.deepStrictEqual(secondsOf(bank.askedAtMillis), [2, 6, 14, 30, 62])
        assert.deepStrictEqual(
          bank.sent.map(({ payoutId, amount }) => [payoutId, amount]),
          [
            [payoutIdOf(id), 1_000],
            [payoutIdOf(id), 1_000],
          ],
        )
        assert.strictEqual(yield* statusNow(id), "successful")
        yield* pass(10 * 60_000)
        assert.strictEqual(bank.sent.length, 2)
        assert.deepStrictEqual(yield* eventTypesOf(shop.live, id), eventsTo("successful"))
        assert.deepStrictEqual(yield* timersOf(id), [])
      }),
    ),
  )

  const listed = (payoutId: string, status: SentPayout["status"]): SentPayout => ({
    ...{ payoutId, status, endToEndId: "E1", amount: 1_000, reason: undefined },
    ...{ returnedAmount: 0, sentMillis: startMillis },
  })
  const statuses = ["paid", "returned", "processing", "notPaid"] as const
  for (const status of statuses) {
    it.effect(`a payout that only the bank's list knows, as ${status}, is not sent again`, () =>
      onStore(
        Effect.gen(function* () {
          const windows: Array<BooksWindow> = []
          const sent: Array<string> = []
          const { bank, id } = yield* openPayout({
            send: (_, { payoutId }) => {
              sent.push(payoutId)
              return Effect.never
            },
            query: () => Effect.succeed(unknown),
            list: (window) => {
              windows.push(window)
              return Effect.succeed(sent.map((payoutId) => listed(payoutId, status)))
            },
          })
          yield* pass(5 * 60_000)

          assert.strictEqual(bank.sent.length, 1)
          assert.strictEqual(yield* statusNow(id), "processing")
          assert.deepStrictEqual(windows[0], {
            fromMillis: startMillis - limits.sweepOverlapMillis,
            toMillis: startMillis + 62_000 + limits.acquirerClockAheadMillis,
          })
        }),
      ),
    )
  }

  it.effect(
    "an unknown payout waits while the bank's list is silent, and is sent again once it has none",
    () =>
      onStore(
        Effect.gen(function* () {
          const answers: Array<Effect.Effect<ReadonlyArray<SentPayout>, AcquirerUnavailable>> = [
            Effect.fail(away),
            Effect.never,
            Effect.succeed([listed("of another", "paid")]),
          ]
          const { bank } = yield* openPayout({
            send: () => Effect.never,
            query: () => Effect.succeed(unknown),
            list: () => answers.shift() ?? Effect.fail(away),
          })
          yield* pass(181_999)
          assert.strictEqual(bank.sent.length, 1)
          yield* pass(1)
          assert.deepStrictEqual(secondsOf(bank.sent.map(({ atMillis }) => atMillis)), [0, 182])
        }),
      ),
  )

  it.effect("a payout that stays unknown is sent again each minute under the same id", () =>
    onStore(
      Effect.gen(function* () {
        const { bank, id } = yield* openPayout({
          send: () => Effect.never,
          query: () => Effect.succeed(unknown),
        })
        yield* pass(185_000)

        assert.deepStrictEqual(secondsOf(bank.sent.map(({ atMillis }) => atMillis)), [0, 62, 122, 182])
        assert.deepStrictEqual([...new Set(bank.sent.map(({ payoutId }) => payoutId))], [payoutIdOf(id)])
        assert.strictEqual(yield* statusNow(id), "processing")
      }),
    ),
  )

  it.effect("once its first sending is an hour old, an unknown payout is sent again every ten minutes", () =>
    onStore(
      Effect.gen(function* () {
        const { bank } = yield* openPayout({
          send: () => Effect.never,
          query: () => Effect.succeed(unknown),
        })
        yield* pass(limits.resendOftenMillis + 2 * limits.resendMillisMin + 61_000)
        const times = bank.sent.map(({ atMillis }) => atMillis - startMillis)
        const gaps = times.slice(1).map((at, i) => ({ from: times[i] ?? 0, gap: at - (times[i] ?? 0) }))
        const [often, seldom] = [
          gaps.filter(({ from }) => from < limits.resendOftenMillis),
          gaps.filter(({ from }) => from >= limits.resendOftenMillis),
        ]
        assert.isAbove(often.length, 50)
        assert.deepStrictEqual(
          [...new Set(often.slice(1).map(({ gap }) => gap))],
          [limits.payoutPollMillisMax],
        )
        assert.deepStrictEqual(
          seldom.map(({ gap }) => gap),
          [limits.resendMillisMin, limits.resendMillisMin],
        )
      }),
    ),
  )

  it.effect("a payout whose later sendings are refused does not fail: the first may have been paid", () =>
    onStore(
      Effect.gen(function* () {
        const { bank, shop, id } = yield* openPayout({
          send: (call) => Effect.fail(call === 0 ? away : refused),
          // Five polls until the second sending, then one poll and one query after each refusal.
          query: (call) => Effect.succeed(call < 10 ? unknown : paid),
        })
        yield* pass(241_999)
        assert.deepStrictEqual(secondsOf(bank.sent.map(({ atMillis }) => atMillis)), [0, 62, 122, 182])
        assert.strictEqual(yield* statusNow(id), "processing")
        assert.deepStrictEqual(yield* balanceNow(shop.live), isHeld)
        yield* pass(60_000)

        assert.strictEqual(yield* statusNow(id), "successful")
        assert.deepStrictEqual(yield* balanceNow(shop.live), isGone)
      }),
    ),
  )

  it.effect("an unknown payout fails only once the bank answers a query with notPaid", () =>
    onStore(
      Effect.gen(function* () {
        const { shop, id } = yield* openPayout({
          // A later sending that was not paid says nothing about the first.
          send: (call) => (call === 0 ? Effect.fail(away) : Effect.succeed(notPaid)),
          query: (call) => Effect.succeed(call < 6 ? unknown : notPaid),
        })
        yield* pass(62_000)
        assert.strictEqual(yield* statusNow(id), "processing")
        yield* pass(60_000)

        assert.deepInclude(yield* withdrawalNow(id), { status: "failed", failure_reason: "AC03" })
        assert.deepStrictEqual(yield* balanceNow(shop.live), isBack)
      }),
    ),
  )

  it.effect("a refusal that a process hears after a minute's standstill does not fail the payout", () =>
    onStore(
      Effect.gen(function* () {
        const faults = yield* StoreFaults
        // The store has the transition; its answer comes so late that another process may have sent the payout.
        faults.delaysAfterMillis.set("transitionWithdrawal", limits.payoutResendAfterMillis)
        const { bank, id } = yield* openPayout({
          send: () => Effect.fail(refused),
          query: () => Effect.succeed(processing),
        })
        yield* pass(limits.payoutResendAfterMillis)

        assert.strictEqual(bank.sent.length, 1)
        assert.strictEqual(yield* statusNow(id), "processing")
      }),
    ),
  )

  for (const [what, known] of [
    ["knows it now", Effect.succeed(processing)],
    ["is silent", Effect.fail(away)],
  ] as const) {
    it.effect(`a payout does not fail when its second sending is refused by a bank that ${what}`, () =>
      onStore(
        Effect.gen(function* () {
          // Five polls know nothing; the sixth query checks the refusal.
          const query = (call: number) =>
            call < 5 ? Effect.succeed(unknown) : call === 5 ? known : Effect.succeed(paid)
          const { bank, shop, id } = yield* openPayout({
            send: (call) => Effect.fail(call === 0 ? away : refused),
            query,
          })
          yield* pass(62_000)
          assert.strictEqual(bank.sent.length, 2)
          assert.strictEqual(yield* statusNow(id), "processing")
          yield* pass(60_000)

          assert.strictEqual(yield* statusNow(id), "successful")
          assert.strictEqual(bank.sent.length, 2)
          assert.deepStrictEqual(yield* balanceNow(shop.live), isGone)
        }),
      ),
    )
  }
})

describe("a process that dies between processing and sending", () => {
  it.effect("a dead process's payout is queried by another before it is sent under the same id", () =>
    onStore(
      Effect.gen(function* () {
        // The sending never left the process.
        const { bank, process, shop, id } = yield* openPayout({ send: () => Effect.never })
        assert.strictEqual(yield* statusNow(id), "processing")
        yield* process.kill
        const next = makeBank({
          send: () => Effect.succeed(processing),
          query: (call) => Effect.succeed(call < 5 ? unknown : paid),
        })
        yield* startProcess({ acquirer: next.acquirer })
        yield* pass(61_999)
        assert.deepStrictEqual(next.sent, [])
        yield* pass(1)
        assert.deepStrictEqual(
          next.sent.map(({ payoutId, amount }) => ({ payoutId, amount })),
          bank.sent.map(({ payoutId, amount }) => ({ payoutId, amount })),
        )
        yield* pass(60_000)

        assert.deepStrictEqual(secondsOf(next.askedAtMillis), [2, 6, 14, 30, 62, 122])
        assert.strictEqual(yield* statusNow(id), "successful")
        assert.deepStrictEqual(yield* eventTypesOf(shop.live, id), eventsTo("successful"))
        assert.deepStrictEqual(yield* balanceNow(shop.live), isGone)
      }),
    ),
  )

  it.effect("a payout whose transition the store does not confirm is queried before it is sent", () =>
    onStore(
      Effect.gen(function* () {
        const faults = yield* StoreFaults
        const bank = makeBank({ query: () => Effect.succeed(unknown) })
        const shop = yield* openShop(automatic)
        const process = yield* startProcess({ acquirer: bank.acquirer })
        faults.answersLost.add("transitionWithdrawal")
        const { id } = yield* withdraw(process, shop.live)
        yield* settle
        faults.answersLost.clear()
        assert.strictEqual(yield* statusNow(id), "processing")
        assert.deepStrictEqual(bank.sent, [])
        yield* pass(62_000)

        assert.deepStrictEqual(
          bank.sent.map(({ payoutId }) => payoutId),
          [payoutIdOf(id)],
        )
        assert.deepStrictEqual(yield* eventTypesOf(shop.live, id), eventsTo("successful").slice(0, 2))
      }),
    ),
  )

  it.effect("a payout whose transition the store did not take is sent when the timer's lease ends", () =>
    onStore(
      Effect.gen(function* () {
        const faults = yield* StoreFaults
        const bank = makeBank({})
        const shop = yield* openShop(automatic)
        const process = yield* startProcess({ acquirer: bank.acquirer })
        faults.away.add("transitionWithdrawal")
        const { id } = yield* withdraw(process, shop.live)
        yield* settle
        faults.away.clear()
        yield* pass(limits.timerLeaseMillis - 1)
        assert.strictEqual(yield* statusNow(id), "approved")
        assert.deepStrictEqual(bank.sent, [])
        yield* pass(1)

        assert.strictEqual(yield* statusNow(id), "processing")
        assert.strictEqual(bank.sent.length, 1)
      }),
    ),
  )
})

describe("a notice of a payout", () => {
  it.effect("a notice of a payout queries the bank at once, and a second notice does not", () =>
    onStore(
      Effect.gen(function* () {
        const { bank, process, id } = yield* openPayout({ query: () => Effect.succeed(paid) })
        yield* pass(1_000)
        const answer = yield* process.commands.reconcilePayout(id)

        assert.deepStrictEqual(answer, { kind: "settled", note: undefined })
        assert.strictEqual(yield* statusNow(id), "successful")
        assert.deepStrictEqual(secondsOf(bank.askedAtMillis), [1])
        assert.deepStrictEqual(yield* process.commands.reconcilePayout(id), {
          kind: "settled",
          note: undefined,
        })
        assert.strictEqual(bank.askedAtMillis.length, 1)
      }),
    ),
  )

  it.effect("a notice of a payout is unavailable while others keep changing the withdrawal", () =>
    onStore(
      Effect.gen(function* () {
        const { process, id } = yield* openPayout({ query: () => Effect.succeed(paid) })
        const faults = yield* StoreFaults
        yield* pass(1_000)
        faults.stale.add("transitionWithdrawal")
        assert.deepInclude(yield* process.commands.reconcilePayout(id), { kind: "unavailable" })
        faults.stale.clear()
        assert.deepStrictEqual(yield* process.commands.reconcilePayout(id), {
          kind: "settled",
          note: undefined,
        })
        assert.strictEqual(yield* statusNow(id), "successful")
      }),
    ),
  )

  it.effect(
    "a notice of a payout is pending, whether the bank answers or not, or missing while its outcome is not known",
    () =>
      onStore(
        Effect.gen(function* () {
          const answers = [processing, unknown]
          const { process, id } = yield* openPayout({
            query: (call) => {
              const answer = answers[call]
              return answer === undefined ? Effect.fail(away) : Effect.succeed(answer)
            },
          })

          assert.deepInclude(yield* process.commands.reconcilePayout(id), { kind: "pending" })
          assert.deepInclude(yield* process.commands.reconcilePayout(id), { kind: "pending" })
          assert.deepInclude(yield* process.commands.reconcilePayout(id), {
            ...{ kind: "pending", queryStatus: "silent" },
          })
          const missing = yield* process.commands.reconcilePayout("wd_00000000000000000000000000")
          assert.deepStrictEqual(missing, { kind: "missing" })
        }),
      ),
  )
})
