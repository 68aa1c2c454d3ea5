import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect } from "effect"
import { BulkStore, type StoredBulk } from "../../../actors/ports/bulkStore.ts"
import { MemberStore, type TeamChange } from "../../../actors/ports/memberStore.ts"
import { createRefund } from "../../../actors/seller/operations/createRefund.ts"
import type { StoredMember } from "../../../actors/values/membership.ts"
import { sessionPrincipal } from "../../../actors/values/principal.ts"
import { limits } from "../../../schema/limits.ts"
import { identifiers, type Process, startProcess } from "../support/process.ts"
import { withdraw, withdrawalNow } from "../support/purse.ts"
import { paidCharge, refund, refundsOf } from "../support/refunds.ts"
import { down, makeReceivers } from "../support/scriptedSender.ts"
import { pass, settle } from "../support/settle.ts"
import { attemptsOf, createCharge, openEndpoint, openShop, type Shop, timersOf } from "../support/shop.ts"
import { onStore, StoreFaults } from "../support/store.ts"

let count = 0
const userId = "6c0f1f0e-7a1b-4f0e-9a43-1d2b3c4d5e6f"

/** Makes a bulk act of test mode, as the HTTP front end does, and returns its id. */
const makeBulk = (
  shop: Shop,
  act: StoredBulk["act"],
  ids: ReadonlyArray<string>,
  by: Pick<StoredBulk, "userId" | "memberId"> = { userId },
) =>
  Effect.gen(function* () {
    const nowMillis = yield* Clock.currentTimeMillis
    const owner = sessionPrincipal(shop.sellerId, "test", userId)
    const bulk: StoredBulk = {
      ...{
        id: identifiers.id("blk_", 0, nowMillis),
        sellerId: shop.sellerId,
        mode: "test",
        ...by,
        act,
        ids,
      },
      by: { actor: { type: "user", id: userId, name: "Ana" }, ipAddress: undefined, keptMillis: 1_000 },
      ...{ reason: "over", done: 0, failed: [], createdAt: new Date(nowMillis).toISOString() },
    }
    const scope = { route: "bulk", key: `key-${++count}`, fingerprint: "f", executionId: `e-${count}` }
    const answer = yield* (yield* BulkStore).create(owner, scope, bulk, "{}")
    assert.strictEqual(answer.kind, "created")
    return bulk.id
  })

/** Writes a change of a shop's team. */
const changeTeam = (shop: Shop, change: Pick<TeamChange, "written" | "removed">) =>
  Effect.gen(function* () {
    const members = yield* MemberStore
    const team = yield* members.load(shop.sellerId)
    assert.isDefined(team)
    yield* members.change({ team, operation: `o-${++count}`, ...change })
    return team
  })

/** Makes a user a member of a shop's team. */
const join = (shop: Shop, member: Pick<StoredMember, "role" | "refundLimit">) =>
  Effect.gen(function* () {
    const id = identifiers.id("mem_", 0, yield* Clock.currentTimeMillis)
    const joined = { id, userId: `user of ${id}`, createdAt: "2026-11-21T12:00:00.000Z", ...member }
    yield* changeTeam(shop, { written: [joined], removed: [] })
    return { userId: joined.userId, memberId: id }
  })

/** Removes all members of a shop's team. */
const leave = (shop: Shop) =>
  Effect.gen(function* () {
    const team = yield* Effect.flatMap(MemberStore, (members) => members.load(shop.sellerId))
    yield* changeTeam(shop, { written: [], removed: team?.members.map(({ id }) => id) ?? [] })
  })

const bulkNow = (id: string) =>
  Effect.gen(function* () {
    const { ids, done, failed } =
      (yield* (yield* BulkStore).load(id)) ?? (yield* Effect.die(new Error(`no ${id}`)))
    return { rows: ids.length, done, failed }
  })

/** Makes the record of progress fail while a bulk act begins, then kills the process. */
const killedBeforeTheRecord = <E, R>(process: Process, begin: Effect.Effect<string, E, R>) =>
  Effect.gen(function* () {
    const faults = yield* StoreFaults
    faults.away.add("advanceBulk")
    const id = yield* begin
    yield* settle
    yield* process.kill
    faults.away.delete("advanceBulk")
    return id
  })

