import { Effect } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { DeliveryQueue } from "../../actors/ports/deliveryQueue.ts"
import { EndpointStore } from "../../actors/ports/endpointStore.ts"
import { limits } from "../../schema/limits.ts"
import * as keys from "../../src/store/keys.ts"
import { type AuditStage, startAuditStage } from "../audit/auditStage.ts"
import { liveCharge } from "../audit/healthyShop.ts"
import { claimOne, dead, record, recordOf, succeeded } from "../conformance/attempts.ts"
import { openEndpoint, openShop } from "../conformance/fixtures.ts"

let stage: AuditStage
beforeAll(async () => {
  stage = await startAuditStage()
})
afterAll(() => stage.stop())

/** An endpoint of a seller of its own, and functions that attempt a delivery to it and read its counts. */
const open = async () => {
  const { live: owner } = await stage.runtime.runPromise(openShop())
  const endpoint = await stage.runtime.runPromise(openEndpoint(owner))
  const attempt = (outcome: typeof succeeded) =>
    stage.runtime.runPromise(
      Effect.gen(function* () {
        yield* liveCharge(owner, [{ kind: "expired" }])
        yield* record(yield* claimOne(endpoint.id), outcome)
      }),
    )
  const { sellerId, mode } = owner
  const counts = async () => {
    const scope = { feed: { sellerId, mode }, endpointId: endpoint.id }
    const stats = await stage.runtime.runPromise(Effect.flatMap(EndpointStore, (store) => store.stats(scope)))
    return [stats?.attempts, stats?.successes]
  }
  return { id: endpoint.id, owner, attempt, counts }
}

describe("an endpoint's statistics", () => {
  it("count its attempts of the last week, and not the hour before", async () => {
    const { id, attempt, counts } = await open()
    await attempt(succeeded)
    await attempt(dead)
    expect(await counts()).toEqual([2, 1])
    const count = async (hoursAgo: number) => {
      const hour = Math.floor(Date.now() / 3_600_000) - hoursAgo
      const place = `#${(hour % 24) * 58}`
      await stage.redis.call(
        "BITFIELD",
        keys.endpointSeriesKey(id, Math.floor(hour / 24)),
        "SET",
        "u24",
        place,
        7,
      )
    }
    await count(limits.endpointStatsHours)
    expect(await counts()).toEqual([9, 8])
    await count(limits.endpointStatsHours + 1)
    expect(await counts()).toEqual([9, 8])
  })
})

describe("the time of an endpoint's last success", () => {
  const precisionMillis = 1_000

  it("is written once a second at most, and at once after dead deliveries", async () => {
    const { id, attempt } = await open()
    const key = keys.destinationKey(id)
    const written = async (lastSuccessAt: number, deadStreak: number) => {
      await stage.redis.hset(key, { last_success_at: lastSuccessAt, dead_streak: deadStreak })
      await attempt(succeeded)
      const [at, streak] = await stage.redis.hmget(key, "last_success_at", "dead_streak")
      return { isWritten: at !== String(lastSuccessAt), streak }
    }
    // Ahead of the clock, so that it is no second ago however long the attempt takes.
    const soon = Date.now() + 60_000
    expect(await written(soon, 0)).toEqual({ isWritten: false, streak: "0" })
    expect(await written(soon, 3)).toEqual({ isWritten: true, streak: "0" })
    expect(await written(Date.now() - precisionMillis, 0)).toEqual({ isWritten: true, streak: "0" })
  })

  /** The answer to the last of a full row of dead deliveries, the last success being as long ago as the window and a bit more. */
  const lastStraw = async (moreMillis: number) => {
    const { id, owner } = await open()
    const disablingEvent = { type: "seller.webhook_endpoint_disabled", data: "{}" } as const
    const program = Effect.gen(function* () {
      yield* liveCharge(owner, [{ kind: "expired" }])
      const attempt = yield* recordOf(yield* claimOne(id), { ...dead, disablingEvent })
      const lastSuccessAt = Date.now() - limits.deadStreakWindowMillis - moreMillis
      const fields = { last_success_at: lastSuccessAt, dead_streak: limits.deadStreakMax - 1 }
      yield* Effect.promise(() => stage.redis.hset(keys.destinationKey(id), fields))
      const { kind } = yield* (yield* DeliveryQueue).record(attempt)
      const sinceSuccessMillis = Date.now() - lastSuccessAt
      return { kind, isWithin: sinceSuccessMillis < limits.deadStreakWindowMillis + precisionMillis }
    })
    return stage.runtime.runPromise(program)
  }

  it("never counts as earlier than it was: the endpoint is disabled once even a success that was not written is too old", async () => {
    let within = await lastStraw(1)
    // One that took too long says nothing.
    while (!within.isWithin) within = await lastStraw(1)
    expect(within.kind).toBe("recorded")
    expect((await lastStraw(precisionMillis)).kind).toBe("disabledEndpoint")
  })

  it("is written by the first success", async () => {
    const { id, attempt } = await open()
    await attempt(succeeded)
    expect(await stage.redis.hget(keys.destinationKey(id), "last_success_at")).toMatch(/^\d{13}$/)
  })
})
