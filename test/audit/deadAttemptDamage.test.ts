import { Effect } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { encodeTime, timeOfId } from "../../schema/ids.ts"
import { repairAll } from "../../src/audit/repair.ts"
import * as keys from "../../src/store/keys.ts"
import { RedisClient } from "../../src/store/redis/redisClient.ts"
import { claimOne, dead, failedForGood, record } from "../conformance/attempts.ts"
import { openEndpoint } from "../conformance/fixtures.ts"
import { type AuditStage, startAuditStage } from "./auditStage.ts"
import { liveCharge } from "./healthyShop.ts"

let stage: AuditStage
let endpointId = ""
beforeAll(async () => {
  stage = await startAuditStage()
  endpointId = (await stage.runtime.runPromise(openEndpoint(stage.shop.owner))).id
})
afterAll(() => stage.stop())

/** A new attempt of the owner's endpoint, the last of its delivery. */
const anAttempt = (outcome = dead) =>
  stage.runtime.runPromise(
    Effect.gen(function* () {
      yield* liveCharge(stage.shop.owner, [{ kind: "expired" }])
      return yield* record(yield* claimOne(endpointId), outcome)
    }),
  )

const listKey = (mode = stage.shop.owner.mode) =>
  keys.deadAttemptsKey(keys.tagOf(stage.shop.owner.sellerId), mode)
const repair = () => stage.runtime.runPromise(Effect.flatMap(RedisClient, repairAll))

/** Damages, which an audit must find at the list; returns what a repair mends, after which an audit passes. */
const mended = async (damage: () => Promise<unknown>, list = listKey()) => {
  await damage()
  expect(await stage.difference()).toMatchObject({ check: "delivery", key: list })
  const { indexes } = await repair()
  await stage.verify()
  expect((await repair()).indexes).toEqual([])
  return indexes
}

/** The same id, as if it had been made at another time. */
const madeAt = (id: string, millis: number): string => `whd_${encodeTime(millis)}${id.slice(14)}`

/** Takes an attempt out of Redis, and makes an older one of it. */
const makeOlder = async (id: string, millis: number): Promise<string> => {
  const older = madeAt(id, millis)
  const { sellerId, mode } = stage.shop.owner
  const ofSeller = keys.attemptsKey(sellerId, mode, { kind: "status", value: "dead" })
  await stage.redis.rename(keys.attemptKey(id), keys.attemptKey(older))
  for (const index of [ofSeller, listKey()]) {
    await stage.redis.zrem(index, id)
    await stage.redis.zadd(index, 0, older)
  }
  return older
}

describe("operators' list of dead deliveries", () => {
  it("an audit finds a dead delivery that operators' list lacks, and a repair lists it", async () => {
    const id = await anAttempt()
    await stage.verify()
    expect(await mended(() => stage.redis.zrem(listKey(), id))).toEqual([`${listKey()} gains ${id}`])
  })

  it("an audit that goes on from a checkpoint finds a newer dead delivery that operators' list lacks", async () => {
    await stage.verify()
    const id = await anAttempt()
    const found = await stage.whileBroken([listKey()], () => stage.redis.zrem(listKey(), id), false)
    expect(found).toMatchObject({ check: "delivery", key: listKey(), expected: `${id} in it` })
  })

  it("an audit finds what operators' list has and no dead delivery is, and a repair takes it off", async () => {
    const [older, id, notDead] = [await anAttempt(), await anAttempt(), await anAttempt(failedForGood)]
    await makeOlder(older, timeOfId(older) - 6 * 3_600_000)
    const elsewhere = listKey(stage.shop.owner.mode === "live" ? "test" : "live")
    for (const [list, stranger] of [
      [listKey(), "~"],
      [listKey(), "whd_9"],
      [listKey(), notDead],
      [listKey(), madeAt(id, timeOfId(id) + 1)],
      [elsewhere, id],
    ] as const) {
      const changes = await mended(() => stage.redis.zadd(list, 0, stranger), list)
      expect(changes).toEqual([`${list} loses ${stranger}`])
    }
  })

  it("dead deliveries that retention is about to end are no difference while only one of the lists has them", async () => {
    const [first, second] = [await anAttempt(), await anAttempt()]
    const ended = await makeOlder(first, timeOfId(first) - 23 * 3_600_000)
    const ending = await makeOlder(second, timeOfId(second) - 22 * 3_600_000)
    await stage.redis.del(keys.attemptKey(ended))
    await stage.redis.pexpire(keys.attemptKey(ending), 3_600_000)
    await stage.redis.zrem(listKey(), ending)

    await stage.verify()
    expect((await repair()).indexes).toEqual([])
  })
})
