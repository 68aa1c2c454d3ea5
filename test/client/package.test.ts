import { spawnSync } from "node:child_process"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { gzipSync } from "node:zlib"
import { beforeAll, describe, expect, it } from "vitest"
import { buildClient } from "../../scripts/client/build.ts"
import { importsOf, sourcesOf } from "../layout/sources.ts"

const root = fileURLToPath(new URL("../..", import.meta.url))
const dist = join(root, "client", "dist")
const bytesMax = 12_000

beforeAll(() => buildClient())

/** The compiled modules that one leads to, each once. */
const modulesFrom = (entry: string): ReadonlyArray<{ readonly path: string; readonly text: string }> => {
  const reached = new Set([entry])
  const modules = []
  for (const path of reached) {
    const text = readFileSync(join(dist, path), "utf8")
    modules.push({ path, text })
    for (const target of importsOf({ path, text })) reached.add(target)
  }
  return modules
}

describe("the package of the client", () => {
  it("the package of the client has less than 12 kB when all its modules are compressed", () => {
    const modules = modulesFrom("index.js")
    expect(modules.length).toBeGreaterThan(5)
    expect(gzipSync(modules.map(({ text }) => text).join("\n")).length).toBeLessThan(bytesMax)
  })

  it("the package of the client imports nothing but its own files, and names nothing that only Node has", () => {
    const sources = sourcesOf(["client/src"])
    const foreign = sources.flatMap((source) =>
      importsOf(source).filter((target) => !target.startsWith("client/src/")),
    )
    expect([foreign, sources.length > 5]).toEqual([[], true])
    for (const { path, text } of modulesFrom("index.js")) {
      expect(text.match(/\b(?:process|Buffer|require|__dirname|global)\b[.(]/g), path).toBeNull()
    }
  })

  it("the package of the client has no dependencies, and each file that its exports name", () => {
    const manifest = JSON.parse(readFileSync(join(root, "client", "package.json"), "utf8"))
    expect(Object.keys(manifest).filter((field) => /dependencies/i.test(field))).toEqual([])
    expect(manifest).toMatchObject({ name: "@corrente/client", type: "module", license: "MIT" })
    const compiled = readdirSync(dist).map((name) => `./dist/${name}`)
    const { types, default: entry } = manifest.exports["."]
    expect(compiled).toEqual(expect.arrayContaining([types, entry, manifest.types]))
  })

  it("the types of the client are those of the API's document", () => {
    const check = spawnSync(process.execPath, ["scripts/client/types.ts", "--check"], {
      cwd: root,
      encoding: "utf8",
    })
    expect([check.status, check.stderr]).toEqual([0, ""])
  })
})
