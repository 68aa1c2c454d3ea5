import { Effect } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { repairAll } from "../../src/audit/repair.ts"
import * as keys from "../../src/store/keys.ts"
import { RedisClient } from "../../src/store/redis/redisClient.ts"
import { type AuditStage, startAuditStage } from "./auditStage.ts"
import { liveCharge, livePaymentLink } from "./healthyShop.ts"

let stage: AuditStage
/** A link with two payments, one of them late, a pending charge and a failed one. */
let linkId: string

const openLink = Effect.gen(function* () {
  const { owner } = stage.shop
  const id = yield* livePaymentLink(owner)
  const paid = { kind: "paid", reserveBps: 0 } as const
  yield* liveCharge(owner, [paid, { kind: "refund", amount: 300 }], undefined, id)
  yield* liveCharge(owner, [{ kind: "expired" }, paid], undefined, id)
  yield* liveCharge(owner, [], undefined, id)
  yield* liveCharge(owner, [{ kind: "failed" }], undefined, id)
  return id
})

beforeAll(async () => {
  stage = await startAuditStage()
  linkId = await stage.runtime.runPromise(openLink)
})
afterAll(() => stage.stop())

const repair = () => stage.runtime.runPromise(Effect.flatMap(RedisClient, repairAll))
const key = () => keys.paymentLinkKey(linkId)
const counts = () => stage.redis.hmget(key(), "payments", "paid_amount", "pending")

describe("what a payment link counts", () => {
  it("an audit passes what its charges add up to", async () => {
    expect(await counts()).toEqual(["2", "20000", "1"])
    await stage.verify()
    expect((await repair()).counters).toEqual([])
  })

  it.each([
    ["payment too many", "payments"],
    ["centavo too many", "paid_amount"],
    ["pending charge too many", "pending"],
  ])("an audit finds a %s, and a repair sets it", async (_, field) => {
    const before = await counts()
    await stage.redis.hincrby(key(), field, 1)
    expect(await stage.difference()).toMatchObject({ check: "payment_link", key: key() })
    expect((await repair()).counters).toEqual([expect.stringContaining(key())])
    expect(await counts()).toEqual(before)
    await stage.verify()
    expect((await repair()).counters).toEqual([])
  })

  it("an audit finds a charge that the index does not have of its link, and a repair adds it", async () => {
    const index = keys.lookupKey(stage.shop.owner)
    const [member = ""] = await stage.redis.zrangebylex(index, `[${linkId} `, `(${linkId}!`)
    await stage.redis.zrem(index, member)
    expect(await stage.difference()).toMatchObject({ check: "lookup", key: index })
    expect(await repair()).toMatchObject({ counters: [], indexes: [`${index} gains ${member}`] })
    await stage.verify()
  })
})
