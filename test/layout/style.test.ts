import { describe, expect, it } from "vitest"
import { codeOf, importsOf, sourcesOf } from "./sources.ts"

/** Sources stay short enough to read in one go; a file of tests may list more cases. */
const sourceLinesMax = 300
const testLinesMax = 450

/** Files known to be longer, each with its bound. */
const longer: Readonly<Record<string, number>> = {
  // A PNG encoder made for one picture: its parts are of no use apart.
  "src/pixCode/qrPng.ts": 310,
  // Runs before any package is there, so it has nothing to import.
  "scripts/with-node22.mjs": 320,
  // Generated.
  "client/src/openapi.ts": 6_000,
}

const linesOf = (text: string): number => text.split("\n").length - 1

describe("files", () => {
  it("a source file has at most 300 lines and a test file 450, but for listed exceptions", () => {
    const tooLong = sourcesOf(
      ["schema", "actors", "src", "client/src", "cli", "bench", "scripts", "test", "web/src"],
      [".ts", ".tsx", ".mjs", ".lua"],
    )
      .map(({ path, text }) => ({ path, lines: linesOf(text) }))
      .filter(({ path, lines }) => {
        const bound = longer[path] ?? (path.startsWith("test/") ? testLinesMax : sourceLinesMax)
        return lines > bound
      })

    expect(tooLong).toEqual([])
  })
})

describe("what is run", () => {
  it("no source makes a regular expression of input: only these files make any, of names of their own", () => {
    const makers = sourcesOf(["schema", "actors", "src", "client/src", "cli", "web/src"], [".ts", ".tsx"])
      .filter(({ text }) => /\bRegExp\(/.test(codeOf(text)))
      .map(({ path }) => path)
    expect(makers.toSorted()).toEqual([
      ...["schema/text.ts", "src/accounts/users/addressRules.ts", "src/config/faultPoint.ts"],
      "src/env/pemFile.ts",
      ...["src/http/server/tcpTable.ts", "src/start/ownRedis/backup.ts", "src/start/ownRedis/redisProbe.ts"],
      ...["src/start/ownRedis/restore.ts", "src/store/redis/functionDeclaration.ts"],
    ])
  })
})

describe("types", () => {
  it("no source uses the type any", () => {
    const isUsed = /(?<![\w.$])any(?![\w$])(?!\s*[:(])/
    const typed = ["schema", "actors", "src", "client/src", "cli", "bench", "web/src"] as const
    const found = sourcesOf(typed, [".ts", ".tsx"]).flatMap(({ path, text }) =>
      codeOf(text)
        .split("\n")
        .filter((line) => isUsed.test(line))
        .map((line) => `${path}: ${line.trim()}`),
    )

    expect(found).toEqual([])
  })
})

/** Exported functions and classes, each with the line before it. */
const exportsOf = (text: string): ReadonlyArray<{ readonly name: string; readonly before: string }> => {
  const lines = text.split("\n")
  const functionValue = /^export const \w+(?::[^=]+)?\s*=\s*(?:async\s+)?(?:\(|<|\w+\s*=>|Effect\.fn)/
  return lines.flatMap((line, index) => {
    const name = /^export (?:default )?(?:abstract )?(?:async )?(?:class|function\*?|const) (\w+)/.exec(
      line,
    )?.[1]
    const isFunction = /^export (?:default )?(?:abstract )?(?:async )?(?:class|function)/.test(line)
    const declaration = lines.slice(index, index + 6).join("\n")
    if (name === undefined || !(isFunction || functionValue.test(declaration))) return []
    return [{ name, before: lines[index - 1]?.trim() ?? "" }]
  })
}

describe("exported functions and classes of schema, actors and the client", () => {
  const exported = sourcesOf(["schema", "actors", "client/src"]).flatMap(({ path, text }) =>
    exportsOf(text).map(({ name, before }) => ({ name: `${path} ${name}`, before })),
  )

  it("exported functions and classes of schema, actors and the client are found", () => {
    expect(exported.length).toBeGreaterThan(60)
  })

  it("every exported function and class of schema, actors and the client has a docstring", () => {
    const without = exported.filter(({ before }) => !before.endsWith("*/"))

    expect(without.map(({ name }) => name)).toEqual([])
  })
})

describe("key names", () => {
  const isHome = (path: string) => /^src\/store\/\w+\/keys\.ts$/.test(path)
  const namesIn = (text: string): ReadonlyArray<string> => [
    ...new Set([...text.matchAll(/[`"]([a-z][a-z-]*):\$\{/g)].map(([, name]) => name ?? "")),
  ]
  const homes = sourcesOf(["src"]).filter(({ path }) => isHome(path))
  const names = homes.flatMap(({ text }) => namesIn(text))

  it("key names are read from the files that declare them", () => {
    for (const name of ["txn", "events", "queue", "idem", "due"]) expect(names).toContain(name)
  })

  it("each key name belongs to one aggregate's file, and src/store/keys.ts exports all these files", () => {
    expect(names.filter((name, i) => names.indexOf(name) !== i)).toEqual([])

    const exported = sourcesOf(["src"])
      .filter(({ path }) => path === "src/store/keys.ts")
      .flatMap((source) => importsOf(source))
    expect(exported.filter(isHome).toSorted()).toEqual(homes.map(({ path }) => path).toSorted())
  })

  it("key names are written in the aggregates' files and nowhere else", () => {
    const isName = new RegExp(`["'\`](?:${names.join("|")}):(?=[\\w{*$"'\`])`)
    const found = sourcesOf(["schema", "actors", "src"])
      .filter(({ path }) => !isHome(path))
      .flatMap(({ path, text }) =>
        codeOf(text, { withStrings: true })
          .split("\n")
          .filter((line) => isName.test(line))
          .map((line) => `${path}: ${line.trim()}`),
      )

    expect(found).toEqual([])
  })
})
