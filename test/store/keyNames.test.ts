import { describe, expect, it } from "vitest"
import type { KeyKind } from "../../src/store/keys/keyKind.ts"
import { keyKinds, luaKeyNames, luaNameOf, templateOf } from "../../src/store/keys/table.ts"
import * as keys from "../../src/store/keys.ts"
import { useEmptyRedis } from "../support/fileRedis.ts"

const server = useEmptyRedis()

const tags: Readonly<Record<string, string>> = { tag: "{p07}", slot: "{u7}", claims: "{c7f}" }
const partsOf = ({ parts }: KeyKind) =>
  parts.map((part) => tags[part] ?? `a {${part}} of: 'quotes' <and> more`)

/** What an expression is in Lua, with the key names at hand and strings as ARGV. */
const lua = (expression: string, ...args: ReadonlyArray<string>) =>
  server.redis.eval(`${luaKeyNames()}return ${expression}`, 0, ...args)

describe("the table of keys", () => {
  it("no two kinds of keys have the same name, in Redis or in Lua", () => {
    expect(keyKinds.length).toBeGreaterThan(90)
    expect(new Set(keyKinds.map(([, kind]) => templateOf(kind))).size).toBe(keyKinds.length)
    expect(new Set(keyKinds.map(([name]) => luaNameOf(name))).size).toBe(keyKinds.length)
  })

  it("a name has all of its parts, each once, after the hash tag", () => {
    for (const [, kind] of keyKinds) {
      expect(templateOf(kind).match(/<\w+>/g) ?? []).toEqual(kind.parts.map((part) => `<${part}>`))
      expect(kind.parts.slice(1).filter((part) => part in tags)).toEqual([])
    }
  })
})

describe("key names in Lua", () => {
  it.each(keyKinds)("Lua and TypeScript make the same name of %s", async (name, kind) => {
    const parts = partsOf(kind)
    const args = parts.map((_, at) => `ARGV[${at + 1}]`).join(", ")
    expect(await lua(`key_names.${luaNameOf(name)}(${args})`, ...parts)).toBe(kind.name(...parts))
  })

  it("tag_of returns the hash tag of any key", async () => {
    const sellerId = "sel_01KA0000000700000000000000"
    for (const [key, tag] of [
      [keys.eventsKey({ sellerId, mode: "live" }), "{p07}"],
      [keys.idempotencyKey(sellerId, "test", "transactions", "{p99}"), "{p07}"],
      [keys.dueKey(keys.partitionTag(1023)), "{p1023}"],
      [keys.sessionKey(1023, "hash"), "{u1023}"],
      [keys.closingLeaseKey, "{closings}"],
      [keys.mailKey, null],
    ] as const) {
      expect(await lua("tag_of(ARGV[1])", key)).toBe(tag)
    }
  })

  it("names that Lua makes of numbers are those of their digits", async () => {
    const made = await lua("key_names.series('{p07}', 'sel_1', 'live', 20784)")
    expect(made).toBe("series:{p07}:sel_1:live:20784")
  })
})
