import { describe, expect, it } from "vitest"
import { RecentMap } from "../../src/accounts/apiKeys/recentMap.ts"

const mapOf = (sizeMax: number, keys: string) => {
  const map = new RecentMap<string, string>(sizeMax)
  for (const key of keys) map.set(key, key.toUpperCase())
  return map
}

/** Looking up is a use: each of these is looked up once. */
const found = (map: RecentMap<string, string>, keys: string) =>
  [...keys].map((key) => map.get(key) ?? "-").join("")

describe("RecentMap", () => {
  it("keeps as many entries as it may", () => {
    const map = mapOf(6, "abcdef")
    expect(map.size).toBe(6)
    for (const key of "ghijklm") {
      map.set(key, key)
      expect(map.size).toBeLessThanOrEqual(6)
    }
  })

  it("makes room by dropping what was not used, never the last half of what was", () => {
    const map = mapOf(6, "abcdef")
    expect(found(map, "a")).toBe("A")
    map.set("g", "G")
    expect(found(map, "ag")).toBe("AG")
    expect(found(map, "bc")).toBe("--")
    expect(found(map, "f")).toBe("F")
  })

  it("drops at a turn what was neither set nor got since the turn before", () => {
    const map = mapOf(6, "abc")
    map.turn()
    expect(found(map, "a")).toBe("A")
    map.set("b", "B2")
    map.turn()
    expect([map.size, found(map, "abc")]).toEqual([2, "AB2-"])
  })

  it("counts an entry once, however often it is set, and its last value counts", () => {
    const map = mapOf(4, "a")
    map.turn()
    map.set("a", "A2")
    map.set("a", "A3")
    expect([map.size, map.get("a")]).toEqual([1, "A3"])
    map.turn()
    expect(map.get("a")).toBe("A3")
  })

  it("forgets what is deleted, recent or older", () => {
    const map = mapOf(4, "a")
    map.turn()
    map.set("b", "B")
    map.delete("a")
    map.delete("b")
    expect([map.size, found(map, "ab")]).toEqual([0, "--"])
  })

  it("keeps the last entry where it may keep only one", () => {
    expect(found(mapOf(1, "ab"), "b")).toBe("B")
  })
})
