import { describe, expect, it } from "vitest"
import {
  bindParameters,
  declarationOf,
  declareFunction,
  parametersOf,
} from "../../src/store/redis/functionDeclaration.ts"

const declaration = declareFunction("file:///srv/store/timers/moveTimer.ts", {
  keys: ["timers", "due", "events?", "feed?"],
  args: ["member", "millis", "...others"],
})

describe("a declared function", () => {
  it("a function is named after its file and found by the path of its Lua", () => {
    expect(declaration.functionName).toBe("corrente_move_timer")
    expect(declarationOf("/srv/store/timers/moveTimer.lua")).toBe(declaration)
    expect(declarationOf("/srv/store/timers/other.lua")).toBeUndefined()
  })

  it("a function call puts its values in the declared order, whatever order they are given in", () => {
    const args = { others: ["a", "b"], millis: 5, member: "m" }

    expect(parametersOf(declaration, { due: "d", timers: "t" }, args)).toEqual([
      ...["corrente_move_timer", 2, "t", "d", "m", 5, "a", "b"],
    ])
  })

  it("a function call takes optional keys and an empty list", () => {
    const keys = { timers: "t", due: "d", events: "e", feed: "f" }

    expect(parametersOf(declaration, keys, { member: "m", millis: 5, others: [] })).toEqual([
      ...["corrente_move_timer", 4, "t", "d", "e", "f", "m", 5],
    ])
  })
})

describe("names in Lua", () => {
  const names = { keys: ["timers", "due?"], args: ["member", "...others"] }
  const bind = (lua: string) => bindParameters("timers/moveTimer.lua", lua, names)

  it("declared names become positions in the Lua code", () => {
    expect(bind("f(KEYS.timers, KEYS.due, ARGV.member, ARGV_FROM.others)")).toBe(
      "f(keys[1], keys[2], args[1], 2)",
    )
  })

  it("the values of a declared list can be read at a variable position", () => {
    expect(
      bind("f(KEYS.timers, KEYS.due, ARGV.member) for i = ARGV_FROM.others, #args do f(args[i]) end"),
    ).toContain("for i = 2, #args do f(args[i])")
  })

  it.each([
    ["a name that is not declared", "KEYS.queue", "KEYS.queue is not declared"],
    ["a number instead of a name", "args[1]", "args[1…] stands where ARGV.<name> belongs"],
  ])("Lua with %s fails to load", (_, code, message) => {
    expect(() => bind(`f(KEYS.timers, KEYS.due, ARGV.member, ARGV_FROM.others, ${code})`)).toThrow(
      `timers/moveTimer.lua: ${message}`,
    )
  })

  it("Lua that does not use a declared name fails to load, even if a comment mentions it", () => {
    expect(() => bind("f(KEYS.timers, ARGV.member) -- KEYS.due, ARGV_FROM.others")).toThrow(
      "timers/moveTimer.lua: KEYS.due is declared and not used",
    )
  })
})
