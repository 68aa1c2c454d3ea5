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

/** What a server says that was promoted out of a history. */
const promotedFrom = (history: string) =>
  ["role:master", "master_replid:def", `master_replid2:${history}`, ""].join("\r\n")

const replica = ["role:slave", "master_replid:abc", "master_replid2:abc", ""].join("\r\n")

describe("watching replicas", () => {
  it("counts those that follow without a delay", () => {
    const watch = new ReplicaWatch()
    expect(watch.count).toBe(0)
    const lag = limits.replicaLagSecondsMax
    watch.see(info(line(0), line(1, lag), line(2, lag + 1), line(3, 0, "wait_bgsave")), 0)
    expect(watch.count).toBe(2)
    expect(watch.doubt(0)).toBeUndefined()
  })

  const left = () => {
    const watch = new ReplicaWatch()
    watch.see(info(line(0), line(1)), 0)
    watch.see(info(line(0)), 1_000)
    watch.see(info(line(0)), 3_000)
    return watch
  }
  const address = "127.0.0.1:7001"
  const news = 1_000 + limits.replicaLeftDoubtMillis

  it("doubts the primary from when a replica has left until that must have been promoted", () => {
    const watch = left()
    expect(watch.count).toBe(1)
    expect(watch.doubt(news - 1)).toMatch(/may be the new primary/)
    expect(watch.doubt(news)).toBeUndefined()
    watch.hear(address, replica)
    expect(watch.doubt(news - 1)).toMatch(/may be the new primary/)
    expect(watch.doubt(news)).toBeUndefined()
  })

  it("doubts it for as long as that replica says that it is a primary, as Sentinels may announce it later", () => {
    const watch = left()
    watch.hear(address, promotedFrom("abc"))
    expect(watch.doubt(news)).toBe(`${address} followed, and is a primary now`)
    // It is still one where it cannot be reached for a while.
    watch.hear(address, undefined)
    expect(watch.doubt(news)).toBe(`${address} followed, and is a primary now`)
    watch.hear(address, replica)
    expect(watch.doubt(news)).toBeUndefined()
    watch.hear(address, promotedFrom("abc"))
    watch.hear("127.0.0.1:7002", replica)
    watch.see(info(line(0), line(1)), news)
    expect(watch.doubt(news)).toBeUndefined()
  })

  it("asks a replica that left until it is too late for a failover, and believes it no longer", () => {
    const watch = left()
    expect(watch.toAsk(1_000 + limits.promotionNewsMillisMax - 1)).toEqual(new Set([address]))
    watch.hear(address, promotedFrom("abc"))
    expect(watch.toAsk(1_000 + limits.promotionNewsMillisMax)).toEqual(new Set())
    watch.hear(address, promotedFrom("abc"))
    expect(watch.doubt(1_000 + limits.promotionNewsMillisMax)).toBeUndefined()
  })

  it("doubts it no longer once the replica follows again, or another primary is watched", () => {
    const returned = new ReplicaWatch()
    returned.see(info(line(0), line(1)), 0)
    returned.see(info(line(0), line(1, limits.replicaLagSecondsMax + 1)), 10)
    expect(returned.doubt(10)).toBeDefined()
    returned.see(info(line(0), line(1)), 20)
    expect(returned.doubt(20)).toBeUndefined()

    const other = new ReplicaWatch()
    other.see(info(line(0)), 0)
    other.see(info(), 10)
    other.begin("def", info(line(3)), [], 10)
    expect([other.doubt(10), other.count, other.toAsk(10).size]).toEqual([undefined, 1, 0])
    other.begin(undefined, replica, [], 10)
    expect([other.doubt(10), other.count, other.toAsk(10).size]).toEqual([undefined, 0, 0])
  })

  const found = () => {
    const watch = new ReplicaWatch()
    watch.begin("abc", info(line(0)), ["127.0.0.1:7000", address], 1_000)
    return watch
  }

  it("asks the replicas that are known and do not follow when it comes, and waits for each until it answers or hangs", () => {
    const watch = found()
    expect(watch.toAsk(1_000)).toEqual(new Set([address]))
    expect(watch.isAsking(1_499, 500)).toBe(true)
    expect(watch.isAsking(1_500, 500)).toBe(false)
    expect(watch.doubt(1_499)).toBeUndefined()
    watch.hear(address, undefined)
    expect(watch.isAsking(1_100, 500)).toBe(false)
    expect(watch.doubt(1_100)).toBeUndefined()

    const all = new ReplicaWatch()
    all.begin("abc", info(line(0), line(1)), ["127.0.0.1:7000", address], 1_000)
    expect([all.isAsking(1_000, 500), all.toAsk(1_000).size]).toEqual([false, 0])
  })

  it("doubts the primary that it finds while a known replica has been promoted out of its history, and for no other primary", () => {
    const watch = found()
    watch.hear(address, promotedFrom("abc"))
    expect(watch.doubt(1_100)).toBe(`${address} followed, and is a primary now`)
    watch.hear(address, replica)
    expect(watch.doubt(1_100)).toBeUndefined()
    // The primary of before says so until it is told.
    watch.hear(address, promotedFrom("xyz"))
    expect(watch.doubt(1_100)).toBeUndefined()
    watch.see(info(line(0), line(1)), 1_200)
    watch.see(info(line(0)), 1_300)
    expect(watch.doubt(1_300)).toMatch(/may be the new primary/)
  })
})
