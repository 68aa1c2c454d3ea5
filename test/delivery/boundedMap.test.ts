import { describe, expect, it } from "vitest"
import { BoundedMap } from "../../src/delivery/sender/boundedMap.ts"

const keysOf = (map: BoundedMap<string, number>, keys: string) =>
  [...keys].filter((key) => map.get(key) !== undefined)

describe("BoundedMap", () => {
  it("keeps as many entries as it may and drops the oldest for one more", () => {
    const map = new BoundedMap<string, number>(3)
    for (const [index, key] of [..."abc"].entries()) map.set(key, index)
    expect(keysOf(map, "abcd")).toEqual(["a", "b", "c"])
    map.set("d", 3)
    expect(keysOf(map, "abcd")).toEqual(["b", "c", "d"])
  })

  it("counts an entry that is set again as new, and once", () => {
    const map = new BoundedMap<string, number>(2)
    map.set("a", 0)
    map.set("b", 1)
    map.set("a", 2)
    map.set("c", 3)
    expect(map.get("a")).toBe(2)
    expect(keysOf(map, "abc")).toEqual(["a", "c"])
  })

  it("forgets what is deleted", () => {
    const map = new BoundedMap<string, number>(1)
    map.set("a", 0)
    map.delete("a")
    expect(map.get("a")).toBeUndefined()
  })
})
