import { Effect } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { RefundStore } from "../../actors/ports/refundStore.ts"
import type { Principal } from "../../actors/values/principal.ts"
import { limits } from "../../schema/limits.ts"
import type { RefundStatus } from "../../schema/resources/refund.ts"
import { repairAll } from "../../src/audit/repair.ts"
import * as keys from "../../src/store/keys.ts"
import { RedisClient } from "../../src/store/redis/redisClient.ts"
import { openShop } from "../conformance/fixtures.ts"
import { type AuditStage, startAuditStage } from "./auditStage.ts"
import { liveCharge, unknownId } from "./healthyShop.ts"
import { liveRefund } from "./liveRefunds.ts"

let stage: AuditStage
let seller: { readonly live: Principal; readonly test: Principal }
let list = ""
beforeAll(async () => {
  stage = await startAuditStage()
  seller = await stage.runtime.runPromise(openShop({ kycStatus: "approved" }))
  list = keys.stuckRefundsKey(keys.tagOf(seller.live.sellerId))
})
afterAll(() => stage.stop())

const aRefund = (states: ReadonlyArray<RefundStatus>, owner = seller.live) =>
  stage.runtime.runPromise(
    Effect.gen(function* () {
      const charge = yield* liveCharge(owner, [{ kind: "paid", reserveBps: 0 }])
      return yield* liveRefund(owner, charge, 500, states)
    }),
  )

/** A live refund that is processing, and noted to be for long. */
const aStuckRefund = async () => {
  const id = await aRefund(["processing"])
  await stage.runtime.runPromise(
    Effect.gen(function* () {
      const store = yield* RefundStore
      const refund = yield* store.load(id)
      if (refund === undefined) return yield* Effect.die(new Error(`no refund ${id}`))
      yield* store.noteStuck(refund, 1)
    }),
  )
  return id
}

/** A seller of another partition. */
const openElsewhere = async (): Promise<Principal> => {
  const { live } = await stage.runtime.runPromise(openShop({ kycStatus: "approved" }))
  return keys.tagOf(live.sellerId) === keys.tagOf(seller.live.sellerId) ? openElsewhere() : live
}

const repair = () => stage.runtime.runPromise(Effect.flatMap(RedisClient, repairAll))

describe("the list of stuck refunds", () => {
  it("an audit takes a live refund that is processing for stuck, and a repair leaves it", async () => {
    const id = await aStuckRefund()
    await stage.verify()
    expect((await repair()).indexes).toEqual([])
    expect(await stage.redis.zscore(list, id)).toBe("1")
  })

  it("an audit finds what is no live refund that is processing, and a repair takes it off", async () => {
    const stuck = await aStuckRefund()
    const strangers = [
      "~",
      unknownId("rfd_", stuck),
      await aRefund(["processing", "succeeded"]),
      await aRefund([]),
      await aRefund(["processing"], seller.test),
      await aRefund(["processing"], await openElsewhere()),
    ]
    for (const stranger of strangers) {
      await stage.redis.zadd(list, 2, stranger)
      for (const isFull of [false, true]) {
        expect(await stage.difference(isFull)).toMatchObject({ check: "refund", key: list, found: stranger })
      }
      expect((await repair()).indexes).toEqual([`${list} loses ${stranger}`])
      await stage.verify()
    }
    expect(await stage.redis.zscore(list, stuck)).toBe("1")
  })

  it("a repair reads a list of more than a page to its end", async () => {
    const strangers = Array.from({ length: 2 * limits.auditPageIds + 1 }, (_, place) => `rfd_${place}`)
    await stage.redis.zadd(list, ...strangers.flatMap((stranger, place) => [place, stranger]))
    expect((await repair()).indexes.length).toBe(strangers.length)
    await stage.verify()
  })
})
