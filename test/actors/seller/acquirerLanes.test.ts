import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Acquirer } from "../../../actors/ports/acquirer.ts"
import { limits } from "../../../schema/limits.ts"
import { makeBank, paid } from "../support/bank.ts"
import { automatic } from "../support/payout.ts"
import { startProcess } from "../support/process.ts"
import { withdraw, withdrawalNow } from "../support/purse.ts"
import { pass, settle } from "../support/settle.ts"
import { createCharge, openShop } from "../support/shop.ts"
import { onStore } from "../support/store.ts"

/** More charges than a seller may query at once, so that some timers and notices are refused. */
const chargesCount = limits.acquirerCallsPerSellerMax + 10

/** A shop whose queries of charges never return, at an acquirer that pays payouts at once. */
const openHangingShop = Effect.gen(function* () {
  const queries: Array<string> = []
  const bank = makeBank({ send: () => Effect.succeed(paid) })
  const acquirer: Acquirer = {
    ...bank.acquirer,
    createCharge: ({ txid }) => Effect.succeed({ location: `pix.example/${txid}`, askAfterMillis: 1_000 }),
    queryCharge: ({ txid }) =>
      Effect.suspend(() => {
        queries.push(txid)
        return Effect.never
      }),
  }
  const shop = yield* openShop(automatic)
  const process = yield* startProcess({ acquirer })
  const charges = yield* Effect.forEach(Array.from({ length: chargesCount }), () =>
    createCharge(process, shop.live),
  )
  return { bank, shop, process, charges, queries }
})

describe("a seller's charges that hang at the acquirer", () => {
  it.effect("charges whose timers hang at the acquirer hold up no payout", () =>
    onStore(
      Effect.gen(function* () {
        const { bank, shop, process, queries } = yield* openHangingShop
        yield* pass(1_000)
        assert.strictEqual(queries.length, limits.acquirerCallsPerSellerMax)
        const { id } = yield* withdraw(process, shop.live)
        yield* settle

        assert.strictEqual(bank.sent.length, 1)
        assert.strictEqual((yield* withdrawalNow(id)).status, "successful")
      }),
    ),
  )

  it.effect("charges whose notices hang at the acquirer hold up neither a payout nor its notice", () =>
    onStore(
      Effect.gen(function* () {
        const { bank, shop, process, charges } = yield* openHangingShop
        yield* Effect.forEach(charges, ({ id }) =>
          Effect.forkChild(process.commands.reconcileCharge(id, { endToEndId: "E1", refundId: undefined })),
        )
        yield* settle
        const { id } = yield* withdraw(process, shop.live)
        yield* settle

        assert.strictEqual(bank.sent.length, 1)
        assert.strictEqual((yield* process.commands.reconcilePayout(id)).kind, "settled")
      }),
    ),
  )

  it.effect("charges whose timers hang at the acquirer do not keep a notice from querying it", () =>
    onStore(
      Effect.gen(function* () {
        const { process, charges, queries } = yield* openHangingShop
        yield* pass(1_000)
        const [first] = charges
        assert.isDefined(first)
        yield* Effect.forkChild(
          process.commands.reconcileCharge(first.id, { endToEndId: "E1", refundId: undefined }),
        )
        yield* settle

        assert.strictEqual(queries.length, limits.acquirerCallsPerSellerMax + 1)
        assert.strictEqual(queries.at(-1), first.pix.txid)
      }),
    ),
  )
})
