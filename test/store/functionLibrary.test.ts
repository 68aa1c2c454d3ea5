import { readdirSync, readFileSync } from "node:fs"
import { dirname } from "node:path"
import { describe, expect, it } from "vitest"
import "../../src/store/redisStore.ts"
import { library } from "../../src/store/redis/functionLibrary.ts"

const folder = new URL("../../src/store/", import.meta.url)

const files = readdirSync(folder, { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".lua"))
  .map((file) => {
    const text = readFileSync(new URL(file, folder), "utf8").replace(/--.*$/gm, "")
    const defined = [...text.matchAll(/^local (?:function )?(\w+)/gm)].map(([, name]) => name ?? "")
    return { file, text, defined, isPrelude: file.endsWith("prelude.lua") }
  })

describe("the library of functions", () => {
  it("what a function's file defines at its top is called by files of its folder alone", () => {
    const strangers = files
      .filter(({ isPrelude }) => !isPrelude)
      .flatMap(({ file, defined }) =>
        files
          .filter((other) => other.isPrelude || dirname(other.file) !== dirname(file))
          .flatMap((other) =>
            defined
              .filter((name) => !other.defined.includes(name))
              .filter((name) => new RegExp(`(?<![\\w.'"])${name}\\(`).test(other.text))
              .map((name) => `${other.file} calls ${name} of ${file}`),
          ),
      )
    expect(strangers).toEqual([])
  })

  it("the library has room among the 200 locals that Lua takes at the top of a chunk", () => {
    const [top = ""] = library.source.split("\ndo\n")
    const locals = top.match(/^local /gm)?.length
    expect(locals).toBeGreaterThan(10)
    expect(locals).toBeLessThan(120)
  })
})
