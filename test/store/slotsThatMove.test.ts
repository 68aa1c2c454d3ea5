import { readdirSync, readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { keyKinds } from "../../src/store/keys/table.ts"
import { accountTag, movingKeyBeside, partitionTag, tagsOfSlot } from "../../src/store/keys.ts"
import { readNodes } from "../../src/store/redis/clusterNodes.ts"
import { slotOf } from "../../src/store/redis/clusterView.ts"

const sources = new URL("../../src/", import.meta.url)

describe("the fence of a slot that moves", () => {
  it("the key of the fence lies in the slot of the key beside it, with a tag or without", () => {
    for (const key of ["owner:{p07}", "session:{u1023}:hash", "audit", "process-streams:{processes}"]) {
      expect(slotOf(movingKeyBeside(key))).toBe(slotOf(key))
    }
    expect(movingKeyBeside("timers:{p07}")).toBe("moving:{p07}")
    expect(movingKeyBeside("audit")).toBe("moving:{audit}")
  })

  it("a slot's tags are its partition, and the accounts that share it by chance", () => {
    expect(tagsOfSlot(slotOf(partitionTag(7)), slotOf)).toEqual(["{p07}"])
    const shared = tagsOfSlot(slotOf(partitionTag(100)), slotOf)
    expect(shared).toEqual(["{p100}", accountTag(672)])
  })

  it("keys of neither partitions nor accounts share no slot with a partition, but for an address", () => {
    const partitions = new Set(Array.from({ length: 1_024 }, (_, i) => slotOf(partitionTag(i))))
    const tagged = ["tag", "slot", "claims", "number"]
    const others = keyKinds.filter(
      ([, { parts, type }]) => type !== "channel" && !tagged.includes(parts[0] ?? ""),
    )
    expect(others.length).toBeGreaterThan(15)
    const inPartitions = others.filter(([, kind]) => partitions.has(slotOf(kind.name(...kind.parts))))
    // With PARTITIONS above 64; each start of the service writes it again.
    expect(inPartitions.map(([name]) => name)).toEqual(["serviceAddress"])
  })

  it("keys of sellers and accounts are written by functions alone, which see the fence", () => {
    const writes =
      /\bcall\("(?:SET|HSET|HDEL|ZADD|ZREM\w*|SADD|SREM|XADD|XTRIM|DEL|UNLINK|P?EXPIRE|HSETNX|INCR\w*|HINCRBY)"/
    const files = readdirSync(sources, { recursive: true, encoding: "utf8" }).filter(
      (path) =>
        path.endsWith(".ts") && writes.test(readFileSync(new URL(path, sources), "utf8").replace(/\s+/g, "")),
    )
    // The service's own keys.
    expect(files.sort()).toEqual([
      "mail/ownAddress.ts",
      "mail/transports.ts",
      "ops/keys/rotateKeys.ts",
      "store/audit.ts",
      "store/customerDigests.ts",
      "store/invites.ts",
      "store/operatorLog.ts",
      "store/redis/encryptionKeyCheck.ts",
      "store/sweeps.ts",
      "store/users.ts",
    ])
  })
})

describe("the nodes of a cluster", () => {
  const asked = { host: "asked", port: 7_000 }

  it("a node tells its names, its state, its slots, and which of them are on their way", () => {
    const text = [
      "aa 10.0.0.1:7001@17001,one.example myself,master - 0 0 3 connected 0-5460 9000 [5000->-bb] [9001-<-bb]",
      "bb :7002@17002 master,fail? - 0 0 2 connected",
      "cc 10.0.0.3:7003@17003 slave aa 0 0 3 connected",
      "",
    ].join("\n")
    const [first, second, third] = readNodes(text, asked)
    expect(first).toMatchObject({
      ...{
        id: "aa",
        place: { host: "one.example", port: 7_001 },
        ip: "10.0.0.1",
        epoch: 3,
        slotCount: 5_462,
      },
      ...{ isSelf: true, isUp: true, primaryId: undefined },
    })
    expect([0, 5_460, 5_461, 9_000, 9_001].map((slot) => first?.hasSlot(slot))).toEqual([
      true,
      true,
      false,
      true,
      false,
    ])
    expect([first?.migrating.get(5_000), first?.importing.get(9_001)]).toEqual(["bb", "bb"])
    expect(second).toMatchObject({ place: { host: "asked", port: 7_002 }, isUp: false, slotCount: 0 })
    expect(third).toMatchObject({ primaryId: "aa", isSelf: false, isUp: true })
  })
})
