import { Effect } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { mendSeams } from "../../src/audit/restoredSeams.ts"
import * as keys from "../../src/store/keys.ts"
import { RedisClient } from "../../src/store/redis/redisClient.ts"
import { type AuditStage, startAuditStage } from "./auditStage.ts"
import { account, creditedPix, openClaims } from "./claimedPix.ts"

let stage: AuditStage
let claimed: Effect.Success<typeof openClaims>
beforeAll(async () => {
  stage = await startAuditStage()
  claimed = await stage.runtime.runPromise(openClaims)
})
afterAll(() => stage?.stop())

const mend = () => stage.runtime.runPromise(Effect.flatMap(RedisClient, mendSeams))
const nothing = {
  ...{ accounts_swept_again: 0, days_reopened: 0, pix_claims_added: 0, pix_claims_removed: 0 },
  ...{ users_without_seller_count: 0, users_without_seller: [] },
}

/** A user and the key of its hash. */
const user = {
  id: "00000000-0000-4000-8000-000000000007",
  key: keys.userKey("00000000-0000-4000-8000-000000000007"),
}

describe("the seams of a restore", () => {
  it("where nothing is torn, nothing changes", async () => {
    expect(await mend()).toMatchObject(nothing)
    await stage.verify()
  })

  it("claims of a charge and of a credited exception are made again, and one whose holder is gone is removed", async () => {
    const { redis } = stage
    const lost = "E00000000202611211200LOST00000000"
    await redis.hdel(keys.pixClaimsKey(account, claimed.chargePix), claimed.chargePix)
    await redis.hdel(keys.pixClaimsKey(account, creditedPix), creditedPix)
    await redis.hset(keys.pixClaimsKey(account, lost), lost, `txn_${claimed.chargeId.slice(4, -4)}zzzz`)
    // Whichever partition is audited first.
    expect(["pix_claim", "exception"]).toContain((await stage.difference()).check)

    expect(await mend()).toMatchObject({ ...nothing, pix_claims_added: 2, pix_claims_removed: 1 })
    await stage.verify()
    expect(await redis.hget(keys.pixClaimsKey(account, creditedPix), creditedPix)).toBe(claimed.exceptionId)
    expect(await redis.hget(keys.pixClaimsKey(account, lost), lost)).toBeNull()
  })

  it("a claim that another has is left to whoever audits", async () => {
    const { redis } = stage
    const key = keys.pixClaimsKey(account, claimed.chargePix)
    await stage.restoring(
      [key],
      () => redis.hset(key, claimed.chargePix, claimed.exceptionId),
      async () => {
        expect(await mend()).toMatchObject(nothing)
        expect(await redis.hget(key, claimed.chargePix)).toBe(claimed.exceptionId)
      },
    )
  })

  it("the next sweep of each account is a long one", async () => {
    const { redis } = stage
    const key = keys.sweepKey(account)
    const touched = [key, keys.sweepAccountsKey]
    const sweep = async () => {
      await redis.sadd(keys.sweepAccountsKey, account)
      await redis.hset(key, { began: 5, completed_to: 5, long_began: 5 })
    }
    await stage.restoring(touched, sweep, async () => {
      expect(await mend()).toMatchObject({ ...nothing, accounts_swept_again: 1 })
      expect(await redis.hgetall(key)).toEqual({ began: "5", completed_to: "5" })
    })
  })

  it("a closed day that a partition lacks is closed again, and no earlier one", async () => {
    const { redis } = stage
    const partition = keys.partitionOf(stage.shop.owner.sellerId)
    const [closings, state] = [keys.closingsKey("live"), keys.closingStateKey(partition)]
    const fields = ["movements", "{}", "closing", "{}", "partner", "", "created_at", "1"] as const
    const close = async (partitionsLast: string) => {
      await redis.del(closings)
      for (const day of ["20261119-0", "20261120-0", "20261121-0"]) await redis.xadd(closings, day, ...fields)
      await redis.hset(state, "live", partitionsLast)
    }
    const days = async () => (await redis.xrange(closings, "-", "+")).map(([entry]) => entry)
    await stage.restoring(
      [closings, state],
      () => close("2026-11-20"),
      async () => {
        expect(await mend()).toMatchObject({ ...nothing, days_reopened: 1 })
        expect(await days()).toEqual(["20261119-0", "20261120-0"])
        await redis.xadd(closings, "20261121-0", ...fields)
        // Of partitions that are no longer used.
        for (const last of ["2026-11-21", "2026-11-19"]) {
          await close(last)
          expect(await mend()).toMatchObject(nothing)
          expect(await days()).toHaveLength(3)
        }
      },
    )
  })

  it("a user without its seller and a seller without its user are named", async () => {
    const { redis } = stage
    const sellerId = stage.shop.owner.sellerId
    const seller = keys.sellerKey(sellerId)
    const before = (await mend()).sellers_without_user
    await stage.restoring(
      [user.key],
      () => redis.hset(user.key, "seller_id", sellerId),
      async () => {
        expect(await mend()).toMatchObject(nothing)
      },
    )
    const lost = `sel_${sellerId.slice(4, -4)}zzzz`
    await stage.restoring(
      [user.key],
      () => redis.hset(user.key, "seller_id", lost),
      async () => {
        expect(await mend()).toMatchObject({ users_without_seller_count: 1, users_without_seller: [user.id] })
      },
    )
    await stage.restoring(
      [seller],
      () => redis.hset(seller, "user", user.id),
      async () => {
        expect((await mend()).sellers_without_user.toSorted()).toEqual(
          [...new Set([...before, sellerId])].toSorted(),
        )
      },
    )
  })
})
