import { existsSync, readFileSync } from "node:fs"
import { join, posix } from "node:path"
import { describe, expect, it } from "vitest"
import { anchorsOf, citationsOf, documents, linksOf, root, slugOf, withoutFences } from "./documents.ts"
import { folders, sourcesOf } from "./sources.ts"

const anchorsByPath = new Map(documents.map(({ path, text }) => [path, anchorsOf(text)]))

/** Why a target (a path from the root, with or without an anchor) leads nowhere; undefined where it exists. */
const problemOf = (target: string): string | undefined => {
  const [path = "", anchor] = decodeURI(target).split("#")
  if (path.startsWith("..") || !existsSync(join(root, path))) return "no such file"
  if (anchor === undefined) return undefined
  const anchors = anchorsByPath.get(path)
  if (anchors === undefined) return "no document, so it has no headings"
  return anchors.has(anchor) ? undefined : "no such heading"
}

const deadOf = (from: string, targets: ReadonlyArray<readonly [shown: string, target: string]>) =>
  targets.flatMap(([shown, target]) => {
    const problem = problemOf(target)
    return problem === undefined ? [] : [`${from}: ${shown}: ${problem}`]
  })

const fromRoot = (path: string, link: string): string =>
  link.startsWith("#") ? path + link : posix.join(posix.dirname(path), link)

describe("documents", () => {
  it("documents and their links are found", () => {
    expect(documents.map(({ path }) => path)).toContain("README.md")
    expect(documents.filter(({ path }) => path.startsWith("docs/")).length).toBeGreaterThan(10)
    expect(documents.flatMap(({ text }) => linksOf(text)).length).toBeGreaterThan(50)
  })

  it("documents link only to files and headings that exist", () => {
    const dead = documents.flatMap(({ path, text }) =>
      deadOf(
        path,
        linksOf(text).map((link) => [link, fromRoot(path, link)] as const),
      ),
    )
    expect(dead).toEqual([])
  })

  it("documents name only sources that exist", () => {
    const named = new RegExp(`\`((?:${folders.join("|")})/[\\w./-]+)\``, "g")
    const missing = documents
      .filter(({ path }) => /^(?:README|docs\/[^/]+)\.md$/.test(path))
      .flatMap(({ path, text }) =>
        [...withoutFences(text).matchAll(named)]
          .filter(([, file = ""]) => !existsSync(join(root, file)))
          .map(([, file]) => `${path}: ${file}`),
      )
    expect(missing).toEqual([])
  })
})

describe("sources", () => {
  it("sources cite only pages and headings that exist", () => {
    const cited = sourcesOf(folders, [".ts", ".lua", ".mjs"]).concat(
      ["docker-compose.yml", "vitest.config.ts", ".ci/run"].map((path) => ({
        path,
        text: readFileSync(join(root, path), "utf8"),
      })),
    )
    const dead = cited.flatMap(({ path, text }) =>
      deadOf(
        path,
        citationsOf(text).map((citation) => [citation, citation] as const),
      ),
    )
    expect(dead).toEqual([])
  })
})

describe("the README", () => {
  it("the README has at most 8 KB", () => {
    expect(readFileSync(join(root, "README.md")).length).toBeLessThanOrEqual(8_000)
  })
})

describe("the page of dependencies", () => {
  it("the page of dependencies has a row for each package", () => {
    const page = readFileSync(join(root, "docs/dependencies.md"), "utf8")
    const packages = ["package.json", "test/package.json"].flatMap((path) => {
      const manifest = JSON.parse(readFileSync(join(root, path), "utf8")) as Readonly<
        Record<"dependencies" | "devDependencies", Readonly<Record<string, string>>>
      >
      return Object.keys({ ...manifest.dependencies, ...manifest.devDependencies })
    })
    const rows = page.split("\n").filter((line) => line.startsWith("| `"))
    expect(packages.filter((name) => !rows.some((row) => row.includes(`\`${name}\``)))).toEqual([])
  })
})

describe("anchors", () => {
  it("anchors are those that GitHub gives headings", () => {
    expect(slugOf("Rule 1")).toBe("rule-1")
    expect(slugOf("`ops audit verify`: what it does, & when")).toBe("ops-audit-verify-what-it-does--when")
    expect(slugOf("Last-Event-ID")).toBe("last-event-id")
    expect(slugOf("See [the rules](#rules)")).toBe("see-the-rules")
    expect([...anchorsOf("# A b\n```\n# no heading\n```\n## A b\n### c_d ###\n")]).toEqual([
      "a-b",
      "a-b-1",
      "c_d",
    ])
  })

  it("links and citations are found, and the dead ones among them told apart", () => {
    expect(linksOf("[a](b.md#c) `[d](e.md)` [f](https://g.example) [`h`](#i)\n\n[j]: k.md\n")).toEqual([
      "b.md#c",
      "#i",
      "k.md",
    ])
    const page = ["docs", "nowhere.md"].join("/")
    expect(citationsOf(`/** See ${page}#here, ${page}. */`)).toEqual([`${page}#here`, page])
    expect(problemOf(page)).toBe("no such file")
    expect(problemOf("README.md#nowhere")).toBe("no such heading")
    expect(problemOf("README.md#first-charge")).toBeUndefined()
  })
})
