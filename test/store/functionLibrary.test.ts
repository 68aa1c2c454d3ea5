import { readdirSync, readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import "../../src/store/redisStore.ts"
import { keyKinds, templateOf } from "../../src/store/keys/table.ts"
import { library } from "../../src/store/redis/functionLibrary.ts"
import { declaredFunctions } from "../../src/store/redis/luaFunction.ts"
import { luaSources } from "../../src/store/redis/luaSources.ts"

const store = new URL("../../src/store/", import.meta.url)

const files = luaSources().map(({ path, text }) => {
  const code = text.replace(/--.*$/gm, "").replace(/'[^'\n]*'/g, "''")
  const locals = [...code.matchAll(/\blocal (?:function )?([\w, ]+)/g)].flatMap(([, names = ""]) =>
    names.split(",").map((name) => name.trim()),
  )
  return { path, text: text.replace(/--.*$/gm, ""), code, locals }
})

const namesAfter = (word: string, code: string): ReadonlyArray<string> =>
  [...code.matchAll(new RegExp(`(?<![\\w.])${word}\\.(\\w+)`, "g"))].map(([, name]) => name ?? "")

const everyFileHas = (strangersIn: (file: (typeof files)[number]) => ReadonlyArray<string>) =>
  expect(files.flatMap((file) => strangersIn(file).map((name) => `${file.path}: ${name}`))).toEqual([])

describe("the library of functions", () => {
  it("each declared function is defined, and each module is declared or called by another", () => {
    const defined = files.flatMap(({ code }) =>
      [...code.matchAll(/^function ([\w.]+)\(/gm)].map(([, name]) => name ?? ""),
    )
    const declared = declaredFunctions().map(({ name }) => name)
    expect(declared.filter((name) => !defined.includes(name))).toEqual([])
    const code = files.map((file) => file.code).join("\n")
    const uncalled = defined.filter(
      (name) =>
        !declared.includes(name) &&
        [...code.matchAll(new RegExp(`\\b${name.replace(".", "\\.")}\\(`, "g"))].length < 2,
    )
    expect(uncalled.filter((name) => name !== "seller_audit.with_act")).toEqual([])
  })

  it("Lua reads no key that no function declares", () => {
    const keys = new Set(declaredFunctions().flatMap(({ keyNames }) => keyNames))
    everyFileHas(({ code }) => namesAfter("key", code).filter((name) => !keys.has(name)))
  })

  it("Lua reads no value of a change that no call names", () => {
    const words = new Set(
      readdirSync(store, { recursive: true, encoding: "utf8" })
        .filter((path) => path.endsWith(".ts"))
        .flatMap((path) => readFileSync(new URL(path, store), "utf8").match(/\w+/g) ?? []),
    )
    everyFileHas(({ code }) => namesAfter("change", code).filter((name) => !words.has(name)))
  })

  it("Lua names keys by the table of keys alone", () => {
    const names = keyKinds.map(([, kind]) => templateOf(kind).split("<")[0] ?? "")
    everyFileHas(({ text }) =>
      names.filter((name) => text.includes(`'${name}'`) || (name.endsWith(":") && text.includes(`'${name}`))),
    )
  })

  it("a file calls its own functions, those of the prelude and those of modules, and no others", () => {
    const prelude = files.find(({ path }) => path.endsWith("prelude.lua"))?.locals ?? []
    const lua = new Set(
      "and or not if elseif while until return in function unpack tonumber tostring ipairs pairs next error type tag_of".split(
        " ",
      ),
    )
    everyFileHas(({ code, locals }) =>
      [...code.matchAll(/(?<![\w.:])(\w+)\(/g)]
        .map(([, name]) => name ?? "")
        .filter((name) => !lua.has(name) && !locals.includes(name) && !prelude.includes(name)),
    )
  })

  it("the library has room among the 200 locals that Lua takes at the top of a chunk", () => {
    const [top = ""] = library.source.split("\ndo\n")
    const locals = [...top.matchAll(/^local (.*?)(?:=|$|\()/gm)].flatMap(([, names = ""]) => names.split(","))
    expect(locals.length).toBeGreaterThan(10)
    expect(locals.length).toBeLessThan(120)
  })
})
