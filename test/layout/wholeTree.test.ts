import { describe, expect, it } from "vitest"
import { importedNames, importsOf, isOurs, sourcesOf } from "./sources.ts"

/** What the repository ships and runs: all but the tests. */
const shipped = sourcesOf(
  ["schema", "actors", "src", "client/src", "cli", "web/src", "bench", "scripts"],
  [".ts", ".tsx", ".mjs"],
)

/** A path along imports that ends where it began; undefined where there is none. */
const findCircle = (options: { readonly loadedOnly: boolean }): ReadonlyArray<string> | undefined => {
  const targets = new Map(shipped.map((source) => [source.path, importsOf(source, options).filter(isOurs)]))
  const done = new Set<string>()
  const visit = (path: string, trail: ReadonlyArray<string>): ReadonlyArray<string> | undefined => {
    const at = trail.indexOf(path)
    if (at >= 0) return [...trail.slice(at), path]
    if (done.has(path)) return undefined
    for (const target of targets.get(path) ?? []) {
      const found = visit(target, [...trail, path])
      if (found !== undefined) return found
    }
    done.add(path)
    return undefined
  }
  for (const path of targets.keys()) {
    const found = visit(path, [])
    if (found !== undefined) return found
  }
  return undefined
}

describe("files", () => {
  it("files do not load each other in a circle", () => {
    expect(findCircle({ loadedOnly: true })).toBeUndefined()
  })

  it("files do not import each other's types in a circle", () => {
    expect(findCircle({ loadedOnly: false })).toBeUndefined()
  })
})

/** Values that a file exports: constants, functions and classes, and those of others that it passes on. */
const exportedValues = (text: string): ReadonlyArray<string> => {
  const declared = text.matchAll(/^export (?:abstract )?(?:async )?(?:const|let|function\*?|class) (\w+)/gm)
  const passedOn = [...text.matchAll(/^export \{([^}]*)\}/gm)].flatMap(([, names = ""]) => names.split(","))
  return [
    ...[...declared].map(([, name = ""]) => name),
    ...passedOn
      .map((name) => name.trim().split(" as ").at(-1) ?? "")
      .filter((name) => name !== "" && !name.startsWith("type ")),
  ]
}

describe("exports", () => {
  it("every exported value of what is shipped is imported somewhere, by a test at least", () => {
    const all = [...shipped, ...sourcesOf(["test"], [".ts", ".mjs"])]
    const imported = new Set(all.flatMap(importedNames))
    // An import of the whole file may use any of its names.
    const isDead = (path: string, name: string) =>
      !imported.has(`${path} ${name}`) && !imported.has(`${path} *`)
    const dead = shipped
      // What callers of the package import is nobody's here.
      .filter(({ path }) => !path.startsWith("bench/") && path !== "client/src/index.ts")
      .flatMap(({ path, text }) =>
        exportedValues(text)
          .filter((name) => isDead(path, name))
          .map((name) => `${path} ${name}`),
      )
    expect(imported.size).toBeGreaterThan(1_000)
    expect(dead).toEqual([])
  })
})
