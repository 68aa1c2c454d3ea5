import { describe, expect, it } from "vitest"
import { keyKinds, templateOf } from "../../src/store/keys/table.ts"
import { codeOf, sourcesOf } from "./sources.ts"

/** A file is as long as its one subject; beyond this it has several. */
const linesMax = 800

/** Files known to be longer, each with its bound. */
const longer: Readonly<Record<string, number>> = {
  // Generated.
  "client/src/openapi.ts": 7_000,
}

const linesOf = (text: string): number => text.split("\n").length - 1

describe("files", () => {
  it("a file has at most 800 lines, but for what is generated", () => {
    const tooLong = sourcesOf(
      ["schema", "actors", "src", "client/src", "cli", "bench", "scripts", "test", "web/src"],
      [".ts", ".tsx", ".mjs", ".lua"],
    )
      .map(({ path, text }) => ({ path, lines: linesOf(text) }))
      .filter(({ path, lines }) => lines > (longer[path] ?? linesMax))

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
      ...["src/http/server/connections.ts", "src/start/backups/restoreOwnRedis.ts"],
      "src/start/ownRedis/redisProbe.ts",
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
  const names = [...new Set(keyKinds.map(([, kind]) => /^[a-z-]+/.exec(templateOf(kind))?.[0] ?? ""))]

  it("key names are read from the table that declares them", () => {
    for (const name of ["txn", "events", "queue", "idem", "due", "audit"]) expect(names).toContain(name)
  })

  it("key names are written in the table of keys and nowhere else", () => {
    // Scopes of API keys are no names of keys, as `events:read`.
    const isName = new RegExp(`["'\`](?:${names.join("|")}):(?!(?:read|write)["'\`])(?=[\\w{*$"'\`])`)
    const found = sourcesOf(["schema", "actors", "src"])
      .filter(({ path }) => !path.startsWith("src/store/keys/"))
      .flatMap(({ path, text }) =>
        codeOf(text, { withStrings: true })
          .split("\n")
          .filter((line) => isName.test(line))
          .map((line) => `${path}: ${line.trim()}`),
      )

    expect(found).toEqual([])
  })
})
