import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { payoutIdOf } from "../../../schema/ids.ts"
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
const unpaid = { available: 0, reserve: 0, pendingWithdraw: 1_100 }
const isBack = { available: 1_100, reserve: 0, pendingWithdraw: 0 }
const isGone = { available: 0, reserve: 0, pendingWithdraw: 0 }

describe("a payout", () => {
  it.effect("is sent under the withdrawal's own id, with the key opened, after it is processing", () =>
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

  it.effect("is in the store as processing when the bank hears of it", () =>
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

  it.effect("whose reply is lost though it was paid ends successful once, and is sent once", () =>
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

  it.effect("that is refused fails at once, and all of it is back", () =>
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

  it.effect("that the bank says it did not pay fails with the bank's code", () =>
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

  it.effect("ends once where the reply comes after a poll has told of its end already", () =>
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

  it.effect("whose PIX key cannot be opened stays approved, and the bank is not called", () =>
    onStore(
      Effect.gen(function* () {
        const bank = makeBank({})
        const shop = yield* openShop(automatic)
        const process = yield* startProcess({ acquirer: bank.acquirer })
        const pixKeyId = yield* addPixKey(shop.live, { value: "enc:v1:of another key" })
        const { id } = yield* withdraw(process, shop.live, { body: { pix_key_id: pixKeyId } })
        yield* pass(3 * 60_000)

        assert.strictEqual(yield* statusNow(id), "approved")
        assert.deepStrictEqual(bank.sent, [])
        assert.deepStrictEqual(yield* timersOf(id), ["pay"])
      }),
    ),
  )
})

describe("a bank that does not say what became of a payout", () => {
  it.effect("is waited for so long, and then asked after 2 s, 6, 14, 30, 62 and each minute after", () =>
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
    ["in the same rhythm where it cannot be reached", () => Effect.fail(away), [2, 6, 14, 30, 62, 122, 182]],
    // Each question is waited for to its end before the next is asked.
    ["one question at a time where it never answers", () => Effect.never, [2, 26, 74, 154]],
  ] as const) {
    it.effect(`is asked ${what}: unknown is not failed`, () =>
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

  it.effect("holds up no other command of the seller meanwhile", () =>
    onStore(
      Effect.gen(function* () {
        const { shop, process } = yield* openPayout({ send: () => Effect.never, query: () => Effect.never })
        yield* pass(3_000)

        assert.strictEqual((yield* requestCharge(process, shop.live)).kind, "answered")
      }),
    ),
  )
})
