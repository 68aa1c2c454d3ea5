import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit } from "effect"
import { payoutIdOf } from "../../../schema/ids.ts"
import { MemoryStore } from "../../model/state.ts"
import { away, makeBank, notPaid, paid, processing, refused } from "../support/bank.ts"
import { automatic, openPayout, secondsOf } from "../support/payout.ts"
import { startProcess } from "../support/process.ts"
import { addPixKey, balanceNow, movementsOf, pixKeyValue, withdraw, withdrawalNow } from "../support/purse.ts"
import { pass, settle } from "../support/settle.ts"
import { eventTypesOf, openShop, requestCharge, timersOf } from "../support/shop.ts"
import { onStore, startMillis } from "../support/store.ts"

const statusNow = (id: string) => Effect.map(withdrawalNow(id), ({ status }) => status)
const eventsTo = (end: "successful" | "failed") =>
  ["approved", "processing", end].map((status) => `withdrawal.${status}`)
const unpaid = { available: 0, reserve: 0, pendingWithdraw: 1_100, pendingRefund: 0 }
const isBack = { available: 1_100, reserve: 0, pendingWithdraw: 0, pendingRefund: 0 }
const isGone = { available: 0, reserve: 0, pendingWithdraw: 0, pendingRefund: 0 }

describe("a payout", () => {
  it.effect("a payout is sent and queried under the withdrawal's own id, with its PIX key decrypted", () =>
    onStore(
      Effect.gen(function* () {
        const { bank, id } = yield* openPayout({})

        assert.deepStrictEqual(bank.sent, [
          {
            payoutId: payoutIdOf(id),
            amount: 1_000,
            pixKey: { type: "cpf", value: pixKeyValue },
            description: "to the owner",
            atMillis: startMillis,
          },
        ])
        assert.strictEqual(yield* statusNow(id), "processing")
        yield* pass(2_000)
        assert.deepStrictEqual([...bank.askedFor], [payoutIdOf(id)])
      }),
    ),
  )

  it.effect("a withdrawal is stored as processing before the bank answers its payout", () =>
    onStore(
      Effect.gen(function* () {
        const seen: Array<string> = []
        const bank = makeBank({
          send: (_, { payoutId }) =>
            Effect.gen(function* () {
              seen.push(payoutId)
              yield* Effect.sleep(1_000)
              return paid
            }),
        })
        const shop = yield* openShop(automatic)
        const process = yield* startProcess({ acquirer: bank.acquirer })
        const { id } = yield* withdraw(process, shop.live)
        yield* settle
        assert.deepStrictEqual(seen, [payoutIdOf(id)])
        assert.strictEqual(yield* statusNow(id), "processing")
        yield* pass(1_000)

        assert.strictEqual(yield* statusNow(id), "successful")
        assert.deepStrictEqual(bank.askedAtMillis, [])
        assert.deepStrictEqual(yield* timersOf(id), [])
      }),
    ),
  )

  it.effect("a payout that is paid without a reply ends successful once and is sent once", () =>
    onStore(
      Effect.gen(function* () {
        const { bank, shop, id } = yield* openPayout({
          send: () => Effect.fail(away),
          query: () => Effect.succeed(paid),
        })
        assert.strictEqual(yield* statusNow(id), "processing")
        yield* pass(10 * 60_000)

        assert.strictEqual(bank.sent.length, 1)
        assert.deepStrictEqual(secondsOf(bank.askedAtMillis), [2])
        assert.deepInclude(yield* withdrawalNow(id), {
          status: "successful",
          end_to_end_id: "E-of-the-bank",
          failure_reason: null,
        })
        assert.deepStrictEqual(yield* eventTypesOf(shop.live, id), eventsTo("successful"))
        assert.deepStrictEqual(yield* movementsOf(shop.live, id), ["withdrawal_held", "withdrawal_settled"])
        assert.deepStrictEqual(yield* balanceNow(shop.live), isGone)
        assert.deepStrictEqual(yield* timersOf(id), [])
      }),
    ),
  )

  it.effect("a refused payout fails at once, and its money is returned", () =>
    onStore(
      Effect.gen(function* () {
        const { bank, shop, id } = yield* openPayout({ send: () => Effect.fail(refused) })
        assert.deepInclude(yield* withdrawalNow(id), { status: "failed", failure_reason: "no such key" })
        yield* pass(10 * 60_000)

        assert.strictEqual(bank.sent.length, 1)
        assert.deepStrictEqual(bank.askedAtMillis, [])
        assert.deepStrictEqual(yield* eventTypesOf(shop.live, id), eventsTo("failed"))
        assert.deepStrictEqual(yield* balanceNow(shop.live), isBack)
        assert.deepStrictEqual(yield* timersOf(id), [])
      }),
    ),
  )

  it.effect("a payout that the bank reports as not paid fails with the bank's code", () =>
    onStore(
      Effect.gen(function* () {
        const query = (call: number) => Effect.succeed(call === 0 ? processing : notPaid)
        const { shop, id } = yield* openPayout({ query })
        yield* pass(5_999)
        assert.strictEqual(yield* statusNow(id), "processing")
        yield* pass(1)

        assert.deepInclude(yield* withdrawalNow(id), { status: "failed", failure_reason: "AC03" })
        assert.deepStrictEqual(yield* movementsOf(shop.live, id), ["withdrawal_held", "withdrawal_returned"])
        assert.deepStrictEqual(yield* balanceNow(shop.live), isBack)
      }),
    ),
  )

  it.effect("a payout ends once when the bank's reply comes after a poll has ended it", () =>
    onStore(
      Effect.gen(function* () {
        const { shop, id } = yield* openPayout({
          send: () => Effect.as(Effect.sleep(10_000), paid),
          query: () => Effect.succeed(paid),
        })
        yield* pass(60_000)

        assert.deepStrictEqual(yield* eventTypesOf(shop.live, id), eventsTo("successful"))
        assert.deepStrictEqual(yield* balanceNow(shop.live), isGone)
      }),
    ),
  )

  it.effect("a withdrawal to a PIX key that cannot be decrypted is not made, and no money is held", () =>
    onStore(
      Effect.gen(function* () {
        const bank = makeBank({})
        const shop = yield* openShop(automatic)
        const process = yield* startProcess({ acquirer: bank.acquirer })
        const pixKeyId = yield* addPixKey(shop.live, { value: "enc:v2:other:of another key" })
        const answer = yield* Effect.exit(withdraw(process, shop.live, { body: { pix_key_id: pixKeyId } }))
        yield* pass(60_000)

        assert.isTrue(Exit.isFailure(answer))
        assert.deepStrictEqual(yield* balanceNow(shop.live), { ...isGone, available: 1_100 })
        assert.deepStrictEqual(bank.sent, [])
      }),
    ),
  )

  it.effect(
    "a payout whose PIX key is a copy of another withdrawal's stays approved, and the bank is not called",
    () =>
      onStore(
        Effect.gen(function* () {
          const bank = makeBank({})
          const process = yield* startProcess({ acquirer: bank.acquirer })
          const { withdrawals } = yield* MemoryStore
          const thief = yield* withdraw(process, (yield* openShop(automatic)).live)
          const { id } = yield* withdraw(process, (yield* openShop(automatic)).live)
          const [theirs, ours] = [withdrawals.get(thief.id), withdrawals.get(id)]
          if (theirs === undefined || ours === undefined) throw new Error("the withdrawals are not there")
          withdrawals.set(id, { ...ours, pixValue: theirs.pixValue })
          yield* pass(3 * 60_000)

          assert.strictEqual(yield* statusNow(id), "approved")
          assert.deepStrictEqual(bank.sent.length, 1)
          assert.deepStrictEqual(yield* timersOf(id), ["pay"])
        }),
      ),
  )
})