describe("a bulk act", () => {
  it.effect("each row is refunded by what is left of it, and those that cannot be say why", () =>
    onStore(
      Effect.gen(function* () {
        const process = yield* startProcess({ simulator: { delayMillis: 3_600_000 } })
        const shop = yield* openShop()
        const whole = yield* paidCharge(process, shop.test)
        const part = yield* paidCharge(process, shop.test)
        yield* refund(process, shop.test, part, { body: { amount: 400 } })
        const gone = yield* paidCharge(process, shop.test)
        yield* refund(process, shop.test, gone)
        const pending = (yield* createCharge(process, shop.test)).id
        const ofLive = yield* paidCharge(process, shop.live)
        const stranger = yield* paidCharge(process, (yield* openShop()).test)
        const ids = [whole, part, gone, pending, ofLive, stranger, "nothing at all"]
        const id = yield* makeBulk(shop, "refund", ids)
        yield* settle
        assert.deepStrictEqual(yield* bulkNow(id), {
          ...{ rows: 7, done: 7 },
          failed: [
            { id: gone, code: "invalid_state" },
            { id: pending, code: "invalid_state" },
            { id: ofLive, code: "resource_not_found" },
            { id: stranger, code: "resource_not_found" },
            { id: "nothing at all", code: "resource_not_found" },
          ],
        })
        const made = yield* refundsOf(shop.test, whole)
        assert.deepStrictEqual(
          made.map(({ amount, reason, origin }) => [amount, reason, origin]),
          [[1_000, "over", "seller"]],
        )
        assert.deepStrictEqual(
          (yield* refundsOf(shop.test, part)).map(({ amount }) => amount),
          [400, 600],
        )
        assert.deepStrictEqual(yield* timersOf(id), [])
      }),
    ),
  )

  it.effect("each row takes the role and the limit of whoever asked for it, as they are at that moment", () =>
    onStore(
      Effect.gen(function* () {
        const faults = yield* StoreFaults
        const process = yield* startProcess({ simulator: { delayMillis: 3_600_000 } })
        const shop = yield* openShop()
        const whole = yield* paidCharge(process, shop.test)
        const part = yield* paidCharge(process, shop.test)
        yield* refund(process, shop.test, part, { body: { amount: 1 } })
        const member = yield* join(shop, { role: "support", refundLimit: 999 })
        const limited = yield* makeBulk(shop, "refund", [whole, part], member)
        yield* settle
        const denied = (rowId: string) => ({ id: rowId, code: "permission_denied" as const })
        assert.deepStrictEqual(yield* bulkNow(limited), { rows: 2, done: 2, failed: [denied(whole)] })
        const resent = yield* makeBulk(shop, "resend", ["whd_1"], member)
        yield* settle
        assert.deepStrictEqual((yield* bulkNow(resent)).failed, [denied("whd_1")])

        faults.away.add("readRefundPreconditions")
        const late = yield* makeBulk(shop, "refund", [whole], yield* join(shop, { role: "finance" }))
        yield* settle
        faults.away.clear()
        yield* leave(shop)
        yield* pass(limits.bulkLeaseMillis)
        assert.deepStrictEqual(yield* bulkNow(late), { rows: 1, done: 1, failed: [denied(whole)] })
        assert.deepStrictEqual(yield* refundsOf(shop.test, whole), [])
      }),
    ),
  )

  it.effect("a process that dies before it records its rows leaves them done once", () =>
    onStore(
      Effect.gen(function* () {
        const first = yield* startProcess({ simulator: { delayMillis: 3_600_000 } })
        const shop = yield* openShop()
        const ids = yield* Effect.forEach(Array.from({ length: 9 }), () => paidCharge(first, shop.test))
        const id = yield* killedBeforeTheRecord(first, makeBulk(shop, "refund", ids))
        assert.strictEqual((yield* bulkNow(id)).done, 0)
        const counts = Effect.forEach(ids, (charge) =>
          Effect.map(refundsOf(shop.test, charge), ({ length }) => length),
        )
        const tried = (yield* counts).filter((made) => made === 1).length
        assert.strictEqual(tried, limits.bulkRowsAtOnce, "rows were refunded and not recorded")
        yield* startProcess({ simulator: { delayMillis: 3_600_000 } })
        yield* pass(limits.bulkLeaseMillis - 1)
        assert.strictEqual((yield* bulkNow(id)).done, 0, "its lease goes on")
        yield* pass(1)
        assert.deepStrictEqual(yield* bulkNow(id), { rows: 9, done: 9, failed: [] })
        assert.deepStrictEqual(
          yield* counts,
          Array.from({ length: 9 }, () => 1),
        )
      }),
    ),
  )

  it.effect("a withdrawal that was cancelled before the record counts as done, an earlier one does not", () =>
    onStore(
      Effect.gen(function* () {
        const first = yield* startProcess({ simulator: { delayMillis: 3_600_000 } })
        const shop = yield* openShop()
        const early = yield* withdraw(first, shop.test)
        yield* first.commands.decideWithdrawal(early.id, "cancel", undefined)
        yield* pass(1_000)
        const { id: open } = yield* withdraw(first, shop.test)
        const begin = makeBulk(shop, "cancel_withdrawal", [early.id, open])
        const id = yield* killedBeforeTheRecord(first, begin)
        assert.strictEqual((yield* withdrawalNow(open)).status, "cancelled")
        yield* startProcess()
        yield* pass(limits.bulkLeaseMillis)
        const failed = [{ id: early.id, code: "invalid_state" as const }]
        assert.deepStrictEqual(yield* bulkNow(id), { rows: 2, done: 2, failed })
      }),
    ),
  )

  it.effect("a delivery that was sent again before the record is not sent a third time", () =>
    onStore(
      Effect.gen(function* () {
        const receivers = makeReceivers()
        const options = { receivers, delaysMillis: [] }
        const first = yield* startProcess(options)
        const shop = yield* openShop()
        const endpoint = yield* openEndpoint(shop.test, ["transaction.paid"])
        receivers.script(endpoint.url, down)
        yield* paidCharge(first, shop.test)
        yield* settle
        const [dead] = yield* attemptsOf(shop.test)
        assert.strictEqual(dead?.status, "dead")
        const id = yield* killedBeforeTheRecord(first, makeBulk(shop, "resend", [dead?.id ?? ""]))
        assert.strictEqual(receivers.sentTo(endpoint.url).length, 2)
        yield* startProcess(options)
        yield* pass(limits.bulkLeaseMillis)
        assert.deepStrictEqual(yield* bulkNow(id), { rows: 1, done: 1, failed: [] })
        assert.strictEqual(receivers.sentTo(endpoint.url).length, 2)
      }),
    ),
  )

  it.effect("a row that breaks counts as failed, and one that the store does not answer is tried again", () =>
    onStore(
      Effect.gen(function* () {
        const faults = yield* StoreFaults
        const process = yield* startProcess({ simulator: { delayMillis: 3_600_000 } })
        const shop = yield* openShop()
        const charge = yield* paidCharge(process, shop.test)
        faults.away.add("readRefundPreconditions")
        const away = yield* makeBulk(shop, "refund", [charge])
        yield* settle
        assert.strictEqual((yield* bulkNow(away)).done, 0)
        faults.away.clear()
        yield* pass(limits.bulkLeaseMillis)
        assert.deepStrictEqual(yield* bulkNow(away), { rows: 1, done: 1, failed: [] })

        faults.broken.add("retry")
        const delivery = identifiers.id("whd_", 0, yield* Clock.currentTimeMillis)
        const broken = yield* makeBulk(shop, "resend", [delivery])
        yield* settle
        const failed = [{ id: delivery, code: "internal_error" as const }]
        assert.deepStrictEqual(yield* bulkNow(broken), { rows: 1, done: 1, failed })
      }),
    ),
  )

  it.effect("the seller's own refund of a charge that a bulk act has refunded is refused", () =>
    onStore(
      Effect.gen(function* () {
        const process = yield* startProcess({ simulator: { delayMillis: 3_600_000 } })
        const shop = yield* openShop()
        const transactionId = yield* paidCharge(process, shop.test)
        yield* makeBulk(shop, "refund", [transactionId])
        yield* settle
        const answer = yield* process.sellers.ask(createRefund, {
          ...{ principal: shop.test, transactionId, body: {}, origin: "seller", requestId: "req" },
          idempotency: { route: "refunds", key: "own", fingerprint: "f", executionId: "own" },
        })
        assert.deepInclude(answer, { kind: "answered", status: 409 })
      }),
    ),
  )
})
