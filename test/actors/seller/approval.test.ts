import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { StoredSeller } from "../../../actors/ports/sellerStore.ts"
import { limits } from "../../../schema/limits.ts"
import { MemoryStore } from "../../model/state.ts"
import { startProcess } from "../support/process.ts"
import { withdraw, withdrawalNow } from "../support/purse.ts"
import { pass } from "../support/settle.ts"
import { openShop, timersOf } from "../support/shop.ts"
import { onStore, StoreFaults, startMillis } from "../support/store.ts"

const delayMillis = 3_000

/** Changes a seller as another process would. */
const change = (sellerId: string, changes: Partial<StoredSeller>) =>
  Effect.map(MemoryStore, ({ sellers }) => {
    const record = sellers.get(sellerId)
    if (record === undefined) return assert.fail("no seller")
    record.seller = { ...record.seller, ...changes, version: record.seller.version + 1 }
  })

const start = Effect.gen(function* () {
  const shop = yield* openShop()
  const process = yield* startProcess({ simulator: { delayMillis } })
  return { shop, process }
})

describe("the checks of an approval", () => {
  for (const [what, changes, reason] of [
    ["suspended", { status: "suspended" }, "seller_not_allowed"],
    ["locked by operators", { payoutLockedUntilMillis: startMillis + 60_000 }, "payout_locked"],
    ["locked after a recovery", { recoveryLockedUntilMillis: startMillis + 60_000 }, "payout_locked"],
  ] as const) {
    it.effect(`a withdrawal whose seller is ${what} can be rejected but not approved`, () =>
      onStore(
        Effect.gen(function* () {
          const { shop, process } = yield* start
          const { id } = yield* withdraw(process, shop.test)
          yield* change(shop.sellerId, changes)
          const refused = yield* Effect.flip(process.commands.decideWithdrawal(id, "approve", undefined))
          assert.deepInclude(refused, { code: "invalid_state" })
          assert.propertyVal("details" in refused ? (refused.details ?? {}) : {}, "reason", reason)
          assert.strictEqual((yield* withdrawalNow(id)).status, "awaiting")
          const rejected = yield* process.commands.decideWithdrawal(id, "reject", undefined)
          assert.strictEqual(rejected.status, "rejected")
        }),
      ),
    )
  }

  it.effect("an approval needs an approved identification in live, but not in test", () =>
    onStore(
      Effect.gen(function* () {
        const { shop, process } = yield* start
        const live = yield* withdraw(process, shop.live)
        const test = yield* withdraw(process, shop.test)
        yield* change(shop.sellerId, { kycStatus: "rejected" })
        const refused = yield* Effect.flip(process.commands.decideWithdrawal(live.id, "approve", undefined))
        assert.deepInclude(refused, { code: "invalid_state", details: { reason: "kyc_required" } })
        const approved = yield* process.commands.decideWithdrawal(test.id, "approve", undefined)
        assert.strictEqual(approved.status, "approved")
      }),
    ),
  )

  it.effect("a withdrawal can be approved from the millisecond at which its seller's lock ends", () =>
    onStore(
      Effect.gen(function* () {
        const { shop, process } = yield* start
        const { id } = yield* withdraw(process, shop.live)
        yield* change(shop.sellerId, { payoutLockedUntilMillis: startMillis + 1_000 })
        yield* pass(999)
        yield* Effect.flip(process.commands.decideWithdrawal(id, "approve", undefined))
        yield* pass(1)
        const approved = yield* process.commands.decideWithdrawal(id, "approve", undefined)
        assert.strictEqual(approved.status, "approved")
      }),
    ),
  )

  it.effect("a withdrawal is not approved when its seller is suspended between check and commit", () =>
    onStore(
      Effect.gen(function* () {
        const { shop, process } = yield* start
        const { id } = yield* withdraw(process, shop.live)
        const faults = yield* StoreFaults
        faults.delaysMillis.set("transitionWithdrawal", 100)
        const deciding = yield* Effect.forkChild(
          Effect.flip(process.commands.decideWithdrawal(id, "approve", undefined)),
        )
        yield* pass(50)
        yield* change(shop.sellerId, { status: "suspended" })
        yield* pass(100)
        const exit = deciding.pollUnsafe()
        if (exit?._tag !== "Success") return assert.fail("it was not refused")
        assert.deepInclude(exit.value, { code: "invalid_state" })
        assert.strictEqual((yield* withdrawalNow(id)).status, "awaiting")
      }),
    ),
  )

  it.effect("the simulated operator tries again until the withdrawal's seller is no longer suspended", () =>
    onStore(
      Effect.gen(function* () {
        const { shop, process } = yield* start
        const { id } = yield* withdraw(process, shop.test)
        yield* change(shop.sellerId, { status: "suspended" })
        yield* pass(delayMillis)
        assert.strictEqual((yield* withdrawalNow(id)).status, "awaiting")
        assert.deepStrictEqual(yield* timersOf(id), ["decide"])
        yield* change(shop.sellerId, { status: "active" })
        yield* pass(limits.payoutPollMillisMax)
        assert.notStrictEqual((yield* withdrawalNow(id)).status, "awaiting")
      }),
    ),
  )
})