describe("a bank that does not report a payout's outcome", () => {
  it.effect("a payout without a reply is queried at 2, 6, 14, 30 and 62 s and each minute after", () =>
    onStore(
      Effect.gen(function* () {
        const { bank, shop, id } = yield* openPayout({ send: () => Effect.never })
        yield* pass(242_000)

        assert.strictEqual(bank.sent.length, 1)
        assert.deepStrictEqual(secondsOf(bank.askedAtMillis), [2, 6, 14, 30, 62, 122, 182, 242])
        assert.strictEqual(yield* statusNow(id), "processing")
        assert.deepStrictEqual(yield* balanceNow(shop.live), unpaid)
      }),
    ),
  )

  for (const [what, query, seconds] of [
    ["at the same intervals when the bank is away", () => Effect.fail(away), [2, 6, 14, 30, 62, 122, 182]],
    // Each query times out before the next is made.
    ["one query at a time when the bank never answers", () => Effect.never, [2, 26, 74, 154]],
  ] as const) {
    it.effect(`an unknown payout is queried ${what}, and does not fail`, () =>
      onStore(
        Effect.gen(function* () {
          const { bank, shop, id } = yield* openPayout({ send: () => Effect.fail(away), query })
          yield* pass(182_000)

          assert.deepStrictEqual(secondsOf(bank.askedAtMillis), [...seconds])
          assert.strictEqual(bank.sent.length, 1)
          assert.strictEqual(yield* statusNow(id), "processing")
          assert.deepStrictEqual(yield* balanceNow(shop.live), unpaid)
        }),
      ),
    )
  }

  it.effect("a bank that never answers holds up no other command of the seller", () =>
    onStore(
      Effect.gen(function* () {
        const { shop, process } = yield* openPayout({ send: () => Effect.never, query: () => Effect.never })
        yield* pass(3_000)

        assert.strictEqual((yield* requestCharge(process, shop.live)).kind, "answered")
      }),
    ),
  )
})
