import { describe, expect, it } from "vitest"
import { limits } from "../../schema/limits.ts"
import { ReplicaWatch } from "../../src/store/redis/replicaWatch.ts"

const line = (number: number, lagSeconds = 0, state = "online") =>
  `slave${number}:ip=127.0.0.1,port=${7_000 + number},state=${state},offset=10,lag=${lagSeconds}`

const info = (...lines: ReadonlyArray<string>) =>
  [
    "# Replication",
    "role:master",
    `connected_slaves:${lines.length}`,
    ...lines,
    "master_replid:abc",
    "",
  ].join("\r\n")

describe("watching replicas", () => {
  it("counts those that follow without a delay", () => {
    const watch = new ReplicaWatch()
    expect(watch.count).toBe(0)
    const lag = limits.replicaLagSecondsMax
    watch.see(info(line(0), line(1, lag), line(2, lag + 1), line(3, 0, "wait_bgsave")), 0)
    expect(watch.count).toBe(2)
    expect(watch.isInDoubt(0)).toBe(false)
  })

  it("doubts the primary from when a replica has left until news of a promotion must have come", () => {
    const watch = new ReplicaWatch()
    watch.see(info(line(0), line(1)), 0)
    watch.see(info(line(0)), 1_000)
    watch.see(info(line(0)), 3_000)
    expect(watch.count).toBe(1)
    expect(watch.isInDoubt(1_000 + limits.promotionNewsMillisMax - 1)).toBe(true)
    expect(watch.isInDoubt(1_000 + limits.promotionNewsMillisMax)).toBe(false)
  })

  it("doubts it no longer once the replica follows again, or another primary is watched", () => {
    const returned = new ReplicaWatch()
    returned.see(info(line(0), line(1)), 0)
    returned.see(info(line(0), line(1, limits.replicaLagSecondsMax + 1)), 10)
    expect(returned.isInDoubt(10)).toBe(true)
    returned.see(info(line(0), line(1)), 20)
    expect(returned.isInDoubt(20)).toBe(false)

    const other = new ReplicaWatch()
    other.see(info(line(0)), 0)
    other.see(info(), 10)
    other.forget()
    expect([other.isInDoubt(10), other.count]).toEqual([false, 0])
  })
})
