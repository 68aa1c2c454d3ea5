import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Acquirer } from "../../../actors/ports/acquirer.ts"
import { limits } from "../../../schema/limits.ts"
import { MemoryStore } from "../../model/state.ts"
import { noNews } from "../support/acquirer.ts"
import { makeBank, paid, processing } from "../support/bank.ts"
import { automatic } from "../support/payout.ts"
import { startProcess } from "../support/process.ts"
import { balanceNow, withdraw, withdrawalNow } from "../support/purse.ts"
import { pass, settle } from "../support/settle.ts"
import { chargeNow, createCharge, eventTypesOf, openShop, timersOf } from "../support/shop.ts"
import { onStore } from "../support/store.ts"

/** An acquirer account that records its calls; payouts stay `processing` there. */
const openAccount = (account: string) => {
  const calls: Array<string> = []
  const called = (operation: string) =>
    Effect.sync(() => {
      calls.push(operation)
    })
  const bank = makeBank({ query: () => Effect.succeed(processing) })
  const acquirer: Acquirer = {
    ...bank.acquirer,
    account,
    createCharge: ({ txid }) => Effect.succeed({ location: `pix.example/${txid}`, askAfterMillis: 1_000 }),
    queryCharge: () => Effect.as(called("query"), { ...noNews, askAfterMillis: 60_000 }),
    cancelCharge: () => Effect.as(called("cancel"), "removed"),
  }
  return { acquirer, calls, bank }
}

const statusOf = (id: string) => Effect.map(withdrawalNow(id), ({ status }) => status)
const expiring = { body: { pix: { expires_in_seconds: 10 } } }
const waited = 10_000 + 3 * limits.otherAccountWaitMillis

describe("a charge of another acquirer account than the configured one", () => {
  it.effect("a charge of another account is left alone until its own account is configured again", () =>
    onStore(
      Effect.gen(function* () {
        const [own, other] = [openAccount("elsewhere:1"), openAccount("elsewhere:2")]
        const shop = yield* openShop()
        const first = yield* startProcess({ acquirer: own.acquirer })
        const { id } = yield* createCharge(first, shop.live, expiring)
        yield* settle
        yield* first.kill
        const second = yield* startProcess({ acquirer: other.acquirer })
        yield* pass(waited)

        assert.deepStrictEqual(other.calls, [])
        assert.strictEqual((yield* chargeNow(id)).status, "pending")
        assert.deepStrictEqual(yield* timersOf(id), ["ask", "expire"])
        const noticed = { endToEndId: "E1", refundId: undefined }
        const answer = yield* second.commands.reconcileCharge(id, noticed)
        assert.strictEqual(answer.kind, "unavailable")
        assert.deepStrictEqual(other.calls, [])

        yield* second.kill
        yield* startProcess({ acquirer: own.acquirer })
        yield* pass(limits.otherAccountWaitMillis)
        assert.include(own.calls, "cancel")
        assert.deepStrictEqual(yield* eventTypesOf(shop.live, id), [
          "transaction.created",
          "transaction.exception",
          "transaction.expired",
        ])
      }),
    ),
  )

  it.effect("a live charge of the simulator does not expire at another account; a test charge does", () =>
    onStore(
      Effect.gen(function* () {
        const other = openAccount("elsewhere:1")
        const shop = yield* openShop()
        const first = yield* startProcess()
        const { id } = yield* createCharge(first, shop.live, { body: { ...expiring.body, amount: 101 } })
        const inTest = yield* createCharge(first, shop.test, { body: { ...expiring.body, amount: 101 } })
        yield* first.kill
        yield* startProcess({ acquirer: other.acquirer })
        yield* pass(10_000)

        assert.strictEqual((yield* chargeNow(id)).status, "pending")
        // Test mode has no acquirer account.
        assert.strictEqual((yield* chargeNow(inTest.id)).status, "expired")
      }),
    ),
  )

  it.effect("a charge without a stored account counts as one of the configured account", () =>
    onStore(
      Effect.gen(function* () {
        const [own, other] = [openAccount("elsewhere:1"), openAccount("elsewhere:2")]
        const { transactions } = yield* MemoryStore
        const shop = yield* openShop()
        const first = yield* startProcess({ acquirer: own.acquirer })
        const { id } = yield* createCharge(first, shop.live, expiring)
        yield* first.kill
        const stored = transactions.get(id)
        assert.isDefined(stored)
        assert.strictEqual(stored.account, "elsewhere:1")
        const { account: _, ...old } = stored
        transactions.set(id, old)
        yield* startProcess({ acquirer: other.acquirer })
        yield* pass(10_000)

        assert.include(other.calls, "cancel")
        assert.strictEqual((yield* chargeNow(id)).status, "expired")
      }),
    ),
  )
})

describe("a withdrawal of another acquirer account than the configured one", () => {
  it.effect("a withdrawal of another account stays held and is sent once its own account is back", () =>
    onStore(
      Effect.gen(function* () {
        const [own, other] = [openAccount("elsewhere:1"), openAccount("elsewhere:2")]
        const shop = yield* openShop()
        const first = yield* startProcess({ acquirer: own.acquirer })
        const { id } = yield* withdraw(first, shop.live)
        yield* first.kill
        const second = yield* startProcess({ acquirer: other.acquirer })
        yield* second.commands.decideWithdrawal(id, "approve", undefined)
        yield* pass(waited)

        assert.deepStrictEqual(other.bank.sent, [])
        assert.strictEqual(yield* statusOf(id), "approved")
        assert.strictEqual((yield* balanceNow(shop.live)).pendingWithdraw, 1_100)
        assert.deepStrictEqual(yield* timersOf(id), ["pay"])
        yield* second.kill
        yield* startProcess({ acquirer: own.acquirer })
        yield* pass(limits.otherAccountWaitMillis)
        assert.strictEqual(own.bank.sent.length, 1)
      }),
    ),
  )

  it.effect("a payout sent by another account is neither queried nor sent until that account is back", () =>
    onStore(
      Effect.gen(function* () {
        const [own, other] = [openAccount("elsewhere:1"), openAccount("elsewhere:2")]
        const shop = yield* openShop(automatic)
        const first = yield* startProcess({ acquirer: own.acquirer })
        const { id } = yield* withdraw(first, shop.live)
        yield* settle
        yield* first.kill
        const second = yield* startProcess({ acquirer: other.acquirer })
        yield* pass(waited)

        assert.strictEqual((yield* second.commands.reconcilePayout(id)).kind, "unavailable")
        assert.deepStrictEqual([other.bank.sent, other.bank.askedAtMillis], [[], []])
        assert.strictEqual(yield* statusOf(id), "processing")
        yield* second.kill
        const again = makeBank({ query: () => Effect.succeed(paid) })
        yield* startProcess({ acquirer: { ...again.acquirer, account: "elsewhere:1" } })
        yield* pass(limits.otherAccountWaitMillis)
        assert.strictEqual(yield* statusOf(id), "successful")
      }),
    ),
  )
})
